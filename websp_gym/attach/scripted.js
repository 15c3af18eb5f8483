// @ts-check
/*
 * What a script does to the controls of a page in place of a person: clicks, texts, choices, forms that are sent; and
 * each move of the focus. Runs in an isolated world at the start of each document; called with the function that tells
 * of it, and one that loads __websp.
 */
(/** @param {(text: string) => void} tell @param {() => Record<'roleOf'|'nameOf', (el: Element) => string>} load */
  (tell, load) => {
  'use strict';
  const KINDS = ['click', 'dblclick', 'input', 'change', 'submit', 'keydown'];
  const LONGEST = 300;
  let personal = false;
  /** @param {Event} event */
  const hear = (event) => {
    if (event.isTrusted) {
      // What the page does by itself in answer comes within the same task.
      personal = true;
      setTimeout(() => { personal = false; });
    }
    if (personal) return;
    const [el] = event.composedPath();
    if (!(el instanceof Element)) return;
    const { roleOf, nameOf } = load();
    const shown = el.closest('a, button, input, select, textarea, summary, label, [role]') ?? el;
    const value = el instanceof HTMLSelectElement ? el.selectedOptions[0]?.text
      : el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement ? el.value : '';
    const form = el.closest('form');
    tell(JSON.stringify({
      kind: event.type, role: roleOf(shown), name: nameOf(shown).slice(0, LONGEST), value: (value ?? '').slice(0, LONGEST),
      form: form ? new URL(form.getAttribute('action') || '', document.baseURI).href : '', frame: location.href,
    }));
  };
  for (const kind of KINDS) addEventListener(kind, hear, true);
  addEventListener('focusin', (event) => { if (event.isTrusted) tell('focus'); }, true);
})
