// @ts-check
/* What the kit's panels cannot do: choices that a second press takes back, and switches whose name says what pressing them does. */
"use strict";

(() => {
  const CHOICE = "button[data-option][aria-pressed]";
  /** @param {Event} event */
  const choiceOf = ({ target }) => /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest(CHOICE) : null);

  // While the panel looks at a press of a pressed button, that button stands for no choice.
  document.addEventListener("click", (event) => {
    const button = choiceOf(event);
    if (button?.getAttribute("aria-pressed") !== "true") return;
    button.dataset.own = button.dataset.option;
    button.dataset.option = "none";
  }, true);
  document.addEventListener("click", (event) => {
    const button = choiceOf(event);
    if (!button?.dataset.own) return;
    button.dataset.option = button.dataset.own;
    delete button.dataset.own;
    button.setAttribute("aria-pressed", "false");
    button.classList.remove("kit-on");
  });

  const renamed = new MutationObserver((changes) => {
    for (const { target } of changes) {
      const button = /** @type {HTMLElement} */ (target);
      const word = button.getAttribute("aria-checked") === "true" ? "Limit" : "Allow";
      button.setAttribute("aria-label", `${word} ads about: ${button.dataset.topic}`);
    }
  });
  for (const button of document.querySelectorAll("[data-topic]")) renamed.observe(button, { attributeFilter: ["aria-checked"] });
})();
