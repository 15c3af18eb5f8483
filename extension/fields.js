// @ts-check
/*
 * Text fields, lists and other fields with a value: one event each, with the value they were left with.
 *
 * globalThis.__webspRecorder.fields has
 *   isText(el)             a field one types into
 *   hasValue(el)           a field whose "input" event counts, so that clicks and arrow keys in it do not
 *   touched(el)            whether it was typed into and not yet noted
 *   valueOf(el)            what stands in it
 *   flush(but?)            notes the values of all fields touched, except one
 *   flushAs(el, text)      notes one field with a value it had before
 *   held()                 whether a secret stands readable on the page now (no screenshot then)
 *
 * Values are read when the field is left, so it does not matter how they got there: keys, an input method, paste,
 * cut, undo, dictation, a password manager.
 */
(() => {
  'use strict';
  const recorder = /** @type {Recorder} */ (Reflect.get(globalThis, '__webspRecorder'));
  if (recorder.fields) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const secrets = /** @type {SecretsApi} */ (Reflect.get(globalThis, '__webspSecrets'));
  const { link, notes, presence } = recorder;
  const { raw, kit } = websp;
  const PASSWORD = '{{account.password}}';
  const NEW_PASSWORD = '{{account.new_password}}';
  const LONGEST = 20_000;
  const TYPED = /^(text|search|email|url|tel|number|password)$/;
  const PICKED = /^(range|color|date|time|month|week|datetime-local)$/;

  /** @type {(el: Element) => boolean} */
  const isText = (el) => {
    const tag = raw.tagOf(el);
    return tag === 'textarea' || kit.isEditingHost(el) || (tag === 'input' && TYPED.test(kit.inputType(el)));
  };
  /** @type {(el: Element) => boolean} */
  const isPicked = (el) => raw.tagOf(el) === 'input' && PICKED.test(kit.inputType(el));
  /** @type {(el: Element) => boolean} */
  const hasValue = (el) => isText(el) || isPicked(el) || raw.tagOf(el) === 'select'
    || (raw.tagOf(el) === 'input' && kit.inputType(el) === 'file');
  /** The editing host of an element inside it, the <select> of an option, else the element. */
  /** @type {(el: Element) => Element} */
  const fieldOf = (el) => kit.upwards(el, hasValue) ?? el;

  // ---------------------------------------------------------------- secrets
  /** @type {WeakSet<Element>} */
  const passwords = new WeakSet(); // "Show password" makes a text field of one.
  /** @type {Set<Element>} */
  const secretFields = new Set();
  /** One of several boxes for one character each: a code. */
  /** @type {(el: Element) => boolean} */
  const isDigitBox = (el) => {
    if (raw.attr(el, 'maxlength') !== '1') return false;
    const alike = kit.all(raw.rootOf(el), 'input[maxlength="1"]');
    return alike.length >= 4;
  };
  /** @type {(el: Element) => FieldFacts} */
  const factsOf = (el) => {
    const type = raw.tagOf(el) === 'input' ? kit.inputType(el) : '';
    const hints = ['id', 'name', 'placeholder', 'aria-label', 'data-testid'].map((name) => raw.attr(el, name) ?? '');
    const facts = { type, autocomplete: raw.attr(el, 'autocomplete') ?? '', hints: [...hints, websp.nameOf(el)], digits: isDigitBox(el) };
    return passwords.has(el) ? { ...facts, type: 'password' } : facts;
  };
  /** @type {(el: Element) => 'password'|'secret'|null} */
  const kindOf = (el) => {
    const kind = secrets.kindOf(factsOf(el));
    if (kind === 'password') passwords.add(el);
    return kind;
  };
  /** Whether a password field asks for another password than the one that the account has. */
  /** @type {(el: Element) => boolean} */
  const isNew = (el) => {
    const facts = factsOf(el);
    if (secrets.asksForCurrentPassword(facts)) return false;
    if (secrets.asksForNewPassword(facts)) return true;
    // One that is asked for beside the current one, or twice, is new; of three, the first is the one that the account has.
    const form = el.closest('form');
    const all = form ? [...kit.all(form, 'input')].filter((at) => kit.inputType(at) === 'password' || passwords.has(at)) : [];
    return all.length === 2 || (all.length > 2 && el !== all[0]);
  };
  /** @type {(el: Element) => string} */
  const valueOf = (el) => {
    if (!kit.isEditingHost(el)) return /** @type {HTMLInputElement} */ (el).value;
    return /** @type {HTMLElement} */ (el).innerText.replace(/\n$/, '');
  };
  /** @type {(el: Element) => boolean} */
  const readable = (el) => !(raw.tagOf(el) === 'input' && kit.inputType(el) === 'password');
  const held = () => {
    for (const el of secretFields) {
      if (!raw.isConnected(el)) secretFields.delete(el);
      else if (readable(el) && valueOf(el) !== '') return true;
    }
    return false;
  };

  // ---------------------------------------------------------------- touched fields
  /** @type {Map<Element, {print: Fingerprint}>} */
  const dirty = new Map();
  /** @type {WeakMap<Element, string>} */
  const ids = new WeakMap();
  let count = 0;
  const token = link.nextId();
  /** @type {(el: Element) => string} */
  const idOf = (el) => {
    const id = ids.get(el) ?? `${token}.${++count}`;
    ids.set(el, id);
    return id;
  };
  /** The event of a field that has not been left since. */
  /** @type {WeakMap<Element, string>} */
  const entered = new WeakMap();
  /** @type {{el: Element, print: Fingerprint}|null} */
  let ahead = null;
  /** @type {(event: Event) => Element|null} */
  const fieldAt = (event) => {
    const hit = event.composedPath()[0];
    const el = hit instanceof Element && event.isTrusted && link.active() ? fieldOf(hit) : null;
    return el && hasValue(el) ? el : null;
  };

  /** @type {Fields['flushAs']} */
  const flushAs = (el, text) => {
    const print = dirty.get(el)?.print ?? websp.recordedPrint(el);
    dirty.delete(el);
    const value = text.slice(0, LONGEST);
    const kind = value && kindOf(el);
    const place = { el, print, field: idOf(el) };
    if (kind === 'secret' || (!kind && secrets.isSecretText(value))) {
      const facts = factsOf(el);
      const asked = secrets.asksForNewPassword(facts) ? { ...place, value: NEW_PASSWORD } : place;
      entered.set(el, secrets.asksForPassword(facts) ? notes.omit('password', asked) : notes.omit('secret', place));
      return;
    }
    const password = kind ? { typed: value, isNew: isNew(el) } : undefined;
    entered.set(el, notes.note({ ...place, type: isText(el) ? 'type' : 'change', value: kind ? PASSWORD : value, password }));
  };
  /** @type {Fields['flush']} */
  const flush = (but = null) => {
    for (const el of [...dirty.keys()]) if (el !== but) flushAs(el, valueOf(el));
  };

  /** @type {(el: Element) => void} */
  const touch = (el) => {
    const print = ahead?.el === el ? ahead.print : websp.recordedPrint(el);
    if (!dirty.has(el)) dirty.set(el, { print });
    ahead = null;
  };
  link.hear('beforeinput', (event) => {
    const el = fieldAt(event);
    if (!el || dirty.has(el)) return;
    presence.changing();
    ahead = { el, print: websp.recordedPrint(el) };
  });
  link.hear('input', (event) => {
    const el = fieldAt(event);
    if (!el) return;
    if (raw.tagOf(el) === 'select') return chosen(/** @type {HTMLSelectElement} */ (el));
    if (raw.tagOf(el) === 'input' && kit.inputType(el) === 'file') return notes.omit('file', { el, field: idOf(el) });
    touch(el);
    const kind = kindOf(el);
    if (!kind) return;
    notes.keepSecret(el, valueOf(el));
    secretFields.add(el);
    if (readable(el)) link.send({ kind: 'secret', held: held() });
  });
  /** @type {(select: HTMLSelectElement) => void} */
  const chosen = (select) => {
    flush();
    if (kindOf(select) === 'secret') return notes.omit('secret', { el: select, field: idOf(select) });
    entered.set(select, notes.note({
      type: 'change', el: select, print: websp.recordedPrint(select), field: idOf(select), value: select.value,
    }));
  };

  /** @param {Event} event */
  const complete = (event) => {
    const el = fieldAt(event);
    if (el && dirty.has(el)) flushAs(el, valueOf(el));
  };
  link.hear('change', complete);
  // "change" does not leave a shadow root, "focusout" does.
  link.hear('focusout', (event) => {
    complete(event);
    const el = fieldAt(event);
    const id = el && entered.get(el);
    // A window that loses the focus, as to the popup where one presses Stop, keeps its cursor in the field.
    if (!id || raw.hasFocus(el)) return;
    entered.delete(el);
    link.send({ kind: 'left', id });
  });
  link.hear('pagehide', () => flush());
  // A field half written is not noted before it is left.
  link.onFlush((last) => { if (last) flush(); });
  link.onChange(() => { if (!link.active()) dirty.clear(); });

  recorder.fields = { isText, hasValue, fieldOf, touched: (el) => dirty.has(el), valueOf, flush, flushAs, held };
})();
