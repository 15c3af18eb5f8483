// @ts-check
/*
 * Scrolls lists that render only the visible items (the Python side is virtual_lists.py). Adds to __webspReplay
 *
 *   lists()              [{top, max, view, lazy}] of the scrollable elements; lazy: most of it is not rendered
 *   roll(i, top)         scrolls the i-th of them and returns {top, max, view}, all in pixels
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.roll) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, isControl, elements } = websp;
  const { attr } = raw;

  const MOST = 6;
  const TEXTS = 1_500;
  /** @type {Element[]} */
  let rolling = [];
  const root = () => document.scrollingElement ?? document.documentElement;
  /** @type {(el: Element) => boolean} */
  const scrolls = (el) => {
    if (el.scrollHeight - el.clientHeight < 24 || el.clientHeight < 24) return false;
    return el === root() || /auto|scroll|overlay/.test(raw.style(el).overflowY);
  };
  /** Whether more than the visible height of the scrollable content is empty, at its start or end. */
  /** @type {(el: Element) => boolean} */
  const isLazy = (el) => {
    if (elements(el).some((at) => Number(attr(at, 'aria-rowcount') ?? attr(at, 'aria-setsize') ?? 0) > 30)) return true;
    const origin = (el === root() ? 0 : raw.rect(el).top) - el.scrollTop;
    let first = el.scrollHeight;
    let last = 0;
    for (const at of elements(el).slice(0, TEXTS)) {
      if (at === el || at.childElementCount || !(isControl(at) || at.textContent?.trim())) continue;
      const box = raw.rect(at);
      first = Math.min(first, box.top - origin);
      last = Math.max(last, box.bottom - origin);
    }
    return first > el.clientHeight || el.scrollHeight - last > el.clientHeight;
  };
  /** @type {(el: Element) => {top: number, max: number, view: number}} */
  const where = (el) => ({ top: el.scrollTop, max: el.scrollHeight - el.clientHeight, view: el.clientHeight });
  const lists = () => {
    const every = [root(), ...elements(document).filter((el) => el !== root() && el !== document.body)];
    const found = every.filter((el) => scrolls(el) && raw.shown(el)).map((el) => ({ el, lazy: isLazy(el) }));
    const best = found.sort((a, b) => Number(b.lazy) - Number(a.lazy)).slice(0, MOST);
    rolling = best.map(({ el }) => el);
    return best.map(({ el, lazy }) => ({ ...where(el), lazy }));
  };
  /** @type {(i: number, top: number) => {top: number, max: number, view: number}|null} */
  const roll = (i, top) => {
    const el = rolling[i];
    if (!el || !raw.isConnected(el)) return null;
    el.scrollTo({ top, behavior: 'instant' });
    return where(el);
  };

  Object.assign(replay, { lists, roll });
})();
