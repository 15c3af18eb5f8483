// @ts-check
/*
 * Opens the menus that hide an element: those that appear on hover, and those that a click opens. Adds to __webspReplay
 *
 *   hoverSpot(el)        {x, y} where the pointer can hover over the element, or {error}
 *   openers(el)          {count, depth}: how many elements might show a hidden element on hover, and how many
 *                        of the hidden element and its ancestors are hidden; depth 0: it is visible
 *   togglers(el)         the same, of the controls that open it with a click and do nothing else
 *   openerSpot(i)        {x, y} on the i-th of them, or {error}
 *   appears(el, was, ms) resolves with the depth as soon as it is less than before, or after ms
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.openers) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, view, spotNow, elements } = websp;
  const { tagOf, attr } = raw;

  /** @type {(el: Element) => {x: number, y: number}|{error: string}} */
  const hoverSpot = (el) => {
    let spot = spotNow(el, view(), true);
    if (!spot) {
      el.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      spot = spotNow(el, view(), true);
    }
    return spot ? { x: spot.x, y: spot.y } : { error: 'not visible' };
  };
  /** @type {Element[]} */
  let opening = [];
  /** @type {(el: Element) => boolean} */
  const visible = (el) => raw.shown(el, { visibilityProperty: true, opacityProperty: true }) && raw.rects(el).length > 0;
  /** Also a box that lies transparent over what draws it. */
  /** @type {(el: Element) => boolean} */
  const pressable = (el) => visible(el) || (tagOf(el) === 'input' && raw.shown(el, { visibilityProperty: true }) && raw.rects(el).length > 0);
  const POPUPS = '[aria-haspopup]:not([aria-haspopup="false"]),[aria-expanded],[aria-controls]';
  /** A hidden element and its hidden ancestors, from the element outwards. */
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
    // The page itself is no opener, because it is always under the pointer.
    const frame = !holder || ['body', 'main', 'html'].includes(tagOf(holder));
    const found = [...elements(document).filter(owns), before, ...(popups.length === 1 ? popups : []), frame ? null : holder];
    opening = [...new Set(found)].filter((at) => at !== null).filter(visible).slice(0, 4);
    return { count: opening.length, depth: parts.length };
  };
  /** A closed menu button, or a check box that is not a field of a form: pages show menus by its state. */
  /** @type {(at: Element) => boolean} */
  const opensOnly = (at) => {
    if (tagOf(at) === 'input') return raw.matches(at, '[type=checkbox]:not([name]):not(:checked)');
    return attr(at, 'aria-expanded') === 'false' || tagOf(at) === 'summary'
      || (raw.matches(at, '[aria-haspopup]:not([aria-haspopup="false"])') && attr(at, 'aria-expanded') !== 'true');
  };
  /** @type {(el: Element) => {count: number, depth: number}} */
  const togglers = (el) => {
    const parts = hiddenParts(el);
    const ids = new Set(parts.map((at) => attr(at, 'id')).filter(Boolean));
    /** @type {Element[]} */
    const found = [];
    for (const part of parts) {
      const details = parentOf(part);
      if (details && tagOf(details) === 'details') found.push(...elements(details).filter((at) => tagOf(at) === 'summary'));
      for (let before = raw.previousElement(part); before; before = raw.previousElement(before)) found.push(...elements(before));
    }
    const named = elements(document).filter((at) => ids.has(attr(at, 'aria-controls') ?? '') || ids.has(attr(at, 'aria-owns') ?? ''));
    const labelled = (/** @type {Element} */ at) => [at, ...websp.labelsOf(at)];
    opening = [...new Set([...named, ...found].filter(opensOnly).flatMap(labelled))].filter(pressable).slice(0, 4);
    return { count: opening.length, depth: parts.length };
  };
  /** @type {(i: number) => {x: number, y: number}|{error: string}} */
  const openerSpot = (i) => (opening[i] ? hoverSpot(opening[i]) : { error: 'gone' });
  /** @type {(el: Element, depth: number, ms: number) => Promise<number>} */
  const appears = (el, depth, ms) => replay.poll(() => hiddenParts(el).length, (/** @type {number} */ now) => now < depth, ms);

  Object.assign(replay, { hoverSpot, openers, togglers, openerSpot, appears });
})();
