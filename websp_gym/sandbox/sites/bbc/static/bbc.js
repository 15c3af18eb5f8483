// @ts-check
// The drawer of the header, and the cookie settings, where choosing is saving.
"use strict";

(() => {
  const drawer = document.getElementById("drawer");
  const openers = [...document.querySelectorAll("[aria-controls=drawer]")];

  /** @param {Element|null} opener what was pressed; null closes */
  const open = (opener) => {
    if (!drawer) return;
    const back = drawer.contains(document.activeElement) ? openers.find((each) => each.getAttribute("aria-expanded") === "true") : null;
    drawer.hidden = !opener;
    for (const each of openers) each.setAttribute("aria-expanded", String(each === opener));
    const target = opener?.getAttribute("data-drawer") === "search" ? "input" : "button";
    if (opener) drawer.querySelector(target)?.focus();
    else if (back instanceof HTMLElement) back.focus();
  };
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const opener = target?.closest("[aria-controls=drawer]") ?? null;
    if (opener) open(opener.getAttribute("aria-expanded") === "true" ? null : opener);
    else if (target?.closest("[data-drawer=close]") || !target?.closest("#drawer")) open(null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") open(null);
  });

  const settings = document.querySelector("[data-cookie-settings]");
  const status = settings?.querySelector("[role=status]");
  /** @type {(radio: HTMLInputElement) => Promise<string>} */
  const save = async (radio) => {
    const reply = await fetch("/_consent", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ choice: "custom", groups: { [radio.name]: radio.value === "1" } }),
    });
    // A reply that nobody reads keeps its request open, and whoever waits for the network waits for nothing.
    await reply.text();
    if (!reply.ok) return "That could not be saved. Load the page again to see what holds.";
    for (const banner of document.querySelectorAll("[data-consent-banner]")) banner.setAttribute("hidden", "");
    return `Saved: you ${radio.value === "1" ? "use" : "do not use"} ${radio.name} cookies.`;
  };
  settings?.addEventListener("change", async (event) => {
    if (!(event.target instanceof HTMLInputElement)) return;
    const words = await save(event.target);
    if (status) status.textContent = words;
  });
  // A page that comes back with the Back button shows what it showed then, not what holds now.
  window.addEventListener("pageshow", (event) => {
    if (settings && event.persisted) location.reload();
  });
})();
