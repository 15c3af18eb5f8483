// @ts-check
/*
 * Finds click handlers that are set as a property (el.onclick = …, as React does). They are visible only in the
 * page's own world, so this script runs there, with clipboard.js. A function of two event names that the page cannot
 * know: on the event `ask` on the window, it dispatches the event `tell` on each element that has such a handler
 * (page.js listens in its isolated world). It keeps the built-ins it needs; a page that defeats this can only get
 * more marks.
 */
(/** @type {string} */ ask, /** @type {string} */ tell) => {
  'use strict';
  /** @type {(fn: any) => any} */
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  /** @type {(proto: object, name: string) => any} */
  const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name)?.get);
  const htmlHandler = getter(HTMLElement.prototype, 'onclick');
  const svgHandler = getter(SVGElement.prototype, 'onclick');
  const allIn = uncurry(DocumentFragment.prototype.querySelectorAll);
  const allOf = uncurry(Document.prototype.querySelectorAll);
  const lengthOf = getter(NodeList.prototype, 'length');
  const shadowOf = getter(Element.prototype, 'shadowRoot');
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const Told = Event;

  /** @type {(el: Element) => boolean} */
  const reacts = (el) => {
    try { return typeof htmlHandler(el) === 'function'; } catch { /* not an HTML element */ }
    try { return typeof svgHandler(el) === 'function'; } catch { return false; }
  };
  /** @type {(list: NodeListOf<Element>) => void} */
  const tellOf = (list) => {
    for (let i = 0, n = lengthOf(list); i < n; i++) {
      const shadow = shadowOf(list[i]);
      if (shadow) tellOf(allIn(shadow, '*'));
      if (reacts(list[i])) dispatch(list[i], new Told(tell, { composed: true }));
    }
  };
  addEventListener(ask, () => tellOf(allOf(document, '*')));
}
