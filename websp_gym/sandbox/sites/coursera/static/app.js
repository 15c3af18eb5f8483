// @ts-check
/* State, and what changes it. Every change draws the whole app anew. */
import { addStyles, draw } from "./dom.js";
import { page } from "./pages.js";

const KIT = "/_kit/questions.js";

/**
 * @typedef {{slug: string, title: string, partner: string, topic: string, kind: string, level: string, time: string, rating: string, reviews: string, skills: string[], hue: number, rail: string}} Course
 * @typedef {{id: string, label: string, count: number}} Topic
 * @typedef {{topics: Topic[], partners: string[], courses: Course[], stories: {name: string, text: string}[], faq: {q: string, a: string}[], footer: {title: string, links: [string, string][]}[]}} Catalog
 * @typedef {{name: string, heading?: string, paragraphs?: string[], button?: string, action?: string}} View
 * @typedef {string | boolean | string[]} Value
 * @typedef {{view: View, params: Record<string, string>, query: Record<string, string>, wishlist: string[], catalog: Catalog, menu: boolean, rail: string, levels: string[], question: number, note: string,
 *   account: {name: string} | null, sessionEnded: string, settings: Record<string, Value>, draft: Record<string, Value>, enrolled: string[], reported: boolean, plus: boolean, zones: Record<string, string>, languages: Record<string, string>,
 *   profile: boolean, tab: number, said: string, chat: boolean, asked: string[], asking: boolean, planted?: string[]}} State
 * @typedef {(change: Partial<State>) => void} Update
 * @typedef {(path: string, body: Record<string, unknown>, change: Partial<State>) => Promise<void>} Send
 */

/** @type {State} */
const state = {
  ...JSON.parse(document.getElementById("app-state")?.textContent ?? "{}"),
  menu: false, rail: "popular", levels: [], question: -1, note: "",
  profile: false, tab: 0, said: "", chat: true, asked: [], asking: false,
};
// What the settings show until they are saved.
state.draft = { ...state.settings };
const root = document.getElementById("rendered-content");

/** @type {Update} */
const update = (change) => {
  Object.assign(state, change);
  if (root) draw(root, page(state, update, save, send));
};

/**
 * Tells what the server said instead of doing what it was asked.
 * @param {string} answer
 */
async function refused(answer) {
  const { fail, reason } = await import(KIT);
  fail(reason(answer));
}

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
  const answer = await reply.text();
  if (!reply.ok) return refused(answer);
  update({ wishlist: saved ? state.wishlist.filter((each) => each !== slug) : [...state.wishlist, slug] });
}

/** Sends something to the server and, if it agrees, changes what is shown. @type {Send} */
async function send(path, body, change) {
  const reply = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const answer = await reply.text();
  if (reply.ok) update(change);
  else refused(answer);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && (state.menu || state.profile || state.asking)) update({ menu: false, profile: false, asking: false });
});
addStyles();
requestAnimationFrame(() => update({}));
