// @ts-check
/*
 * Clicking and filling in fields. Injected after page.js; adds to __websp
 *   reach(index)         {x, y} where the pointer is over the element, or {error}: also if it has become another one
 *   press(index)         {x, y} where a click operates the element (a dropdown will open in the page); `toggles` if
 *                        the click must keep the other selected options; {error} if a click would do something else
 *   typing(index, text)  how to enter the text: {how: 'keys', lines} by keyboard (`lines`: it may have several),
 *                        {how: 'set'} by fillIn(); {error} if it is not possible; changes nothing on the page
 *   focused()            the focused element, also inside open shadow roots
 *   drawPickerOfFocus()  drawPicker() for the <select> that has the focus; the number of the iframe that has it, else null
 *   focusOn(index)       focuses the element (or the editor that replaced it) and selects its content
 *   lost(index, text)    what the field holds after `text` was typed, if not all of it arrived; else ''. Not for what a
 *                        page makes of it: a mask, capitals, a completed word, digits spread over several fields
 *   fillIn(index, text)  sets a value or selects an option, like the browser's own control
 *   through(el, at)      converts the point `at` of an iframe's viewport to this frame's viewport, scrolled into
 *                        view; {error} if covered
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & HitApi & FrameApi & PickerApi & PageApi & Partial<FieldApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.press) return;
  const { raw, stateOf, roleOf, describe, topAt, belongs, view, element, changedSince, point, openPicker, outOf, kit } = websp;
  const { drawPicker, holdsDocument, numberOf } = websp;
  const { uncurry, upwards, inputType, test, trim, lower, collapse, replace, cut, isEditingHost } = kit;
  const { tagOf, matches } = raw;
  const scrollIntoView = uncurry(Element.prototype.scrollIntoView);
  /** @type {(el: Element, value: string) => void} */
  const setValue = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set));
  /** @type {(el: Element) => string} */
  const valueOf = (el) => String(/** @type {HTMLInputElement} */ (el).value ?? '');
  const create = Document.prototype.createElement.bind(document);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const { Event } = globalThis;
  /** @type {(doc: Document) => Element|null} */
  const activeElement = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get));

  const LONGEST_LABEL = 300;
  const MOST_OPTIONS = 20; // named in an error
  const GONE = 'is no longer on the page';
  const TEXT = /^(text|search|email|url|tel|password|number)$/;
  /** Example of a value for each type of input. */
  /** @type {Record<string, string>} */
  const WRITTEN = {
    date: '2026-01-31', time: '14:05', 'datetime-local': '2026-01-31T14:05', month: '2026-01', week: '2026-W05',
    color: '#1a2b3c', range: 'a number',
  };

  // ---------------------------------------------------------------- clicking
  /** @type {FieldApi['reach']} */
  const reach = (index) => {
    const other = changedSince(index);
    if (other) return { error: other };
    const at = point(index);
    return 'error' in at ? { error: at.error === 'gone' ? GONE : `is ${at.error}` } : at;
  };

  /** @type {FieldApi['press']} */
  const press = (index) => {
    const el = /** @type {Element} */ (element(index));
    const other = changedSince(index);
    if (other) return { error: other };
    if (stateOf(el).disabled) return { error: 'is disabled' };
    const tag = tagOf(el);
    if (tag === 'select' && roleOf(el) === 'listbox') return { error: 'is a list; click one of its options' };
    const option = tag === 'option' ? upwards(el, (at) => tagOf(at) === 'select') : null;
    if (option && roleOf(option) !== 'listbox' && !matches(option, ':open')) {
      return { error: 'is in a list that has closed; click the dropdown to open it again' };
    }
    const before = reach(index);
    if ('error' in before) return before;
    // A select drawn by the page may have another size.
    if (tag === 'select' && openPicker(index)) return reach(index);
    return { ...before, toggles: option !== null && /** @type {HTMLSelectElement} */ (option).multiple };
  };
  /** @type {FieldApi['through']} */
  const through = (el, [x, y]) => {
    const there = () => outOf(el, x, y);
    const seen = view();
    const isInView = (/** @type {{x: number, y: number}} */ at) => at.x >= 0 && at.y >= 0 && at.x < seen.w && at.y < seen.h;
    let at = there();
    if (!isInView(at) || !belongs(topAt(at.x, at.y), el)) {
      scrollIntoView(el, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
      at = there();
      if (!isInView(at)) scrollBy({ left: at.x - seen.w / 2, top: at.y - seen.h / 2, behavior: 'instant' });
      at = there();
    }
    const hit = topAt(at.x, at.y);
    if (!hit) return { error: 'is not visible' };
    return belongs(hit, el) ? at : { error: `is covered by ${describe(hit)}` };
  };

  // ---------------------------------------------------------------- typing
  /** @type {FieldApi['typing']} */
  const typing = (index, text) => {
    const el = /** @type {Element} */ (element(index));
    const other = changedSince(index);
    if (other) return { error: other };
    if (stateOf(el).disabled) return { error: 'is disabled' };
    const tag = tagOf(el);
    if (tag === 'select') return typedChoice(/** @type {HTMLSelectElement} */ (el), text);
    const type = tag === 'input' ? inputType(el) : '';
    const isText = tag === 'textarea' || test(TEXT, type);
    if (!isText && !(type in WRITTEN) && !isEditingHost(el)) {
      return { error: `is a ${describe(el)}, not a field to type into` };
    }
    if ((isText || type in WRITTEN) && /** @type {HTMLInputElement} */ (el).readOnly) return { error: 'is read-only' };
    const wrong = type ? wrongValue(/** @type {HTMLInputElement} */ (el), type, text) : '';
    if (wrong) return { error: wrong };
    focusedBefore = focused();
    return type in WRITTEN ? { how: 'set' } : { how: 'keys', lines: tag !== 'input' };
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
  /** @type {(select: HTMLSelectElement, text: string) => {how: 'set'}|{error: string}} */
  const typedChoice = (select, text) => {
    const found = choices(select, text);
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
    let at = activeElement(document);
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
  /** @type {FieldApi['focusOn']} */
  const focusOn = (index) => {
    const el = element(index);
    const isEditor = (/** @type {Element|null} */ at) => at === el || (at !== focusedBefore && takesText(at));
    if (!isEditor(focused()) && el && raw.isConnected(el)) /** @type {HTMLElement} */ (el).focus();
    const at = focused();
    if (!at || !isEditor(at)) return false;
    if (isEditingHost(at)) getSelection()?.selectAllChildren(at);
    else /** @type {HTMLInputElement} */ (at).select();
    return true;
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
  /** @type {FieldApi['lost']} */
  const lost = (index, text) => {
    const el = element(index);
    const at = focused();
    // A field that passes the cursor on has what it takes; an editor keeps its text elsewhere.
    if (!el || at !== el || !(tagOf(el) === 'textarea' || test(TEXT, inputType(el)))) return '';
    const value = valueOf(el);
    // After a comma a page may have made it a tag of its own.
    if (!value && test(/[,;\s]$/, text)) return '';
    if (text ? isWithin(letters(text), letters(value)) : !value) return '';
    if (inputType(el) === 'password') return `holds ${value.length} of the ${text.length} characters`;
    return `holds "${collapse(cut(value, 100))}" now, not "${collapse(cut(text, 100))}"`;
  };

  /** @type {FieldApi} */
  const api = { reach, press, through, typing, fillIn, focused, drawPickerOfFocus, focusOn, lost };
  Object.assign(websp, api);
})();
