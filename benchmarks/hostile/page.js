// @ts-check
/*
 * Builds a page from a tree and keeps its own account of what was operated. Who an element is stands in a
 * WeakMap of this closure: no locator can see it, and the log is read by the benchmark alone.
 *
 *   __hostile.show(tree, timing)   builds the page; timing {late_ms, rerender, late_path}
 *   __hostile.keyOf(el)            who an element is, "" for what is no control of the page
 *   __hostile.find(key)            the element
 *   __hostile.arrive()             renders what is late at once; resolves when its iframes have loaded
 *   __hostile.again()              renders the page anew, as a click does where it re-renders
 *   __hostile.log                  keys in the order they were operated
 */

/**
 * @typedef {{tag: string, attrs: Record<string, string>, key: string, mode: string, children: (Tree|string)[],
 *   late?: boolean, src?: string}} Tree
 */

(() => {
  'use strict';
  /** @type {WeakMap<Element, string>} */
  const keys = new WeakMap();
  /** @type {Map<string, Element>} */
  const current = new Map();
  /** @type {string[]} */
  const log = [];
  /** @type {Record<string, Record<string, string>>} */
  const states = {};
  /** @type {{tree: Tree, late_ms: number, rerender: boolean}} */
  let shown;
  let arrived = false;
  let load = 0;
  /** @type {Promise<unknown>[]} */
  let loads = [];

  /** @param {string} key @param {Element} el */
  const operated = (key, el) => {
    log.push(key);
    for (const name of ['aria-checked', 'aria-pressed']) {
      if (!el.hasAttribute(name) || el.getAttribute('aria-disabled') === 'true') continue;
      el.setAttribute(name, String(el.getAttribute(name) !== 'true'));
      (states[key] ??= {})[name] = el.getAttribute(name) ?? '';
    }
    if (el instanceof HTMLInputElement && el.type === 'checkbox') (states[key] ??= {}).checked = String(el.checked);
    if (el instanceof HTMLInputElement && el.type === 'radio') {
      for (const [other, at] of current) if (at instanceof HTMLInputElement && at.type === 'radio') (states[other] ??= {}).checked = String(at === el);
    }
    if (el.tagName === 'A') return;
    if (shown.rerender) render();
  };
  /** @param {string} key @param {Element} el */
  const control = (key, el) => {
    keys.set(el, key);
    current.set(key, el);
    const typed = el instanceof HTMLSelectElement || (el instanceof HTMLInputElement && !/checkbox|radio/.test(el.type));
    if (typed) el.addEventListener('input', () => log.push(key));
    else el.addEventListener('click', (event) => { if (el.tagName === 'A') event.preventDefault(); operated(key, el); });
    for (const [name, value] of Object.entries(states[key] ?? {})) {
      if (name === 'checked' && el instanceof HTMLInputElement) el.checked = value === 'true';
      else if (name !== 'checked') el.setAttribute(name, value);
    }
  };
  /** @param {string} value */
  const fresh = (value) => (shown.rerender && load > 1 ? `${value}-${load}${Math.random().toString(36).slice(2, 6)}` : value);

  const ROW = 40;
  /** @param {Element} box @param {Tree} tree */
  const list = (box, tree) => {
    const rows = /** @type {Tree[]} */ (tree.children);
    box.setAttribute('style', 'height: 240px; overflow: auto; position: relative');
    const all = document.createElement('div');
    all.style.height = `${rows.length * ROW}px`;
    box.append(all);
    const draw = () => {
      const first = Math.floor(box.scrollTop / ROW);
      all.replaceChildren(...rows.slice(first, first + 8).map((row, at) => {
        const el = /** @type {HTMLElement} */ (build(row));
        el.style.cssText = `position: absolute; top: ${(first + at) * ROW}px; height: ${ROW}px`;
        return el;
      }));
    };
    box.addEventListener('scroll', draw);
    draw();
  };

  /** @param {Tree} tree @returns {Element} */
  const build = (tree) => {
    if (tree.src) {
      const frame = document.createElement('iframe');
      frame.src = tree.src;
      loads.push(new Promise((done) => { frame.onload = () => done(null); }));
      frame.setAttribute('style', 'width: 100%; height: 420px; border: 0');
      return frame;
    }
    const el = document.createElement(tree.tag);
    for (const [name, value] of Object.entries(tree.attrs)) {
      el.setAttribute(name, ['id', 'for', 'name', 'aria-labelledby', 'class'].includes(name) ? fresh(value) : value);
    }
    if (tree.mode === 'virtual') { list(el, tree); return el; }
    const root = tree.mode === 'shadow' ? el.attachShadow({ mode: 'open' }) : el;
    for (const child of tree.children) {
      if (typeof child === 'string') root.append(child);
      else if (!child.late || arrived) root.append(build(child));
      else root.append(document.createElement('i'));
    }
    // An iframe in the tree would have lost the reference too: both sides get the same suffix.
    if (shown.rerender && load > 1) mend(root);
    if (tree.key) control(tree.key, el);
    return el;
  };
  /** Ids made anew one by one would tear labels from their controls. */
  /** @param {Element|ShadowRoot} root */
  const mend = (root) => {
    for (const child of root.children) {
      for (const name of ['for', 'aria-labelledby']) {
        const wanted = child.getAttribute(name)?.replace(/-\d+\w{4}$/, '');
        const other = wanted && [...root.querySelectorAll('[id]')].find((at) => at.id.replace(/-\d+\w{4}$/, '') === wanted);
        if (other) child.setAttribute(name, other.id);
      }
    }
  };
  const render = () => {
    load++;
    loads = [];
    document.body.replaceChildren(build(shown.tree));
    return Promise.all(loads).then(() => {});
  };
  const arrive = () => {
    if (arrived) return Promise.resolve();
    arrived = true;
    return render();
  };
  /** @param {Tree} tree @param {{late_ms: number, rerender: boolean, wait: boolean}} timing */
  const show = (tree, timing) => {
    shown = { tree, ...timing };
    arrived = timing.late_ms === 0;
    load = 0;
    log.length = 0;
    current.clear();
    for (const key of Object.keys(states)) delete states[key];
    render();
    if (!arrived && !timing.wait) setTimeout(arrive, timing.late_ms);
    if (timing.rerender) document.body.addEventListener('pointerover', () => render(), { once: true });
  };

  Object.defineProperty(globalThis, '__hostile', {
    configurable: true,
    value: { show, arrive, again: render, log, keyOf: (/** @type {Element} */ el) => keys.get(el) ?? '', find: (/** @type {string} */ key) => current.get(key) },
  });
})();
