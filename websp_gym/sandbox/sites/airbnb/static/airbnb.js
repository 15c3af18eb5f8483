// @ts-check
// The menu behind the round button of the header.
"use strict";

(() => {
  const button = document.querySelector(".profile > button");
  const menu = document.getElementById(button?.getAttribute("aria-controls") ?? "");

  /** @param {boolean} shown */
  const show = (shown) => {
    button?.setAttribute("aria-expanded", String(shown));
    if (menu) menu.hidden = !shown;
  };
  document.addEventListener("click", (event) => {
    const inside = event.target instanceof Element && event.target.closest(".profile > button");
    show(Boolean(inside) && button?.getAttribute("aria-expanded") === "false");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") show(false);
  });
})();
