// @ts-check
// The module in view is marked in the bar.
addEventListener("routed", (event) => {
  const place = /** @type {CustomEvent<string>} */ (event).detail;
  for (const link of document.querySelectorAll(".modules a.module")) {
    link.classList.toggle("here", (link.getAttribute("href") ?? "").slice(3) === place.split(/[/?]/)[0]);
  }
});
