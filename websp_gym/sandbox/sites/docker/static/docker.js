// @ts-check
// Menus of the header, tabs of the terminal, and yearly or monthly prices.
"use strict";

(() => {
  /** @type {(selector: string) => HTMLElement[]} */
  const every = (selector) => [...document.querySelectorAll(selector)].filter((found) => found instanceof HTMLElement);
  const buttons = every(".entry > button");

  /** @param {Element|null} chosen */
  const open = (chosen) => {
    for (const button of buttons) {
      const list = document.getElementById(button.getAttribute("aria-controls") ?? "");
      button.setAttribute("aria-expanded", String(button === chosen));
      if (list) list.hidden = button !== chosen;
    }
  };
  /** @param {Element} chosen */
  const show = (chosen) => {
    for (const tab of every(".screens [role=tab]")) {
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      tab.setAttribute("aria-selected", String(tab === chosen));
      if (panel) panel.hidden = tab !== chosen;
    }
  };
  /** @param {HTMLElement} chosen */
  const bill = (chosen) => {
    for (const button of every("[data-rhythm]")) button.setAttribute("aria-pressed", String(button === chosen));
    for (const price of every(".price b")) price.textContent = price.dataset[chosen.dataset.rhythm ?? ""] ?? "";
  };

  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest(".entry > button") ?? null;
    open(button?.getAttribute("aria-expanded") === "true" ? null : button);
    const tab = target?.closest(".screens [role=tab]");
    if (tab) show(tab);
    const rhythm = target?.closest("[data-rhythm]");
    if (rhythm instanceof HTMLElement) bill(rhythm);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") open(null);
  });
})();
