// @ts-check
/// <reference path="../../../kit/static/kit.js" />
// The bag and heart buttons of the product cards.
"use strict";

(() => {
  /** @type {(button: HTMLElement) => Promise<void>} */
  const add = async (button) => {
    await kitPost("/us/en/bag/add", { sku: button.dataset.sku });
    const count = document.querySelector(".count");
    if (count instanceof HTMLElement) {
      count.textContent = String(Number(count.textContent) + 1);
      count.hidden = false;
    }
    kitToast("Added to your bag");
  };
  /** @type {(button: HTMLElement) => Promise<void>} */
  const keep = async (button) => {
    const kept = button.getAttribute("aria-pressed") === "true";
    await kitPost(`/us/en/favorites/${kept ? "remove" : "add"}`, { sku: button.dataset.sku });
    button.setAttribute("aria-pressed", String(!kept));
    kitToast(kept ? "No longer a favorite" : "Added to your favorites");
  };
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest(".add, .keep") : null;
    if (!(button instanceof HTMLElement)) return;
    const deed = button.matches(".add") ? add : keep;
    deed(button).catch(() => kitToast("That did not work"));
  });
})();
