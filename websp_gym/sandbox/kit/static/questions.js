// @ts-check
/*
 * Questions before something is done, and messages when it failed. A site that asks and tells in a way of its own sets
 * globalThis.kitAsk and globalThis.kitFail before the first question.
 */

/**
 * @typedef {{title: string, text: string, accept: string, decline: string, typed: string}} Question
 * @typedef {{kitAsk?: (question: Question) => Promise<boolean>, kitFail?: (text: string) => void}} SiteDialogs
 */
const site = /** @type {SiteDialogs} */ (globalThis);

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Shows a modal dialog until a button is pressed.
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
function ask(question) {
  const accept = /** @type {HTMLButtonElement} */ (make("button", { type: "button", class: "kit-accept" }, question.accept));
  const decline = make("button", { type: "button", class: "kit-decline" }, question.decline);
  const dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "kit-dialog", "aria-label": question.title || question.text }));
  if (question.title) dialog.append(make("h2", {}, question.title));
  if (question.text) dialog.append(make("p", {}, question.text));
  if (question.typed) {
    const field = /** @type {HTMLInputElement} */ (make("input", { type: "text", autocomplete: "off" }));
    dialog.append(make("label", { class: "kit-typed" }, `To confirm, type "${question.typed}" in the box below`, field));
    accept.disabled = true;
    field.addEventListener("input", () => { accept.disabled = field.value.trim() !== question.typed; });
  }
  dialog.append(make("div", { class: "kit-answers" }, decline, accept));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    accept.addEventListener("click", () => dialog.close("accepted"));
    decline.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "accepted");
    });
  });
}

/**
 * Asks one question after the other until one is declined.
 * @param {Question[]} questions
 * @returns {Promise<boolean>} whether all were accepted
 */
export async function askAll(questions) {
  for (const question of questions) if (!(await (site.kitAsk ?? ask)(question))) return false;
  return true;
}

/**
 * What a site says when it refuses a form.
 * @param {string} answer
 * @returns {string}
 */
export function reason(answer) {
  try { return JSON.parse(answer).error; } catch { return "Please load the page again."; }
}

/** @param {string} text */
export function fail(text) {
  if (site.kitFail) return site.kitFail(text);
  const toast = make("div", { class: "kit-toast", role: "alert" }, text);
  document.body.append(toast);
  setTimeout(() => toast.remove(), 6000);
}

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * Sends fields to an action of the site, after those that are still on their way: two quick clicks must arrive in their order.
 * @param {string} path
 * @param {Record<string, unknown>} fields
 * @returns {Promise<void>} rejects when the site refused
 */
export function post(path, fields) {
  const send = async () => {
    const body = JSON.stringify(fields);
    const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body, keepalive: true });
    const reply = await response.json();
    if (!response.ok) throw new Error(reply.error ?? `HTTP ${response.status}`);
  };
  const done = last.then(send);
  last = done.catch(() => {});
  return done;
}

/**
 * Asks what a form wants to know before it is sent.
 * @param {Element} form with the questions as JSON in data-kit-confirm
 */
export const confirmed = (form) => askAll(JSON.parse(form.getAttribute("data-kit-confirm") ?? "[]"));
