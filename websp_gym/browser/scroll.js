// @ts-check
/*
 * Scrolling. Injected after page.js; adds to __websp
 *   scrollAt(x, y, dir, fraction)        scrolls the innermost box at the point that can still move that way
 *   scrollElement(index, dir, fraction)  scrolls the innermost such box around a mark
 *   scrollPopup(dir, fraction)           scrolls the topmost dialog, popover, floating layer or open dropdown
 *   scrollToEnd()                        scrolls the page (or, if it cannot move, its biggest box) to its end
 *   scrollOut(dir, fraction, iframe)     scrolls the innermost such box around an iframe (by its number)
 * each by a fraction of the box that moves. They return {moved, what}: `what` moved, or the reason why nothing did
 * (`end`: it is at its end). If there is an iframe at the point, they return its number as `iframe` and the point in
 * its viewport as `inside` (`popup`: the popup is or contains the iframe): the caller continues in that frame, then
 * with scrollOut().
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & FrameApi & PageApi & Partial<MotionApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.scrollAt) return;
  const { raw, walk, parentOf, roleOf, describe, topAt, element, changedSince, iframe, holdsDocument, numberOf, intoFrame, kit } = websp;
  const { test, upwards, uncurry } = kit;
  const { tagOf, attr, matches } = raw;
  /** @type {(el: Element, options: ScrollToOptions) => void} */
  const scrollBy = uncurry(Element.prototype.scrollBy);
  const scrollIntoView = uncurry(Element.prototype.scrollIntoView);
  /** @type {(why: string) => Scrolled} */
  const still = (why) => ({ moved: false, what: why });
  const NOTHING = still('nothing here scrolls that way');

  /** @type {(doc: Document) => Element|null} */
  const scrollingElement = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'scrollingElement')?.get));
  /** @type {() => Element} */
  const page = () => scrollingElement(document) ?? /** @type {Element} */ (raw.root());
  /** Whether a user can scroll the page. A consent wall sets overflow: hidden, which scripts could bypass. */
  /** @type {(dy: number) => boolean} */
  const pageIsFree = (dy) => {
    const axis = dy !== 0 ? 'overflowY' : 'overflowX';
    const root = raw.root();
    const body = raw.body();
    if (!root) return false;
    const own = raw.style(root)[axis];
    const used = own === 'visible' && body ? raw.style(body)[axis] : own;
    return used !== 'hidden' && used !== 'clip';
  };

  /** @type {(el: Element, dx: number, dy: number) => boolean} */
  const move = (el, dx, dy) => {
    const { scrollLeft, scrollTop } = el;
    scrollBy(el, { left: dx, top: dy, behavior: 'instant' });
    return el.scrollLeft !== scrollLeft || el.scrollTop !== scrollTop;
  };
  /** Whether a user can scroll an element; boxes with overflow: hidden move only by script. */
  /** @type {(el: Element, dx: number, dy: number) => boolean} */
  const scrollable = (el, dx, dy) => {
    const overflows = dy !== 0 ? el.scrollHeight > el.clientHeight : el.scrollWidth > el.clientWidth;
    if (!overflows) return false;
    if (el === page()) return pageIsFree(dy);
    const style = raw.style(el);
    return test(/auto|scroll|overlay/, dy !== 0 ? style.overflowY : style.overflowX);
  };
  /** @type {(el: Element) => string} */
  const named = (el) => (el === page() ? 'the page' : describe(el));
  /** @type {(dx: number, dy: number) => string} */
  const endOf = (dx, dy) => (dy > 0 ? 'bottom' : dy < 0 ? 'top' : dx > 0 ? 'right end' : 'left end');

  /** Scrolls the first element that can move, from `from` up to `last`; dx and dy are fractions of its size. */
  /** @type {(from: Element|null, dx: number, dy: number, last?: Element|null) => Scrolled} */
  const moveUpwards = (from, dx, dy, last = null) => {
    /** @type {Element|null} */
    let stuck = null;
    for (let at = from; at; at = at === last ? null : parentOf(at)) {
      if (!scrollable(at, dx, dy)) continue;
      const [width, height] = at === page() ? [innerWidth, innerHeight] : [at.clientWidth, at.clientHeight];
      if (move(at, Math.round(dx * width), Math.round(dy * height))) return { moved: true, what: named(at) };
      stuck = stuck ?? at;
    }
    return stuck ? { ...still(`${named(stuck)} is already at its ${endOf(dx, dy)}`), end: true } : NOTHING;
  };
  /** @type {(direction: Direction, by: number) => [number, number]} */
  const vector = (direction, by) => [
    direction === 'left' ? -by : direction === 'right' ? by : 0,
    direction === 'up' ? -by : direction === 'down' ? by : 0,
  ];

  // ---------------------------------------------------------------- iframes
  /** @type {(el: Element|null) => boolean} */
  const isFrame = (el) => el !== null && holdsDocument(el);
  /** The result that makes the caller continue in an iframe: at point (x, y) of this viewport, or at its centre. */
  /** @type {(frame: Element, x?: number, y?: number) => Scrolled} */
  const sendInto = (frame, x, y) => {
    /** @type {[number, number]} */
    const inside = x === undefined || y === undefined ? [frame.clientWidth / 2, frame.clientHeight / 2] : intoFrame(frame, x, y);
    return { moved: false, what: 'nothing in the frame scrolls that way', iframe: numberOf(frame), inside };
  };
  /** @type {MotionApi['scrollOut']} */
  const scrollOut = (direction, fraction, number) => {
    const [dx, dy] = vector(direction, fraction);
    const from = iframe(number);
    return moveUpwards(from && parentOf(from), dx, dy);
  };

  // ---------------------------------------------------------------- a point, an element, the end
  /** @type {MotionApi['scrollAt']} */
  const scrollAt = (x, y, direction, fraction) => {
    const [dx, dy] = vector(direction, fraction);
    const hit = topAt(x, y) ?? page();
    if (isFrame(hit)) return sendInto(hit, x, y);
    const picker = openSelect(hit);
    if (picker) return scrollOptions(picker, direction, fraction);
    const result = moveUpwards(hit, dx, dy);
    // The mouse wheel also scrolls the page through a fixed layer outside <body>.
    return result.moved || result !== NOTHING ? result : moveUpwards(page(), dx, dy);
  };

  /** @type {MotionApi['scrollElement']} */
  const scrollElement = (index, direction, fraction) => {
    const { error } = changedSince(index);
    if (error) return { error };
    const el = /** @type {Element} */ (element(index));
    const picker = openSelect(el);
    if (picker) return scrollOptions(picker, direction, fraction);
    const [dx, dy] = vector(direction, fraction);
    return moveUpwards(el, dx, dy);
  };

  /** @type {MotionApi['scrollToEnd']} */
  const scrollToEnd = () => {
    const root = page();
    if (pageIsFree(1) && move(root, 0, root.scrollHeight)) return { moved: true, what: 'the page' };
    const hit = topAt(innerWidth / 2, innerHeight / 2);
    const body = raw.body();
    const result = body ? moveBiggest(body, 0, 1e6) : NOTHING;
    if (result.moved || !hit || !isFrame(hit)) return result === NOTHING ? still('the page is already at its bottom') : result;
    return sendInto(hit);
  };

  /** @type {(root: Element, dx: number, dy: number) => Scrolled} */
  const moveBiggest = (root, dx, dy) => {
    /** @type {Element|null} */
    let biggest = null;
    let size = 0;
    walk(root, (el) => {
      if (raw.style(el).display === 'none') return false;
      const area = scrollable(el, dx, dy) ? el.clientWidth * el.clientHeight : 0;
      if (area > size) { size = area; biggest = el; }
      return true;
    });
    return biggest ? moveUpwards(biggest, dx, dy, biggest) : NOTHING;
  };

  // ---------------------------------------------------------------- open dropdowns
  /** The open dropdown drawn in the page (openPicker) that an element is or belongs to. */
  /** @type {(el: Element) => HTMLSelectElement|null} */
  const openSelect = (el) => {
    const select = upwards(el, (at) => tagOf(at) === 'select');
    return select && raw.has(select, 'data-websp-picker') && matches(select, ':open') ? /** @type {HTMLSelectElement} */ (select) : null;
  };
  /** Scrolls by bringing a further option into view, because the box around the options is not an element. */
  /** @type {(select: HTMLSelectElement, direction: Direction, fraction: number) => Scrolled} */
  const scrollOptions = (select, direction, fraction) => {
    const { options } = select;
    /** @type {number[]} */
    const shown = [];
    for (let i = 0; i < options.length; i++) {
      const rect = raw.rect(options[i]);
      const hit = rect.height ? topAt(rect.x + rect.width / 2, rect.y + rect.height / 2) : null;
      if (hit && upwards(hit, (at) => at === options[i])) shown[shown.length] = i;
    }
    const what = `the options of ${describe(select)}`;
    if (!shown.length || (direction !== 'up' && direction !== 'down')) return NOTHING;
    const by = Math.max(1, Math.round(shown.length * fraction));
    const at = direction === 'up' ? shown[0] - by : shown[shown.length - 1] + by;
    const before = raw.rect(options[shown[0]]).y;
    scrollIntoView(options[Math.min(options.length - 1, Math.max(0, at))], { block: 'nearest', behavior: 'instant' });
    if (raw.rect(options[shown[0]]).y !== before) return { moved: true, what };
    return still(`${what} are already at their ${direction === 'up' ? 'top' : 'bottom'}`);
  };

  // ---------------------------------------------------------------- popups
  /** @type {(el: Element) => boolean} */
  const isDialog = (el) => matches(el, 'dialog[open], :popover-open') || test(/^(alert)?dialog$|^menu$|^listbox$/, roleOf(el))
    || attr(el, 'aria-modal') === 'true';
  /** @type {(el: Element) => boolean} */
  const floats = (el) => {
    const style = raw.style(el);
    return style.position === 'fixed' || (style.position === 'absolute' && Number(style.zIndex) >= 1);
  };
  /** Whether it is a popup. A full-width floating layer is one only if it is a dialog or an iframe, or scrolls. */
  /** @type {(el: Element) => boolean} */
  const isPopup = (el) => isDialog(el) || (floats(el) && (isFrame(el) || raw.rect(el).width < innerWidth || scrollable(el, 0, 1)));

  /** Whether the centre of the part of an element that is in view is not covered. */
  /** @type {(el: Element) => boolean} */
  const isOnTop = (el) => {
    const rect = raw.rect(el);
    const middle = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ most) => (Math.max(from, 0) + Math.min(to, most)) / 2;
    const hit = rect.width && rect.height ? topAt(middle(rect.x, rect.right, innerWidth), middle(rect.y, rect.bottom, innerHeight)) : null;
    return hit !== null && upwards(hit, (at) => at === el) !== null;
  };
  /** The topmost popup: the one at the centre of the viewport, else the last dialog, else the last layer. */
  /** @type {() => Element|null} */
  const topPopup = () => {
    const middle = upwards(topAt(innerWidth / 2, innerHeight / 2), isPopup);
    if (middle) return middle;
    /** @type {Element|null} */
    let dialog = null;
    /** @type {Element|null} */
    let layer = null;
    walk(document, (el) => {
      if (raw.style(el).display === 'none') return false;
      if (isDialog(el)) { if (isOnTop(el)) dialog = el; }
      else if (floats(el) && isPopup(el) && isOnTop(el)) layer = el;
      return true;
    });
    return dialog ?? layer;
  };
  /** @type {MotionApi['scrollPopup']} */
  const scrollPopup = (direction, fraction) => {
    const [select] = kit.all(document, 'select[data-websp-picker]:open');
    if (select) return scrollOptions(/** @type {HTMLSelectElement} */ (select), direction, fraction);
    const [dx, dy] = vector(direction, fraction);
    const popup = topPopup();
    const centre = topAt(innerWidth / 2, innerHeight / 2);
    if (!popup) return centre && isFrame(centre) ? { ...sendInto(centre), what: NO_POPUP } : still(NO_POPUP);
    const from = centre && upwards(centre, (at) => at === popup) ? centre : popup;
    const frame = isFrame(from) ? from : frameIn(popup);
    if (frame) return { ...sendInto(frame), popup: true };
    // The scrollable box may be the layer around a dialog.
    const layer = upwards(popup, (at) => raw.style(at).position === 'fixed') ?? popup;
    const result = moveUpwards(from, dx, dy, layer);
    if (result !== NOTHING) return result;
    const biggest = moveBiggest(popup, dx, dy);
    if (biggest !== NOTHING) return biggest;
    // In the top layer, an absolutely positioned popup moves with the page.
    const carried = matches(popup, ':modal, :popover-open') && raw.style(popup).position === 'absolute';
    const moved = carried ? moveUpwards(page(), dx, dy) : NOTHING;
    return moved.moved ? moved : still(`${describe(popup)} does not scroll that way`);
  };
  const NO_POPUP = 'no popup is open';
  /** @type {(popup: Element) => Element|null} */
  const frameIn = (popup) => {
    /** @type {Element|null} */
    let frame = null;
    walk(popup, (el) => { if (isFrame(el) && isOnTop(el)) frame = el; });
    return frame;
  };

  const api = { scrollAt, scrollElement, scrollPopup, scrollToEnd, scrollOut };
  Object.assign(websp, api);
})();
