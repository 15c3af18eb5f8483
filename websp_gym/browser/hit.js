// @ts-check
/*
 * Hit testing: the topmost element at a point, and the visible part of an element. Adds view, topAt, belongs, spotOf,
 * spotNow and forget to __websp. It uses the browser's own hit test, so clipping, stacking, transforms, inertness and
 * pointer-events need no rules here.
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & BoxApi & Partial<HitApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.spotOf) return;
  const { raw, parentOf, isControl, boxesOf, bearerOfBox, kit } = websp;
  const { uncurry } = kit;
  /** @type {(doc: Document, x: number, y: number) => Element|null} */
  const documentHit = uncurry(Document.prototype.elementFromPoint);
  /** @type {(root: ShadowRoot, x: number, y: number) => Element|null} */
  const shadowHit = uncurry(ShadowRoot.prototype.elementFromPoint ?? Document.prototype.elementFromPoint);
  /** @type {(doc: Document) => string} */
  const modeOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'compatMode')?.get));
  const { min, max } = Math;
  const Kept = Map;

  /** @type {(a: Box, b: Box) => Box|null} */
  const overlap = (a, b) => {
    const x = max(a.x, b.x);
    const y = max(a.y, b.y);
    const w = min(a.x + a.w, b.x + b.w) - x;
    const h = min(a.y + a.h, b.y + b.h) - y;
    return w >= 1 && h >= 1 ? { x, y, w, h } : null;
  };

  /** The visible part of this frame: its viewport without scroll bars, inside `clip` if given. */
  /** @type {HitApi['view']} */
  const view = (clip) => {
    // A document may have no root just after a script emptied it.
    const root = modeOf(document) === 'BackCompat' && raw.body() || raw.root();
    const box = { x: 0, y: 0, w: root?.clientWidth || innerWidth, h: root?.clientHeight || innerHeight };
    return clip ? overlap(box, clip) ?? { x: 0, y: 0, w: 0, h: 0 } : box;
  };

  /** The element that a click at the point would hit, also inside open shadow roots. */
  /** @type {HitApi['topAt']} */
  const topAt = (x, y) => {
    let hit = documentHit(document, x, y);
    for (let shadow = hit && raw.shadowOf(hit); hit && shadow; shadow = raw.shadowOf(hit)) {
      const inner = shadowHit(shadow, x, y);
      if (!inner || inner === hit || raw.rootOf(inner) !== shadow) break;
      hit = inner;
    }
    return hit;
  };

  /** Whether a click on `hit` operates `target`: inside it with no other control in between, or in its label. */
  /** @type {HitApi['belongs']} */
  const belongs = (hit, target) => {
    for (let at = hit; at; at = parentOf(at)) {
      if (at === target) return true;
      if (raw.tagOf(at) === 'label') {
        const labelled = /** @type {HTMLLabelElement} */ (at).control;
        if (labelled === target) return true;
      }
      if (isControl(at) && !isOf(at, target)) return false;
    }
    return false;
  };
  /** Whether `target` is the control's own label, in which the control does not count as another one. */
  /** @type {(control: Element, target: Element) => boolean} */
  const isOf = (control, target) => raw.tagOf(target) === 'label' && /** @type {HTMLLabelElement} */ (target).control === control;

  /** @type {(inner: Element, outer: Element) => boolean} */
  const within = (inner, outer) => {
    for (let at = /** @type {Element|null} */ (inner); at; at = parentOf(at)) if (at === outer) return true;
    return false;
  };

  /** @type {(rect: DOMRect) => Box} */
  const boxOf = (rect) => ({ x: rect.x, y: rect.y, w: rect.width, h: rect.height });

  /**
   * How elements clip their content, cached until forget(), since siblings share ancestors.
   * `top`: drawn in the top layer, where no ancestor clips; `opens`: a dropdown whose options are drawn there.
   * @typedef {{position: string, moved: boolean, clip: Box|null, top: boolean, opens: boolean}} Clipping
   * @type {Map<Element, Clipping>}
   */
  let known = new Kept();
  const TOP_LAYER = ':modal, :popover-open, :fullscreen';
  /** @type {(el: Element) => Clipping} */
  const clippingOf = (el) => {
    const before = known.get(el);
    if (before) return before;
    const style = raw.style(el);
    const clips = style.overflow !== 'visible' && style.display !== 'contents' && style.display !== 'inline'
      && el !== raw.body() && el !== raw.root();
    const found = {
      position: style.position, moved: style.transform !== 'none', clip: clips ? boxOf(raw.rect(el)) : null,
      top: raw.matches(el, TOP_LAYER), opens: raw.has(el, 'data-websp-picker') && raw.matches(el, ':open'),
    };
    known.set(el, found);
    return found;
  };
  const forget = () => { known = new Kept(); };

  /** The part of `box` that the ancestors of `el` do not clip. */
  /** @type {(el: Element, box: Box|null) => Box|null} */
  const clipped = (el, box) => {
    let { position, top } = clippingOf(el);
    for (let at = parentOf(el); at && box && position !== 'fixed' && !top; at = parentOf(at)) {
      const here = clippingOf(at);
      if (here.opens) break;
      // An absolutely positioned element is clipped only by its containing block and the ancestors of that.
      if (position === 'absolute' && here.position === 'static' && !here.moved) continue;
      if (here.clip) box = overlap(box, here.clip);
      ({ position, top } = here);
    }
    return box;
  };

  // Centre first: it hits nearly every element, and users click there too.
  const SAMPLES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.15], [0.9, 0.15], [0.1, 0.85], [0.9, 0.85]];

  /** @type {(el: Element, box: Box, disabled: boolean) => {x: number, y: number}|null} */
  const hitIn = (el, box, disabled) => {
    for (let i = 0; i < SAMPLES.length; i++) {
      const x = box.x + box.w * SAMPLES[i][0];
      const y = box.y + box.h * SAMPLES[i][1];
      const hit = topAt(x, y);
      if (belongs(hit, el)) return { x, y };
      // Disabled controls often ignore the pointer: they are visible even if the hit is an ancestor.
      if (disabled && hit && within(el, hit)) return { x, y };
      if (i === 0 && hit && !within(hit, el) && hides(hit, box)) return null;
    }
    return null;
  };
  /** Whether the element hit covers the whole box, so that other points need not be tried. */
  /** @type {(hit: Element, box: Box) => boolean} */
  const hides = (hit, box) => {
    if (raw.style(hit).display === 'inline') return false;
    const rect = raw.rect(hit);
    return rect.x <= box.x && rect.y <= box.y && rect.right >= box.x + box.w && rect.bottom >= box.y + box.h;
  };

  /**
   * The visible box of an element and a point in it that a click reaches; null if hidden, covered or outside.
   * `faint`: the element itself (or its parent) may have opacity 0, like native inputs under styled ones.
   */
  /** @type {HitApi['spotOf']} */
  const spotOf = (el, frame, faint = false) => {
    const rect = raw.rect(el);
    if (rect.width > 0 && rect.height > 0
      && (rect.right <= frame.x || rect.bottom <= frame.y || rect.x >= frame.x + frame.w || rect.y >= frame.y + frame.h)) return null;
    const drawn = bearerOfBox(el);
    if (!isShown(drawn, faint)) return null;
    const boxes = boxesOf(el);
    const disabled = raw.matches(el, ':disabled');
    /** @type {Box|null} */
    let union = null;
    /** @type {{x: number, y: number}|null} */
    let point = null;
    for (let i = 0; i < boxes.length; i++) {
      const box = clipped(drawn, overlap(boxes[i], frame));
      if (!box) continue;
      point = point ?? hitIn(el, box, disabled);
      union = union ? join(union, box) : box;
    }
    return union && point ? { box: union, x: point.x, y: point.y } : null;
  };
  /** The same for a page that may have scrolled or unfolded since the last look. */
  /** @type {HitApi['spotNow']} */
  const spotNow = (el, frame, faint = false) => {
    forget();
    return spotOf(el, frame, faint);
  };
  /** @type {(a: Box, b: Box) => Box} */
  const join = (a, b) => {
    const x = min(a.x, b.x);
    const y = min(a.y, b.y);
    return { x, y, w: max(a.x + a.w, b.x + b.w) - x, h: max(a.y + a.h, b.y + b.h) - y };
  };
  const SEEN = { opacityProperty: true, visibilityProperty: true };
  const THERE = { visibilityProperty: true };
  /** @type {(el: Element, faint: boolean) => boolean} */
  const isShown = (el, faint) => {
    if (raw.shown(el, SEEN)) return true;
    if (raw.style(el).display === 'contents') return true;
    if (!faint || !raw.shown(el, THERE)) return false;
    const parent = parentOf(el);
    const above = parent && parentOf(parent);
    return above !== null && raw.shown(above, SEEN);
  };

  /** @type {HitApi} */
  const api = { view, topAt, belongs, spotOf, spotNow, forget };
  Object.assign(websp, api);
})();
