// @ts-check
/*
 * What a person does with pointer and keyboard, told apart from what the page makes of it.
 *
 * The listeners stand on `window`, in the capture phase, in the extension's isolated world, added at document_start:
 * they are the first of all, and run before any script of the page exists. The paper's tool overrides
 * Event.prototype.stopPropagation instead. That reaches less far (stopImmediatePropagation and listeners added
 * through a kept reference remain) and can be seen and undone by the page; here nothing of the page is touched, and
 * a page that overrides addEventListener, freezes Event.prototype or stops every event is recorded all the same.
 * Only events the browser itself made (isTrusted) count: what a script clicks is a consequence, not a gesture.
 *
 * Not recorded: scrolling (replay scrolls by itself), drag and drop, the context menu, what lies in closed shadow
 * roots (the host is the target; replay could not enter them either), files, clicks within captchas.
 */
(() => {
  'use strict';
  const recorder = /** @type {Recorder} */ (Reflect.get(globalThis, '__webspRecorder'));
  if (recorder.started) return;
  recorder.started = true;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const secrets = /** @type {SecretsApi} */ (Reflect.get(globalThis, '__webspSecrets'));
  const { link, watch, presence, notes, fields } = recorder;
  const { raw, kit, operable, roleOf } = websp;
  const SLACK = 4; // pixels a hand may slip between press and release
  const TAP_MS = 400;
  const RADIO = /^(radio|menuitemradio)$/;
  const TWO_STATE = /^(checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/;
  const CHOICE = /^(option|menuitemcheckbox|menuitemradio)$/;
  const PRESSED_BY_KEYS = /^(button|link|checkbox|switch|radio|tab|menuitem|menuitemcheckbox|menuitemradio)$/;
  const captcha = secrets.isCaptcha(location.href);

  /** @type {(event: Event) => Element|null} */
  const hitOf = (event) => {
    if (!event.isTrusted || !link.active()) return null;
    const hit = event.composedPath()[0];
    if (hit instanceof Element) return hit;
    return hit instanceof Text ? websp.parentOf(hit) : null;
  };
  /** @type {(el: Element) => boolean} */
  const isOwn = (el) => raw.tagOf(el) === 'option' || fields.hasValue(el) && !fields.isText(el);

  // ---------------------------------------------------------------- clicks
  /** The two-state control that a plain element around it may turn: a row, a div drawn as a switch. */
  /** @type {(el: Element) => Element|null} */
  const holderOf = (el) => {
    const own = notes.stateOf(el);
    if (own.checked !== null || own.pressed !== null) return el;
    if (websp.isControl(el) && roleOf(el) !== 'button') return null;
    const inside = websp.elements(el).slice(1, 200).filter((at) => notes.stateOf(at).checked !== null);
    return inside.length === 1 ? inside[0] : null;
  };
  /** @type {(hit: Element) => Gesture} */
  const begin = (hit) => {
    const target = operable(hit);
    const holder = holderOf(target);
    const follows = presence.follows(target);
    if (holder || isOwn(target) || fields.isText(target) || CHOICE.test(roleOf(target))) presence.changing();
    return {
      target, holder, print: websp.recordedPrint(target), before: notes.stateOf(holder ?? target), box: raw.rect(target),
      hover: watch.openers(target), changes: watch.changes(), follows, over: false, inside: false,
    };
  };
  /** @type {(gesture: Gesture, how?: {key?: KeyboardEvent, pressed?: boolean}) => void} */
  const commit = (gesture, how) => {
    if (gesture.over) return;
    gesture.over = true;
    if (!isOwn(gesture.target)) return noteClick(gesture, how);
    // Its "input" event tells what was chosen, unless a script has drawn a list in place of the browser's.
    if (isOpener(gesture.target)) setTimeout(() => { if (isPrevented(gesture)) noteClick(gesture); });
  };
  /** A press on it opens a list or picker; on others it matters where they are pressed. */
  /** @type {(el: Element) => boolean} */
  const isOpener = (el) => raw.tagOf(el) !== 'option' && kit.inputType(el) !== 'range';
  /** @type {(gesture: Gesture) => boolean} */
  const isPrevented = ({ opens }) => opens === null || !!opens?.defaultPrevented;
  /** @type {(gesture: Gesture, how?: {key?: KeyboardEvent, pressed?: boolean}) => void} */
  const noteClick = (gesture, { key, pressed = false } = {}) => {
    const { target, holder, print, before, hover, changes, follows } = gesture;
    if (captcha) return notes.omit('captcha', { field: 'captcha' });
    const twoState = holder === target && before.checked !== null;
    const plain = !holder && !CHOICE.test(roleOf(target)) && !fields.isText(target);
    if (plain) presence.pressed(follows);
    notes.note({
      type: twoState ? 'change' : 'click', el: target, print, before, holder, hover,
      stateful: twoState && !RADIO.test(roleOf(target)), follows: plain ? follows : undefined,
      // A press without a click, or a click on nothing or into a text field, counts if the page made something of
      // it; so does a key on what only the page's own scripts press. One they stop from scrolling the page is one
      // they took.
      tentative: () => (key ? !key.defaultPrevented : pressed || isOwn(target) || !websp.interactive(target) || isPlainText(target)),
      held: () => key !== undefined && key.code === down,
      changesBefore: changes,
    });
  };
  /** @type {(el: Element) => boolean} */
  const isPlainText = (el) => fields.isText(el) && roleOf(el) !== 'combobox'
    && !raw.has(el, 'aria-haspopup') && !raw.has(el, 'aria-expanded');

  /** @type {Gesture|null} */
  let gesture = null;
  link.hear('pointerdown', (event) => {
    const hit = hitOf(event);
    if (!hit || event.button !== 0 || !event.isPrimary) return;
    release();
    notes.settleNow();
    link.refreshPath();
    fields.flush(fields.fieldOf(hit));
    gesture = begin(hit);
    gesture.opens = null;
  });
  link.hear('mousedown', (event) => {
    if (gesture && hitOf(event) && raw.tagOf(gesture.target) === 'select') gesture.opens = event;
  });
  link.hear('pointerup', (event) => {
    const now = gesture;
    if (!now || !hitOf(event)) return;
    const { left, right, top, bottom } = now.box;
    now.inside = event.clientX >= left - SLACK && event.clientX <= right + SLACK
      && event.clientY >= top - SLACK && event.clientY <= bottom + SLACK;
    // A mouse's click follows in the same task, a finger's a little later.
    setTimeout(() => { if (gesture === now) release(); }, event.pointerType === 'mouse' ? 0 : TAP_MS);
  });
  /** The button is up and no click came: the page took its element away, moved it, or acts on the button itself. */
  const release = () => {
    const now = gesture;
    gesture = null;
    if (!now?.inside || raw.matches(now.target, ':disabled')) return;
    commit(now, { pressed: raw.isConnected(now.target) && raw.shown(now.target) });
  };
  link.onFlush((last) => { if (last) release(); });
  link.hear('pointercancel', () => { gesture = null; });
  // A page that navigates when the button goes down leaves no time for the click.
  link.hear('pagehide', () => { if (gesture) commit(gesture); });

  /** Enter in a form clicks its submit button, and a label its control: consequences of what is noted already. */
  /** @type {Element|null} */
  let entered = null;
  link.hear('click', (event) => {
    const hit = hitOf(event);
    if (!hit) return;
    const target = operable(hit);
    const pointed = gesture;
    if (pointed && (event.detail > 0 || target === pointed.target || event.composedPath().includes(pointed.target))) {
      const meant = target === pointed.target || event.composedPath().includes(pointed.target) || pointed.inside;
      if (raw.tagOf(pointed.target) !== 'select') pointed.opens = event;
      if (meant) commit(pointed);
      return;
    }
    if (entered && entered !== target) return;
    gesture = null;
    fields.flush();
    const pressed = keyed?.target === target ? keyed : begin(hit);
    // Without the key that did it, the box has moved already.
    if (pressed !== keyed && isBox(target)) pressed.before.checked = roleOf(target) !== 'radio' && !pressed.before.checked;
    keyed = null;
    commit(pressed);
  });
  /** @type {(el: Element) => boolean} */
  const isBox = (el) => raw.tagOf(el) === 'input' && /^(checkbox|radio)$/.test(kit.inputType(el));

  // ---------------------------------------------------------------- keys
  /** A control about to be pressed by the keyboard, as it was before. */
  /** @type {Gesture|null} */
  let keyed = null;
  /** The code of the key that is down. */
  /** @type {string|null} */
  let down = null;
  const ARROW = /^Arrow(Up|Down|Left|Right)$/;

  /** @type {(event: KeyboardEvent) => string} */
  const nameOf = (event) => {
    let name = event.key;
    if (event.shiftKey) name = `Shift+${name}`;
    if (event.altKey) name = `Alt+${name}`;
    if (event.metaKey) name = `Meta+${name}`;
    return event.ctrlKey ? `Control+${name}` : name;
  };
  /** @type {(event: KeyboardEvent, el: Element) => void} */
  const noteKey = (event, el) => {
    const page = el === document.body || el === document.documentElement;
    if (fields.isText(el) || fields.touched(el)) fields.flush();
    if (captcha) return notes.omit('captcha', { field: 'captcha' });
    const before = notes.stateOf(el);
    notes.note({ type: 'key', key: nameOf(event), before, ...(page ? {} : { el, print: websp.recordedPrint(el) }) });
  };
  /** A key on a <select> is the browser's own, unless a script has drawn a list in its place. */
  /** @type {(event: KeyboardEvent, el: Element) => void} */
  const noteDrawn = (event, el) => {
    if (raw.tagOf(el) !== 'select') return;
    const entry = { el, print: websp.recordedPrint(el), before: notes.stateOf(el), changesBefore: watch.changes(), tentative: () => true };
    setTimeout(() => { if (event.defaultPrevented) notes.note({ type: 'key', key: nameOf(event), ...entry }); });
  };
  /** @type {(el: Element) => boolean} */
  const hasList = (el) => roleOf(el) === 'combobox' || raw.has(el, 'aria-autocomplete') || raw.has(el, 'aria-haspopup')
    || raw.has(el, 'aria-expanded') || raw.has(el, 'aria-activedescendant');

  /** Arrows count where a widget of the page hears them; elsewhere they scroll, move a caret or change a value. */
  /** @type {(el: Element) => boolean} */
  const arrowCounts = (el) => {
    if (fields.hasValue(el)) return fields.isText(el) && hasList(el);
    if (raw.tagOf(el) === 'input') return false; // in a group of radio buttons they click
    return websp.interactive(el) || raw.has(el, 'tabindex');
  };
  /** @type {(el: Element) => boolean} */
  const pressedNatively = (el) => /^(button|summary)$/.test(raw.tagOf(el)) || (raw.tagOf(el) === 'input' && !fields.isText(el));

  link.hear('keydown', (event) => {
    const hit = hitOf(event);
    entered = null;
    // A key in the open list of a <select> is the list's; the change follows.
    if (!hit || event.isComposing || raw.tagOf(hit) === 'option') return;
    down = event.code;
    if (!event.repeat) release();
    notes.settleNow();
    const { key } = event;
    const el = fields.fieldOf(hit);
    if (event.repeat && !ARROW.test(key)) return;
    if (key === 'Enter') enter(event, el);
    else if (key === ' ') space(event, el);
    else if (key === 'Escape') noteKey(event, el);
    else if (key === 'Tab') {
      // It matters where it ends something: the typing in a field, the choice from an open list.
      if (fields.touched(el) || raw.attr(el, 'aria-expanded') === 'true') noteKey(event, el);
    } else if (ARROW.test(key)) {
      if (arrowCounts(el)) noteKey(event, el);
      else noteDrawn(event, el);
    }
  });
  link.hear('keyup', () => { entered = down = null; });

  /** @type {(event: KeyboardEvent, el: Element) => void} */
  const enter = (event, el) => {
    const target = operable(el);
    const tag = raw.tagOf(target);
    const leads = (tag === 'a' || tag === 'area') && raw.has(target, 'href');
    if (/^(button|summary)$/.test(tag) || leads || (tag === 'input' && /^(submit|button|reset|image)$/.test(kit.inputType(target)))) {
      keyed = begin(target); // the click follows
      return;
    }
    if (tag === 'textarea' || kit.isEditingHost(target)) return lineOrSend(event, el);
    if (!fields.hasValue(target) && PRESSED_BY_KEYS.test(roleOf(target)) && !TWO_STATE.test(roleOf(target))) return commit(begin(target), { key: event });
    entered = target;
    noteKey(event, el);
  };
  /** In a field of several lines Enter makes a line, unless the page takes it for something else. */
  /** @type {(event: KeyboardEvent, el: Element) => void} */
  const lineOrSend = (event, el) => {
    if (event.ctrlKey || event.metaKey) return noteKey(event, el);
    const line = { el, print: websp.recordedPrint(el), touched: fields.touched(el), value: fields.valueOf(el), key: nameOf(event) };
    sent = line;
    setTimeout(() => { if (sent === line) send(); });
  };
  /** @type {{el: Element, print: Fingerprint, touched: boolean, value: string, key: string}|null} */
  let sent = null;
  /** No line came of it: the page has sent the text, or done what else it does at Enter. */
  const send = () => {
    if (!sent) return;
    const { el, print, touched, value, key } = sent;
    sent = null;
    // Rich text editors make the line themselves.
    const now = raw.isConnected(el) ? fields.valueOf(el) : '';
    if (now.length > value.length && now.startsWith(value.trimEnd())) return;
    if (touched) fields.flushAs(el, value);
    notes.note({ type: 'key', key, el, print });
  };
  // Where the page did not prevent it, "keypress" follows before anything else can happen.
  link.hear('keypress', (event) => { if (event.isTrusted && event.key === 'Enter') sent = null; });
  for (const type of ['keyup', 'keydown', 'beforeinput', 'pointerdown', 'pagehide']) link.hear(type, send);
  /** @type {(event: KeyboardEvent, el: Element) => void} */
  const space = (event, el) => {
    if (fields.hasValue(el) || event.ctrlKey || event.altKey || event.metaKey) return noteDrawn(event, el);
    const target = operable(el);
    if (pressedNatively(target)) keyed = begin(target); // the click follows
    else if (PRESSED_BY_KEYS.test(roleOf(target)) && roleOf(target) !== 'link') commit(begin(target), { key: event });
  };

  // ---------------------------------------------------------------- dialogs and navigations
  // hook.js tells what was answered; the page need not hear of it.
  link.hear('websp-dialog', (event) => {
    event.stopImmediatePropagation();
    if (!(event instanceof CustomEvent) || !link.active()) return;
    const { accepted, text, message } = Object(event.detail);
    const kind = typeof text === 'string' ? secrets.kindOf({ type: '', autocomplete: '', hints: [String(message)], digits: false }) : null;
    const secret = kind !== null || (typeof text === 'string' && secrets.isSecretText(text));
    link.send({
      kind: 'modal', id: link.nextId(), modal: accepted ? 'accept' : 'dismiss', text: secret || typeof text !== 'string' ? null : text,
      secret,
    });
  });
  // history.back() and location.reload() look like the browser's buttons from outside; only the page knows better.
  Reflect.get(globalThis, 'navigation')?.addEventListener('navigate', (/** @type {NavigateLike} */ event) => {
    if (/^(traverse|reload)$/.test(event.navigationType) && !event.userInitiated) link.send({ kind: 'scripted' });
  });
})();
