// @ts-check
/*
 * Watches the page while a recording runs: numbers its elements, knows when it rests and what a hover revealed.
 *
 * globalThis.__webspRecorder.watch has
 *   changes()              how often the page changed; its own attributes do not count. NaN while not watching
 *   quiet(ms)              resolves when nothing changed for a few frames, at the latest after ms
 *   openers(el)            the elements that had to be hovered, outermost first, to make `el` appear
 *   settled()              forgets the way the pointer went: what is rendered now needs no hover
 *
 * data-websp-index stands on the elements only while recording. It changes the page, if harmlessly: the paper's
 * pipeline reads it, a person can check it in the inspector, and other tools can point at an element by it. Replay
 * does not need it in the page (it counts again), so it goes when the recording stops.
 */
(() => {
  'use strict';
  const recorder = /** @type {Recorder} */ (Reflect.get(globalThis, '__webspRecorder'));
  if (recorder.watch) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { link } = recorder;
  const { raw, operable, parentOf, roleOf } = websp;
  const INDEX = 'data-websp-index';
  const ALL = { subtree: true, childList: true, attributes: true, characterData: true };
  const QUIET_MS = 60;
  const TRAIL = 20;
  const CHEAP_MS = 8;

  let changes = 0;
  let changed = 0;
  let scheduled = false;
  let running = false;
  /** @type {Set<Node>} */
  let observed = new Set();
  /** @type {Element[]} */
  let numbered = [];

  // ---------------------------------------------------------------- frames
  /** @type {(next: () => void) => void} */
  const soon = (next) => {
    let once = () => { once = () => {}; next(); };
    requestAnimationFrame(() => once());
    setTimeout(() => once(), 50); // a tab or frame out of view gets no animation frames
  };

  // ---------------------------------------------------------------- numbering
  const observer = new MutationObserver((records) => {
    if (!records.some((record) => record.attributeName !== INDEX)) return;
    changes++;
    changed = performance.now();
    schedule();
  });
  const observeRoots = () => {
    /** @type {(root: Node) => void} */
    const add = (root) => {
      if (observed.has(root)) return;
      observed.add(root);
      observer.observe(root, ALL);
    };
    add(document);
    websp.walk(document, (el) => { const shadow = raw.shadowOf(el); if (shadow) add(shadow); });
  };
  let cost = 0;
  let due = 0;
  const schedule = () => {
    if (scheduled || !running) return;
    scheduled = true;
    // Once per frame, and on a page that never rests for at most a tenth of the time.
    setTimeout(() => soon(number), Math.max(0, due - performance.now()));
  };
  const number = () => {
    scheduled = false;
    if (!running) return;
    const began = performance.now();
    observeRoots();
    const order = websp.indexed();
    const kept = new Set(order);
    for (const el of numbered) if (!kept.has(el)) el.removeAttribute(INDEX);
    for (let i = 0; i < order.length; i++) {
      if (raw.attr(order[i], INDEX) !== String(i)) order[i].setAttribute(INDEX, String(i));
    }
    numbered = order;
    observer.takeRecords().some((record) => record.attributeName !== INDEX) && schedule();
    cost = performance.now() - began;
    due = performance.now() + 10 * cost;
    snapshot();
  };
  const start = () => {
    if (running) return;
    running = true;
    changed = performance.now();
    observeRoots();
    // A framework that takes over server-made HTML compares attributes: it has its turn first.
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', schedule, { once: true });
    else number(); // at once: what is there before the first hover must be known
  };
  const stop = () => {
    running = false;
    observer.disconnect();
    observed = new Set();
    for (const el of numbered) el.removeAttribute(INDEX);
    numbered = [];
    trail = [];
    rendered = null;
  };

  /** @type {Watch['quiet']} */
  const quiet = (ms) => new Promise((resolve) => {
    const end = performance.now() + ms;
    let frames = 0;
    let last = -1;
    const turn = () => {
      frames = changes === last ? frames + 1 : 0;
      last = changes;
      const now = performance.now();
      if (now >= end || (frames >= 2 && now - changed >= QUIET_MS)) resolve();
      else soon(turn);
    };
    soon(turn);
  });

  // ---------------------------------------------------------------- what a hover revealed
  /** @type {Set<Element>|null} */
  let rendered = null;
  /** @type {{el: Element, print: Fingerprint|null, before: Set<Element>|null}[]} */
  let trail = [];
  const shown = (/** @type {Element} */ el) => raw.shown(el, { visibilityProperty: true, opacityProperty: true });
  const snapshot = () => {
    /** @type {Set<Element>} */
    const now = new Set();
    for (const el of numbered) if (shown(el)) now.add(el);
    rendered = now;
  };
  let looking = false;
  const look = () => {
    if (looking || !running) return;
    looking = true;
    soon(() => soon(() => { looking = false; if (running && !scheduled) snapshot(); }));
  };
  /** An opener as it is before its menu stands around it, where that costs no noticeable time. */
  /** @type {(el: Element) => Fingerprint|null} */
  const printed = (el) => {
    if (printCost > CHEAP_MS) return null;
    const began = performance.now();
    const print = websp.recordedPrint(el);
    printCost = performance.now() - began;
    return print;
  };
  let printCost = 0;
  link.hear('pointerover', (event) => {
    if (!running || !event.isTrusted || event.pointerType !== 'mouse' || event.buttons) return;
    const hit = event.composedPath()[0];
    if (!(hit instanceof Element)) return;
    const el = operable(hit);
    if (trail[trail.length - 1]?.el === el) return;
    trail = [...trail.slice(1 - TRAIL), { el, print: printed(el), before: rendered }];
    look();
  });

  /** @type {(el: Element, other: Element) => boolean} */
  const holds = (el, other) => {
    for (let at = /** @type {Element|null} */ (other); at; at = parentOf(at)) if (at === el) return true;
    return false;
  };
  /** Only what belongs together: a menu and its title stand near each other, or the title says it has one. */
  /** @type {(opener: Element, el: Element) => boolean} */
  const related = (opener, el) => {
    if (raw.has(opener, 'aria-haspopup') || raw.has(opener, 'aria-expanded') || raw.has(opener, 'aria-controls')) return true;
    let at = /** @type {Element|null} */ (opener);
    for (let up = 0; at && up < 4 && raw.tagOf(at) !== 'body'; up++, at = parentOf(at)) {
      if (holds(at, el)) return true;
      if (raw.tagOf(at) === 'li' || /^(menubar|menu|navigation)$/.test(roleOf(at))) return false;
    }
    return false;
  };
  /** The step of the pointer's way that made `el` appear: the last one before which it was not rendered. */
  /** @type {(el: Element) => {el: Element, print: Fingerprint|null}|null} */
  const openerOf = (el) => {
    let plain = null;
    let missing = false;
    for (let i = trail.length - 1; i >= 0; i--) {
      const { el: opener, before } = trail[i];
      if (!before) continue;
      if (before.has(el)) {
        if (missing) break;
        continue;
      }
      missing = true;
      if (opener === el || holds(el, opener) || !raw.isConnected(opener) || !related(opener, el)) continue;
      if (websp.interactive(opener)) return trail[i];
      plain ??= trail[i];
    }
    return plain;
  };
  /** @type {Watch['openers']} */
  const openers = (el) => {
    /** @type {{el: Element, print: Fingerprint|null}[]} */
    const found = [];
    // Only what is numbered is known not to have been there before.
    for (let at = /** @type {Element|null} */ (el); at && websp.interactive(at);) {
      const step = openerOf(at);
      if (!step || found.some((other) => other.el === step.el)) break;
      found.unshift(step);
      at = step.el;
    }
    return found.map((step) => step.print ?? websp.recordedPrint(step.el));
  };
  const settled = () => { trail = trail.slice(-1).map((step) => ({ ...step, before: null })); look(); };

  link.onChange(() => (link.state === 'recording' ? start() : stop()));
  recorder.watch = { changes: () => (running ? changes : NaN), quiet, openers, settled };
})();
