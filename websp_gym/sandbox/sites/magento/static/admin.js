// @ts-check
/* Tabs, fields that send their form, rows that are links, and the wizard that makes the configurations of a product. */
const $ = (/** @type {string} */ selector, /** @type {ParentNode} */ root = document) => /** @type {HTMLElement} */ (root.querySelector(selector));
const $$ = (/** @type {string} */ selector, /** @type {ParentNode} */ root = document) => /** @type {HTMLInputElement[]} */ ([...root.querySelectorAll(selector)]);

/** @param {Element} tab */
function show(tab) {
  for (const each of $$("[role=tab]", /** @type {Element} */ (tab.parentElement))) {
    each.setAttribute("aria-selected", String(each === tab));
    $(`#${each.getAttribute("aria-controls")}`).hidden = each !== tab;
  }
}

document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const tab = target.closest("[data-tab]");
  if (tab) return show(tab);
  const row = /** @type {HTMLElement | null} */ (target.closest("tr[data-href]"));
  if (row && !target.closest("a, button, input, label, .rk-select") && !getSelection()?.toString()) location.assign(row.dataset.href ?? "");
  const track = /** @type {HTMLElement | null} */ (target.closest("[data-track]"));
  if (track) {
    const on = track.dataset.track === "on";
    $("[data-tracking]").hidden = !on;
    for (const each of $$("[data-changed=tracking]")) each.disabled = !on;
  }
  const flip = target.closest("[data-flip]");
  const line = flip?.closest("tr");
  if (!flip || !line) return;
  const status = /** @type {HTMLInputElement} */ ($("[data-key=status]", line));
  flip.textContent = `${status.value === "Enabled" ? "Enable" : "Disable"} Product`;
  $("[data-status]", line).textContent = status.value = status.value === "Enabled" ? "Disabled" : "Enabled";
});
document.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.matches("[data-submits]")) target.form?.requestSubmit();
  if (target.matches("[data-changes]")) for (const each of $$(`[data-changed="${target.dataset.changes}"]`)) each.disabled = !target.checked;
});
// A field with a mistake is shown, whatever is closed around it.
document.addEventListener("invalid", (event) => {
  const field = /** @type {Element} */ (event.target);
  field.closest("details")?.setAttribute("open", "");
  const part = field.closest("[role=tabpanel]");
  if (part) show($(`#${part.getAttribute("aria-labelledby")}`));
});

const wizard = /** @type {HTMLDialogElement | null} */ (document.querySelector("#wizard"));
if (wizard) configure(wizard, /** @type {HTMLFormElement} */ ($("#product")));

/**
 * @typedef {{options: Map<string, HTMLInputElement>, row?: HTMLElement, name: string, sku: string, price: string, qty: string, said: string}} Variant
 * @param {HTMLDialogElement} wizard
 * @param {HTMLFormElement} form
 */
function configure(wizard, form) {
  const table = $("#variations");
  const steps = $$("section", wizard), marks = $$(".steps li", wizard);
  const [back, next] = /** @type {HTMLButtonElement[]} */ (/** @type {unknown} */ ($$("[data-step]", wizard)));
  let step = 0;
  const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(`product[${name}]`)).value;
  const rows = () => $$("[data-row]", table).filter((row) => !row.hidden);
  const attributes = () => $$("[data-attribute]", wizard).filter((box) => box.checked).map((box) => box.dataset.attribute ?? "");
  const chosen = (/** @type {string} */ of) => $$(`[data-values-of="${of}"] [type=checkbox]`, wizard).filter((box) => box.checked);

  function go(/** @type {number} */ to) {
    step = to;
    steps.forEach((part, at) => { part.hidden = at !== step; });
    marks.forEach((mark, at) => (at === step ? mark.setAttribute("aria-current", "step") : mark.removeAttribute("aria-current")));
    back.disabled = step === 0;
    next.textContent = step === 3 ? "Generate Products" : "Next";
    complain("");
    for (const box of $$("[data-values-of]", wizard)) box.hidden = !attributes().includes(box.dataset.valuesOf ?? "");
    if (step === 3) for (const [kind, found] of Object.entries(sorted())) list(kind, found);
  }

  function complain(/** @type {string} */ text) {
    const box = $(".rk-errors", wizard);
    box.hidden = !text;
    box.textContent = text;
  }

  /** @returns {Variant[]} the variants of all combinations of the chosen values */
  function wanted() {
    /** @type {Map<string, HTMLInputElement>[]} */
    let found = [new Map()];
    for (const of of attributes()) found = found.flatMap((old) => chosen(of).map((box) => new Map([...old, [of, box]])));
    const bulk = (/** @type {string} */ key) => $$(`[name=bulk-${key}]`, wizard)[0].checked ? $$(`[data-bulk-value=${key}]`, wizard)[0].value.trim() : "";
    return found.map((options) => {
      const label = (/** @type {string} */ of) => options.get(of)?.dataset.label ?? "";
      const key = ["color", "size"].map((of) => options.get(of)?.value ?? "").join("\n");
      const row = rows().find((each) => each.dataset.options === key);
      const named = ["size", "color"].map(label).filter(Boolean);
      const now = (/** @type {string} */ of) => /** @type {HTMLInputElement} */ (row && $(`[data-key=${of}]`, row))?.value ?? "";
      return {
        options, row,
        name: (row && $("[data-name]", row)?.textContent) || now("name") || [value("name"), ...named].join("-"),
        sku: (row && $("[data-sku]", row)?.textContent) || now("sku") || [value("sku"), ...named.map((each) => each.toUpperCase().replace(/\s+/g, "-"))].join("-"),
        price: bulk("price") || now("price") || value("price"),
        qty: bulk("qty") || now("qty") || "0",
        said: ["color", "size"].filter(label).map((of) => `${of[0].toUpperCase()}${of.slice(1)}: ${label(of)}`).join(", "),
      };
    });
  }

  function sorted() {
    const all = wanted();
    const gone = rows().filter((row) => !all.some((each) => each.row === row));
    return { new: all.filter((each) => !each.row?.dataset.row), kept: all.filter((each) => each.row?.dataset.row), gone };
  }

  /**
   * @param {string} kind
   * @param {(Variant | HTMLElement)[]} found
   */
  function list(kind, found) {
    const part = $(`[data-summary=${kind}]`, wizard);
    part.hidden = !found.length;
    $("tbody", part).replaceChildren(...found.map((each) => {
      const cells = each instanceof HTMLElement ? [0, 1, 2, 3, 6].map((at) => shown(/** @type {HTMLTableRowElement} */ (each).cells[at])) : [each.name, each.sku, `€${each.price}`, each.qty, each.said];
      const line = document.createElement("tr");
      for (const text of cells) line.insertCell().textContent = text ?? "";
      return line;
    }));
  }

  const shown = (/** @type {HTMLTableCellElement} */ cell) => cell.querySelector(".typed")?.checkVisibility() ? /** @type {HTMLInputElement} */ ($(".typed", cell)).value : cell.textContent?.trim();

  function generate() {
    const { new: fresh, kept, gone } = sorted();
    const template = /** @type {HTMLTemplateElement} */ ($("template", table));
    for (const row of gone) if (row.dataset.row) row.hidden = true; else row.remove();
    for (const each of [...kept, ...fresh]) {
      if (!each.row) template.before(template.content.cloneNode(true));
      const row = each.row ?? /** @type {HTMLElement} */ (template.previousElementSibling);
      // What is in a new row has no name yet.
      if (!each.row) for (const part of $$("[aria-label]", row)) part.setAttribute("aria-label", part.getAttribute("aria-label") + each.name);
      row.classList.add("typing");
      const values = { name: each.name, sku: each.sku, price: each.price, qty: each.qty, color: each.options.get("color")?.value ?? "", size: each.options.get("size")?.value ?? "" };
      for (const [key, text] of Object.entries(values)) for (const field of $$(`[data-key=${key}]`, row)) field.value = text;
      row.dataset.options = `${values.color}\n${values.size}`;
      $("[data-attributes]", row).textContent = each.said;
    }
    /** @type {HTMLInputElement} */ (form.elements.namedItem("product[type]")).value = "configurable";
    table.hidden = false;
    $("[data-when=plain]").hidden = true;
    wizard.close();
  }

  $("[data-wizard]").addEventListener("click", () => {
    const now = rows().map((row) => (row.dataset.options ?? "\n").split("\n"));
    for (const [at, of] of ["color", "size"].entries()) {
      const used = new Set(now.map((each) => each[at]).filter(Boolean));
      $$(`[data-attribute=${of}]`, wizard)[0].checked = used.size > 0;
      for (const box of $$(`[data-values-of=${of}] [type=checkbox]`, wizard)) box.checked = used.has(box.value);
    }
    go(0);
    wizard.showModal();
  });
  wizard.addEventListener("change", () => { for (const field of $$("[data-bulk-value]", wizard)) field.disabled = !$$(`[name=bulk-${field.dataset.bulkValue}]`, wizard)[0].checked; });
  wizard.addEventListener("click", async (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const part = target.closest("fieldset");
    if (target.dataset.step) {
      const to = step + Number(target.dataset.step);
      if (to > 0 && !attributes().length) return complain("Please select an attribute.");
      if (to > 1 && attributes().some((of) => !chosen(of).length)) return complain("Please select values for all attributes.");
      if (to > 2 && $$("[data-bulk-value]", wizard).some((field) => !field.disabled && !/^\d+([.]\d+)?$/.test(field.value.trim()))) return complain("Please enter a number, or skip the step.");
      if (to === 4) return generate();
      return go(to);
    }
    if (target.dataset.mark) for (const box of $$("[type=checkbox]", part ?? wizard)) box.checked = target.dataset.mark === "all";
    if (target.matches("[data-new-value]")) {
      const place = /** @type {HTMLElement} */ (target.nextElementSibling);
      place.hidden = false;
      $("input", place).focus();
    }
    if (target.dataset.createValue && part) {
      const field = /** @type {HTMLInputElement} */ (target.previousElementSibling);
      const body = new URLSearchParams({ attribute: target.dataset.createValue, label: field.value.trim() });
      const response = await fetch("/admin/catalog/product_attribute/createOptions/", { method: "POST", body, headers: { "x-requested-with": "fetch" } });
      const reply = await response.json();
      if (!response.ok) return complain(reply.error);
      const label = document.createElement("label");
      label.className = "rk-check";
      const box = Object.assign(document.createElement("input"), { type: "checkbox", value: reply.id, checked: true });
      box.dataset.label = field.value.trim();
      label.append(box, ` ${field.value.trim()}`);
      $(".boxes", part).append(label);
      field.value = "";
      /** @type {HTMLElement} */ (field.parentElement).hidden = true;
      complain("");
    }
  });
}
export {};
