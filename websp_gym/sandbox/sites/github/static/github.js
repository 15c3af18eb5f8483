// @ts-check
/*
 * What the kit has no part for: dialogs with options of which any may be on, the scopes of a token (a scope takes those below it
 * along), the dialog whose button has three labels, a list that a field filters, and forms that are sent with each change.
 */
const KIT = "/_kit/questions.js";

/** @type {(root: ParentNode, selector: string) => HTMLElement[]} */
const all = (root, selector) => [...root.querySelectorAll(selector)].filter((each) => each instanceof HTMLElement);

/** @type {(option: Element, on: boolean) => void} */
function turn(option, on) {
  option.setAttribute("aria-selected", String(on));
  option.setAttribute("aria-checked", String(on));
}
/** @type {(option: Element) => boolean} */
const isOn = (option) => option.getAttribute("aria-selected") === "true";

for (const element of all(document, "dialog[data-select]")) {
  const dialog = /** @type {HTMLDialogElement} */ (element);
  const options = all(dialog, "[role=option]");
  const opener = document.querySelector(`[data-selects="${dialog.id}"]`);
  const chosen = /** @type {HTMLElement | null} */ (opener?.querySelector("[data-chosen]"));
  let saved = options.map(isOn);
  opener?.addEventListener("click", () => {
    dialog.showModal();
    opener.setAttribute("aria-expanded", "true");
  });
  dialog.addEventListener("close", () => {
    options.forEach((option, place) => turn(option, saved[place]));
    opener?.setAttribute("aria-expanded", "false");
  });
  for (const option of options) {
    option.addEventListener("click", () => turn(option, !isOn(option)));
    option.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step) options[(options.indexOf(option) + step + options.length) % options.length].focus();
      else if (event.key === " " || event.key === "Enter") option.click();
      else return;
      event.preventDefault();
    });
  }
  for (const button of all(dialog, "[data-cancel]")) button.addEventListener("click", () => dialog.close());
  dialog.querySelector("[data-save]")?.addEventListener("click", async () => {
    const wanted = options.map(isOn);
    const { fail, post } = /** @type {typeof import("../../../kit/static/questions.js")} */ (await import(KIT));
    try {
      await post(dialog.dataset.post ?? "", Object.fromEntries(options.map((option, place) => [option.dataset.field, wanted[place]])));
      saved = wanted;
    } catch (error) {
      fail(String(error));
    }
    const names = options.filter((_, place) => saved[place]).map(({ dataset }) => dataset.short);
    if (chosen) chosen.textContent = names.length ? `${chosen.dataset.prefix}${names.join(", ")}` : chosen.dataset.none ?? "";
    dialog.close();
  });
}

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element)) return;
  // A choice in a menu closes it, as Escape does.
  if (target.closest("[role=menuitemradio]")) document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  const next = target.closest("[data-next]");
  const dialog = next?.closest("dialog");
  if (!(next instanceof HTMLElement) || !dialog) return;
  const labels = JSON.parse(next.dataset.next ?? "[]");
  const step = Number(next.dataset.at ?? 0) + 1;
  if (step === labels.length) return void next.closest("form")?.requestSubmit();
  next.dataset.at = String(step);
  next.textContent = labels[step];
  for (const part of all(dialog, "[data-step]")) part.hidden = part.dataset.step !== String(step);
});

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.dataset.parent !== undefined) {
    for (const below of all(target.closest("[data-scope]") ?? target, ":scope ul input")) {
      const box = /** @type {HTMLInputElement} */ (below);
      box.checked = target.checked;
      box.disabled = target.checked;
    }
  }
  target.closest("form[data-autosubmit]")?.closest("form")?.requestSubmit();
});

document.addEventListener("input", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.filter) return;
  const wanted = target.value.toLowerCase();
  for (const row of all(document, `#${target.dataset.filter} > li`)) row.hidden = !row.textContent?.toLowerCase().includes(wanted);
});

document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
  if (event.key !== "/" || typing) return;
  event.preventDefault();
  document.getElementById("query-builder-test")?.focus();
});
