// @ts-check
/*
 * Where an element is drawn if it has no box of its own. Injected before hit.js; adds to __websp
 *   boxesOf(el)    boxes of an element, one per line; without any, those of its children (floats, display: contents), of
 *                  its pseudo-elements, or of its shape in the image of an <area>
 *   bearerOfBox(el)  the element that is drawn for it: the image of an <area>, else the element
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<BoxApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.boxesOf) return;
  const { raw, parentOf, kit } = websp;
  const { eachChild, all, uncurry, split, trim, lower } = kit;
  const { attr, tagOf } = raw;
  const { min, max, abs } = Math;
  const computed = globalThis.getComputedStyle;
  const newRange = Document.prototype.createRange.bind(document);
  /** @type {(range: Range, node: Node) => void} */
  const selectIn = uncurry(Range.prototype.selectNodeContents);
  /** @type {(range: Range) => DOMRectList} */
  const rectsOf = uncurry(Range.prototype.getClientRects);
  const LEAST = 3; // Nobody aims at less.

  /** @type {(rects: DOMRectList, out: Box[]) => void} */
  const addRects = (rects, out) => {
    for (let i = 0; i < rects.length; i++) {
      const { x, y, width, height } = rects[i];
      if (width >= LEAST && height >= LEAST) out[out.length] = { x, y, w: width, h: height };
    }
  };
  /** @type {(el: Element, depth: number, out: Box[]) => Box[]} */
  const ownBoxes = (el, depth, out) => {
    addRects(raw.rects(el), out);
    if (out.length || depth >= 3) return out;
    const bare = raw.style(el).display === 'contents';
    eachChild(el, (child) => {
      if (raw.nodeType(child) === 1) ownBoxes(/** @type {Element} */ (child), depth + 1, out);
      else if (bare && raw.nodeType(child) === 3) {
        const range = newRange();
        selectIn(range, child);
        addRects(rectsOf(range), out);
      }
    });
    return out;
  };

  // ---------------------------------------------------------------- pseudo-elements
  /** The padding box that an absolutely positioned pseudo-element is placed in. */
  /** @type {(el: Element) => {x: number, y: number}} */
  const containingBlock = (el) => {
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      const style = raw.style(at);
      if (style.position === 'static' && style.transform === 'none') continue;
      const rect = raw.rect(at);
      return { x: rect.x + at.clientLeft, y: rect.y + at.clientTop };
    }
    return { x: -scrollX, y: -scrollY };
  };
  /** @type {(el: Element, out: Box[]) => Box[]} */
  const pseudoBoxes = (el, out) => {
    for (let i = 0; i < 2; i++) {
      const style = computed(el, i ? '::after' : '::before');
      const placed = style.position === 'absolute' || style.position === 'fixed';
      if (!(placed || style.float !== 'none') || style.content === 'none' || style.display === 'none') continue;
      const from = style.position === 'fixed' ? { x: 0, y: 0 } : placed ? containingBlock(el) : raw.rect(el);
      const before = !placed && style.float === 'left'; // A line begins after what floats to its left.
      const { e, f } = new DOMMatrix(style.transform === 'none' ? '' : style.transform);
      const size = (/** @type {string[]} */ ...names) => names.reduce((sum, name) => sum + (parseFloat(style.getPropertyValue(name)) || 0), 0);
      const whole = style.boxSizing === 'border-box';
      const w = size('width', ...(whole ? [] : ['padding-left', 'padding-right', 'border-left-width', 'border-right-width']));
      const h = size('height', ...(whole ? [] : ['padding-top', 'padding-bottom', 'border-top-width', 'border-bottom-width']));
      if (w >= LEAST && h >= LEAST) out[out.length] = { x: before ? from.x - w - size('margin-right') : from.x + size('left', 'margin-left') + e, y: from.y + size('top', 'margin-top') + f, w, h };
    }
    return out;
  };

  // ---------------------------------------------------------------- image maps
  /** @type {BoxApi['bearerOfBox']} */
  const bearerOfBox = (el) => {
    if (tagOf(el) !== 'area') return el;
    const map = kit.upwards(el, (at) => tagOf(at) === 'map');
    const name = map && (attr(map, 'name') || attr(map, 'id'));
    const images = name ? all(raw.rootOf(el), 'img[usemap]') : [];
    for (let i = 0; i < images.length; i++) if (attr(images[i], 'usemap') === `#${name}`) return images[i];
    return el;
  };
  /** The box of a shape and, because the middle of a polygon may be outside, small ones at its corners. */
  /** @type {(area: Element, out: Box[]) => Box[]} */
  const shapeBoxes = (area, out) => {
    const image = /** @type {HTMLElement} */ (bearerOfBox(area));
    if (image === area) return out;
    const rect = raw.rect(image);
    const style = raw.style(image);
    const sx = rect.width / (image.offsetWidth || 1);
    const sy = rect.height / (image.offsetHeight || 1);
    const x0 = rect.x + (image.clientLeft + parseFloat(style.paddingLeft)) * sx;
    const y0 = rect.y + (image.clientTop + parseFloat(style.paddingTop)) * sy;
    const words = split(trim(attr(area, 'coords') ?? ''), /[\s,;]+/);
    /** @type {number[]} */
    const at = [];
    for (let i = 0; i < words.length && i < 200; i++) at[i] = parseFloat(words[i]);
    const shape = lower(attr(area, 'shape') ?? '');
    /** @type {(left: number, top: number, right: number, bottom: number) => void} */
    const add = (left, top, right, bottom) => {
      const box = { x: x0 + min(left, right) * sx, y: y0 + min(top, bottom) * sy, w: abs(right - left) * sx, h: abs(bottom - top) * sy };
      if (box.w >= LEAST && box.h >= LEAST) out[out.length] = box;
    };
    if (shape === 'default') add(0, 0, image.clientWidth, image.clientHeight);
    else if (shape.startsWith('circ')) add(at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]);
    else if (!shape.startsWith('poly')) add(at[0], at[1], at[2], at[3]);
    else {
      let [left, top, right, bottom] = [at[0], at[1], at[0], at[1]];
      for (let i = 0; i + 1 < at.length; i += 2) [left, top, right, bottom] = [min(left, at[i]), min(top, at[i + 1]), max(right, at[i]), max(bottom, at[i + 1])];
      add(left, top, right, bottom);
      for (let i = 0; i + 5 < at.length; i += 2) {
        const x = (at[i] + at[i + 2] + at[i + 4]) / 3;
        const y = (at[i + 1] + at[i + 3] + at[i + 5]) / 3;
        add(x - 2, y - 2, x + 2, y + 2);
      }
    }
    return out;
  };

  /** @type {BoxApi['boxesOf']} */
  const boxesOf = (el) => {
    if (tagOf(el) === 'area') return shapeBoxes(el, []);
    const boxes = ownBoxes(el, 0, []);
    return boxes.length ? boxes : pseudoBoxes(el, boxes);
  };

  /** @type {BoxApi} */
  const api = { boxesOf, bearerOfBox };
  Object.assign(websp, api);
})();
