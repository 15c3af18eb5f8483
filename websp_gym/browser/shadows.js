// @ts-check
/*
 * Closed shadow roots. No script outside can see one, so the debugger hands them over (shadows.py): this script tells which
 * elements may have one, and keeps those it was given. Injected before page.js; adds to __websp
 *   doubt(el, tag, display)  called by page.js for each element it passes (`display` is empty outside the flat tree, undefined
 *                   where it is not known)
 *   suspects()      the elements passed since forgetShadows() that may have a closed shadow root; each is returned once, and
 *                   again when its size changes or it is hit where it has no size
 *   reveal(root)    keeps a closed shadow root: from now on it is searched like an open one
 *   revealed()      these roots
 *   forgetShadows() starts a new search
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & Partial<ShadowApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.suspects) return;
  const { raw, parentOf, topAt, kit } = websp;
  const { contains, uncurry } = kit;
  const HOSTS = new Set(['div', 'span', 'section', 'article', 'aside', 'main', 'nav', 'p', 'header', 'footer', 'blockquote', 'h1',
    'h2', 'h3', 'h4', 'h5', 'h6']);
  const MOST = 200;
  /** @type {(el: Element) => StylePropertyMapReadOnly} */
  const styleMap = uncurry(Element.prototype.computedStyleMap);
  /** @type {WeakMap<Element, string>} Size of an element when it was last returned. */
  const asked = new WeakMap();
  /** @type {WeakSet<Element>} Those that were returned because they were hit. */
  const seen = new WeakSet();
  /** @type {ShadowRoot[]} */
  const roots = [];
  /** @type {Element[]} */
  let doubted = [];
  /** @type {Set<Element>} Those without a size of their own: what is in them may be anywhere. */
  let sizeless = new Set();

  /** Whether an element may have a closed shadow root: a custom element, or one that draws nothing of its own children. */
  /** @type {(el: Element, tag: string, display: string|undefined) => boolean} */
  const mayHost = (el, tag, display) => {
    if (tag.includes('-')) return raw.matches(el, ':defined') || !raw.firstChild(el);
    if (raw.firstChild(el) || !contains(HOSTS, tag) || String(styleMap(el).get('height')) !== 'auto') return false;
    // A line that is only a border has nothing in it.
    return el.clientHeight > 0 || raw.rect(el).height === 0 || display === 'inline';
  };
  /** @type {(el: Element) => void} */
  const ask = (el) => {
    const { width, height } = raw.rect(el);
    if (!width || !height) sizeless.add(el);
    if (doubted.length >= MOST || asked.get(el) === `${width} ${height}`) return;
    asked.set(el, `${width} ${height}`);
    doubted[doubted.length] = el;
  };
  /** @type {ShadowApi['doubt']} */
  const doubt = (el, tag, display) => {
    if (display === '') {
      const host = parentOf(el);
      if (host && !raw.shadowOf(host)) ask(host);
    } else if (mayHost(el, tag, display) && !raw.shadowOf(el)) ask(el);
  };

  const COLUMNS = 5;
  const ROWS = 8;
  const MARGIN = 12; // A bar at the edge of the viewport is hit too.
  const askWhereHit = () => {
    for (let i = 0; i < ROWS * COLUMNS && sizeless.size; i++) {
      const x = MARGIN + (i % COLUMNS) * (innerWidth - 2 * MARGIN) / (COLUMNS - 1);
      const y = MARGIN + Math.floor(i / COLUMNS) * (innerHeight - 2 * MARGIN) / (ROWS - 1);
      const hit = topAt(x, y);
      if (!hit || !sizeless.delete(hit) || seen.has(hit)) continue;
      seen.add(hit);
      doubted[doubted.length] = hit;
    }
  };
  /** @type {ShadowApi['suspects']} */
  const suspects = () => {
    if (!doubted.length) askWhereHit();
    return doubted;
  };
  /** @type {ShadowApi['reveal']} */
  const reveal = (root) => {
    raw.keepShadow(root);
    roots[roots.length] = root;
  };
  const revealed = () => roots;
  const forgetShadows = () => {
    doubted = [];
    sizeless = new Set();
  };

  /** @type {ShadowApi} */
  const api = { doubt, suspects, reveal, revealed, forgetShadows };
  Object.assign(websp, api);
})();
