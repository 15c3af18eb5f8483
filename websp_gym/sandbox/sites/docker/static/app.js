// @ts-check
/* The drop-downs of forms, as Material UI builds them: a box that shows the choice, a list of options, and a hidden field. popups.js opens them. */

/** @param {HTMLElement} option */
function choose(option) {
  const field = option.closest(".field");
  const input = field?.querySelector("input");
  const shown = field?.querySelector("[role=combobox] span");
  for (const each of field?.querySelectorAll("[role=option]") ?? []) each.setAttribute("aria-selected", String(each === option));
  if (input) input.value = option.dataset.value ?? "";
  if (shown) shown.textContent = option.textContent;
}

document.addEventListener("click", (event) => {
  const option = event.target instanceof Element ? event.target.closest(".field [role=option]") : null;
  if (option instanceof HTMLElement) choose(option);
});
document.addEventListener("keydown", (event) => {
  const on = event.target;
  if (!(on instanceof HTMLElement) || !on.matches(".field :is([role=combobox], [role=option])") || ![" ", "Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
  event.preventDefault();
  const list = on.closest(".field")?.querySelector("[role=listbox]");
  if (on.matches("[role=combobox]")) {
    if (list instanceof HTMLElement && list.hidden) on.click();
    const chosen = list?.querySelector("[aria-selected=true]");
    if (chosen instanceof HTMLElement) chosen.focus();
    return;
  }
  if (event.key === " " || event.key === "Enter") return on.click();
  const next = event.key === "ArrowDown" ? on.nextElementSibling : on.previousElementSibling;
  if (next instanceof HTMLElement) next.focus();
});
