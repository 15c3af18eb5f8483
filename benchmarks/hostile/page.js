// @ts-check
/*
 * Builds a page from a tree and logs which elements are operated. The identity of an element is kept in a
 * WeakMap of this closure: no locator can see it, and only the benchmark reads the log.
 *
 *   __hostile.show(tree, timing, memory)   builds the page; timing {late_ms, rerender, wait}; memory: state of
 *                                  the controls on the server, which gets their changes; null without a server
 *   __hostile.keyOf(el)            key of an element, "" if it is not a control of the page
 *   __hostile.find(key)            the element, if it is rendered
 *   __hostile.seek(key)            scrolls partly rendered lists towards it; resolves when it may be rendered
 *   __hostile.sent()               resolves when the server has received everything
 *   __hostile.arrive()             renders the late section now; resolves when its iframes have loaded
 *   __hostile.again()              renders the page again, as a click does if the page re-renders
 *   __hostile.log                  keys of the operated elements, in order
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
  /** @type {{tree: Tree, late_ms: number, rerender: boolean, server: boolean}} */
  let shown;
  let arrived = false;
  let load = 0;
  /** @type {Promise<unknown>[]} */
  let loads = [];

  /** @type {Promise<unknown>[]} */
  let posts = [];
  /** Send the state of some controls to the server, even if the page is left meanwhile. */
  /** @param {string[]} keys */
  const tell = (keys) => {
    if (!shown.server) return;
    const body = JSON.stringify(Object.fromEntries(keys.map((key) => [key, states[key]])));
    posts.push(fetch('/memory', { method: 'POST', keepalive: true, body }));
  };
  const groupOf = (/** @type {Element} */ el) => el.getAttribute('name');
  const isRadio = (/** @type {Element|undefined} */ el) => el instanceof HTMLInputElement && el.type === 'radio';

  /** @param {string} key @param {Element} el */
  const operated = (key, el) => {
    log.push(key);
    const told = [key];
    const stateful = isRadio(el) || /checkbox/.test(el.getAttribute('type') ?? '') || el.hasAttribute('aria-checked') || el.hasAttribute('aria-pressed');
    const state = (states[key] ??= {});
    if (!stateful) state.presses = String(Number(state.presses ?? 0) + 1);
    for (const name of ['aria-checked', 'aria-pressed']) {
      if (!el.hasAttribute(name) || el.getAttribute('aria-disabled') === 'true') continue;
      el.setAttribute(name, String(el.getAttribute(name) !== 'true'));
      (states[key] ??= {})[name] = el.getAttribute(name) ?? '';
    }
    if (el instanceof HTMLInputElement && el.type === 'checkbox') (states[key] ??= {}).checked = String(el.checked);
    if (isRadio(el)) {
      for (const [other, at] of current) {
        if (!isRadio(at) || groupOf(at) !== groupOf(el)) continue;
        (states[other] ??= {}).checked = String(at === el);
        told.push(other);
      }
    }
    tell(told);
    if (el.tagName === 'A') return;
    if (shown.rerender) render();
  };
  /** @param {string} key @param {Element} el */
  const control = (key, el) => {
    keys.set(el, key);
    current.set(key, el);
    const typed = el instanceof HTMLSelectElement || (el instanceof HTMLInputElement && !/checkbox|radio/.test(el.type));
    if (typed) {
      el.addEventListener('input', () => {
        log.push(key);
        states[key] = { value: el.value };
        tell([key]);
      });
    }
    else el.addEventListener('click', (event) => { if (el.tagName === 'A') event.preventDefault(); operated(key, el); });
    for (const [name, value] of Object.entries(states[key] ?? {})) {
      if (name === 'checked' && el instanceof HTMLInputElement) el.checked = value === 'true';
      else if (name === 'value' && typed) el.value = value;
      else if (name.startsWith('aria-')) el.setAttribute(name, value);
    }
  };
  let salt = '';
  /** @param {string} value */
  const fresh = (value) => (shown.rerender && load > 1 ? `${value}-${load}${salt}` : value);

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
    lists.push({ box, draw, rows });
  };
  /** @type {{box: Element, draw: () => void, rows: Tree[]}[]} */
  let lists = [];
  /** @param {Tree|string} tree @param {string} key @returns {boolean} */
  const holds = (tree, key) => typeof tree !== 'string' && (tree.key === key || tree.children.some((child) => holds(child, key)));
  /** @param {string} key */
  const seek = async (key) => {
    for (const { box, draw, rows } of lists) {
      const at = rows.findIndex((row) => holds(row, key));
      if (at < 0) continue;
      box.scrollTop = at * ROW;
      draw();
    }
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
    if (tree.key) control(tree.key, el);
    return el;
  };
  const render = () => {
    load++;
    loads = [];
    lists = [];
    salt = Math.random().toString(36).slice(2, 6);
    document.body.replaceChildren(build(shown.tree));
    return Promise.all(loads).then(() => {});
  };
  const arrive = () => {
    if (arrived) return Promise.resolve();
    arrived = true;
    return render();
  };
  /** @param {Tree} tree @param {{late_ms: number, rerender: boolean, wait: boolean}} timing @param {typeof states|null} memory */
  const show = (tree, timing, memory = null) => {
    shown = { tree, ...timing, server: memory !== null };
    arrived = timing.late_ms === 0;
    load = 0;
    log.length = 0;
    current.clear();
    for (const key of Object.keys(states)) delete states[key];
    Object.assign(states, memory);
    render();
    if (!arrived && !timing.wait) setTimeout(arrive, timing.late_ms);
    if (timing.rerender) document.body.addEventListener('pointerover', () => render(), { once: true });
  };

  Object.defineProperty(globalThis, '__hostile', {
    configurable: true,
    value: {
      show, arrive, again: render, log, seek,
      keyOf: (/** @type {Element} */ el) => keys.get(el) ?? '',
      find: (/** @type {string} */ key) => { const el = current.get(key); return el?.isConnected ? el : undefined; },
      sent: () => Promise.all(posts).then(() => {}),
    },
  });
})();
