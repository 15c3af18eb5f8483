// @ts-check
/*
 * Which elements react to a press, asked of handlers.js in the page's own world. Injected before page.js; adds to __websp
 *   heed(ask, tell)     sets the names of the two events between the worlds
 *   askForHandlers()    asks again
 *   reacts(el)          whether the element has a handler for a press, as an attribute or set by a script of the page
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & ShadowApi & Partial<ListenerApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.reacts) return;
  const { raw, revealed, kit } = websp;
  const { uncurry, all } = kit;
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);

  /** @type {ListenerApi['reacts']} */
  const reacts = (el) => raw.has(el, 'onclick') || isTold(told, el);
  /** @type {(set: WeakSet<Element>, el: Element) => boolean} */
  const isTold = uncurry(WeakSet.prototype.has);
  /** @type {WeakSet<Element>} */
  let told = new WeakSet();
  /** @type {[ask: string, tell: string]|null} */
  let words = null;
  /** @type {ListenerApi['heed']} */
  const heed = (ask, tell) => { words = [ask, tell]; };
  const askForHandlers = () => {
    if (!words) return;
    told = new WeakSet();
    askIn(globalThis, null);
    const closed = revealed();
    for (let i = 0; i < closed.length; i++) {
      const [inside] = all(closed[i], '*');
      if (inside instanceof HTMLElement) askIn(closed[i], inside);
    }
  };
  /** Asks for the handlers of the document, or of the closed shadow root that `inside` is in, which only `at` hears. */
  /** @type {(at: EventTarget, inside: HTMLElement|null) => void} */
  const askIn = (at, inside) => {
    const [ask, tell] = /** @type {[string, string]} */ (words);
    const hear = (/** @type {Event} */ event) => {
      const [el] = event.composedPath();
      if (el instanceof Element) told.add(el);
    };
    at.addEventListener(tell, hear, true);
    dispatch(globalThis, new SubmitEvent(ask, { submitter: inside }));
    at.removeEventListener(tell, hear, true);
  };

  /** @type {ListenerApi} */
  const api = { heed, askForHandlers, reacts };
  Object.assign(websp, api);
})();
