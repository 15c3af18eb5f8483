// @ts-check
/*
 * What an element is: the ONE copy of the code that reads roles, names, states and fingerprints out of a page.
 * The recorder loads it as a content script; the Python side injects it at document start into every frame,
 * before any script of the page, and keeps the built-ins it needs from then on: a page that later patches
 * them, or a form whose fields are called "id" and "parentNode", does not change what is read.
 *
 * globalThis.__websp (not enumerable, not replaceable) has
 *   walk(root, visit)      flat tree in reading order: shadow roots (closed ones if kept) in place of light children, slots
 *                          filled. visit(element) returns false to leave out what lies inside
 *   elements(root)         the same as an array
 *   parentOf(node)         parent element in the flat tree (slot, then shadow host), null at the top
 *   roleOf(el)             first valid token of role=, else the implicit ARIA role, else "generic"
 *   nameOf(el)             accessible name, whitespace collapsed: aria-labelledby, aria-label, label, alt,
 *                          content where the role allows it, title, placeholder
 *   textOf(el, skip?)      visible text, whitespace collapsed, without the subtrees of `skip`
 *   labelOf(el)            text of its <label>s or of aria-labelledby, "" without
 *   stateOf(el, rules?)    {checked, mixed, expanded, disabled, selected, pressed, value}; null = has no such
 *                          state. `value` is the machine value (an <option>'s value=), bullets for a password.
 *                          rules [{on: css, off: css}] come first: css matched by the element or inside it
 *   shownValue(el)         the value as a person reads it (the label of the chosen option)
 *   interactive(el)        can a person operate it: a control, a click handler or tab stop, or the outermost
 *                          element of a pointer cursor. Says nothing about visibility
 *   operable(el)           the interactive element an event at `el` is meant for (label -> its control, the drawing of
 *                          an unseen control -> the control), else el
 *   drawingsOf(el)         what is drawn over or beside a control to be pressed in its place
 *   surfacesOf(el)         what draws an unseen control: the elements around it that contain no other
 *   indexed(root?)         interactive elements in walk order (without options); position = data-websp-index
 *   marksOf(el)            {testId, id, nameAttr, value, form}: what the page's author marked it with
 *   bearerOf(el, mark)     the element that has a mark: el, or the custom element whose control it is
 *   isSerial(root, attribute, mark)   whether others carry the mark with other numbers ("row-2" beside "row-3")
 *   fingerprint(el)        facts to find it again; keys without a value are left out
 *   recordedPrint(el)      the same, and which marks are serial, how many have its role and name (namesakes), and what
 *                          tells it from these (toldBy), as the text `nearby`; needs secret_texts.js
 *   surroundingOf(el)      the nearest ancestor with a text that is not of other controls; the row of a list
 *   aroundOf(el, limit?)   the text of that
 *   textBeside(at, el, limit), proseOf(at, el, limit), rowTextOf(at, el, limit)   text of an ancestor of el without el;
 *                          without other controls, their groups, links that do something and separators; the same with
 *                          a control that is the row's title
 *   partsOf(at, el, limit) the text of an ancestor of el as in proseOf, and the texts of the links that do something
 *   headingOf(el)          the heading an element is under
 *   groupOf(el), groupNamesOf(el)   the tabs, menus or parts of a page that it is one of, if it only opens something
 *   seriesNamesOf(el)      the names of the fields whose marks were counted up with its own
 *   css(el, counted), xpath(el)     paths; `counted` says in each step how many of its kind there are; steps into a shadow root are written " ::shadow "
 *   allByCss(path), allByXPath(path)   the elements such a path means, in order
 *   describe(el)           `<button> "Accept"` for messages
 */

(() => {
  'use strict';
  if (Object.getOwnPropertyDescriptor(globalThis, '__websp')) return;

  // ---------------------------------------------------------------- built-ins, kept
  /** @type {(fn: any) => any} */
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  /** @type {(proto: object, name: string) => any} */
  const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name)?.get);
  /** @type {(text: string, pattern: RegExp, by: string) => string} */
  const replace = uncurry(String.prototype.replace);
  const split = uncurry(String.prototype.split);
  /** @type {(text: string) => string} */
  const lower = uncurry(String.prototype.toLowerCase);
  /** @type {(text: string) => string} */
  const trim = uncurry(String.prototype.trim);
  /** @type {(text: string, from: number, to?: number) => string} */
  const slice = uncurry(String.prototype.slice);
  /** @type {(re: RegExp, text: string) => boolean} */
  const test = uncurry(RegExp.prototype.test);
  /** @type {(set: Set<string>, word: string) => boolean} */
  const contains = uncurry(Set.prototype.has);
  const LONGEST = 20_000; // Characters of one text of the page that are looked at: nobody reads more of a name.
  const escape = CSS.escape;

  /** @type {(node: Node) => number} */
  const nodeType = getter(Node.prototype, 'nodeType');
  /** @type {(node: Node) => Node|null} */
  const parentNode = getter(Node.prototype, 'parentNode');
  /** @type {(node: Text) => HTMLSlotElement|null} */
  const textSlot = getter(Text.prototype, 'assignedSlot');
  /** @type {(el: Element) => HTMLSlotElement|null} */
  const elementSlot = getter(Element.prototype, 'assignedSlot');
  /** @type {(root: ShadowRoot) => Element} */
  const hostOf = getter(ShadowRoot.prototype, 'host');
  const openShadow = getter(Element.prototype, 'shadowRoot');
  /** @type {WeakMap<Element, ShadowRoot>} Closed ones that somebody who may see them has handed over, by host. */
  const closed = new WeakMap();
  const closedShadow = uncurry(WeakMap.prototype.get);
  /** @type {(el: Element) => Node[]} */
  const assigned = uncurry(HTMLSlotElement.prototype.assignedNodes);
  const elementAll = uncurry(Element.prototype.querySelectorAll);
  const documentAll = uncurry(Document.prototype.querySelectorAll);
  const fragmentAll = uncurry(DocumentFragment.prototype.querySelectorAll);
  const documentById = uncurry(Document.prototype.getElementById);
  const fragmentById = uncurry(DocumentFragment.prototype.getElementById);
  const computedStyle = globalThis.getComputedStyle;
  /** @type {(el: Element, name: string) => string|null} */
  const attribute = uncurry(Element.prototype.getAttribute);
  /** @type {(text: string) => string} */
  const shortened = (text) => (text.length > LONGEST ? slice(text, 0, LONGEST) : text);

  /** @type {Raw} */
  const raw = {
    nodeType,
    parentNode,
    hostOf,
    previousElement: getter(Element.prototype, 'previousElementSibling'),
    nextElement: getter(Element.prototype, 'nextElementSibling'),
    stringify: JSON.stringify,
    firstChild: getter(Node.prototype, 'firstChild'),
    nextSibling: getter(Node.prototype, 'nextSibling'),
    rootOf: uncurry(Node.prototype.getRootNode),
    isConnected: getter(Node.prototype, 'isConnected'),
    tagOf: getter(Element.prototype, 'localName'),
    shadowOf: (el) => openShadow(el) ?? closedShadow(closed, el) ?? null,
    keepShadow: (root) => { closed.set(hostOf(root), root); },
    attr: (el, name) => {
      const value = attribute(el, name);
      return value === null ? null : shortened(value);
    },
    has: uncurry(Element.prototype.hasAttribute),
    matches: uncurry(Element.prototype.matches),
    rect: uncurry(Element.prototype.getBoundingClientRect),
    rects: uncurry(Element.prototype.getClientRects),
    shown: uncurry(Element.prototype.checkVisibility),
    style: (el) => computedStyle(el),
    // A form or an image called "body" takes the place of document.body.
    body: getter(Document.prototype, 'body').bind(null, document),
    root: getter(Document.prototype, 'documentElement').bind(null, document),
    active: getter(Document.prototype, 'activeElement').bind(null, document),
    hasFocus: (el) => {
      const root = raw.rootOf(el);
      return (root === document ? raw.active() : /** @type {ShadowRoot} */ (root).activeElement) === el;
    },
  };
  const { tagOf, attr, matches } = raw;

  /** @type {(text: string) => string} */
  const collapse = (text) => trim(replace(text, /\s+/g, ' '));
  /** @type {Kit['cut']} */
  const cut = (text, most = 120) => (text.length > most ? trim(slice(text, 0, most)) : text);
  /** @type {(node: Node, css: string) => NodeListOf<Element>} */
  const all = (node, css) => {
    const type = nodeType(node);
    return (type === 1 ? elementAll : type === 9 ? documentAll : fragmentAll)(node, css);
  };
  /** @type {(near: Node, id: string) => Element|null} */
  const byId = (near, id) => {
    const root = raw.rootOf(near);
    const type = nodeType(root);
    return type === 9 ? documentById(root, id) : type === 11 ? fragmentById(root, id) : null;
  };

  // ---------------------------------------------------------------- the flat tree
  /** @type {(node: Node, visit: (child: Node) => void) => void} */
  const eachChild = (node, visit) => {
    /** @type {Node} */
    let from = node;
    if (nodeType(node) === 1) {
      const el = /** @type {Element} */ (node);
      from = raw.shadowOf(el) ?? node;
      if (from === node && tagOf(el) === 'slot') {
        const filled = assigned(el);
        for (let i = 0; i < filled.length; i++) visit(filled[i]);
        if (filled.length) return;
      }
    }
    for (let child = raw.firstChild(from); child; child = raw.nextSibling(child)) visit(child);
  };

  /** @type {Core['walk']} */
  const walk = (root, visit) => {
    /** @type {(node: Node) => void} */
    const enter = (node) => {
      if (nodeType(node) === 1 && visit(/** @type {Element} */ (node)) !== false) eachChild(node, enter);
    };
    if (nodeType(root) === 1) enter(root);
    else eachChild(root, enter);
  };

  /** @type {Core['elements']} */
  const elements = (root) => {
    /** @type {Element[]} */
    const list = [];
    walk(root, (el) => void (list[list.length] = el));
    return list;
  };

  /** The slot of a child of a host whose root is closed: the browser does not tell it. */
  /** @type {(host: Element, child: Node) => Element|null} */
  const closedSlot = (host, child) => {
    const root = closedShadow(closed, host);
    const slots = root ? all(root, 'slot') : [];
    for (let i = 0; i < slots.length; i++) {
      const filled = assigned(slots[i]);
      for (let k = 0; k < filled.length; k++) if (filled[k] === child) return slots[i];
    }
    return null;
  };

  /** @type {Core['parentOf']} */
  const parentOf = (node) => {
    const type = nodeType(node);
    const slot = type === 1 ? elementSlot(/** @type {Element} */ (node))
      : type === 3 ? textSlot(/** @type {Text} */ (node)) : null;
    if (slot) return slot;
    const parent = parentNode(node);
    if (!parent) return null;
    if (nodeType(parent) === 1) return closedSlot(/** @type {Element} */ (parent), node) ?? /** @type {Element} */ (parent);
    return parent instanceof ShadowRoot ? hostOf(parent) : null;
  };

  /** @type {(el: Element|null, test: (el: Element) => boolean) => Element|null} */
  const upwards = (el, fits) => {
    for (let at = el; at; at = parentOf(at)) if (fits(at)) return at;
    return null;
  };

  /** @type {Tree} */
  const tree = {
    raw, walk, elements, parentOf,
    kit: { uncurry, getter, eachChild, all, byId, upwards, collapse, replace, shortened, slice, cut, lower, trim, split, test, contains, LONGEST },
  };
  Object.defineProperty(globalThis, '__websp', { value: tree, enumerable: false });
})();
