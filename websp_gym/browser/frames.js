// @ts-check
/*
 * Frames inside this one. Injected before page.js; adds to __websp
 *   holdsDocument(el)     whether an element is an iframe, or an <object> or <embed> with a document
 *   iframe(n)             the iframe with this number, which never changes; numberOf(el) assigns it
 *   frameMatrix(el)       [a, b, c, d, e, f]: the point x, y of the iframe's viewport is at a x + c y + e, b x + d y + f of this
 *                         frame's viewport
 *   outOf(el, x, y)       that point; intoFrame(el, x, y) is its inverse
 *   frameSpot(el, within) {iframe, matrix, box} of a visible iframe, else null
 *   uncovered(n, pts)     for points [x, y, x, y, …] over iframe n: "1" where the iframe is on top, else "0"
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & Partial<FrameApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.frameMatrix) return;
  const { raw, parentOf, topAt, belongs, spotOf, kit } = websp;
  const { getter, test } = kit;
  const { attr, tagOf } = raw;
  const { abs } = Math;
  const { isFinite } = Number;

  /** @type {(el: Element) => Window|null} */
  const windowOf = getter(HTMLObjectElement.prototype, 'contentWindow');
  /** @type {FrameApi['holdsDocument']} */
  const holdsDocument = (el, tag = tagOf(el)) => tag === 'iframe' || tag === 'frame' || (tag === 'object' && windowOf(el) !== null)
    || (tag === 'embed' && test(/^$|html|svg/, attr(el, 'type') ?? ''));

  /** @type {Element[]} */
  const iframes = [];
  /** @type {Map<Element, number>} */
  const numbers = new Map();
  /** @type {FrameApi['numberOf']} */
  const numberOf = (el) => {
    const known = numbers.get(el);
    if (known !== undefined) return known;
    const number = iframes.length;
    iframes[number] = el;
    numbers.set(el, number);
    return number;
  };
  /** @type {FrameApi['iframe']} */
  const iframe = (number) => iframes[number] ?? null;

  /** How the transforms of an element and of those around it turn it, without where they move it. */
  /** @type {(el: Element) => DOMMatrix} */
  const turned = (el) => {
    let turn = new DOMMatrix();
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      const { transform, rotate, scale } = raw.style(at);
      if (transform === 'none' && rotate === 'none' && scale === 'none') continue;
      let own = new DOMMatrix();
      if (rotate !== 'none') own = own.multiply(new DOMMatrix(`rotate(${rotate})`));
      if (scale !== 'none') own = own.multiply(new DOMMatrix(`scale(${scale.replaceAll(' ', ',')})`));
      if (transform !== 'none') own = own.multiply(new DOMMatrix(transform));
      turn = own.multiply(turn);
    }
    return turn;
  };
  /** @type {FrameApi['frameMatrix']} */
  const frameMatrix = (el) => {
    const rect = raw.rect(el);
    const style = raw.style(el);
    const box = /** @type {HTMLElement} */ (el);
    const [width, height] = [box.offsetWidth || 1, box.offsetHeight || 1];
    const [left, top] = [box.clientLeft + parseFloat(style.paddingLeft), box.clientTop + parseFloat(style.paddingTop)];
    const { a, b, c, d } = turned(el);
    if (abs(b) + abs(c) < TINY && a > 0 && d > 0) {
      const [sx, sy] = [rect.width / width, rect.height / height];
      return [sx, 0, 0, sy, rect.x + left * sx, rect.y + top * sy];
    }
    // Where its middle is and how large it appears is known; zoom is in no transform.
    const zoom = rect.width / (abs(a) * width + abs(c) * height || 1);
    const [x, y] = [left - width / 2, top - height / 2];
    return [
      a * zoom, b * zoom, c * zoom, d * zoom,
      rect.x + rect.width / 2 + (a * x + c * y) * zoom, rect.y + rect.height / 2 + (b * x + d * y) * zoom,
    ];
  };
  const TINY = 0.001; // At a smaller scale nothing of a frame is visible.
  /** @type {FrameApi['outOf']} */
  const outOf = (el, x, y) => {
    const [a, b, c, d, e, f] = frameMatrix(el);
    return { x: a * x + c * y + e, y: b * x + d * y + f };
  };
  /** @type {FrameApi['intoFrame']} */
  const intoFrame = (el, x, y) => {
    const [a, b, c, d, e, f] = frameMatrix(el);
    const size = a * d - b * c;
    return [(d * (x - e) - c * (y - f)) / size, (a * (y - f) - b * (x - e)) / size];
  };

  /** @type {FrameApi['frameSpot']} */
  const frameSpot = (el, within) => {
    const spot = spotOf(el, within);
    if (!spot) return null;
    const matrix = frameMatrix(el);
    const [a, b, c, d] = matrix;
    for (let i = 0; i < 6; i++) if (!isFinite(matrix[i])) return null;
    if (!(abs(a) + abs(b) > TINY && abs(c) + abs(d) > TINY && abs(a * d - b * c) > TINY * TINY)) return null;
    return { iframe: numberOf(el), matrix, box: [spot.box.x, spot.box.y, spot.box.w, spot.box.h] };
  };
  /** @type {FrameApi['uncovered']} */
  const uncovered = (n, points) => {
    let out = '';
    for (let i = 0; i < points.length; i += 2) out += belongs(topAt(points[i], points[i + 1]), iframes[n]) ? '1' : '0';
    return out;
  };

  /** @type {FrameApi} */
  const api = { holdsDocument, iframe, numberOf, frameMatrix, outOf, intoFrame, frameSpot, uncovered };
  Object.assign(websp, api);
})();
