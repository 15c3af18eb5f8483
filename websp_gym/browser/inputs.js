// @ts-check
/*
 * Tells what is operated in a document, by the page's own events. A function of the name of a binding of the isolated
 * world; it runs there at document start, after dom.js and names.js, before any script of the page.
 *
 * Each event is told as {event, trusted, role, name, form, frame, field, value, chosen}: `field` is the number of the
 * element in its document (from 1), `value` what stands in it afterwards, `chosen` the text of the chosen options. A
 * press of a label, of Enter in a field and of Space on a button ends in a click on the control, as the browser does it;
 * only widgets that a script makes are operated by keys alone.
 */
(/** @type {string} */ binding) => {
  'use strict';
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { raw, kit, roleOf, nameOf, textOf } = websp;
  const { uncurry, getter } = kit;
  const listen = uncurry(EventTarget.prototype.addEventListener);
  const pathOf = uncurry(Event.prototype.composedPath);
  const later = setTimeout.bind(globalThis);
  const write = JSON.stringify;
  const CanParse = URL.canParse;
  const Address = URL;
  /** @type {(el: Node) => string} */
  const baseOf = getter(Node.prototype, 'baseURI');
  const valueOfArea = getter(HTMLTextAreaElement.prototype, 'value');
  const valueOfInput = getter(HTMLInputElement.prototype, 'value');
  const valueOfSelect = getter(HTMLSelectElement.prototype, 'value');
  const LONGEST = 10000;
  const PLAIN = ['generic', 'presentation', 'none', 'paragraph', 'image', 'img', ''];
  const AROUND = ['form', 'main', 'region', 'document', 'article', 'dialog', 'banner', 'contentinfo', 'complementary', 'search'];
  const NATIVE = ['button', 'a', 'area', 'input', 'select', 'textarea', 'summary', 'option'];
  const KEYS = ['Enter', ' ', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'];
  const MOVED = ['slider', 'spinbutton', 'listbox', 'radio', 'scrollbar', 'combobox', 'tab'];
  /** @type {WeakMap<Element, number>} */
  const fields = new WeakMap();
  let known = 0;
  /** What is being dragged: it is operated if a page takes it, which gets a drop then. @type {Element|null} */
  let dragged = null;

  /** What a press there is a press of: the control around a drawing or a text. */
  /** @type {(el: Element) => Element} */
  const controlOf = (el) => {
    const above = PLAIN.includes(roleOf(el)) ? kit.upwards(el, (at) => !PLAIN.includes(roleOf(at))) : null;
    return above && !AROUND.includes(roleOf(above)) ? above : el;
  };
  /** @type {(el: Element) => string} */
  const formOf = (el) => {
    const form = raw.tagOf(el) === 'form' ? el : kit.upwards(el, (at) => raw.tagOf(at) === 'form');
    const action = form && (raw.attr(el, 'formaction') || raw.attr(form, 'action')) || location.href;
    return form && CanParse(action, baseOf(document)) ? kit.cut(new Address(action, baseOf(document)).href, 2000) : '';
  };
  /** @type {(el: Element) => string} */
  const valueIn = (el) => {
    const tag = raw.tagOf(el);
    const value = tag === 'input' ? valueOfInput(el) : tag === 'textarea' ? valueOfArea(el)
      : tag === 'select' ? valueOfSelect(el) : textOf(el, [], LONGEST);
    return kit.cut(value, LONGEST);
  };
  /** @type {(el: Element) => boolean} */
  const isField = (el) => ['textbox', 'searchbox', 'spinbutton', 'combobox'].includes(roleOf(el));
  /** @type {(el: Element) => boolean} */
  const isChoice = (el) => raw.tagOf(el) === 'select' || (raw.tagOf(el) === 'input' && kit.inputType(el) === 'radio');

  /** @type {(el: Element) => boolean} */
  const isLink = (el) => ['a', 'area'].includes(raw.tagOf(el)) && raw.has(el, 'href');
  /** @type {(el: Element) => boolean} */
  const isInLink = (el) => Boolean(kit.upwards(el, isLink));

  /** @type {(event: string, trusted: boolean, el: Element) => void} */
  const tell = (event, trusted, el) => {
    const say = Reflect.get(globalThis, binding);
    if (typeof say !== 'function') return;
    const about = controlOf(el);
    const has = event !== 'submit' && (isField(about) || isChoice(about));
    if (has && !fields.has(about)) fields.set(about, ++known);
    const role = roleOf(about);
    say(write({
      event, trusted, role,
      name: kit.cut(nameOf(about) || (PLAIN.includes(role) ? textOf(about) : ''), 300),
      form: formOf(about), frame: kit.cut(location.href, 2000), document: performance.timeOrigin,
      field: has ? fields.get(about) : 0,
      value: has ? valueIn(about) : '',
      chosen: isChoice(about) ? kit.cut(raw.tagOf(about) === 'select' ? websp.shownValue(about) : nameOf(about), LONGEST) : '',
    }));
  };

  /** @type {(event: Event) => Element|null} */
  const targetOf = (event) => {
    const at = pathOf(event)[0];
    return at instanceof Element ? at : null;
  };
  /** @type {(event: Event) => void} */
  const note = (event) => {
    const el = targetOf(event);
    if (!el) return;
    try {
      const keys = event instanceof KeyboardEvent;
      if (keys) {
        const role = roleOf(el);
        const operates = event.key === 'Enter' || event.key === ' ' ? kit.WIDGETS.has(role) : MOVED.includes(role);
        if (!KEYS.includes(event.key) || NATIVE.includes(raw.tagOf(el)) || !operates) return;
      }
      // A middle click opens a link and does nothing else; a right click opens a menu of the browser.
      if (event.type === 'auxclick' && (/** @type {MouseEvent} */ (event).button !== 1 || !isInLink(el))) return;
      if (event.type === 'drop' && dragged) tell(event.type, event.isTrusted, dragged);
      if (event instanceof DragEvent) dragged = event.type === 'dragstart' ? el : null;
      if (event instanceof DragEvent && event.type !== 'drop') return;
      const submitter = event instanceof SubmitEvent ? event.submitter : null;
      tell(event.type, event.isTrusted, submitter ?? el);
      // An editor that writes by itself stops the event, and nothing tells when it is done.
      if (event.type === 'beforeinput' && event.isTrusted) later(() => { if (event.defaultPrevented) tell('input', true, el); });
    } catch { /* a page with content that cannot be read; the next event is another one */ }
  };
  for (const type of ['click', 'auxclick', 'beforeinput', 'input', 'change', 'submit', 'keydown', 'dragstart', 'drop', 'dragend']) {
    listen(globalThis, type, note, true);
  }
}
