// @ts-check
/*
 * Which elements react to a press, asked of handlers.js in the page's own world. Injected before page.js; adds to __websp
 *   heed(ask, tell)     sets the names of the two events between the worlds
 *   askForHandlers()    asks again
 *   reacts(el)          whether the element has a handler for a press, as an attribute or set by a script of the page
 *   isList(el, hand)    whether an element that reacts does so for its children; isLandmark(el): for anything in it
 *   saysSomething(el)   whether it has a text of its own
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & ShadowApi & Partial<ListenerApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.reacts) return;
  const { raw, revealed, roleOf, hasHandler, kit } = websp;
  const { all, contains, eachChild, test, uncurry } = kit;
  const { attr, tagOf } = raw;
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

  // ---------------------------------------------------------------- for whom an element listens
  // Containers whose listener is for what is in them: for their children, or for anything.
  const LISTS = new Set(['list', 'listbox', 'table', 'rowgroup', 'grid', 'treegrid', 'tree', 'menu', 'menubar', 'tablist', 'radiogroup', 'feed']);
  const LANDMARKS = new Set(['form', 'log', 'main', 'navigation', 'region', 'complementary', 'banner', 'contentinfo', 'search', 'toolbar',
    'dialog', 'alertdialog', 'document', 'application']);
  /** @type {ListenerApi['isLandmark']} */
  const isLandmark = (el) => contains(LANDMARKS, roleOf(el));
  /** Whether an element with a listener listens for its children: the rows of a list, or three or more of a kind below each other. */
  /** @type {ListenerApi['isList']} */
  const isList = (el, hand) => {
    if (hand || hasHandler(el)) return false;
    if (contains(LISTS, roleOf(el))) return true;
    /** @type {Element|null} */
    let before = null;
    let same = 0;
    eachChild(el, (node) => {
      if (raw.nodeType(node) !== 1 || same > 1) return;
      const child = /** @type {Element} */ (node);
      const alike = before && tagOf(before) === tagOf(child) && attr(before, 'class') === attr(child, 'class');
      same = alike && !test(/^inline/, raw.style(child).display) ? same + 1 : 0;
      before = child;
    });
    return same > 1;
  };
  /** Whether an element has a text of its own, as a row has and a container has not. */
  /** @type {ListenerApi['saysSomething']} */
  const saysSomething = (el) => {
    let says = false;
    eachChild(el, (node) => { says ||= raw.nodeType(node) === 3 && test(/\S/, node.nodeValue ?? ''); });
    return says;
  };

  /** @type {ListenerApi} */
  const api = { heed, askForHandlers, reacts, isList, isLandmark, saysSomething };
  Object.assign(websp, api);
})();
