// @ts-check
/*
 * Dropdowns that draw their options in the page: the native popup is drawn by the system, where no click arrives.
 * Injected before page.js; adds to __websp
 *   drawPicker(el, sized?)  makes a <select> draw its options in the page on the next click; `sized`: it keeps its size, so
 *                           that a point of a picture still lies on it. False if not possible, or already done
 *   drawPickerAt(x, y)      the same for the <select> at a point; {iframe, at} if the point is in an iframe: `at` is the
 *                           point in its viewport; else null
 *   ofBid(bid)              the element with this id of BrowserGym; null if this frame does not have it
 *   drawPickerOf(bid)       drawPicker() for that element; whether this frame has it
 *   closePickers()          reverts this on selects that are closed again; collect() calls it
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & FrameApi & Partial<PickerApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.drawPicker) return;
  const { raw, walk, roleOf, topAt, holdsDocument, numberOf, intoFrame, kit } = websp;
  const { tagOf, attr, matches } = raw;

  const PICKER = 'data-websp-picker';
  const OPENS_IN_PAGE = CSS.supports('appearance', 'base-select') && CSS.supports('selector(::picker(select))');
  /** @type {WeakMap<Node, {sheet: CSSStyleSheet, sizes: Set<string>}>} */
  const styled = new WeakMap();
  /** @type {(root: Document|ShadowRoot) => {sheet: CSSStyleSheet, sizes: Set<string>}} */
  const styleOf = (root) => {
    let style = styled.get(root);
    if (!style) {
      style = { sheet: new CSSStyleSheet(), sizes: new Set() };
      style.sheet.replaceSync(`select[${PICKER}], select[${PICKER}]::picker(select) { appearance: base-select !important }`);
      root.adoptedStyleSheets.push(style.sheet);
      styled.set(root, style);
    }
    return style;
  };
  /** @type {Element[]} */
  let pickers = [];

  /** @type {PickerApi['drawPicker']} */
  const drawPicker = (el, sized = false) => {
    if (!OPENS_IN_PAGE || tagOf(el) !== 'select' || roleOf(el) === 'listbox' || (sized && raw.has(el, PICKER))) return false;
    const { sheet, sizes } = styleOf(/** @type {Document|ShadowRoot} */ (raw.rootOf(el)));
    const { offsetWidth: width, offsetHeight: height } = /** @type {HTMLElement} */ (el);
    const keep = (/** @type {string} */ size, more = '') => {
      if (!sizes.has(size)) {
        sheet.insertRule(`select[${PICKER}="${size}"] { box-sizing: border-box !important; width: ${width}px !important;
          height: ${height}px !important; min-width: 0 !important; min-height: 0 !important; ${more} }`);
        sizes.add(size);
      }
      el.setAttribute(PICKER, size);
    };
    const { x, y } = raw.rect(el);
    if (sized) keep(`${width}x${height}`);
    else el.setAttribute(PICKER, '');
    // Its text may stand on another line then, and the browser lines it up with the texts beside it.
    const now = raw.rect(el);
    const [right, down] = [x - now.x, y - now.y];
    if (sized && (right || down)) keep(`${width}x${height} ${right} ${down}`, `translate: ${right}px ${down}px !important`);
    pickers[pickers.length] = el;
    return true;
  };
  /** @type {PickerApi['drawPickerAt']} */
  const drawPickerAt = (x, y) => {
    const hit = topAt(x, y);
    if (!hit) return null;
    if (holdsDocument(hit)) return { iframe: numberOf(hit), at: intoFrame(hit, x, y) };
    const select = kit.upwards(hit, (at) => tagOf(at) === 'select');
    if (select) drawPicker(select, true);
    return null;
  };
  /** @type {PickerApi['ofBid']} */
  const ofBid = (bid) => {
    /** @type {Element|null} */
    let found = kit.test(/^\w+$/, bid) ? kit.all(document, `[bid="${bid}"]`)[0] ?? null : null;
    if (!found) walk(document, (el) => { if (attr(el, 'bid') === bid) found ??= el; return !found; });
    return found;
  };
  /** @type {PickerApi['drawPickerOf']} */
  const drawPickerOf = (bid) => {
    const found = ofBid(bid);
    if (found) drawPicker(found, true);
    return found !== null;
  };
  /** @type {PickerApi['closePickers']} */
  const closePickers = () => {
    const open = [];
    for (let i = 0; i < pickers.length; i++) {
      if (matches(pickers[i], ':open')) open[open.length] = pickers[i];
      else pickers[i].removeAttribute(PICKER);
    }
    pickers = open;
  };

  /** @type {PickerApi} */
  const api = { drawPicker, drawPickerAt, ofBid, drawPickerOf, closePickers };
  Object.assign(websp, api);
})();
