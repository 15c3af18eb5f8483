// @ts-check
/* The messaging drawer has two views, the conversations and the settings. */
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-route]") : null;
  if (!button) return;
  for (const view of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#message-drawer [data-view]"))) {
    view.hidden = view.dataset.view !== button.getAttribute("data-route");
  }
});

// However the drawer was closed, its buttons say what it is now.
const drawer = document.getElementById("message-drawer");
if (drawer) {
  new MutationObserver(() => {
    for (const button of document.querySelectorAll("[aria-controls=message-drawer]")) button.setAttribute("aria-expanded", String(!drawer.hidden));
  }).observe(drawer, { attributeFilter: ["hidden"] });
}

export {};
