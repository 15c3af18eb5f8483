// @ts-check
/*
 * Scrolling. Injected after page.js; adds to __websp
 *   scrollAt(x, y, dx, dy)               the topmost box at the point that can still move that way
 *   scrollElement(index, dir, fraction)  the same from a mark outwards, by a fraction of the box
 *   scrollPopup(dir, fraction)           the topmost dialog, popover or floating layer
 *   scrollToEnd()                        the page (or, where it cannot move, its biggest scrolling box) to its end
 * each {moved, what}. Where the point is over an iframe of another origin, what is "iframe" and nothing moved:
 * ask that frame.
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & PageApi & Partial<MotionApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.scrollAt) return;
  const { raw, walk, parentOf, roleOf, describe, topAt, element, kit } = websp;
  const { test, upwards, uncurry, all } = kit;
  const { tagOf, attr, matches } = raw;
  /** @type {(el: Element, options: ScrollToOptions) => void} */
  const scrollBy = uncurry(Element.prototype.scrollBy);
  const scrollIntoView = uncurry(Element.prototype.scrollIntoView);
  const NOTHING = { moved: false, what: 'nothing here scrolls that way' };

  /** @type {() => Element} */
  const page = () => document.scrollingElement ?? document.documentElement;

  /** @type {(el: Element, dx: number, dy: number) => boolean} */
  const move = (el, dx, dy) => {
    const { scrollLeft, scrollTop } = el;
    scrollBy(el, { left: dx, top: dy, behavior: 'instant' });
    return el.scrollLeft !== scrollLeft || el.scrollTop !== scrollTop;
  };
  /** A person can scroll it: overflow: hidden boxes move by script only. */
  /** @type {(el: Element, dx: number, dy: number) => boolean} */
  const scrollable = (el, dx, dy) => {
    if (el === page()) return true;
    const style = raw.style(el);
    return (dy !== 0 && el.scrollHeight > el.clientHeight && test(/auto|scroll/, style.overflowY))
      || (dx !== 0 && el.scrollWidth > el.clientWidth && test(/auto|scroll/, style.overflowX));
  };
  /** @type {(el: Element) => string} */
  const named = (el) => (el === page() ? 'the page' : describe(el));

  /** Moves the first of an element's ancestors that can; amounts in pixels, or as fractions of each box. */
  /** @type {(from: Element|null, dx: number, dy: number, unit: 'px'|'box', last?: Element|null) => Scrolled} */
  const moveUpwards = (from, dx, dy, unit, last = null) => {
    for (let at = from; at; at = at === last ? null : parentOf(at)) {
      if (!scrollable(at, dx, dy)) continue;
      const [width, height] = unit === 'px' ? [1, 1] : at === page() ? [innerWidth, innerHeight] : [at.clientWidth, at.clientHeight];
      if (move(at, dx * width, dy * height)) return { moved: true, what: named(at) };
    }
    return NOTHING;
  };
  /** @type {(direction: Direction, by: number) => [number, number]} */
  const vector = (direction, by) => [
    direction === 'left' ? -by : direction === 'right' ? by : 0,
    direction === 'up' ? -by : direction === 'down' ? by : 0,
  ];

  /** The __websp of a frame of the same origin, with the place of its viewport in ours. */
  /** @type {(el: Element) => {api: Websp, x: number, y: number}|null} */
  const inside = (el) => {
    const frame = /** @type {HTMLIFrameElement} */ (el);
    const rect = raw.rect(el);
    try {
      const api = frame.contentWindow && Reflect.get(frame.contentWindow, '__websp');
      return api ? { api, x: rect.x + frame.clientLeft, y: rect.y + frame.clientTop } : null;
    } catch {
      return null; // another origin
    }
  };
  /** @type {(el: Element|null) => boolean} */
  const isFrame = (el) => el !== null && tagOf(el) === 'iframe';

  /** @type {MotionApi['scrollAt']} */
  const scrollAt = (x, y, dx, dy) => {
    const hit = topAt(x, y) ?? page();
    let over = null;
    if (isFrame(hit)) {
      const frame = inside(hit);
      const result = frame && frame.api.scrollAt(x - frame.x, y - frame.y, dx, dy);
      if (result?.moved) return result;
      if (!frame) over = { moved: false, what: 'iframe' };
    }
    const result = moveUpwards(hit, dx, dy, 'px');
    if (result.moved) return result;
    // A fixed layer is no descendant of what scrolls under it only if it lies outside <body>.
    const [moved, what] = [move(page(), dx, dy), 'the page'];
    return moved ? { moved, what } : over ?? NOTHING;
  };

  /** @type {MotionApi['scrollElement']} */
  const scrollElement = (index, direction, fraction) => {
    const el = element(index);
    if (!el || !raw.isConnected(el)) return { moved: false, what: 'gone' };
    if (tagOf(el) === 'option') return scrollOptions(/** @type {HTMLOptionElement} */ (el), direction);
    const [dx, dy] = vector(direction, fraction);
    return moveUpwards(el, dx, dy, 'box');
  };
  /** The list of an open picker is no element: it is moved by bringing further options into view. */
  /** @type {(option: HTMLOptionElement, direction: Direction) => Scrolled} */
  const scrollOptions = (option, direction) => {
    const select = upwards(option, (at) => tagOf(at) === 'select');
    if (!select) return NOTHING;
    const options = /** @type {HTMLSelectElement} */ (select).options;
    const before = raw.rect(option).y;
    const step = Math.max(1, raw.rect(option).height);
    const page = Math.max(1, Math.round(innerHeight / 3 / step));
    const at = option.index + (direction === 'up' ? -page : page);
    const goal = options[Math.min(options.length - 1, Math.max(0, at))];
    scrollIntoView(goal, { block: direction === 'up' ? 'start' : 'end', behavior: 'instant' });
    return { moved: raw.rect(option).y !== before, what: describe(select) };
  };

  // ---------------------------------------------------------------- popups
  /** @type {(el: Element) => boolean} */
  const isPopup = (el) => {
    if (matches(el, 'dialog[open], :popover-open') || test(/^(alert)?dialog$|^menu$|^listbox$/, roleOf(el)) || attr(el, 'aria-modal') === 'true') return true;
    const style = raw.style(el);
    return test(/fixed|absolute/, style.position) && Number(style.zIndex) >= 1 && raw.rect(el).width < innerWidth;
  };
  /** The popup a person sees on top: at the middle of the viewport, else the last one that is in view. */
  /** @type {() => Element|null} */
  const topPopup = () => {
    const middle = upwards(topAt(innerWidth / 2, innerHeight / 2), isPopup);
    if (middle) return middle;
    /** @type {Element|null} */
    let found = null;
    walk(document, (el) => {
      if (!raw.has(el, 'role') && !raw.has(el, 'popover') && tagOf(el) !== 'dialog' && !raw.has(el, 'aria-modal')) {
        return raw.style(el).display !== 'none';
      }
      const rect = raw.rect(el);
      const hit = isPopup(el) && rect.width && topAt(rect.x + rect.width / 2, rect.y + rect.height / 2);
      if (hit && upwards(hit, (at) => at === el)) found = el;
      return true;
    });
    return found;
  };
  /** @type {MotionApi['scrollPopup']} */
  const scrollPopup = (direction, fraction) => {
    const centre = topAt(innerWidth / 2, innerHeight / 2);
    const [dx, dy] = vector(direction, fraction);
    const popup = topPopup();
    const frame = isFrame(centre) ? centre : popup && all(popup, 'iframe')[0];
    if (frame) {
      const child = inside(frame);
      if (!child) return { moved: false, what: 'iframe' };
      const result = child.api.scrollPopup(direction, fraction);
      const rect = raw.rect(frame);
      return result.moved ? result : child.api.scrollAt(rect.width / 2, rect.height / 2, dx * rect.width, dy * rect.height);
    }
    if (!popup) return { moved: false, what: 'no popup is open' };
    const result = upwards(centre, (at) => at === popup) ? moveUpwards(centre, dx, dy, 'box', popup) : NOTHING;
    return result.moved ? result : moveBiggest(popup, dx, dy);
  };
  /** @type {(root: Element, dx: number, dy: number) => Scrolled} */
  const moveBiggest = (root, dx, dy) => {
    /** @type {Element|null} */
    let biggest = null;
    let size = 0;
    walk(root, (el) => {
      const area = scrollable(el, dx, dy) ? el.clientWidth * el.clientHeight : 0;
      if (area > size) { size = area; biggest = el; }
    });
    return biggest ? moveUpwards(biggest, dx, dy, 'box', biggest) : NOTHING;
  };

  /** @type {MotionApi['scrollToEnd']} */
  const scrollToEnd = () => {
    if (move(page(), 0, page().scrollHeight)) return { moved: true, what: 'the page' };
    const result = moveBiggest(document.body ?? page(), 0, 1e6);
    return result.moved ? result : { moved: false, what: 'already at the end' };
  };

  const api = { scrollAt, scrollElement, scrollPopup, scrollToEnd };
  Object.assign(websp, api);
})();
