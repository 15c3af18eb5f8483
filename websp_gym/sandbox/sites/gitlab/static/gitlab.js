// @ts-check
/* What GitLab's pages do besides the kit: paths from names, copy buttons, filters that leave out what is empty. */

document.addEventListener("input", (event) => {
  const name = /** @type {HTMLInputElement} */ (event.target);
  if (!["project_name", "group_name"].includes(name.id)) return;
  const path = /** @type {HTMLInputElement | null} */ (document.getElementById(name.id.replace("name", "path")));
  const slug = (/** @type {string} */ text) => text.trim().toLowerCase().normalize("NFD").replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
  if (path && path.form === name.form && (path.value === "" || path.value === name.dataset.made)) path.value = name.dataset.made = slug(name.value);
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("[data-get]")) return;
  for (const control of /** @type {Iterable<HTMLInputElement>} */ (/** @type {unknown} */ (form.elements))) if (control.name && !control.value) control.disabled = true;
});

// As in the original, what the editor commits ends with a line break.
document.addEventListener("submit", (event) => {
  const editor = /** @type {HTMLTextAreaElement | null} */ (/** @type {HTMLFormElement} */ (event.target).querySelector("textarea.editor"));
  if (editor?.value && !editor.value.endsWith("\n")) editor.value += "\n";
}, true);

document.addEventListener("change", (event) => {
  const control = /** @type {HTMLInputElement} */ (event.target);
  if (control.matches("[data-submit]")) control.form?.requestSubmit();
});

document.addEventListener("click", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest("[data-stay]")) event.stopPropagation();
  const copy = /** @type {HTMLElement | null} */ (target.closest("[data-copy]"));
  if (copy) {
    const field = /** @type {HTMLInputElement} */ (document.getElementById(copy.dataset.copy ?? ""));
    field.select();
    document.execCommand("copy");
    copy.textContent = "✓";
  }
  const fill = /** @type {HTMLElement | null} */ (target.closest("[data-fill]"));
  if (fill) /** @type {HTMLInputElement} */ (document.getElementById(fill.dataset.fill ?? "")).value = fill.dataset.value ?? "";
}, true);
