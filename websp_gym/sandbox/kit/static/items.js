// @ts-check
/*
 * Lists of items (kit/controls/items.html): forms that add and remove are sent without leaving the page, which is drawn again
 * from what the site answers; a field filters the list, and a long one has pages. Other forms ask their questions first.
 */
import { confirmed, fail, reason } from "./questions.js";

/**
 * The copies of a list: on the page, and in the templates from which it is drawn anew.
 * @param {Document} page
 * @param {string} name
 * @returns {Element[]}
 */
function copies(page, name) {
  const templates = /** @type {HTMLTemplateElement[]} */ ([...page.querySelectorAll("template")]);
  return [page, ...templates.map(({ content }) => content)].flatMap((root) => [...root.querySelectorAll(`[data-kit-items="${name}"]`)]);
}

/**
 * @param {HTMLFormElement} form
 * @param {Element} list
 */
async function send(form, list) {
  const body = new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)]));
  form.reset();
  const response = await fetch(form.action, { method: "POST", body, headers: { "x-requested-with": "fetch" } });
  const text = await response.text();
  if (!response.ok) {
    for (const [name, value] of body) /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value = value;
    return fail((response.status === 409 && form.dataset.kitFull) || reason(text));
  }
  const name = list.getAttribute("data-kit-items") ?? "";
  const [fresh] = copies(new DOMParser().parseFromString(text, "text/html"), name);
  for (const copy of copies(document, name)) {
    const rows = fresh.querySelectorAll("[data-kit-rows]");
    copy.querySelectorAll("[data-kit-rows]").forEach((old, place) => old.replaceWith(rows[place].cloneNode(true)));
  }
  show(list);
  list.dispatchEvent(new CustomEvent("kit-items"));
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return;
  const list = form.closest("[data-kit-items]");
  if (!list && !form.hasAttribute("data-kit-confirm")) return;
  event.preventDefault();
  if (!(await confirmed(form))) return;
  if (list) await send(form, list);
  else form.submit();
});

/**
 * Shows the items that fit the search, and of these the ones of the current page.
 * @param {Element} list
 */
function show(list) {
  const search = /** @type {HTMLInputElement | null} */ (list.querySelector("[data-kit-search]"));
  const wanted = search?.value.trim().toLowerCase() ?? "";
  const rows = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-kit-item]")]);
  const found = rows.filter((row) => row.textContent?.toLowerCase().includes(wanted));
  const size = Number(list.getAttribute("data-kit-per-page")) || found.length || 1;
  const pages = Math.max(1, Math.ceil(found.length / size));
  const page = Math.min(Number(list.getAttribute("data-kit-page")) || 0, pages - 1);
  for (const row of rows) row.hidden = !found.slice(page * size, (page + 1) * size).includes(row);
  const count = list.querySelector("[data-kit-count]");
  if (count) count.textContent = pages > 1 ? `Page ${page + 1} of ${pages}` : "";
  for (const [step, button] of /** @type {const} */ ([[-1, "previous"], [1, "next"]])) {
    const turn = /** @type {HTMLButtonElement | null} */ (list.querySelector(`[data-kit-turn="${button}"]`));
    if (!turn) continue;
    turn.disabled = page + step < 0 || page + step >= pages;
    turn.onclick = () => {
      list.setAttribute("data-kit-page", String(page + step));
      show(list);
    };
  }
}

document.addEventListener("input", (event) => {
  const field = event.target;
  const list = field instanceof Element && field.matches("[data-kit-search]") ? field.closest("[data-kit-items]") : null;
  list?.setAttribute("data-kit-page", "0");
  if (list) show(list);
});

for (const list of document.querySelectorAll("[data-kit-items]")) show(list);
