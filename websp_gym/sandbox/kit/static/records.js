// @ts-check
/*
 * The pages of records: forms that are sent without leaving the page, fields that refer to other records, lists with a
 * selection, menus, and, on a start page with data-routed, the pages that its fragment names.
 */
import { askAll, make } from "./questions.js";

const view = document.querySelector("[data-routed]");
const SAID = "websp.said";

/**
 * @template {Element} T
 * @param {EventTarget | null} target
 * @param {string} selector
 * @returns {T | null}
 */
const near = (target, selector) => /** @type {T | null} */ (target instanceof Element ? target.closest(selector) : null);

/**
 * Says something that goes away by itself.
 * @param {string} text
 * @param {string} [kind]
 */
function toast(text, kind = "status") {
  const shown = make("div", { class: `rk-toast rk-toast-${kind}`, role: kind === "error" ? "alert" : "status" }, text);
  for (const old of document.querySelectorAll(".rk-toast")) old.remove();
  document.body.append(shown);
  setTimeout(() => shown.remove(), 6000);
}

// ---------------------------------------------------------------- pages by fragment

let asked = 0;

async function route() {
  if (!view) return;
  const number = ++asked;
  const place = location.hash.slice(2).replace(/\/(?=\?|$)/, "") || view.getAttribute("data-routed") || "";
  const response = await fetch(`/_route/${place}`, { headers: { "x-requested-with": "fetch" } });
  if (response.redirected) return location.assign(response.url);
  const html = await response.text();
  if (number !== asked) return;
  const page = new DOMParser().parseFromString(html, "text/html");
  document.title = page.title ? `${page.title} - ${view.getAttribute("data-name")}` : document.title;
  view.replaceChildren(...page.body.childNodes);
  view.dispatchEvent(new CustomEvent("routed", { bubbles: true, detail: place }));
  document.body.classList.remove("rk-loading");
  scrollTo(0, 0);
  begin();
}

/**
 * Goes to a page of the site, drawing it anew if it is the one in view.
 * @param {string} link
 */
function go(link) {
  const here = location.pathname + location.search + location.hash;
  if (view && link.startsWith("/#")) {
    if (here === link) void route();
    else location.hash = link.slice(1);
  } else if (link === here) location.reload();
  else location.assign(link);
}

/** What a fresh page needs: the message of the last one, dependent fields. */
function begin() {
  const said = sessionStorage.getItem(SAID);
  if (said) toast(said);
  sessionStorage.removeItem(SAID);
  for (const form of document.querySelectorAll("form")) depend(form);
}

// ---------------------------------------------------------------- forms

/**
 * Sends a form, shows what is wrong with it, or goes on.
 * @param {string} path
 * @param {URLSearchParams} body
 * @param {HTMLFormElement} form
 * @param {string | null} [next] where to go on
 */
async function send(path, body, form, next = form.getAttribute("data-next")) {
  const response = await fetch(path, { method: "POST", body, headers: { "x-requested-with": "fetch" } });
  const reply = await response.json().catch(() => ({ error: `The server could not do this (${response.status}).` }));
  if (response.ok) {
    const link = form.hasAttribute("data-reload") || !reply.redirect ? location.pathname + location.search + location.hash : reply.redirect;
    if (reply.said) sessionStorage.setItem(SAID, reply.said);
    return go(next || link);
  }
  if (response.status === 401) return location.reload();
  // The page of a fault says so in its title, too.
  if (reply.title) document.title = `${reply.title} - ${document.title}`;
  complain(form, reply.errors ?? {}, reply.error);
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} errors
 * @param {string} message
 */
function complain(form, errors, message) {
  for (const old of form.querySelectorAll(".rk-error")) old.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  let first = null;
  for (const [name, text] of Object.entries(errors)) {
    const field = form.querySelector(`[data-field="${CSS.escape(name)}"]`);
    if (!field) continue;
    const control = field.querySelector("select, textarea, input:not([type=hidden])");
    control?.setAttribute("aria-invalid", "true");
    // A page whose sections are closed opens the one with it.
    control?.dispatchEvent(new Event("invalid", { bubbles: true }));
    field.append(make("p", { class: "rk-error" }, text));
    first ??= control;
  }
  const box = form.querySelector(".rk-errors");
  if (box instanceof HTMLElement) {
    box.hidden = false;
    box.textContent = message;
  }
  toast(message, "error");
  if (first instanceof HTMLElement) first.focus();
}

/**
 * Shows and offers what goes with the other values of a form.
 * @param {HTMLFormElement} form
 */
function depend(form) {
  const value = (/** @type {string} */ name) => {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) return control.value;
    return control instanceof RadioNodeList ? (/** @type {HTMLInputElement} */ (control[control.length - 1]).checked ? "true" : "false") : "";
  };
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-shown-when]"))) {
    const wanted = Object.entries(JSON.parse(field.dataset.shownWhen ?? "{}"));
    field.hidden = !wanted.every(([name, one]) => [one].flat().map(String).includes(value(name)));
  }
  for (const select of /** @type {NodeListOf<HTMLSelectElement>} */ (form.querySelectorAll("select[data-choices-when]"))) {
    const rules = Object.entries(JSON.parse(select.dataset.choicesWhen ?? "{}"));
    for (const option of select.options) {
      option.hidden = option.disabled = !rules.every(([name, by]) => !option.value || (by[value(name)] ?? []).includes(option.value));
    }
    if (select.selectedOptions[0]?.disabled) select.value = [...select.options].find((option) => !option.disabled)?.value ?? "";
  }
}

document.addEventListener("submit", async (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = event.submitter;
  if (form.matches("[data-query]") && form.action.includes("#")) {
    event.preventDefault();
    const query = new URLSearchParams(/** @type {any} */ (new FormData(form)));
    for (const [name, value] of [...query]) if (!value) query.delete(name, value);
    const said = query.toString();
    return go(`${(form.getAttribute("action") ?? "").split("?")[0]}${said ? `?${said}` : ""}`);
  }
  if (!form.matches("[data-record]")) return;
  event.preventDefault();
  const body = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  for (const rows of form.querySelectorAll("[data-rows]")) listed(/** @type {HTMLElement} */ (rows), body);
  if (!(await askAll(JSON.parse((button ?? form).getAttribute("data-kit-confirm") ?? form.getAttribute("data-kit-confirm") ?? "[]")))) return;
  const path = button?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.pathname;
  await send(path, body, form, button?.getAttribute("data-next") ?? form.getAttribute("data-next"));
});

// ---------------------------------------------------------------- rows of a form

/**
 * Adds rows of other records to what a form sends, as JSON in NAME.new, NAME.kept and NAME.gone: a row of data-rows="NAME" has
 * data-row with the record's id, or with nothing if it is new, and controls with data-key.
 * @param {HTMLElement} rows
 * @param {URLSearchParams} body
 */
function listed(rows, body) {
  /** @type {Record<string, Record<string, string>[]>} */
  const found = { new: [], kept: [], gone: [] };
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (rows.querySelectorAll("[data-row]"))) {
    const controls = /** @type {NodeListOf<HTMLInputElement>} */ (row.querySelectorAll("[data-key]"));
    const values = Object.fromEntries([...controls].map((control) => [control.dataset.key ?? "", control.value]));
    if (row.dataset.row) found[row.hidden ? "gone" : "kept"].push({ ...values, id: row.dataset.row });
    else found.new.push(values);
  }
  for (const [kind, each] of Object.entries(found)) body.append(`${rows.dataset.rows}.${kind}`, JSON.stringify(each));
}

document.addEventListener("click", (event) => {
  const add = /** @type {HTMLElement | null} */ (near(event.target, "[data-row-add]"));
  const drop = near(event.target, "[data-row-remove]");
  if (add) {
    const rows = /** @type {HTMLElement} */ (add.closest("form")?.querySelector(`[data-rows="${add.dataset.rowAdd}"]`));
    const template = /** @type {HTMLTemplateElement} */ (rows.querySelector("template"));
    template.before(template.content.cloneNode(true));
    /** @type {HTMLElement | null} */ (template.previousElementSibling?.querySelector("[data-key]") ?? null)?.focus();
  }
  const row = /** @type {HTMLElement | null} */ (near(drop, "[data-row]"));
  if (row?.dataset.row) row.hidden = true;
  else row?.remove();
});

// ---------------------------------------------------------------- lists

/** @param {HTMLFormElement} list */
function selection(list) {
  const every = /** @type {HTMLInputElement} */ (list.elements.namedItem("all")).value === "1";
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll("[data-select]"));
  const chosen = [...boxes].filter((box) => box.checked).length;
  const count = every ? Number(list.dataset.total) : chosen;
  const bar = /** @type {HTMLElement | null} */ (list.querySelector(".rk-selected"));
  const page = /** @type {HTMLInputElement | null} */ (list.querySelector("[data-select-page]"));
  if (page) page.checked = boxes.length > 0 && chosen === boxes.length;
  if (!bar) return;
  bar.hidden = count === 0;
  /** @type {HTMLElement} */ (bar.querySelector("[data-count]")).textContent = `${count} selected`;
  /** @type {HTMLElement} */ (bar.querySelector("[data-select-all]")).hidden = every || count >= Number(list.dataset.total);
  const menu = list.querySelector(".rk-bar [data-menu]");
  if (menu instanceof HTMLButtonElement) menu.disabled = count === 0;
}

/**
 * @param {HTMLFormElement} list
 * @param {boolean} on
 */
function choose(list, on, every = false) {
  /** @type {HTMLInputElement} */ (list.elements.namedItem("all")).value = every ? "1" : "";
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll("[data-select]"))) box.checked = on;
  selection(list);
}

document.addEventListener("change", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  const list = /** @type {HTMLFormElement | null} */ (near(target, "[data-list]"));
  if (list && target.matches("[data-select-page]")) choose(list, target.checked);
  else if (list && target.matches("[data-select]")) {
    /** @type {HTMLInputElement} */ (list.elements.namedItem("all")).value = "";
    selection(list);
  }
  if (target.matches("[data-toggle-part]")) {
    const part = /** @type {HTMLElement | null} */ (near(target, "section")?.querySelector(".rk-fields") ?? null);
    if (part) part.hidden = !target.checked;
  }
  if (target.form) depend(target.form);
});

document.addEventListener("click", async (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const opener = /** @type {HTMLElement | null} */ (near(target, "[data-menu]"));
  for (const menu of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".rk-menu > [role=menu]:not([hidden])"))) {
    if (menu.previousElementSibling === opener || menu.contains(near(target, "[data-toggle]"))) continue;
    menu.hidden = true;
    menu.previousElementSibling?.setAttribute("aria-expanded", "false");
  }
  if (opener) {
    const menu = /** @type {HTMLElement} */ (opener.nextElementSibling);
    menu.hidden = !menu.hidden;
    opener.setAttribute("aria-expanded", String(!menu.hidden));
    return;
  }
  const list = /** @type {HTMLFormElement | null} */ (near(target, "[data-list]"));
  if (list && near(target, "[data-select-all]")) return choose(list, true, true);
  if (list && near(target, "[data-select-none]")) return choose(list, false);
  const toggle = /** @type {HTMLElement | null} */ (near(target, "[data-toggle]"));
  if (toggle) {
    const part = /** @type {HTMLElement} */ (document.getElementById(toggle.dataset.toggle ?? ""));
    part.hidden = !part.hidden;
    toggle.setAttribute("aria-expanded", String(!part.hidden));
    return;
  }
  const open = /** @type {HTMLElement | null} */ (near(target, "[data-open]"));
  if (open) return /** @type {HTMLDialogElement} */ (document.getElementById(open.dataset.open ?? "")).showModal();
  if (near(target, "[data-close]")) return /** @type {HTMLDialogElement | null} */ (near(target, "dialog"))?.close();
  const bulk = /** @type {HTMLElement | null} */ (near(target, "[data-bulk], [data-go]"));
  if (list && bulk) {
    const body = new URLSearchParams(/** @type {any} */ (new FormData(list)));
    const set = /** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll(bulk.dataset.with ?? "template"));
    // The values of a filter choose records; those of a mass update change them.
    const fixed = Object.entries(/** @type {Record<string, string>} */ (JSON.parse(bulk.dataset.values ?? "{}")));
    if (body.get("all") && fixed.some(([name]) => body.has(name))) return complain(list, {}, "Select the records of one page to update them.");
    for (const [name, value] of fixed) body.set(name, value);
    if (bulk.dataset.with) for (const each of set) body.delete(/** @type {string} */ (each.dataset.update));
    if (bulk.dataset.with && body.get("all")) return complain(list, {}, "Select the records of one page to update them.");
    for (const each of set) if (each.value) body.append(/** @type {string} */ (each.dataset.update), each.value);
    if (bulk.dataset.go) return go(`${bulk.dataset.go}?${new URLSearchParams([...body].filter(([name]) => name === "id"))}`);
    if (!(await askAll(JSON.parse(bulk.dataset.kitConfirm ?? "[]")))) return;
    return send(/** @type {string} */ (bulk.dataset.bulk), body, list);
  }
  const pencil = near(target, "[data-inline]");
  if (pencil) {
    const value = /** @type {HTMLElement} */ (near(pencil, "[data-value]"));
    const form = /** @type {HTMLTemplateElement} */ (value.querySelector("template")).content.cloneNode(true);
    /** @type {HTMLElement} */ (value.querySelector("dd")).hidden = true;
    value.append(form);
    /** @type {HTMLElement | null} */ (value.querySelector("form select, form textarea, form input:not([type=hidden])"))?.focus();
  }
  if (near(target, "[data-cancel-inline]")) {
    const value = /** @type {HTMLElement} */ (near(target, "[data-value]"));
    /** @type {HTMLElement} */ (value.querySelector("dd")).hidden = false;
    value.querySelector("form")?.remove();
  }
});

// ---------------------------------------------------------------- fields that refer to records

/** @param {HTMLElement} field */
const parts = (field) => ({
  text: /** @type {HTMLInputElement} */ (field.querySelector("[role=combobox]")),
  value: /** @type {HTMLInputElement} */ (field.querySelector("input[type=hidden]")),
  list: /** @type {HTMLElement} */ (field.querySelector("[role=listbox]")),
});

/**
 * Whether the list of a field is wanted (true) or shut meanwhile (false), for fields that wait for an answer.
 * @type {Map<HTMLElement, boolean>}
 */
const asking = new Map();

/**
 * Offers the records that fit what is typed. One question is asked at a time: what is typed meanwhile is the next one.
 * @param {HTMLElement} field
 */
async function offer(field) {
  const { text, list } = parts(field);
  const waits = asking.has(field);
  asking.set(field, true);
  if (waits) return;
  let said, found;
  try {
    do {
      said = text.value;
      const response = await fetch(`/_records/${field.dataset.of}?q=${encodeURIComponent(said)}`);
      found = response.ok ? (await response.json()).records : null;
    } while (asking.get(field) && said !== text.value);
  } finally {
    const wanted = asking.get(field);
    asking.delete(field);
    if (!wanted) found = null;
  }
  if (!found) return;
  list.replaceChildren(...found.map((/** @type {{id: string, title: string, note: string}} */ each) => {
    const option = make("div", { role: "option", "data-id": each.id, "data-title": each.title, "aria-label": each.title }, each.title);
    if (each.note && each.note !== each.title) option.append(make("small", {}, ` ${each.note}`));
    return option;
  }));
  if (!found.length) list.replaceChildren(make("p", { class: "rk-none" }, "Nothing found."));
  list.hidden = false;
  text.setAttribute("aria-expanded", "true");
}

/** @param {HTMLElement} field */
function shut(field) {
  const { text, list } = parts(field);
  if (asking.has(field)) asking.set(field, false);
  list.hidden = true;
  text.setAttribute("aria-expanded", "false");
}

/**
 * @param {HTMLElement} field
 * @param {string} id
 * @param {string} title
 */
function pick(field, id, title) {
  const { text, value } = parts(field);
  if (field.hasAttribute("data-many")) {
    const ids = value.value.split(";").filter(Boolean);
    if (!ids.includes(id)) {
      value.value = [...ids, id].join(";");
      const chip = make("span", { class: "rk-chip", "data-id": id }, title, make("button", { type: "button", "aria-label": `Remove ${title}` }, "×"));
      field.querySelector(".rk-chips")?.append(chip);
    }
    text.value = "";
  } else {
    text.value = title;
    value.value = id;
  }
  shut(field);
  value.dispatchEvent(new Event("change", { bubbles: true }));
}

document.addEventListener("input", (event) => {
  const field = /** @type {HTMLElement | null} */ (near(event.target, ".rk-relate"));
  if (!field) return;
  const { text, value } = parts(field);
  // What was typed is no record until one is picked.
  if (!field.hasAttribute("data-many")) value.value = text.value.trim() ? `?${text.value.trim()}` : "";
  void offer(field);
});
document.addEventListener("mousedown", (event) => {
  // In a dialog, a click on an option would move the focus to the dialog, and so shut the list before the click arrives.
  if (near(event.target, ".rk-relate [role=listbox]")) event.preventDefault();
});
document.addEventListener("focusin", (event) => {
  const field = /** @type {HTMLElement | null} */ (near(event.target, ".rk-relate"));
  for (const other of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".rk-relate"))) if (other !== field) shut(other);
});
document.addEventListener("click", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const field = /** @type {HTMLElement | null} */ (near(target, ".rk-relate"));
  for (const other of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".rk-relate"))) if (other !== field) shut(other);
  if (!field) return;
  const option = /** @type {HTMLElement | null} */ (near(target, "[role=option]"));
  const chip = /** @type {HTMLElement | null} */ (near(target, ".rk-chip"));
  if (option) pick(field, option.dataset.id ?? "", option.dataset.title ?? "");
  else if (chip && target instanceof HTMLButtonElement) {
    const { value } = parts(field);
    value.value = value.value.split(";").filter((each) => each !== chip.dataset.id).join(";");
    chip.remove();
  } else if (near(target, "[role=combobox]")) void offer(field);
});
document.addEventListener("keydown", (event) => {
  const field = /** @type {HTMLElement | null} */ (near(event.target, ".rk-relate"));
  if (!field || !["Enter", "Escape", "ArrowDown", "ArrowUp"].includes(event.key)) return;
  const { list } = parts(field);
  const options = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[role=option]")]);
  const at = options.findIndex((each) => each.getAttribute("aria-selected") === "true");
  if (event.key === "Escape") return shut(field);
  if (list.hidden || !options.length) return;
  event.preventDefault();
  if (event.key === "Enter") return pick(field, options[Math.max(at, 0)].dataset.id ?? "", options[Math.max(at, 0)].dataset.title ?? "");
  options[at]?.removeAttribute("aria-selected");
  const next = options[(at + (event.key === "ArrowDown" ? 1 : options.length - 1) + options.length) % options.length];
  next.setAttribute("aria-selected", "true");
  next.scrollIntoView({ block: "nearest" });
});

addEventListener("hashchange", () => void route());
if (view) void route();
else begin();
