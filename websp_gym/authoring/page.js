// @ts-check
/*
 * Inspect a page for a site check, hidden parts included: an expression whose value is a function. It needs __websp.
 *   links     full address and name of each link
 *   forms     address and name of each search box and other GET form, with its fields filled in
 *   nameless  controls without an accessible name
 *   nowhere   links without a target, or to a part of this page that does not exist
 *   hidden    pixels by which the page is wider than its window, so that it scrolls sideways
 */
(() => {
  "use strict";
  const websp = /** @type {any} */ (Reflect.get(globalThis, "__websp"));
  /** @type {(el: Element) => string} */
  const shape = (el) => {
    const copy = /** @type {Element} */ (el.cloneNode(false));
    return copy.outerHTML.replace(/<\/[\w-]+>$/, "").slice(0, 160);
  };
  /** Whether a link acts as a button: an attribute other than its address defines what it does. */
  /** @type {(el: Element) => boolean} */
  const reacts = (el) => ["onclick", "data-consent", "aria-controls", "aria-expanded", "aria-haspopup"].some((name) => el.hasAttribute(name))
    || el.getAttribute("role") === "button" || [...el.attributes].some((each) => each.name.startsWith("data-kit-"));
  /** The name that a hidden control will have once it is shown. */
  /** @type {(el: Element) => string} */
  const later = (el) => {
    if (el.checkVisibility({ visibilityProperty: true })) return "";
    const inner = [...el.querySelectorAll("[aria-label], img[alt], title")].map((each) => each.getAttribute("aria-label") ?? each.getAttribute("alt") ?? each.textContent ?? "");
    return `${el.textContent ?? ""}${inner.join("")}${el.getAttribute("title") ?? ""}`.trim();
  };
  /** @type {(href: string) => boolean} */
  const isHere = (href) => {
    const id = decodeURIComponent(href.slice(1));
    return id === "top" || document.getElementById(id) !== null || document.getElementsByName(id).length > 0;
  };
  /** @type {(form: HTMLFormElement) => {url: string, name: string}} */
  const filledIn = (form) => {
    const address = new URL(form.action);
    for (const field of form.elements) {
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || !field.name) continue;
      if (!["submit", "checkbox", "radio", "button"].includes(field.type)) address.searchParams.set(field.name, field.value || "privacy");
    }
    return { url: address.href, name: `form ${form.id || form.getAttribute("action") || ""}`.trim() };
  };
  /** @type {{url: string, name: string}[]} */
  const links = [];
  /** @type {{url: string, name: string}[]} */
  const forms = [];
  /** @type {string[]} */
  const nameless = [];
  /** @type {string[]} */
  const nowhere = [];
  for (const el of /** @type {Element[]} */ (websp.elements(document))) {
    if (el instanceof HTMLAnchorElement && el.hasAttribute("href")) {
      const href = (el.getAttribute("href") ?? "").trim();
      const name = websp.nameOf(el) || (el.textContent ?? "").trim() || shape(el);
      if (/^(javascript:\s*(void\s*\(?\s*0?\s*\)?)?;?|#?)$/i.test(href)) { if (!reacts(el)) nowhere.push(`${name} (${href || "empty"})`); }
      else if (/^javascript:/i.test(href)) continue;
      else if (href.startsWith("#")) { if (!isHere(href)) nowhere.push(`${name} (${href})`); }
      else links.push({ url: el.href, name });
    }
    if (el instanceof HTMLFormElement && el.method === "get" && el.hasAttribute("action")) forms.push(filledIn(el));
    if (!websp.isControl(el) || el.matches("option, [aria-hidden=true], [aria-hidden=true] *, [inert] *")) continue;
    if (!websp.nameOf(el) && !later(el)) nameless.push(shape(el));
  }
  const page = document.scrollingElement;
  const hidden = page && getComputedStyle(page).overflowX !== "hidden" ? page.scrollWidth - page.clientWidth : 0;
  return { links, forms, nameless, nowhere, hidden };
})
