// @ts-check
/*
 * Finds the elements that react to a press: a handler set with addEventListener (as Vue, Angular, Svelte and jQuery do)
 * or as a property (el.onclick = …, as React does). Both are visible only in the page's own world, so this script runs
 * there, with clipboard.js. A function of two event names that the page cannot know: on the event `ask` on the window, it
 * dispatches the event `tell` on each element that reacts (page.js listens in its isolated world). If `ask` has a submitter,
 * it does so for the shadow root of that element instead, which may be closed. It keeps the built-ins it needs; a page
 * that defeats this can only get more marks.
 *
 * Listeners are read with getEventListeners() of the console, which scripts of pages do not have: isolated.py calls the
 * listener of `ask` with it. The page's addEventListener stays what it is.
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
  const submitterOf = getter(SubmitEvent.prototype, 'submitter');
  const rootOf = uncurry(Node.prototype.getRootNode);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const { hasOwn } = Object;
  const Told = Event;

  /** All elements but controls and what is in them: these have marks anyway. */
  const CANDIDATES = ':not(html, head, head *, body, a[href], a[href] *, button, button *, input, option)';
  /** What a press with the mouse fires. Touch is left out: there is no finger here. */
  const PRESS = { __proto__: null, click: 1, dblclick: 1, mousedown: 1, mouseup: 1, pointerdown: 1, pointerup: 1 };
  /** Only fields fire these: who listens for one of them listens for what is in it. */
  const OF_FIELDS = { __proto__: null, change: 1, input: 1, submit: 1 };
  /** Who listens to more types of events is the root of a framework. */
  const MOST_TYPES = 20;
  /** @type {((el: Element) => object)|null} */
  let listenersOf = null;

  /** @type {(el: Element) => boolean} */
  const listens = (el) => {
    const found = /** @type {(el: Element) => object} */ (listenersOf)(el);
    let types = 0;
    let press = false;
    for (const type in found) {
      if (!hasOwn(found, type)) continue;
      types++;
      press ||= type in PRESS;
      if (type in OF_FIELDS) return false;
    }
    return press && types <= MOST_TYPES;
  };
  /** @type {(el: Element) => boolean} */
  const hasProperty = (el) => {
    try { return typeof htmlHandler(el) === 'function'; } catch { /* not an HTML element */ }
    try { return typeof svgHandler(el) === 'function'; } catch { return false; }
  };
  /** @type {(list: NodeListOf<Element>) => void} */
  const tellOf = (list) => {
    const reacts = listenersOf ? listens : hasProperty;
    for (let i = 0, n = lengthOf(list); i < n; i++) {
      const shadow = shadowOf(list[i]);
      if (shadow) tellOf(allIn(shadow, CANDIDATES));
      if (reacts(list[i])) dispatch(list[i], new Told(tell, { composed: true }));
    }
  };
  addEventListener(ask, (/** @type {any} */ event) => {
    if (typeof event === 'function') {
      listenersOf = event;
      return;
    }
    const inside = submitterOf(event);
    tellOf(inside ? allIn(rootOf(inside), CANDIDATES) : allOf(document, CANDIDATES));
  });
}
