// @ts-check
/*
 * Typing into fields and choosing from lists. Injected after page.js; adds to __websp
 *   typing(index, text)  how to enter the text: {how: 'keys', lines} by keyboard (`lines`: it may have several),
 *                        {how: 'set'} by fillIn(), {how: 'wait'} for an option that the list may load when it has the focus,
 *                        which it has then; {error} if it is not possible; changes nothing on the page
 *   focused()            the focused element, also inside open shadow roots
 *   drawPickerOfFocus()  drawPicker() for the <select> that has the focus; the number of the iframe that has it, else null
 *   focusOn(index)       focuses the element (or the editor that replaced it) and selects its content; {error} if it does not
 *                        take the cursor, or no text
 *   keepCursor()         takes the field that has the cursor for the one that is typed into, as focusOn() does
 *   cursorLost()         where the cursor is, if no longer in that field or one of its kin: the next box of a code, the same
 *                        field rendered anew; else ''
 *   lost(index, text)    what the field holds after `text` was typed, if not all of it arrived; else ''. Not for what a
 *                        page makes of it: a mask, capitals, a completed word, digits spread over several fields
 *   isUnsettled()        whether the field may be left, or is an editor, so that what it holds is known once the page is at rest
 *   leave()              leaves the field as a person does next where nothing else is to be done: no button near it, no
 *                        suggestions; whether it was left. leaveAny() leaves whatever field has the cursor: whether there was
 *                        one, or the number of the iframe that has the focus; comeBack() puts the cursor back where it was left
 *   fillIn(index, text)  sets a value or selects an option, like the browser's own control
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & FrameApi & PickerApi & PageApi & Partial<FieldApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.typing) return;
  const { raw, parentOf, stateOf, roleOf, nameOf, textOf, describe, element, targetOf, changedSince, drawPicker, holdsDocument, numberOf, kit } = websp;
  const { uncurry, upwards, inputType, test, trim, lower, collapse, replace, cut, isEditingHost } = kit;
  const { tagOf, matches } = raw;
  /** @type {(el: Element, value: string) => void} */
  const setValue = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set));
  /** @type {(el: Element) => string} */
  const valueOf = (el) => String(/** @type {HTMLInputElement} */ (el).value ?? '');
  const create = Document.prototype.createElement.bind(document);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const { Event } = globalThis;

  const LONGEST_LABEL = 300;
  const MOST_OPTIONS = 20; // named in an error
  const TEXT = /^(text|search|email|url|tel|password|number)$/;
  /** Example of a value for each type of input. */
  /** @type {Record<string, string>} */
  const WRITTEN = {
    date: '2026-01-31', time: '14:05', 'datetime-local': '2026-01-31T14:05', month: '2026-01', week: '2026-W05',
    color: '#1a2b3c', range: 'a number',
  };

  // ---------------------------------------------------------------- typing
  /** @type {FieldApi['typing']} */
  const typing = (index, text) => {
    const el = /** @type {HTMLElement} */ (element(index));
    const { error } = changedSince(index);
    if (error) return { error };
    if (matches(el, ':disabled')) return { error: 'is disabled' };
    const tag = tagOf(el);
    if (tag === 'select') return typedChoice(/** @type {HTMLSelectElement} */ (el), text);
    const type = tag === 'input' ? inputType(el) : '';
    const isText = tag === 'textarea' || test(TEXT, type);
    if (!isText && !(type in WRITTEN) && !isEditingHost(el)) {
      return { error: `is a ${describe(el)}, not a field to type into` };
    }
    // Whether a text field can be written, it says when it has the cursor: many a page unlocks it then.
    if (type in WRITTEN) {
      const closed = closedBy(el);
      if (closed) return { error: closed };
    }
    const wrong = type ? wrongValue(/** @type {HTMLInputElement} */ (el), type, text) : '';
    if (wrong) return { error: wrong };
    focusedBefore = focused();
    sizeBefore = size();
    return type in WRITTEN ? { how: 'set' } : { how: 'keys', lines: tag !== 'input' };
  };
  /** Why a field takes no text now; '' if it does. */
  /** @type {(el: Element) => string} */
  const closedBy = (el) => {
    if (stateOf(el).disabled) return 'is disabled';
    return test(/^(input|textarea)$/, tagOf(el)) && /** @type {HTMLInputElement} */ (el).readOnly ? 'is read-only' : '';
  };

  /** The reason why an input of this type does not accept a value, or ''; does not change the element. */
  /** @type {(el: HTMLInputElement, type: string, text: string) => string} */
  const wrongValue = (el, type, text) => {
    const value = trim(text);
    if (type === 'number') return value && !accepted(type, value) ? `takes a number, not "${value}"` : '';
    if (!(type in WRITTEN)) return '';
    if (type === 'range') return wrongRange(el, value);
    const fits = type === 'color' ? test(/^#[0-9a-f]{6}$/i, value) : !value || accepted(type, value);
    return fits ? '' : `takes a ${type} written like ${WRITTEN[type]}, not "${value}"`;
  };
  /** @type {(type: string, value: string) => boolean} */
  const accepted = (type, value) => {
    const probe = /** @type {HTMLInputElement} */ (create('input'));
    probe.type = type;
    setValue(probe, value);
    return probe.value !== '';
  };
  /** @type {(el: HTMLInputElement, value: string) => string} */
  const wrongRange = (el, value) => {
    const probe = /** @type {HTMLInputElement} */ (el.cloneNode());
    setValue(probe, value);
    if (value && Number(probe.value) === Number(value)) return '';
    const step = el.step || '1';
    return `takes a number from ${el.min || 0} to ${el.max || 100}${step === 'any' ? '' : ` in steps of ${step}`}, not "${value}"`;
  };

  /** @type {(option: HTMLOptionElement) => string} */
  const labelOf = (option) => collapse(cut(option.label || option.text, LONGEST_LABEL));
  /** @type {(select: HTMLSelectElement, text: string) => HTMLOptionElement[]} */
  const choices = (select, text) => {
    const wanted = lower(collapse(text));
    /** @type {HTMLOptionElement[]} */
    const found = [];
    for (let i = 0; i < select.options.length; i++) if (lower(labelOf(select.options[i])) === wanted) found[found.length] = select.options[i];
    return found;
  };
  /** @type {(select: HTMLSelectElement, text: string) => {how: 'set'|'wait'}|{error: string}} */
  const typedChoice = (select, text) => {
    if (stateOf(select).disabled) return { error: 'is disabled' };
    const found = choices(select, text);
    if (!found.length && focused() !== select) {
      select.focus();
      if (focused() === select) return { how: 'wait' };
    }
    if (found.length === 1) return matches(found[0], ':disabled') ? { error: `has the option "${labelOf(found[0])}", but it is disabled` } : { how: 'set' };
    const labels = nearestFirst(select, text);
    let known = '';
    for (let i = 0; i < labels.length && i < MOST_OPTIONS; i++) known += `${i ? ', ' : ''}"${labels[i]}"`;
    const more = labels.length > MOST_OPTIONS ? `, and ${labels.length - MOST_OPTIONS} more` : '';
    return { error: `has ${found.length ? 'more than one' : 'no'} option "${collapse(text)}"; its options: ${known || 'none'}${more}` };
  };
  /** The labels of all options; in a long list, those first that look like a text. */
  /** @type {(select: HTMLSelectElement, text: string) => string[]} */
  const nearestFirst = (select, text) => {
    const wanted = lower(collapse(text));
    const start = cut(wanted, 3);
    /** @type {string[]} */
    const alike = [];
    /** @type {string[]} */
    const others = [];
    for (let i = 0; i < select.options.length; i++) {
      const label = labelOf(select.options[i]);
      const said = lower(label);
      const isAlike = select.options.length > MOST_OPTIONS && said && (said.includes(wanted) || wanted.includes(said) || (start && cut(said, 3) === start));
      const list = isAlike ? alike : others;
      list[list.length] = label;
    }
    return [...alike, ...others];
  };

  /** @type {FieldApi['fillIn']} */
  const fillIn = (index, text) => {
    const el = /** @type {HTMLElement} */ (element(index));
    el.focus();
    if (tagOf(el) === 'select') {
      const select = /** @type {HTMLSelectElement} */ (el);
      const [chosen] = choices(select, text);
      for (let i = 0; i < select.options.length; i++) select.options[i].selected = select.options[i] === chosen;
    } else {
      // The built-in setter: with a framework's own setter, the framework would ignore the event.
      setValue(el, trim(text));
    }
    dispatch(el, new Event('input', { bubbles: true, composed: true }));
    dispatch(el, new Event('change', { bubbles: true }));
  };

  /** The focused element, also inside open shadow roots. */
  /** @type {FieldApi['focused']} */
  const focused = () => {
    let at = raw.active();
    for (let shadow = at && raw.shadowOf(at); shadow; shadow = at && raw.shadowOf(at)) {
      if (!shadow.activeElement) break;
      at = shadow.activeElement;
    }
    return at;
  };
  /** @type {FieldApi['drawPickerOfFocus']} */
  const drawPickerOfFocus = () => {
    const at = focused();
    if (!at) return null;
    if (holdsDocument(at)) return numberOf(at);
    drawPicker(at, true);
    return null;
  };
  /** @type {(el: Element|null) => boolean} */
  const takesText = (el) => el !== null && (tagOf(el) === 'textarea' || (tagOf(el) === 'input' && test(TEXT, inputType(el))) || isEditingHost(el));
  /** @type {Element|null} */
  let focusedBefore = null;
  /** The field that is typed into, and what it is called. @type {{el: Element, name: string}|null} */
  let cursor = null;
  /** Whether it has passed the cursor on to the next box. */
  let passedOn = false;
  /** @type {FieldApi['keepCursor']} */
  const keepCursor = (el = focused()) => { cursor = el && { el, name: nameOf(el) }; };
  /** @type {FieldApi['focusOn']} */
  const focusOn = (index) => {
    const el = element(index);
    const isEditor = (/** @type {Element|null} */ at) => at === el || (at !== focusedBefore && takesText(at));
    if (!isEditor(focused()) && el && raw.isConnected(el)) /** @type {HTMLElement} */ (el).focus();
    const at = focused();
    if (!at || !isEditor(at)) {
      const closed = el ? closedBy(el) : '';
      return { error: closed || 'does not take the cursor' };
    }
    const closed = closedBy(at);
    if (closed) return { error: closed };
    if (isEditingHost(at)) getSelection()?.selectAllChildren(at);
    else /** @type {HTMLInputElement} */ (at).select();
    keepCursor(at);
    passedOn = false;
    return {};
  };

  const NARROW = 100; // px: a box for a digit or two
  const SHORT = 4; // characters
  const NEAR = 3; // levels up to what two boxes have in common
  /** Whether the cursor has only gone on: to the next box of a code or a date, or into the same field, rendered anew. */
  /** @type {(at: Element, from: {el: Element, name: string}) => boolean} */
  const isKin = (at, { el, name }) => {
    if (upwards(at, (outer) => outer === el)) return true;
    if (tagOf(at) !== tagOf(el) || roleOf(at) !== roleOf(el)) return false;
    const unnumbered = (/** @type {string} */ text) => replace(text, /\d+/g, '#');
    const isAlike = nameOf(at) === name;
    if (!raw.isConnected(el)) return isAlike;
    const length = /** @type {HTMLInputElement} */ (at).maxLength;
    const isBox = (length > 0 && length <= SHORT) || raw.rect(at).width <= NARROW || (!isAlike && unnumbered(nameOf(at)) === unnumbered(name));
    let around = /** @type {Element|null} */ (el);
    for (let level = 0; around && level < NEAR; level++) around = parentOf(around);
    return isBox && upwards(at, (outer) => outer === around || outer === parentOf(el)) !== null;
  };
  /** @type {FieldApi['cursorLost']} */
  const cursorLost = () => {
    const at = focused();
    if (cursor && at === cursor.el) return '';
    if (cursor && at && isKin(at, cursor)) {
      passedOn ||= raw.isConnected(cursor.el);
      keepCursor(at);
      return '';
    }
    return at && at !== raw.body() && at !== raw.root() ? `it is in ${describe(at)} now` : 'it is in no field now';
  };

  /** Letters and digits of a text, whatever their case. */
  /** @type {(text: string) => string} */
  const letters = (text) => lower(replace(text, /[^\p{L}\p{N}]/gu, ''));
  /** Whether all characters of one text are in another, in this order. */
  /** @type {(part: string, whole: string) => boolean} */
  const isWithin = (part, whole) => {
    let at = 0;
    for (let i = 0; i < whole.length && at < part.length; i++) if (whole[i] === part[at]) at++;
    return at === part.length;
  };
  /** @type {(text: string, value: string) => boolean} */
  const arrived = (text, value) => {
    if (!trim(text)) return !value === !text || trim(value) === '';
    return letters(text) ? isWithin(letters(text), letters(value)) : isWithin(replace(text, /\s+/g, ''), value);
  };
  /** @type {FieldApi['lost']} */
  const lost = (index, text) => {
    const el = element(index);
    const at = focused();
    // A field that passes the cursor on has what it takes.
    if (!el || !cursor || at !== cursor.el || passedOn) return '';
    const target = /** @type {Element} */ (targetOf(index));
    const isHost = isEditingHost(at);
    // An editor may draw a text as pictures, and one that writes into a hidden field draws it elsewhere.
    if (isHost && kit.all(at, 'img,svg,canvas').length) return '';
    const value = isHost ? textOf(at, [], LONGEST_TEXT) : valueOf(at);
    const drawn = at === el && target !== el ? textOf(target, [], LONGEST_TEXT) : '';
    // After a comma a page may have made it a tag of its own.
    if (arrived(text, value) || (drawn && arrived(text, drawn)) || (!value && test(/[,;\s]$/, text))) return '';
    if (!isHost && inputType(at) === 'password') return `holds ${value.length} of the ${text.length} characters`;
    return `holds "${collapse(cut(drawn || value, 100))}" now, not "${collapse(cut(text, 100))}"`;
  };
  /** @type {FieldApi['isUnsettled']} */
  const isUnsettled = () => cursor !== null && focused() === cursor.el && (isEditingHost(cursor.el) || mayBeLeft(cursor.el));
  const LONGEST_TEXT = 20_000;

  // ---------------------------------------------------------------- leaving
  const size = () => kit.all(document, '*').length;
  let sizeBefore = 0;
  const OFFERS = '[role=combobox],[role=searchbox],[type=search],[list],[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[aria-controls],[aria-owns],[aria-autocomplete]:not([aria-autocomplete=none])';
  const BUTTONS = 'button,input[type=submit],input[type=button],input[type=image],[role=button]';
  const AROUND = 4; // levels
  /** Whether there is a button that a person would press next: in its form, or else near it. */
  /** @type {(el: Element) => boolean} */
  const hasButton = (el) => {
    const form = upwards(el, (at) => tagOf(at) === 'form');
    if (form) return kit.all(form, BUTTONS).length > 0;
    for (let at = parentOf(el), level = 0; at && level < AROUND && at !== raw.body(); level++, at = parentOf(at)) {
      if (kit.all(at, BUTTONS).length) return true;
    }
    return false;
  };
  /** @type {Element|null} */
  let left = null;
  /** @type {(el: Element) => boolean} */
  const mayBeLeft = (el) => !matches(el, OFFERS) && !hasButton(el);
  /** @type {FieldApi['leave']} */
  const leave = () => {
    const at = focused();
    // What has appeared meanwhile may be suggestions, which would go.
    if (!cursor || at !== cursor.el || !mayBeLeft(at) || size() > sizeBefore) return false;
    left = at;
    /** @type {HTMLElement} */ (at).blur();
    return true;
  };
  /** @type {FieldApi['leaveAny']} */
  const leaveAny = () => {
    const at = focused();
    if (at && holdsDocument(at)) return numberOf(at);
    if (!takesText(at)) return false;
    /** @type {HTMLElement} */ (at).blur();
    return true;
  };
  /** @type {FieldApi['comeBack']} */
  const comeBack = () => {
    const at = focused();
    const isNowhere = !at || at === raw.body();
    if (left && isNowhere && raw.isConnected(left)) /** @type {HTMLElement} */ (left).focus();
    left = null;
  };

  /** @type {FieldApi} */
  const api = {
    typing, fillIn, focused, drawPickerOfFocus, focusOn, keepCursor, cursorLost, lost, isUnsettled, leave, leaveAny, comeBack,
  };
  Object.assign(websp, api);
})();
