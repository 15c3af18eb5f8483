// @ts-check
/*
 * Acts on a located element in the page (the Python side is act.py). Adds to __webspReplay
 *
 *   look(el, rules)            {connected, kind, on, mixed, disabled, expanded, turns, inner}; turns: what a click does
 *                              to its state, "toggle", "choose" (as a radio button) or ""; inner: whether the state is
 *                              that of a control inside the element, which a click may leave alone
 *   reach(el, rules, waits)    scrolls the element into view, waits until it does not move, and resolves with
 *                              {x, y} where a click hits it. From then on until arrived() a guard blocks clicks
 *                              on anything else in this frame. Or {error, hidden, layer}; hidden: no part of it
 *                              is visible; layer: the covering layer has controls of its own
 *   awaits(el, x, y)           whether the element is still at the point after the pointer has moved there
 *   arrived()                  whether the click reached the element; removes the guard
 *   press(el, rules)           clicks with the DOM method
 *   focus(el, rules)           sets the keyboard focus
 *   until(el, rules, want, ms) resolves with look() as soon as the element has the wanted state, or after ms
 *   field(el)                  the field (input, select, textarea, editor) that the recorded element belongs to
 *   leave(el)                  takes the keyboard focus off a field that has it; whether it had
 *   choice(el, value)          {index, already} of the option with this value or label, or {labels}
 *   holds(el, text)            whether a field contains this text
 *   lately()                   the element that was acted on last; null if it has left the document
 *   changed(ms)                resolves at the next change of the document, or after ms
 *   poll(ask, good, ms)        calls ask() in every frame until good(answer), or for ms; the last answer
 */

/**
 * @typedef {{connected: boolean, kind: string, on: boolean|null, mixed: boolean, disabled: boolean,
 *   expanded: boolean|null, turns: '' | 'toggle' | 'choose', inner: boolean}} Look
 * @typedef {{on?: boolean, enabled?: boolean, expanded?: boolean}} Want
 * @typedef {{hidden: number, bare: number, layer: number}} Waits
 *   milliseconds to wait while it is hidden, covered by a layer without controls, or by a layer with controls
 * @typedef {{error: string, hidden: boolean, layer: boolean}} Unreachable
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.look) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, roleOf, stateOf, labelsOf, operable, view, spotNow, belongs, elements } = websp;
  const { inputType, isEditingHost, collapse } = websp.kit;
  const { tagOf } = raw;
  const later = setTimeout.bind(globalThis);
  const frame = requestAnimationFrame.bind(globalThis);
  const now = performance.now.bind(performance);

  // ---------------------------------------------------------------- state
  /** @type {(state: State) => boolean|null} */
  const onOf = (state) => state.checked ?? state.pressed ?? state.selected;
  /** The element with the state: the recorded one, the control it labels, or the only control inside it. */
  /** @type {(el: Element, rules: ClassRule[]) => Element} */
  const switchOf = (el, rules) => {
    /** @type {(at: Element) => boolean} */
    const known = (at) => onOf(stateOf(at, rules)) !== null;
    if (known(el)) return el;
    const meant = operable(el);
    if (meant !== el && known(meant)) return meant;
    const inside = elements(el).filter((at) => at !== el && known(at));
    return inside.length === 1 ? inside[0] : el;
  };
  /** @type {(el: Element) => string} */
  const kindOf = (el) => {
    const tag = tagOf(el);
    if (tag === 'input') return inputType(el);
    if (tag === 'select' || tag === 'textarea' || tag === 'option') return tag;
    return isEditingHost(el) ? 'editable' : roleOf(el);
  };
  const CHOSEN = new Set(['radio', 'menuitemradio', 'option', 'treeitem']);
  /** @type {(el: Element, state: State) => '' | 'toggle' | 'choose'} */
  const turnsOf = (el, state) => {
    const several = el.closest('[aria-multiselectable="true"], select[multiple]') !== null;
    if (state.checked !== null) return CHOSEN.has(roleOf(el)) && !several ? 'choose' : 'toggle';
    // A pressed button that opens something is no setting.
    const opens = state.expanded !== null || raw.has(el, 'aria-haspopup');
    return state.pressed !== null && !opens ? 'toggle' : '';
  };
  /** @type {(el: Element, rules: ClassRule[]) => Look} */
  const look = (el, rules) => {
    const at = switchOf(el, rules);
    const state = stateOf(at, rules);
    return {
      connected: raw.isConnected(el), kind: kindOf(at), on: onOf(state), mixed: state.mixed,
      disabled: state.disabled, expanded: state.expanded, turns: turnsOf(at, state),
      inner: at !== el && at !== operable(el),
    };
  };

  /** @type {(next: () => void) => void} */
  const soon = (next) => {
    let once = () => { once = () => {}; next(); };
    frame(() => once());
    later(() => once(), 30); // iframes out of view get no animation frames
  };
  /** Calls `ask` in every frame until its answer is good, or for `ms`; resolves with the last answer. */
  /** @type {<T>(ask: () => T, good: (answer: T) => boolean, ms: number) => Promise<T>} */
  const poll = (ask, good, ms) => new Promise((resolve) => {
    const end = now() + ms;
    const turn = () => {
      const answer = ask();
      if (good(answer) || now() >= end) resolve(answer);
      else soon(turn);
    };
    turn();
  });
  /** @type {(el: Element, rules: ClassRule[], want: Want, ms: number) => Promise<Look>} */
  const until = (el, rules, want, ms) => {
    // If the click was blocked, there is no effect to wait for.
    if (disarm()?.hit === false) ms = 0;
    return poll(() => look(el, rules), (seen) => !seen.connected
      || ((want.on === undefined || (seen.on === want.on && !seen.mixed)) && (!want.enabled || !seen.disabled)
        && (want.expanded === undefined || seen.expanded === want.expanded)), ms);
  };

  // ---------------------------------------------------------------- pointer
  /** @type {{target: Element, hit: boolean}|null} */
  let armed = null;
  const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];
  /** @param {Event} event */
  const guard = (event) => {
    if (!armed || !event.isTrusted) return;
    const hit = event.composedPath()[0];
    if (belongs(hit instanceof Element ? hit : null, armed.target)) armed.hit = true;
    else if (!armed.hit) {
      // The page moved under the pointer: block the click, because it would hit another element.
      event.stopImmediatePropagation();
      event.preventDefault();
    }
  };
  const disarm = () => {
    const was = armed;
    armed = null;
    for (const type of GUARDED) removeEventListener(type, guard, true);
    return was;
  };

  /** Elements that may be clicked for this one, best first: its drawing, itself, what is around it, its labels, its control. */
  /** @type {(el: Element, rules: ClassRule[]) => Element[]} */
  const handlesOf = (el, rules) => {
    const at = switchOf(el, rules);
    // A page may listen to the drawing over a box only, and hear nothing where the box itself is turned.
    return [...new Set([...websp.drawingsOf(el), el, ...websp.surfacesOf(el), ...labelsOf(el), at, ...labelsOf(at)])];
  };
  /** @type {(el: Element) => Spot|null} */
  const spot = (el) => spotNow(el, view(), tagOf(el) === 'input');
  /** @type {(handles: Element[]) => {target: Element, spot: Spot}|null} */
  const reachable = (handles) => {
    for (const target of handles) {
      const found = spot(target);
      if (found) return { target, spot: found };
    }
    return null;
  };
  /** @type {(handles: Element[]) => number} */
  const firstDrawn = (handles) => handles.findIndex((el) => !websp.isUnseen(el));
  /** @type {(handles: Element[]) => {target: Element, spot: Spot}|null} */
  const scrolledTo = (handles) => {
    // What draws a control comes first, even if its label is in view: some controls do not follow their label.
    const found = parent === window ? reachable(handles.slice(0, firstDrawn(handles) + 1)) : null;
    if (found) return found;
    for (const target of handles) {
      target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const there = reachable([target]);
      if (there) return there;
    }
    return null;
  };
  /** @type {(handles: Element[], end: number) => Promise<{target: Element, spot: Spot}|null>} */
  const standing = async (handles, end) => {
    let found = scrolledTo(handles);
    const meant = handles[firstDrawn(handles)];
    const moves = () => document.getAnimations().some((move) => move.playState === 'running');
    // Wait for another frame only while an animation runs, to see whether the target moves or has yet to unfold.
    while (found && now() < end && moves()) {
      const before = found.spot.box;
      await new Promise((done) => soon(() => done(null)));
      found = scrolledTo(handles);
      if (found?.target === meant && found.spot.box.x === before.x && found.spot.box.y === before.y) break;
    }
    return found;
  };
  /** @type {(handles: Element[]) => Unreachable} */
  const obstacle = (handles) => {
    for (const el of handles) {
      if (!raw.shown(el, { visibilityProperty: true, opacityProperty: true })) continue;
      const box = raw.rect(el);
      const over = box.width && box.height ? replay.cover(el, box.x + box.width / 2, box.y + box.height / 2) : null;
      if (over) return { ...over, hidden: false };
    }
    return { error: 'not visible', hidden: true, layer: false };
  };
  /** @type {(el: Element, rules: ClassRule[], waits: Waits) => Promise<{x: number, y: number}|Unreachable>} */
  const reach = async (el, rules, waits) => {
    const handles = handlesOf(el, rules);
    const began = now();
    let found = await standing(handles, began + waits.bare);
    while (!found) {
      const why = obstacle(handles);
      if (now() - began >= (why.hidden ? waits.hidden : why.layer ? waits.layer : waits.bare)) return why;
      if (!raw.isConnected(el)) return why;
      await new Promise((done) => soon(() => done(null)));
      found = await standing(handles, now() + waits.bare);
    }
    disarm();
    armed = { target: found.target, hit: false };
    acted = el;
    for (const type of GUARDED) addEventListener(type, guard, true);
    return { x: found.spot.x, y: found.spot.y };
  };
  /** Whether the element is still under the pointer; a page may replace it on hover. */
  /** @type {(el: Element, x: number, y: number) => boolean} */
  const awaits = (el, x, y) => armed !== null && raw.isConnected(el) && raw.isConnected(armed.target)
    && belongs(websp.topAt(x, y), armed.target);
  const arrived = () => disarm()?.hit ?? true;

  /** @type {(el: Element, rules: ClassRule[]) => void} */
  const press = (el, rules) => { disarm(); /** @type {HTMLElement} */ (switchOf(el, rules)).click(); };
  /** @type {(el: Element, rules: ClassRule[]) => void} */
  const focus = (el, rules) => /** @type {HTMLElement} */ (switchOf(el, rules)).focus();

  // ---------------------------------------------------------------- fields
  /** @type {(el: Element) => boolean} */
  const isField = (el) => ['input', 'select', 'textarea'].includes(tagOf(el)) || isEditingHost(el);
  /** @type {Element|null} */
  let acted = null;
  const lately = () => (acted && raw.isConnected(acted) ? acted : null);
  /** @type {(el: Element) => Element} */
  const field = (el) => (acted = fieldOf(el));
  /** @type {(el: Element) => Element} */
  const fieldOf = (el) => {
    if (tagOf(el) === 'option') return el.closest('select') ?? el;
    if (isField(el)) return el;
    const meant = operable(el);
    if (isField(meant)) return meant;
    const inside = elements(el).filter(isField);
    return inside.length === 1 ? inside[0] : el;
  };
  /** @type {(el: Element) => boolean} */
  const leave = (el) => {
    const had = raw.hasFocus(el);
    if (had) /** @type {HTMLElement} */ (el).blur();
    return had;
  };
  /** @type {(el: Element, value: string) => {index?: number, already?: boolean, labels?: string[]}} */
  const choice = (el, value) => {
    const select = /** @type {HTMLSelectElement} */ (el);
    const options = [...select.options];
    const label = collapse(value).toLowerCase();
    let index = options.findIndex((option) => option.value === value);
    if (index < 0) index = options.findIndex((option) => collapse(option.label).toLowerCase() === label);
    if (index < 0) return { labels: options.map((option) => collapse(option.label)) };
    return { index, already: select.selectedIndex === index };
  };
  /** A text's letters and digits: a page may add spaces or punctuation to typed text (phone numbers, dates). */
  /** @type {(text: string) => string} */
  const bare = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  /** @type {(el: Element, text: string) => boolean} */
  const holds = (el, text) => {
    const value = isEditingHost(el) ? websp.textOf(el) : /** @type {HTMLInputElement} */ (el).value;
    return value === text || (bare(value) === bare(text) && bare(text) !== '') || collapse(value) === collapse(text);
  };

  // ---------------------------------------------------------------- waiting
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };
  /** @type {(ms: number) => Promise<void>} */
  const changed = (ms) => new Promise((resolve) => {
    const end = () => { observer.disconnect(); removeEventListener('load', end, true); resolve(); };
    const observer = new MutationObserver(() => soon(end));
    observer.observe(document, CHANGES);
    for (const el of elements(document)) {
      const shadow = raw.shadowOf(el);
      if (shadow) observer.observe(shadow, CHANGES);
    }
    addEventListener('load', end, true); // also fired by images and iframes
    later(end, ms);
  });

  Object.assign(replay, { look, reach, awaits, arrived, press, focus, until, field, leave, choice, holds, lately, changed, poll });
})();
