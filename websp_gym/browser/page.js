// @ts-check
/*
 * Finds the elements of this frame that a user could operate right now. Injected after the scripts of
 * extension/ (scripts.py) and hit.js; adds to __websp
 *   collect(clip?)      the marks of this frame, in reading order; `clip` = the visible part of the frame.
 *                       The frame remembers the elements by `index` until the next call
 *   survey(clip?, most?)   JSON of {title, suspects, customs, entries}: the number of suspects() of shadows.js, the
 *                       indexes of marks that are custom elements, the marks, and {iframe, matrix, box} for each visible
 *                       iframe; `most` = maximum number of marks
 *   element(index)      the Element of a mark (a hidden checkbox); targetOf(index): what is pressed for it (its label)
 *   elementsOf(indexes) the same for several; customsOf(indexes): the custom elements that these are or belong to
 *   changedSince(index, pressed?)   {error}: why the element is not the one that the marks told of, as a predicate;
 *                       {told}: a change that leaves it the same. `pressed`: the state that a press turns over matters too
 *   point(index)        {x, y} in the frame's viewport where a click reaches the element, scrolled into view if
 *                       necessary; {error: 'covered by <button> "Accept"' | 'gone' | 'not visible'}
 *   openPicker(index)   drawPicker() of pickers.js
 *   keepFromPasting()   blocks pasting like clipboard.js, again; collect() calls it
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & ShadowApi & ListenerApi & FrameApi & PickerApi & IdentityApi & Partial<PageApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.collect) return;
  const { raw, parentOf, roleOf, nameOf, textOf, labelsOf, stateOf, shownValue, isControl, hasHandler, describe, kit } = websp;
  const { view, topAt, belongs, spotOf, spotNow, forget, doubt, suspects, forgetShadows, reacts, isList, isLandmark, saysSomething, askForHandlers, holdsDocument, frameSpot } = websp;
  const { identify, standingOf, addressOf, compare, drawPicker, closePickers } = websp;
  const { eachChild, cut, contains, inputType, test, uncurry } = kit;
  const { tagOf, attr, matches } = raw;
  const scrollIntoView = uncurry(Element.prototype.scrollIntoView);
  const { round } = Math;
  const now = performance.now.bind(performance);
  /** @type {(text: string) => string} Replaces lone surrogates, which cannot be stored as text. */
  const wellFormed = uncurry(Reflect.get(String.prototype, 'toWellFormed') ?? String.prototype.toString);
  /** @type {(doc: Document) => string} */
  const titleOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'title')?.get));

  const listen = addEventListener.bind(globalThis);
  /** Same as in clipboard.js, because document.open() removes the listeners of a window. */
  /** @type {(event: Event) => void} */
  const refusePaste = (event) => {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  /** @type {PageApi['keepFromPasting']} */
  const keepFromPasting = () => listen('paste', refusePaste, true);

  // Limits against hostile pages; ordinary pages stay below them.
  const MOST_MARKS = 1_000;
  const MOST_ELEMENTS = 100_000;
  const MOST_FRAMES = 50;
  const DEEPEST = 700;
  const MOST_MS = 3_000;
  const LONGEST_NAME = 300;
  const LONGEST_HREF = 2_000;
  /** Time at which the current search stops, and the number of elements visited so far. */
  let until = 0;
  let visited = 0;

  const SKIPPED = new Set(['head', 'script', 'style', 'template', 'noscript', 'meta', 'link', 'base', 'title', 'datalist']);
  // Containers that are focusable only to be reached or scrolled by keyboard.
  const FOCUS_ONLY = new Set(['tabpanel', 'region', 'dialog', 'alertdialog', 'main', 'article', 'document', 'group',
    'tablist', 'table', 'grid', 'listbox', 'menu', 'menubar', 'navigation', 'form', 'radiogroup', 'toolbar', 'tree',
    'complementary', 'log', 'list', 'application']);
  /** Part of the viewport above which an element with a listener is taken for a container too. */
  const LARGEST_PART = 0.25;

  /**
   * An element that may be operable. Kinds: CONTROL; HANDLER, no control but with a click handler or tab stop;
   * POINTER, no control but with a pointer cursor (both also called soft); FRAME, an iframe.
   * @typedef {{el: Element, kind: 0|1|2|3, outer: Candidate|null, control: Candidate|null, pointer: boolean,
   *   onclick: boolean, undrawn: boolean, spot: Spot|null, holds: number, adopts: Element|null, target: Element}} Candidate
   */
  const CONTROL = 0;
  const HANDLER = 1;
  const POINTER = 2;
  const FRAME = 3;

  // ---------------------------------------------------------------- candidates
  /** @type {WeakSet<Element>} Children of lists that listen for them. */
  let heirs = new WeakSet();
  /** @type {(root: Node, found: Candidate[]) => void} */
  const scan = (root, found) => {
    let depth = 0;
    /** @type {(node: Node, pointer: boolean, outer: Candidate|null, control: Candidate|null) => void} */
    const enter = (node, pointer, outer, control) => {
      if (raw.nodeType(node) !== 1 || depth >= DEEPEST || ++visited > MOST_ELEMENTS || (visited % 100 === 0 && now() > until)) return;
      depth++;
      consider(node, pointer, outer, control);
      depth--;
    };
    /** @type {(node: Node, pointer: boolean, outer: Candidate|null, control: Candidate|null) => void} */
    const consider = (node, pointer, outer, control) => {
      const el = /** @type {Element} */ (node);
      const tag = tagOf(el);
      if (contains(SKIPPED, tag)) return;
      // Inside a control only nested controls matter, and their style is checked when they are placed.
      const style = control && tag !== 'input' ? null : raw.style(el);
      const display = style?.display;
      const undrawn = display === 'none' && tag !== 'area';
      if (!undrawn) doubt(el, tag, display);
      // A checkbox with display: none can still be operated through its label.
      if (undrawn && tag !== 'input') return;
      const hand = style === null ? pointer : style.cursor === 'pointer';
      if (style !== null && (reacts(el) || heirs.has(el)) && isList(el, hand)) {
        eachChild(el, (child) => { if (raw.nodeType(child) === 1) heirs.add(/** @type {Element} */ (child)); });
      }
      const kind = holdsDocument(el, tag) ? FRAME : undrawn || isControl(el) ? CONTROL : softKind(el, tag, hand && !pointer && !control, control);
      if (kind !== null) {
        /** @type {Candidate} */
        const candidate = {
          el, kind, outer, control, pointer: hand, onclick: kind === HANDLER && (reacts(el) || heirs.has(el)), undrawn,
          spot: null, holds: 0, adopts: null, target: el,
        };
        found[found.length] = candidate;
        if (kind === CONTROL) control = candidate;
        else if (kind !== FRAME) outer = candidate;
      }
      if (undrawn || kind === FRAME || (tag === 'select' && !showsOptions(el)) || (tag === 'svg' && control)) return;
      if (tag === 'details' && !(/** @type {HTMLDetailsElement} */ (el).open)) {
        eachChild(el, (child) => { if (raw.nodeType(child) === 1 && isControl(/** @type {Element} */ (child))) enter(child, hand, outer, control); });
        return;
      }
      eachChild(el, (child) => enter(child, hand, outer, control));
    };
    eachChild(root, (child) => enter(child, false, null, null));
  };

  /** @type {(el: Element, tag: string, hand: boolean, control: Candidate|null) => 1|2|null} */
  const softKind = (el, tag, hand, control) => {
    if (tag === 'html' || tag === 'body' || (tag === 'label' && /** @type {HTMLLabelElement} */ (el).control)) return null;
    if (hasHandler(el) || (!control && (reacts(el) || heirs.has(el)))) return HANDLER;
    return hand ? POINTER : null;
  };
  /** @type {(el: Element) => boolean} */
  const showsOptions = (el) => roleOf(el) === 'listbox' || stateOf(el).expanded === true;

  // ---------------------------------------------------------------- which of them are in view
  /** @type {(found: Candidate[], within: Box, most: number) => void} */
  const placeControls = (found, within, most) => {
    let placed = 0;
    for (let i = 0; i < found.length && placed < most && now() < until; i++) {
      const c = found[i];
      if (c.kind !== CONTROL) continue;
      const tag = tagOf(c.el);
      const native = tag === 'input' || tag === 'select' || tag === 'textarea';
      c.spot = c.undrawn ? null : spotOf(c.el, within, native);
      if (!c.spot && tag === 'input') placeProxy(c, within);
      if (!c.spot && !c.undrawn && (tag === 'textarea' || tag === 'input')) placeAround(c, tag, within);
      if (!c.spot) continue;
      placed++;
      for (let o = c.outer; o; o = o.outer) o.holds = Math.max(o.holds, c.spot.box.w * c.spot.box.h);
    }
  };
  /** Places a hidden native input at its label, or else at the visible element around it. */
  /** @type {(c: Candidate, within: Box) => void} */
  const placeProxy = (c, within) => {
    if (!test(/^(checkbox|radio|file)$/, inputType(c.el)) || (c.control && c.control.spot)) return;
    const labels = labelsOf(c.el);
    for (let i = 0; i < labels.length && !c.spot; i++) {
      c.target = labels[i];
      c.spot = spotOf(labels[i], within);
    }
    if (c.spot) return;
    c.target = c.el;
    if (c.outer) c.outer.adopts = c.el;
  };

  const LEVELS = 5; // from a hidden field to what draws it
  const FIELDS = 'input, select, textarea, button, a[href]';
  /** Places a slider whose native input is clipped to nothing at its thumb, and an editor that writes into a hidden field. */
  /** @type {(c: Candidate, tag: string, within: Box) => void} */
  const placeAround = (c, tag, within) => {
    const isSlider = tag === 'input' && inputType(c.el) === 'range';
    if (!isSlider && (tag !== 'textarea' || raw.has(c.el, 'readonly') || attr(c.el, 'aria-hidden') === 'true')) return;
    let at = parentOf(c.el);
    for (let level = 0; at && level < LEVELS && kit.all(at, FIELDS).length === 1; level++, at = parentOf(at)) {
      const spot = spotOf(at, within);
      if (!spot || !(isSlider || isEditor(at, spot))) continue;
      c.target = at;
      c.spot = spot;
      return;
    }
  };
  /** Whether a press on an element is handled, and not by what is around it: an editor then takes the cursor. */
  /** @type {(el: Element, spot: Spot) => boolean} */
  const isEditor = (el, { box, x, y }) => {
    if (box.w < EDITOR_WIDTH || box.h < EDITOR_HEIGHT) return false;
    for (let at = topAt(x, y); at; at = parentOf(at)) {
      if (reacts(at)) return true;
      if (at === el) return false;
    }
    return false;
  };
  const EDITOR_WIDTH = 40;
  const EDITOR_HEIGHT = 12;

  /** @type {(found: Candidate[], within: Box) => void} */
  const placeSoft = (found, within) => {
    // Backwards: place inner elements before the elements that contain them.
    for (let i = found.length - 1; i >= 0 && now() < until; i--) {
      const c = found[i];
      if (c.kind !== HANDLER && c.kind !== POINTER) continue;
      if (!reactsAsWhole(c)) continue;
      c.spot = spotOf(c.el, within);
      if (!c.spot) continue;
      const area = c.spot.box.w * c.spot.box.h;
      if (c.holds ? area < 1.5 * c.holds : delegates(c) && area > LARGEST_PART * within.w * within.h) c.spot = null;
      else for (let o = c.outer; o; o = o.outer) o.holds = Math.max(o.holds, area);
    }
  };
  /** Whether it gets a mark of its own. A card around a link does only if it has its own click handler and cursor. */
  /** @type {(c: Candidate) => boolean} */
  const reactsAsWhole = (c) => {
    if (c.holds) return c.onclick && (c.pointer || (!heirs.has(c.el) && saysSomething(c.el)));
    if (c.kind === POINTER || c.pointer) return true;
    if (c.onclick) return !delegates(c) || !(isLandmark(c.el) || isList(c.el, false));
    return !contains(FOCUS_ONLY, roleOf(c.el)) || scrolls(c.el);
  };
  /** Whether it may listen for what is in it: only a script says that it reacts, no hand, no attribute, no tab stop. */
  /** @type {(c: Candidate) => boolean} */
  const delegates = (c) => c.onclick && !c.pointer && !hasHandler(c.el);
  /** @type {(el: Element) => boolean} */
  const scrolls = (el) => {
    const style = raw.style(el);
    // Check the style first: computing scroll sizes is slow.
    return (test(/auto|scroll/, style.overflowY) && el.scrollHeight > el.clientHeight + 1)
      || (test(/auto|scroll/, style.overflowX) && el.scrollWidth > el.clientWidth + 1);
  };

  // ---------------------------------------------------------------- marks
  /** @type {Held[]} */
  let held = [];
  let seenAt = 0;
  /** @type {(text: string, most?: number) => string} */
  const plain = (text, most) => wellFormed(cut(text, most));

  /** @type {(c: Candidate, spot: Spot, index: number) => PageMark} */
  const markOf = (c, spot, index) => {
    const el = c.adopts ?? c.el;
    const tag = tagOf(el);
    const state = stateOf(el);
    const text = plain(textOf(c.target, [], 130));
    const href = /** @type {HTMLAnchorElement} */ (el).href;
    const box = spot.box;
    const type = tag === 'input' ? inputType(el) : '';
    const role = roleOf(el);
    const halfPressed = state.pressed !== null && attr(el, 'aria-pressed') === 'mixed';
    return {
      index, tag: plain(tag), role, text, type,
      name: named(el, isSoft(c), text),
      box: [round(box.x), round(box.y), round(box.x + box.w) - round(box.x), round(box.y + box.h) - round(box.y)],
      at: [spot.x, spot.y],
      checked: state.checked ?? (halfPressed ? false : state.pressed),
      mixed: state.mixed || halfPressed,
      expanded: state.expanded,
      disabled: state.disabled,
      selected: state.selected,
      value: type === 'file' ? '' : tag === 'textarea' && c.target !== el ? text : plain(shownValue(el)),
      href: plain(typeof href === 'string' && raw.has(el, 'href') ? href : attr(el, 'href') ?? '', LONGEST_HREF),
      editable: role === 'textbox' || role === 'searchbox' || role === 'spinbutton' || (role === 'combobox' && tag === 'input'),
      scrollable: scrolls(c.target),
      row: '', place: '', heading: '',
    };
  };
  /** The state that a press turns over, so that it must be the one that was seen; null if there is none. */
  /** @type {(role: string, checked: boolean|null) => boolean|null} */
  const turnedOver = (role, checked) => (role === 'radio' ? null : checked);
  /** @type {(c: Candidate) => boolean} */
  const isSoft = (c) => c.kind !== CONTROL || c.adopts !== null;
  /** The name of a mark: of what is no control, its text will do. */
  /** @type {(el: Element, soft: boolean, text: string) => string} */
  const named = (el, soft, text) => plain(nameOf(el), LONGEST_NAME) || (soft ? text : '');

  /** @type {(clip?: Box|null, most?: number) => (PageMark|FrameSpot)[]} */
  const look = (clip, most = MOST_MARKS) => {
    keepFromPasting();
    until = now() + MOST_MS;
    visited = 0;
    closePickers();
    forget();
    forgetShadows();
    heirs = new WeakSet();
    askForHandlers();
    /** @type {Candidate[]} */
    const found = [];
    /** @type {(PageMark|FrameSpot)[]} */
    const out = [];
    /** @type {PageMark[]} */
    const marks = [];
    const within = view(clip);
    held = [];
    let frames = 0;
    scan(document, found);
    placeControls(found, within, most);
    placeSoft(found, within);
    for (let i = 0; i < found.length; i++) {
      const c = found[i];
      if (c.kind === FRAME) {
        const frame = frames < MOST_FRAMES ? frameSpot(c.el, within) : null;
        if (!frame) continue;
        frames++;
        out[out.length] = frame;
      } else if (c.spot && held.length < most && now() < until) {
        const mark = markOf(c, c.spot, held.length);
        const state = turnedOver(mark.role, mark.mixed ? null : mark.checked);
        const was = { role: mark.role, name: mark.name, state, lone: true, place: '', heading: '', href: '', address: '', over: null };
        held[mark.index] = { el: c.adopts ?? c.el, target: c.target, faint: c.kind === CONTROL && c.target === c.el, soft: isSoft(c), was };
        marks[marks.length] = out[out.length] = mark;
      }
    }
    identify(marks, held);
    seenAt = now();
    return out;
  };

  /** @type {PageApi['collect']} */
  const collect = (clip) => {
    const seen = look(clip);
    /** @type {PageMark[]} */
    const marks = [];
    for (let i = 0; i < seen.length; i++) if ('index' in seen[i]) marks[marks.length] = /** @type {PageMark} */ (seen[i]);
    return marks;
  };

  /** @type {PageApi['survey']} */
  const survey = (clip, most) => {
    const entries = look(clip, most);
    return raw.stringify({ title: plain(titleOf(document), LONGEST_NAME), address: addressOf(), suspects: suspects().length, customs: customs(), entries });
  };

  // ---------------------------------------------------------------- one of the marks
  /** The custom element that a mark is, or whose only part that can be operated it is, if nothing else says what that does. */
  /** @type {(el: Element) => Element|null} */
  const customOf = (el) => {
    if (tagOf(el).includes('-')) return el;
    const root = raw.rootOf(el);
    if (!(root instanceof ShadowRoot) || roleOf(el) !== 'generic' || !tagOf(raw.hostOf(root)).includes('-')) return null;
    for (let i = 0; i < held.length; i++) if (held[i].el !== el && raw.rootOf(held[i].el) === root) return null;
    return raw.hostOf(root);
  };
  const customs = () => {
    /** @type {number[]} */
    const found = [];
    for (let i = 0; i < held.length; i++) if (customOf(held[i].el)) found[found.length] = i;
    return found;
  };
  /** @type {PageApi['customsOf']} */
  const customsOf = (indexes) => {
    /** @type {Element[]} */
    const found = [];
    for (let i = 0; i < indexes.length; i++) found[i] = customOf(held[indexes[i]].el) ?? held[indexes[i]].el;
    return found;
  };
  /** @type {PageApi['elementsOf']} */
  const elementsOf = (indexes) => {
    /** @type {Element[]} */
    const found = [];
    for (let i = 0; i < indexes.length; i++) found[i] = held[indexes[i]].el;
    return found;
  };
  /** @type {PageApi['element']} */
  const element = (index) => held[index]?.el ?? null;
  /** @type {PageApi['targetOf']} */
  const targetOf = (index) => held[index]?.target ?? null;

  /** @type {PageApi['changedSince']} */
  const changedSince = (index, pressed = false) => {
    const { el, target, soft, was } = held[index] ?? {};
    if (!el || !raw.isConnected(el)) return { error: 'is no longer on the page' };
    const role = roleOf(el);
    const { checked, mixed, pressed: down } = stateOf(el);
    const state = pressed ? turnedOver(role, mixed ? null : checked ?? down) : was.state;
    const name = named(el, soft, soft ? plain(textOf(target, [], 130)) : '');
    return compare(was, { ...was, role, name, state, ...standingOf(el, target, was) }, (now() - seenAt) / 1000, true);
  };

  /** @type {PageApi['point']} */
  const point = (index) => {
    const { target, faint } = held[index] ?? {};
    if (!target || !raw.isConnected(target)) return { error: 'gone' };
    let spot = spotNow(target, view(), faint);
    if (!spot) {
      scrollIntoView(target, { block: 'center', inline: 'center', behavior: 'instant' });
      spot = spotNow(target, view(), faint);
    }
    if (spot) return { x: spot.x, y: spot.y };
    const rect = raw.rect(target);
    const seen = raw.shown(target, { opacityProperty: true, visibilityProperty: true }) && rect.width && rect.height;
    const hit = seen ? topAt(rect.x + rect.width / 2, rect.y + rect.height / 2) : null;
    return { error: hit && !belongs(hit, target) ? `covered by ${describe(operableAt(hit))}` : 'not visible' };
  };
  /** The element to report as the cover: the control or dialog around the element hit. */
  /** @type {(hit: Element) => Element} */
  const operableAt = (hit) => kit.upwards(hit, (at) => isControl(at) || test(/dialog$/, roleOf(at))) ?? hit;

  /** @type {PageApi['openPicker']} */
  const openPicker = (index) => {
    const el = element(index);
    return el !== null && drawPicker(el);
  };

  /** @type {PageApi} */
  const api = { collect, survey, elementsOf, customsOf, element, targetOf, changedSince, point, openPicker, keepFromPasting };
  Object.assign(websp, api);
})();
