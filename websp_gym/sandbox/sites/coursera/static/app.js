// @ts-check
/* State, and what changes it. Every change draws the whole app anew. */
import { addStyles, draw } from "./dom.js";
import { page } from "./pages.js";

/**
 * @typedef {{slug: string, title: string, partner: string, topic: string, kind: string, level: string, time: string, rating: string, reviews: string, skills: string[], hue: number, rail: string}} Course
 * @typedef {{id: string, label: string, count: number}} Topic
 * @typedef {{topics: Topic[], partners: string[], courses: Course[], stories: {name: string, text: string}[], faq: {q: string, a: string}[], footer: {title: string, links: [string, string][]}[]}} Catalog
 * @typedef {{name: string, heading?: string, paragraphs?: string[], button?: string, action?: string}} View
 * @typedef {{view: View, params: Record<string, string>, query: Record<string, string>, wishlist: string[], catalog: Catalog, menu: boolean, rail: string, levels: string[], question: number, note: string}} State
 * @typedef {(change: Partial<State>) => void} Update
 */

/** @type {State} */
const state = {
  ...JSON.parse(document.getElementById("app-state")?.textContent ?? "{}"),
  menu: false, rail: "popular", levels: [], question: -1, note: "",
};
const root = document.getElementById("rendered-content");

/** @type {Update} */
const update = (change) => {
  Object.assign(state, change);
  if (root) draw(root, page(state, update, save));
};

/**
 * Puts a course on the wish list or takes it off; the server has the last word.
 * @param {string} slug
 */
async function save(slug) {
  const saved = state.wishlist.includes(slug);
  const reply = saved
    ? await fetch(`/api/wishlist/${encodeURIComponent(slug)}`, { method: "DELETE" })
    : await fetch("/api/wishlist", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ slug }) });
  // A reply that nobody reads keeps its request open.
  await reply.text();
  if (!reply.ok) return;
  update({ wishlist: saved ? state.wishlist.filter((each) => each !== slug) : [...state.wishlist, slug] });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.menu) update({ menu: false });
});
addStyles();
requestAnimationFrame(() => update({}));
