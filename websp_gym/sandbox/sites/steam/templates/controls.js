// @ts-check
// Check boxes and radio buttons that save at once, on the store preferences and on the notification settings.

const { save, alert } = /** @type {StorePage} */ (/** @type {unknown} */ (globalThis)).steam;

/** Where this page saves. */
const path = /** @type {HTMLElement} */ (document.querySelector("[data-save]")).dataset.save ?? "";

const controls = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("input[data-setting]")]);

/** What the server has, as far as this page knows: where a control goes back to when saving fails. */
const saved = new Map(controls.map((control) => [control, control.checked]));

/** @param {HTMLInputElement} control */
const valueOf = (control) => (control.type === "radio" ? control.dataset.choice : control.checked);

/** @param {HTMLInputElement[]} changed */
async function keep(changed) {
  const wanted = changed.map((control) => control.checked);
  const body = Object.fromEntries(changed.map((control) => [control.dataset.setting, valueOf(control)]));
  if (await save(path, body)) {
    changed.forEach((control, place) => saved.set(control, wanted[place]));
    const group = changed.filter((control) => control.type === "radio").map((control) => control.name);
    for (const other of controls) if (group.includes(other.name)) saved.set(other, changed.includes(other));
    return;
  }
  for (const [control, checked] of saved) control.checked = checked;
  alert("Error", "Your change could not be saved. Please try again later.");
}

/**
 * The rows that depend on a mature content row, in its own column: 2 and 1 on 5, 4 on 1, 3 on 4.
 * @param {HTMLInputElement} box
 * @returns {HTMLInputElement[]}
 */
function dependants(box) {
  const rows = [...document.querySelectorAll(`.preference_row[data-parentdescid="${box.value}"]`)];
  const column = box.classList.contains("store") ? "store" : "community";
  const children = rows.map((row) => /** @type {HTMLInputElement} */ (row.querySelector(`input.${column}`)));
  return children.flatMap((child) => [child, ...dependants(child)]);
}

for (const control of controls) {
  control.addEventListener("change", () => {
    const changed = [control];
    if (control.classList.contains("content_descriptor_checkbox") && !control.checked) {
      for (const child of dependants(control)) {
        if (child.checked) changed.push(child);
        child.checked = false;
      }
    }
    void keep(changed);
  });
}

export {};
