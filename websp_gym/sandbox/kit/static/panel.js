// @ts-check
/*
 * A settings page that site.yaml declares as a panel (kit/panel.html): what is changed, what depends on it, and when it is
 * saved. A control is every element with data-key, in whatever shadow root: a native field, an element with the role of a
 * switch, check box, radio button or option, a button with aria-pressed, or a text that shows the label of a choice (data-shows). data-option is the value
 * of one of several (further ones, after a space, count as this one); data-on is the class of what is on.
 */
import "./items.js";
import { askAll, fail, post } from "./questions.js";

/**
 * @typedef {import("./questions.js").Question} Question
 * @typedef {boolean | number | string | string[]} Value
 * @typedef {Record<string, Value>} Values
 * @typedef {object} PanelData
 * @property {string} post
 * @property {"at_once" | "form" | "button" | "bar"} save
 * @property {Question | null} leave
 * @property {string[]} fields what can be changed here; all settings go by the names of their form fields
 * @property {Values} values
 * @property {Record<string, Values>} disabled_when
 * @property {Record<string, Record<string, Values>>} implies
 * @property {Record<string, {when: Value | null, questions: Question[]}>} confirm
 */

const CONTROL = "[data-key]";
const salt = Math.random().toString(36).slice(2, 8);
/** @type {(one: unknown, other: unknown) => boolean} */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
/** Whether a setting has a value, or one of several. */
/** @type {(now: Value, value: Value) => boolean} */
const holds = (now, value) => same(now, value) || (Array.isArray(value) && typeof now === "string" && value.includes(now));

/**
 * The elements below a root that fit a selector, shadow roots included.
 * @param {Element | ShadowRoot} root
 * @param {string} selector
 * @returns {Generator<HTMLElement>}
 */
function* within(root, selector) {
  for (const element of root.querySelectorAll("*")) {
    if (element instanceof HTMLElement && element.matches(selector)) yield element;
    if (element.shadowRoot) yield* within(element.shadowRoot, selector);
  }
}

/**
 * @param {Element | ShadowRoot} root
 * @returns {Generator<ShadowRoot>}
 */
function* shadowRoots(root) {
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    if (!shadowRoot) continue;
    yield shadowRoot;
    yield* shadowRoots(shadowRoot);
  }
}

/** @param {Element} control */
const isField = (control) => control.matches("input, select, textarea");

/**
 * What the setting of a control becomes by what was just done to it.
 * @param {HTMLElement} control
 * @param {Value} now
 * @returns {Value}
 */
function wanted(control, now) {
  const option = control.dataset.option;
  if (control instanceof HTMLInputElement && control.type === "checkbox") {
    if (option === undefined) return control.checked;
    const others = /** @type {string[]} */ (now).filter((each) => each !== option);
    return control.checked ? [...others, option] : others;
  }
  if (option !== undefined) return typeof now === "boolean" ? option === "true" : option.split(" ")[0];
  if (control instanceof HTMLInputElement && control.type === "number") return Number(control.value);
  if (isField(control)) return /** @type {HTMLInputElement} */ (control).value;
  return !now;
}

/**
 * @param {HTMLElement} control
 * @param {Value} value
 * @param {boolean} disabled
 */
function show(control, value, disabled) {
  const option = control.dataset.option;
  const on = option === undefined ? value === true : Array.isArray(value) ? value.includes(option) : option.split(" ").includes(String(value));
  const label = control.dataset.shows && JSON.parse(control.dataset.shows)[String(value)];
  if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type)) control.checked = on;
  else if (isField(control)) {
    const field = /** @type {HTMLInputElement} */ (control);
    const text = label ?? String(value);
    // What is being typed stays as it is.
    if (field.value !== text && (label !== undefined || field !== document.activeElement)) field.value = text;
  } else if (control.dataset.shows !== undefined) {
    if (label && control.textContent !== label) control.textContent = label;
  } else if (control.hasAttribute("aria-pressed")) control.setAttribute("aria-pressed", String(on));
  else if (control.hasAttribute("role") && control.getAttribute("role") !== "button") control.setAttribute(control.getAttribute("role") === "option" ? "aria-selected" : "aria-checked", String(on));
  // A native field is drawn by its own state.
  if (control.dataset.on || !isField(control)) control.classList.toggle(control.dataset.on || "kit-on", on);
  if (isField(control) || control instanceof HTMLButtonElement) /** @type {HTMLInputElement} */ (control).disabled = disabled;
  else if (control.hasAttribute("role")) control.setAttribute("aria-disabled", String(disabled));
}

class Panel {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {PanelData} */
    this.data = JSON.parse(root.querySelector("[data-kit-data]")?.textContent ?? "{}");
    /** @type {Values} What the server has, as far as this page knows. */
    this.saved = { ...this.data.values };
    /** @type {Values} */
    this.shown = { ...this.data.values };
    this.template = /** @type {HTMLTemplateElement | null} */ (root.querySelector("template[data-kit-app]"));
    this.drawn = 0;
    for (const each of [root, ...shadowRoots(root)]) this.listen(each);
    this.draw();
    root.dataset.kitReady = "";
  }

  /** @param {HTMLElement | ShadowRoot} root */
  listen(root) {
    const controlOf = (/** @type {Event} */ event) => (event.target instanceof Element ? event.target.closest(CONTROL) : null);
    root.addEventListener("click", (event) => {
      const control = controlOf(event);
      if (!(control instanceof HTMLElement)) return;
      if (control.dataset.combo !== undefined) filter(control, "");
      else if (!isField(control) && control.dataset.shows === undefined) this.operate(control);
      const list = control.closest("[role=listbox]");
      const combo = list && root.querySelector(`[data-combo][aria-controls="${list.id}"]`);
      if (combo instanceof HTMLElement) filter(combo, null);
    });
    // Pressing an option must not take the focus from the field above it.
    root.addEventListener("mousedown", (event) => { if (controlOf(event)?.matches("[role=option]")) event.preventDefault(); });
    root.addEventListener("keydown", (event) => {
      const control = controlOf(event);
      if (!(control instanceof HTMLElement) || control instanceof HTMLButtonElement || isField(control)) return;
      const { key } = /** @type {KeyboardEvent} */ (event);
      if (key !== " " && key !== "Enter") return;
      event.preventDefault();
      control.click();
    });
    // Events of native fields do not leave their shadow root.
    for (const type of ["change", "input"]) {
      root.addEventListener(type, (event) => {
        const control = controlOf(event);
        if (!(control instanceof HTMLElement)) return;
        if (control.dataset.combo !== undefined) {
          filter(control, type === "input" ? /** @type {HTMLInputElement} */ (control).value : null);
          // Text that is no choice goes when the field is left.
          return type === "change" ? this.draw() : undefined;
        }
        const isText = control.matches("textarea, input:not([type=checkbox], [type=radio])");
        // A text that saves at once is saved when it is left; one with a button counts with each letter.
        if (isText ? type === "change" || this.data.save !== "at_once" : type === "change") this.operate(control);
      });
    }
  }

  /** @param {HTMLElement} control */
  operate(control) {
    const key = control.dataset.key ?? "";
    if (control.getAttribute("aria-disabled") === "true" || control.dataset.picks !== undefined) return;
    void this.change({ [key]: wanted(control, this.shown[key]) });
  }

  /**
   * @param {Values} changes
   * @param {boolean} [atOnce] whether they are saved at once whatever the panel does
   */
  async change(changes, atOnce = this.data.save === "at_once") {
    const questions = Object.entries(changes).flatMap(([key, value]) => {
      const rule = this.data.confirm[key];
      return rule && !same(this.shown[key], value) && (rule.when === null || same(rule.when, value)) ? rule.questions : [];
    });
    if (questions.length && !(await askAll(questions))) return this.draw();
    this.shown = { ...this.shown, ...this.withImplied(this.shown, changes) };
    // A setting that cannot be changed now is what it will be after saving.
    const after = { ...this.saved, ...this.withImplied(this.saved, this.unsaved()) };
    for (const key in this.data.disabled_when) if (this.isDisabled(key)) this.shown[key] = after[key];
    this.draw();
    if (atOnce) await this.save(changes);
  }

  /**
   * The changes, and what follows from them on the server.
   * @param {Values} before
   * @param {Values} changes
   */
  withImplied(before, changes) {
    const all = { ...changes };
    const queue = Object.keys(changes).filter((key) => !same(before[key], changes[key]));
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      const rules = this.data.implies[key] ?? {};
      for (const [other, value] of Object.entries({ ...rules.any, ...rules[String(all[key])] })) {
        if (other in all || same(before[other], value)) continue;
        all[other] = value;
        queue.push(other);
      }
    }
    return all;
  }

  /** @param {string} key */
  isDisabled(key) {
    const needed = Object.entries(this.data.disabled_when[key] ?? {});
    return needed.length > 0 && needed.every(([other, value]) => holds(this.shown[other], value));
  }

  /** What was changed and can be saved. */
  unsaved() {
    const keys = this.data.fields.filter((key) => !same(this.shown[key], this.saved[key]) && !this.isDisabled(key));
    return Object.fromEntries(keys.map((key) => [key, this.shown[key]]));
  }

  isDirty() {
    return Object.keys(this.unsaved()).length > 0;
  }

  /** @param {Values} changes */
  async save(changes) {
    const all = this.withImplied(this.saved, changes);
    try {
      await post(this.data.post, changes);
      this.saved = { ...this.saved, ...all };
      this.say(true);
    } catch (error) {
      for (const key in all) this.shown[key] = this.saved[key];
      fail(error instanceof Error ? error.message : String(error));
    }
    this.draw();
  }

  /** @param {boolean} saved */
  say(saved) {
    for (const message of within(this.root, "[data-kit-said]")) message.hidden = !saved;
  }

  reset() {
    this.shown = { ...this.saved };
    this.draw();
  }

  draw() {
    if (this.template) this.drawAnew(this.template);
    if (this.template?.dataset.kitApp === "once") this.template = null;
    for (const control of within(this.root, CONTROL)) {
      const key = control.dataset.key ?? "";
      if (key in this.shown) show(control, this.shown[key], this.isDisabled(key));
    }
    const isDirty = this.data.save !== "at_once" && this.isDirty();
    for (const bar of within(this.root, "[data-kit-bar]")) bar.hidden = !isDirty;
    for (const button of within(this.root, "[data-kit-save], [data-kit-reset]")) /** @type {HTMLButtonElement} */ (button).disabled = !isDirty;
    if (isDirty) this.say(false);
  }

  /**
   * Draws a client-side app from scratch: other elements, ids and class names.
   * @param {HTMLTemplateElement} template
   */
  drawAnew(template) {
    const focused = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset : {};
    const fresh = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
    this.drawn++;
    for (const element of fresh.querySelectorAll("*")) {
      for (const name of ["id", "for", "aria-labelledby", "aria-describedby", "aria-controls"]) {
        const ids = element.getAttribute(name)?.split(" ") ?? [];
        if (ids.length) element.setAttribute(name, ids.map((id) => `:r${this.drawn}${hashed(id)}:`).join(" "));
      }
      for (const name of [...element.classList]) element.classList.add(hashed(name));
    }
    this.root.querySelector("[data-kit-place]")?.replaceChildren(fresh);
    const again = [...within(this.root, CONTROL)].find(({ dataset }) => dataset.key === focused.key && dataset.option === focused.option);
    if (focused.key) again?.focus();
  }
}

/**
 * Shows the options of a combobox that have a text in them; null closes them.
 * @param {HTMLElement} field
 * @param {string | null} text
 */
function filter(field, text) {
  const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
  const list = /** @type {HTMLElement} */ (root.getElementById(field.getAttribute("aria-controls") ?? ""));
  const wantedText = text?.trim().toLowerCase() ?? "";
  for (const option of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[role=option]"))) {
    option.hidden = !option.textContent?.toLowerCase().includes(wantedText);
  }
  list.hidden = text === null;
  field.setAttribute("aria-expanded", String(text !== null));
}

/**
 * A name as a bundler makes it: another one at each load.
 * @param {string} name
 */
function hashed(name) {
  let sum = 7;
  for (const letter of name + salt) sum = (sum * 31 + letter.charCodeAt(0)) >>> 0;
  return `_${sum.toString(36)}`;
}

/** @param {Element} panelRoot */
function start(panelRoot) {
  const panel = new Panel(/** @type {HTMLElement} */ (panelRoot));
  const { root, data } = panel;
  root.addEventListener("click", (event) => {
    const target = event.composedPath()[0];
    const button = target instanceof Element ? target.closest("button, [role=button]") : null;
    if (!(button instanceof HTMLElement)) return;
    const { kitSave, kitReset, kitSet, kitOpen, kitPick } = button.dataset;
    if (kitSave !== undefined) void panel.save(panel.unsaved());
    if (kitReset !== undefined) panel.reset();
    if (kitSet !== undefined) void askAll(JSON.parse(button.dataset.kitConfirm ?? "[]")).then((yes) => { if (yes) void panel.change(JSON.parse(kitSet), true); });
    const around = button.closest("[data-kit-row]") ?? root;
    const dialog = /** @type {HTMLDialogElement | null} */ (around.querySelector("dialog"));
    if (kitOpen !== undefined) {
      for (const option of within(around, "[data-picks]")) show(option, panel.shown[option.dataset.key ?? ""], false);
      dialog?.showModal();
    }
    if (kitPick !== undefined) {
      const picked = dialog?.querySelector("input:checked");
      if (picked instanceof HTMLInputElement) void panel.change({ [picked.dataset.key ?? ""]: picked.value }, true);
    }
    if (kitPick !== undefined || button.dataset.kitClose !== undefined) dialog?.close();
  });
  if (data.leave) {
    const question = data.leave;
    document.addEventListener("click", async (event) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(link instanceof HTMLAnchorElement) || !panel.isDirty()) return;
      event.preventDefault();
      if (await askAll([question])) location.href = link.href;
    });
  }
  // Going back in the browser's history restores what was ticked, but not what is disabled.
  window.addEventListener("pageshow", () => panel.draw());
}

for (const root of document.querySelectorAll("[data-kit-panel]")) start(root);
