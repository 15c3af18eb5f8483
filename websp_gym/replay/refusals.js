// @ts-check
/*
 * What a page says about what was sent, and what a control is part of (the Python side is refusals.py and read_back.py).
 * Adds to __webspReplay
 *
 *   errors()           the visible messages of errors and the fields marked invalid: [text or name, whether the page says
 *                      so to all (aria-invalid), and not only by a class, which some have for any message]
 *   unsent(el)         the label of a field for which the browser did not send the form that the element sends, or null
 *   sends(el)          whether pressing the element, or Enter in it, sends a form by another method than GET
 *   asksPassword()     whether a password field is visible
 *   setting(el)        {value, on, shown, listed, signIn, chosen}: what a control holds now; whether its form lists rows,
 *                      each with a box to choose it; whether its form asks for a password; of a radio button that is not
 *                      chosen, the fingerprint of the one of its group that is
 */
(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.setting) return;
  const websp = /** @type {Websp} */ (Reflect.get(globalThis, '__websp'));
  const { raw, kit } = websp;
  const { collapse, inputType, isEditingHost } = kit;
  const LONGEST = 400; // A message is short; more is a page around it.
  const MARKED = '[class*="error" i], [class*="invalid" i], [class*="fail" i], [class*="danger" i], [aria-invalid="true" i]';
  const NOT = new Set(['no', 'non', 'without', 'boundary', 'hide', 'hidden', 'free', 'button', 'btn', 'zone']);

  /** @type {(el: Element) => boolean} */
  const visible = (el) => raw.shown(el, { visibilityProperty: true, opacityProperty: true }) && raw.rect(el).height > 1;
  /** @type {(name: string) => string[]} */
  const words = (name) => name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase().split(/[^\p{L}]+/u);
  /** Whether one of its classes says that it shows an error. */
  /** @type {(el: Element) => boolean} */
  const isError = (el) => [...el.classList].some((name) => {
    const all = words(name);
    if (all.some((word) => NOT.has(word))) return false;
    return all.some((word) => /^(errors?|invalid|failed|failure)$/.test(word)) || (all.includes('danger') && all.includes('alert'));
  });
  const errors = () => {
    /** @type {Map<string, boolean>} */
    const found = new Map();
    for (const el of document.querySelectorAll(MARKED)) {
      if (!visible(el)) continue;
      const field = /** @type {HTMLInputElement} */ (el);
      const text = collapse(/** @type {HTMLElement} */ (el).innerText ?? '');
      if (el.getAttribute('aria-invalid')?.toLowerCase() === 'true') {
        if (field.value) found.set(`${websp.nameOf(el)} is not valid`, true);
      }
      else if (isError(el) && text.length <= LONGEST && /\p{L}/u.test(text)) found.set(text, false);
    }
    return [...found];
  };

  /** @type {(el: Element) => HTMLFormElement|null} */
  const formOf = (el) => /** @type {HTMLInputElement} */ (el).form ?? el.closest('form');
  /** @type {(el: Element) => boolean} */
  const submits = (el) => {
    const tag = raw.tagOf(el);
    return (tag === 'button' && /** @type {HTMLButtonElement} */ (el).type === 'submit')
      || (tag === 'input' && !/^(button|reset|file|checkbox|radio|range|color)$/.test(inputType(el)));
  };
  /** @type {(el: Element) => string|null} */
  const unsent = (el) => {
    const form = submits(el) ? formOf(el) : null;
    if (!form || form.noValidate || /** @type {HTMLButtonElement} */ (el).formNoValidate) return null;
    const bad = form.querySelector('input:user-invalid, select:user-invalid, textarea:user-invalid');
    return bad && visible(bad) ? websp.nameOf(bad) || 'a field' : null;
  };
  /** @type {(el: Element) => boolean} */
  const sends = (el) => {
    const form = submits(el) ? formOf(el) : null;
    return form !== null && (form.method !== 'get' || !form.hasAttribute('action'));
  };
  /** @type {(root: Element|Document) => boolean} */
  const hasPassword = (root) => [...kit.all(root, 'input')].some((el) => inputType(el) === 'password' && visible(el));
  const asksPassword = () => hasPassword(document);

  /** Whether a form or table lists rows that a box of the same name chooses. */
  /** @type {(el: Element) => boolean} */
  const listed = (el) => {
    const around = formOf(el) ?? el.closest('table, [role="grid"]');
    const names = new Map();
    for (const box of around ? kit.all(around, 'input[type="checkbox"]') : []) {
      const row = box.closest('tr, [role="row"]');
      const name = raw.attr(box, 'name') ?? '';
      if (row && (name || box.closest('td, th, [role="gridcell"]') === row.firstElementChild)) names.set(name, (names.get(name) ?? new Set()).add(row));
    }
    return [...names.values()].some((rows) => rows.size > 1);
  };
  /** The radio button of a group that is chosen. */
  /** @type {(field: Element) => Element|undefined} */
  const chosenBeside = (field) => {
    if (inputType(field) === 'radio') {
      const name = raw.attr(field, 'name');
      const root = /** @type {Document} */ (field.getRootNode());
      const all = [...kit.all(root, 'input[type="radio"]')].filter((radio) => raw.attr(radio, 'name') === name);
      return all.find((radio) => formOf(radio) === formOf(field) && replay.look(radio, []).on);
    }
    const group = websp.roleOf(field) === 'radio' ? field.closest('[role="radiogroup"]') : null;
    return group ? [...kit.all(group, '[role="radio"]')].find((radio) => replay.look(radio, []).on) : undefined;
  };
  /** @type {(el: Element) => Fingerprint|null} */
  const printOf = (el) => {
    const { uncut, ...print } = websp.recordedPrint(el);
    return print;
  };
  /** @type {(el: Element) => {value: string|null, on: boolean|null, shown: boolean, listed: boolean, signIn: boolean, chosen: Fingerprint|null}} */
  const setting = (el) => {
    const field = replay.field(el);
    const isField = 'value' in field && typeof field.value === 'string';
    const form = formOf(field);
    const chosen = chosenBeside(field);
    return {
      value: isEditingHost(field) ? websp.textOf(field) : isField ? field.value : null,
      on: replay.look(el, []).on,
      shown: [el, ...websp.surfacesOf(el), ...websp.labelsOf(el)].some(visible),
      listed: listed(field), signIn: form !== null && hasPassword(form),
      chosen: chosen && chosen !== field ? printOf(chosen) : null,
    };
  };

  Object.assign(replay, { errors, unsent, sends, asksPassword, setting });
})();
