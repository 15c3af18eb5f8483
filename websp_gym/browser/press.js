// @ts-check
/*
 * Pressing an element, and nothing else. Injected after fields.js; adds to __websp
 *   reach(index)         {x, y} where the pointer is over the element of a mark, or {error}: also if it has become another one;
 *                        `told` if it has changed, but only as a live page does
 *   press(index)         {x, y} where a click operates the element (a dropdown will open in the page), and the next press must
 *                        be of this element; `toggles` if the click must keep the other selected options; {error} if a
 *                        click would do something else
 *   touch(index)         the same for a click that only puts the cursor into a field
 *   pressed()            what has come of that press: {done}, {missed} if the element was no longer under the pointer,
 *                        {inFrame} if a frame was there, or {error} if it had become another one; null if no press was expected
 *   isPointedAt(index)   whether the pointer is over the element, by the browser's own events
 *   through(el, at)      converts the point `at` of an iframe's viewport to this frame's viewport, scrolled into
 *                        view; {error} if covered
 *
 * A page reacts to the pointer: what shows under it, moves away or takes a place is known only when the button goes down.
 * So that moment is looked at, in the event of the press and before the page hears of it. A press of something else is
 * kept from the page, with all events that belong to it.
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & FrameApi & PageApi & FieldApi & Partial<PressApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.press) return;
  const { raw, stateOf, roleOf, describe, topAt, belongs, view, element, targetOf, changedSince, point, openPicker, outOf, holdsDocument, focused, kit } = websp;
  const { uncurry, upwards } = kit;
  const { tagOf, matches } = raw;
  const scrollIntoView = uncurry(Element.prototype.scrollIntoView);
  /** @type {(event: Event) => EventTarget[]} */
  const pathOf = uncurry(Event.prototype.composedPath);
  const listen = addEventListener.bind(globalThis);
  const GONE = 'is no longer on the page';

  // ---------------------------------------------------------------- where
  /** @type {PressApi['reach']} */
  const reach = (index) => {
    const { error, told } = changedSince(index);
    return error ? { error } : { ...reached(index), told };
  };
  /** @type {(index: number) => At|Refusal} */
  const reached = (index) => {
    const found = point(index);
    return 'error' in found ? { error: found.error === 'gone' ? GONE : `is ${found.error}` } : found;
  };

  /** @type {PressApi['press']} */
  const press = (index) => {
    const el = /** @type {HTMLElement} */ (element(index));
    const { error, told } = changedSince(index, true);
    if (error) return { error };
    if (stateOf(el).disabled) return { error: 'is disabled' };
    const tag = tagOf(el);
    if (tag === 'select' && roleOf(el) === 'listbox') return { error: 'is a list; click one of its options' };
    const option = tag === 'option' ? upwards(el, (at) => tagOf(at) === 'select') : null;
    if (option && roleOf(option) !== 'listbox' && !matches(option, ':open')) {
      return { error: 'is in a list that has closed; click the dropdown to open it again' };
    }
    let found = reached(index);
    if ('error' in found) return found;
    if (tag === 'select') {
      // A person's press gives it the focus, on which many a page loads the options; the list drawn here takes it away.
      if (focused() !== el) el.focus();
      // Drawn by the page it may have another size.
      if (openPicker(index)) found = reached(index);
      if ('error' in found) return found;
    }
    expect(index, true, found);
    return { ...found, told, toggles: option !== null && /** @type {HTMLSelectElement} */ (option).multiple };
  };
  /** @type {PressApi['touch']} */
  const touch = (index) => {
    const found = reach(index);
    if (!('error' in found)) expect(index, false, found);
    return found;
  };

  /** @type {PressApi['through']} */
  const through = (el, [x, y]) => {
    const there = () => outOf(el, x, y);
    const seen = view();
    const isInView = (/** @type {At} */ at) => at.x >= 0 && at.y >= 0 && at.x < seen.w && at.y < seen.h;
    let at = there();
    if (!isInView(at) || !belongs(topAt(at.x, at.y), el)) {
      scrollIntoView(el, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
      at = there();
      if (!isInView(at)) scrollBy({ left: at.x - seen.w / 2, top: at.y - seen.h / 2, behavior: 'instant' });
      at = there();
    }
    const hit = topAt(at.x, at.y);
    if (!hit) return { error: 'is not visible' };
    return belongs(hit, el) ? at : { error: `is covered by ${describe(hit)}` };
  };

  // ---------------------------------------------------------------- the moment of the press
  /** The press that is expected, and what has come of it. @type {{index: number, turns: boolean, at: At, result: Pressed|null}|null} */
  let expected = null;
  /** The innermost element that the pointer was last over. @type {Element|null} */
  let pointed = null;

  /** @type {(index: number, turns: boolean, at: At) => void} */
  const expect = (index, turns, at) => {
    expected = { index, turns, at, result: null };
    // document.open() removes the listeners of a window; one that is there already stays as it is.
    for (const type of PRESS) listen(type, judge, true);
    for (const type of ['pointermove', 'mousemove']) listen(type, notePointed, true);
  };
  const PRESS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick'];
  /** @type {(event: Event) => Element|null} */
  const innermost = (event) => {
    const at = pathOf(event)[0];
    return at instanceof Element ? at : null;
  };
  /** @type {(event: Event) => void} */
  const notePointed = (event) => { if (event.isTrusted) pointed = innermost(event) ?? pointed; };
  /** Whether what was hit is the element of a mark; in a closed shadow root, only its host is told. */
  /** @type {(hit: Element|null, index: number) => boolean} */
  const isOf = (hit, index) => {
    const target = targetOf(index);
    if (!hit || !target) return false;
    return belongs(hit, target) || (raw.shadowOf(hit) !== null && upwards(target, (at) => at === hit) !== null);
  };
  /** @type {(event: Event) => void} */
  const judge = (event) => {
    if (!event.isTrusted || !expected) return;
    if (!expected.result) {
      const { error } = changedSince(expected.index, expected.turns);
      const isThere = isOf(innermost(event), expected.index);
      expected.result = error ? { error } : isThere ? { done: true } : { missed: true };
    }
    if ('done' in expected.result) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  /** @type {PressApi['pressed']} */
  const pressed = () => {
    const was = expected;
    expected = null;
    if (!was || was.result) return was && was.result;
    const hit = topAt(was.at.x, was.at.y);
    return hit && holdsDocument(hit) ? { inFrame: describe(hit) } : { done: true };
  };
  /** @type {PressApi['isPointedAt']} */
  const isPointedAt = (index) => isOf(pointed, index);

  /** @type {PressApi} */
  const api = { reach, press, touch, through, pressed, isPointedAt };
  Object.assign(websp, api);
})();
