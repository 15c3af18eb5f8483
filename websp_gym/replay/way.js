// @ts-check
/*
 * What can stand between the pointer and an element: layers on top of it, menus that open on hover, lists
 * that render only what is scrolled to (the other half is way.py). Adds to __webspReplay
 *
 *   cover(el, x, y)      {error, layer} when a click there would not reach the element; null when it would.
 *                        layer: what lies on top has controls of its own (a dialog, a consent banner)
 *   through(frame, at)   the point of an iframe's viewport in this one, or such an error
 *   hoverSpot(el)        {x, y} where the pointer can rest on it, or {error}
 *   openers(el)          {count, depth}: how many elements might show a hidden one when the pointer rests on
 *                        them, and how many of its ancestors (and itself) are hidden; depth 0 = it shows
 *   openerSpot(i)        {x, y} on the i-th of them, or {error}
 *   appears(el, was, ms) its depth as soon as it is less than it was, else after ms
 *   lists()              [{top, max, view, lazy}] of what can be scrolled; lazy: most of it is not rendered
 *   roll(i, top)         scrolls the i-th list; {top, max, view}
 */

/** @typedef {{error: string, layer: boolean}} Obstacle */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.cover) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, roleOf, isControl, describe, view, spotOf, topAt, belongs, elements } = websp;
  const { upwards } = websp.kit;
  const { tagOf, attr } = raw;

  // ---------------------------------------------------------------- layers
  const DIALOGS = new Set(['dialog', 'alertdialog']);
  /** @type {(el: Element) => boolean} */
  const isDialog = (el) => DIALOGS.has(roleOf(el)) || attr(el, 'aria-modal') === 'true';
  /** Whether a layer is something to operate, not a shade, a spinner or a drawn part of the element. */
  /** @type {(layer: Element) => boolean} */
  const operable = (layer) => elements(layer).some((el) => tagOf(el) === 'iframe' || isDialog(el)
    || (isControl(el) && raw.shown(el, { visibilityProperty: true })));
  /** @type {(inner: Element, outer: Element) => boolean} */
  const inside = (inner, outer) => upwards(inner, (at) => at === outer) !== null;
  /** The outermost ancestor of what was hit that does not also hold the element. */
  /** @type {(hit: Element, el: Element) => Element} */
  const layerOf = (hit, el) => {
    let layer = hit;
    for (let up = parentOf(layer); up && !inside(el, up); up = parentOf(up)) layer = up;
    return layer;
  };
  /** @type {(hit: Element, el: Element) => Obstacle} */
  const obstacle = (hit, el) => {
    if (inside(el, hit)) return { error: 'out of the pointer\'s reach', layer: false };
    const layer = layerOf(hit, el);
    const dialog = upwards(hit, isDialog);
    const named = dialog && inside(dialog, layer) ? dialog : elements(layer).find(isDialog);
    const blocks = operable(layer);
    return { error: `covered by ${describe(named ?? (blocks ? layer : hit))}`, layer: blocks };
  };
  /** @type {(el: Element, x: number, y: number) => Obstacle|null} */
  const cover = (el, x, y) => {
    const hit = topAt(x, y);
    if (!hit) return { error: 'not visible', layer: false };
    return belongs(hit, el) ? null : obstacle(hit, el);
  };
  /** @type {(frame: Element, at: [number, number]) => {x: number, y: number}|Obstacle} */
  const through = (frame, at) => {
    const there = websp.through(frame, at);
    if ('x' in there) return there;
    const [left, top, across, down] = websp.frameGeometry(frame);
    return cover(frame, left + at[0] * across, top + at[1] * down) ?? { error: there.error, layer: false };
  };

  // ---------------------------------------------------------------- hovering
  /** @type {(el: Element) => {x: number, y: number}|{error: string}} */
  const hoverSpot = (el) => {
    let spot = spotOf(el, view(), true);
    if (!spot) {
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      spot = spotOf(el, view(), true);
    }
    return spot ? { x: spot.x, y: spot.y } : { error: 'not visible' };
  };
  /** @type {Element[]} */
  let opening = [];
  /** @type {(el: Element) => boolean} */
  const visible = (el) => raw.shown(el, { visibilityProperty: true, opacityProperty: true }) && raw.rects(el).length > 0;
  const POPUPS = '[aria-haspopup]:not([aria-haspopup="false"]),[aria-expanded],[aria-controls]';
  /** The ancestors of a hidden element that are not visible either, from itself outwards. */
  /** @type {(el: Element) => Element[]} */
  const hiddenParts = (el) => {
    const parts = [];
    for (let at = /** @type {Element|null} */ (el); at && !visible(at); at = parentOf(at)) parts.push(at);
    return parts;
  };
  /** @type {(el: Element) => {count: number, depth: number}} */
  const openers = (el) => {
    opening = [];
    const parts = hiddenParts(el);
    const part = parts[parts.length - 1];
    if (!part) return { count: 0, depth: 0 };
    const ids = new Set(parts.map((at) => attr(at, 'id')).filter(Boolean));
    /** @type {(at: Element) => boolean} */
    const owns = (at) => ['aria-controls', 'aria-owns'].some((name) => (attr(at, name) ?? '').split(/\s+/).some((id) => ids.has(id)));
    const before = raw.previousElement(part);
    const holder = parentOf(part);
    const popups = holder ? elements(holder).filter((at) => raw.matches(at, POPUPS) && visible(at)) : [];
    // The page itself is under the pointer anyway.
    const frame = !holder || ['body', 'main', 'html'].includes(tagOf(holder));
    const found = [...elements(document).filter(owns), before, ...(popups.length === 1 ? popups : []), frame ? null : holder];
    opening = [...new Set(found)].filter((at) => at !== null).filter(visible).slice(0, 4);
    return { count: opening.length, depth: parts.length };
  };
  /** @type {(i: number) => {x: number, y: number}|{error: string}} */
  const openerSpot = (i) => (opening[i] ? hoverSpot(opening[i]) : { error: 'gone' });
  /** @type {(el: Element, depth: number, ms: number) => Promise<number>} */
  const appears = (el, depth, ms) => replay.poll(() => hiddenParts(el).length, (/** @type {number} */ now) => now < depth, ms);

  // ---------------------------------------------------------------- lists
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
  /** Whether more than a windowful of what can be scrolled to shows nothing at all. */
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

  Object.assign(replay, { cover, obstacle, through, hoverSpot, openers, openerSpot, appears, lists, roll });
})();
