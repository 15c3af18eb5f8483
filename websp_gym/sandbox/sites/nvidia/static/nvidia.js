// @ts-check
// The menus of the header: one is open at a time; Escape, another click or leaving it closes it.
"use strict";

(() => {
  const buttons = [...document.querySelectorAll("#global-navigation .entry > button")];

  /** @param {Element|null} chosen */
  const open = (chosen) => {
    for (const button of buttons) {
      const list = document.getElementById(button.getAttribute("aria-controls") ?? "");
      button.setAttribute("aria-expanded", String(button === chosen));
      if (list) list.hidden = button !== chosen;
    }
  };
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest("#global-navigation .entry > button") ?? null;
    open(button?.getAttribute("aria-expanded") === "true" ? null : button);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") open(null);
  });
})();
