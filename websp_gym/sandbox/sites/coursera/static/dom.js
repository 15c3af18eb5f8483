// @ts-check
/* The app's own small renderer: elements are made anew on every change, with names nobody can rely on. */

/** @typedef {Node|string|null|undefined|false} Child */
/** @typedef {Record<string, string|number|boolean|null|undefined|((event: Event) => void)>} Props */

const SVG = new Set(["svg", "path", "circle", "rect", "g"]);
const salt = Math.floor(Math.random() * 2 ** 32);
let ids = Math.floor(Math.random() * 900) + 100;

/**
 * The class of this page load for a logical name.
 * @param {string} name
 */
export function hashed(name) {
  let hash = salt;
  for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619) >>> 0;
  return `css-${hash.toString(36).padStart(7, "0")}`;
}

/** An id for one rendering only. */
export const freshId = () => `cds-react-aria${salt % 100000}-:r${(ids++).toString(32)}:`;

/** Turns the logical style sheet of the page into the one of this page load. */
export function addStyles() {
  const source = document.getElementById("app-styles")?.textContent ?? "";
  const style = document.createElement("style");
  style.textContent = source.replace(/\.c-([a-z-]+)/g, (_, name) => `.${hashed(name)}`);
  document.head.append(style);
}

/**
 * Makes an element. `class` holds logical names, `on…` handlers, `key` what focus is found again by.
 * @param {string} tag
 * @param {Props} [props]
 * @param {...(Child|Child[])} children
 * @returns {Element}
 */
export function h(tag, props = {}, ...children) {
  const made = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (name === "class") made.setAttribute("class", String(value).split(" ").map(hashed).join(" "));
    else if (name === "key") keys.set(made, String(value));
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child) made.append(child);
  return made;
}

/** @type {WeakMap<Element, string>} */
const keys = new WeakMap();

/**
 * Replaces everything, and puts the focus back on the element that is now what the focused one was.
 * @param {Element} root
 * @param {Element[]} content
 */
export function draw(root, content) {
  const key = document.activeElement ? keys.get(document.activeElement) : undefined;
  root.replaceChildren(...content);
  if (!key) return;
  const again = [...root.querySelectorAll("*")].find((each) => keys.get(each) === key);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}
