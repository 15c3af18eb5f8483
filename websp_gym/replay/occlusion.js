// @ts-check
/*
 * Finds what covers an element at the click position (the Python side is occlusion.py). Adds to __webspReplay
 *
 *   cover(el, x, y)      {error, layer} where a click at this point would not reach the element, else null.
 *                        layer: whether the covering layer has controls of its own (a dialog, a consent banner)
 *   obstacle(hit, el)    {error, layer} for the element hit instead
 *   through(frame, at)   a point of an iframe's viewport in this document's, or {error, layer}
 */

/** @typedef {{error: string, layer: boolean}} Obstacle */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.cover) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, roleOf, isControl, describe, topAt, belongs, elements } = websp;
  const { upwards } = websp.kit;
  const { tagOf, attr } = raw;

  const DIALOGS = new Set(['dialog', 'alertdialog']);
  /** @type {(el: Element) => boolean} */
  const isDialog = (el) => DIALOGS.has(roleOf(el)) || attr(el, 'aria-modal') === 'true';
  /** Whether a layer has controls, and is not a backdrop, a spinner or a decorative part of the element. */
  /** @type {(layer: Element) => boolean} */
  const operable = (layer) => elements(layer).some((el) => tagOf(el) === 'iframe' || isDialog(el)
    || (isControl(el) && raw.shown(el, { visibilityProperty: true })));
  /** @type {(inner: Element, outer: Element) => boolean} */
  const inside = (inner, outer) => upwards(inner, (at) => at === outer) !== null;
  /** The outermost ancestor of the hit element that does not contain the target element. */
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
    const { x, y } = websp.outOf(frame, at[0], at[1]);
    return cover(frame, x, y) ?? { error: there.error, layer: false };
  };

  Object.assign(replay, { cover, obstacle, through });
})();
