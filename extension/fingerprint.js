// @ts-check
/*
 * Fourth part of __websp (see dom.js): the facts by which an element is found again, and the paths to it.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & Partial<PrintApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.fingerprint) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, labelOf, indexed, isControl, kit } = websp;
  const { all, collapse, cut, trim, split, test, ariaLabelledBy } = kit;
  const { attr, matches, tagOf, nodeType, parentNode, hostOf, previousElement, nextElement } = raw;
  const escape = CSS.escape;
  const { set } = Reflect;
  const IN_ORDER = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
  // An <img name="evaluate"> would hide the document's own.
  const evaluateIn = kit.uncurry(Document.prototype.evaluate);

  // ---------------------------------------------------------------- fingerprint
  const testAttributes = Object.freeze(['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa',
    'data-automation', 'data-automation-id', 'data-e2e', 'data-tid', 'data-hook']);
  // Ids that frameworks count up (":r1:", "radix-12", "ember403") or hash differ at the next load.
  const UNSTABLE = /^:|:$|\d{3,}|[0-9a-f]{8,}|^(radix|headlessui|mui|ember|react|ng|mat|downshift)[-:_]?.*\d/i;

  /** @type {(root: Node, el: Element) => string} */
  const uniqueId = (root, el) => {
    const id = attr(el, 'id');
    return id && !test(UNSTABLE, id) && all(root, `#${escape(id)}`).length === 1 ? `#${escape(id)}` : '';
  };
  /** @type {(el: Element) => {at: number, of: number}} */
  const position = (el) => {
    const tag = tagOf(el);
    let at = 1;
    let of = 1;
    for (let s = previousElement(el); s; s = previousElement(s)) if (tagOf(s) === tag) { at++; of++; }
    for (let s = nextElement(el); s; s = nextElement(s)) if (tagOf(s) === tag) of++;
    return { at, of };
  };

  /**
   * A path through every root from the document down; `step` writes one element, `stop` ends a root early.
   * @type {(el: Element, joint: string, step: (el: Element) => string, stop: (root: Node, el: Element) => string) => string}
   */
  const path = (el, joint, step, stop) => {
    const root = raw.rootOf(el);
    let out = '';
    for (let at = /** @type {Node|null} */ (el); at && nodeType(at) === 1; at = parentNode(at)) {
      const here = /** @type {Element} */ (at);
      const anchor = stop(root, here);
      out = (anchor || step(here)) + (out && joint + out);
      if (anchor) break;
    }
    return root instanceof ShadowRoot ? `${path(hostOf(root), joint, step, stop)} ::shadow ${out}` : out;
  };
  /** @type {PrintApi['css']} */
  const css = (el) => path(el, ' > ', (at) => {
    const { at: n, of } = position(at);
    // A path from the top of a shadow root must say so, or it also fits deeper inside.
    const top = parentNode(at) instanceof ShadowRoot ? ':host > ' : '';
    return top + escape(tagOf(at)) + (of > 1 ? `:nth-of-type(${n})` : '');
  }, uniqueId);
  /** @type {PrintApi['xpath']} */
  const xpath = (el) => {
    const route = path(el, '/', (at) => {
      const tag = tagOf(at);
      // XPath reads <o:p> as a prefix it does not know.
      const plain = at instanceof HTMLElement && test(/^[\w-]+$/, tag);
      return `${plain ? tag : `*[local-name()="${tag}"]`}[${position(at).at}]`;
    }, () => '');
    return `/${route}`;
  };

  /** @type {(route: string, find: (root: Node, step: string) => Element[]) => Element[]} */
  const follow = (route, find) => {
    const steps = split(route, ' ::shadow ');
    /** @type {Node[]} */
    let roots = [document];
    /** @type {Element[]} */
    let found = [];
    for (let i = 0; i < steps.length; i++) {
      found = [];
      for (let r = 0; r < roots.length; r++) {
        const some = find(roots[r], steps[i]);
        for (let k = 0; k < some.length; k++) found[found.length] = some[k];
      }
      roots = [];
      for (let k = 0; k < found.length; k++) {
        const shadow = raw.shadowOf(found[k]);
        if (shadow) roots[roots.length] = shadow;
      }
    }
    return found;
  };
  /** @type {PrintApi['allByCss']} */
  const allByCss = (route) => follow(route, (root, step) => {
    const list = all(root, step);
    const out = [];
    for (let i = 0; i < list.length; i++) out[i] = list[i];
    return out;
  });
  /** @type {(step: string, from: Node) => Element[]} */
  const evaluate = (step, from) => {
    const found = evaluateIn(document, step, from, null, IN_ORDER, null);
    const out = [];
    for (let i = 0; i < found.snapshotLength; i++) out[i] = /** @type {Element} */ (found.snapshotItem(i));
    return out;
  };
  /** @type {PrintApi['allByXPath']} */
  const allByXPath = (route) => follow(route, (root, step) => {
    if (nodeType(root) === 9) return evaluate(step, root);
    // XPath cannot start at a shadow root: its first step is taken here, the rest from the child found.
    const parts = /^(.*?)\[(\d+)\](?:\/(.*))?$/s.exec(step);
    if (!parts) return [];
    let left = Number(parts[2]);
    for (let child = raw.firstChild(root); child; child = raw.nextSibling(child)) {
      if (nodeType(child) !== 1 || !evaluate(`self::${parts[1]}`, child).length || --left) continue;
      return parts[3] ? evaluate(parts[3], child) : [/** @type {Element} */ (child)];
    }
    return [];
  });

  /** @type {(text: string) => number} */
  const letters = (text) => {
    const parts = split(text, /\s+/);
    let sum = 0;
    for (let i = 0; i < parts.length; i++) sum += parts[i].length;
    return sum;
  };
  /** Whether a text says more than the other controls that stand in it: "Hide Share" on every card says nothing. */
  /** @type {(at: Element, el: Element, text: string, limit: number) => boolean} */
  const saysMore = (at, el, text, limit) => {
    let left = letters(text);
    if (text.length < limit) {
      walk(at, (inner) => {
        if (inner === el) return false;
        if (inner === at || !isControl(inner)) return true;
        left -= letters(textOf(inner));
        return false;
      });
    }
    return left > 0;
  };
  /** Text around an element: of the nearest ancestor that says more than the controls in it. */
  /** @type {PrintApi['aroundOf']} */
  const aroundOf = (el, limit = 200) => {
    let first = '';
    for (let at = parentOf(el); at && tagOf(at) !== 'body'; at = parentOf(at)) {
      const text = textOf(at, el, limit);
      if (text && saysMore(at, el, text, limit)) return text;
      first = first || text;
    }
    return first;
  };
  /** @type {(el: Element) => string} */
  const siblingText = (el) => {
    for (let s = previousElement(el); s; s = previousElement(s)) { const text = textOf(s, null, 200); if (text) return text; }
    for (let s = nextElement(el); s; s = nextElement(s)) { const text = textOf(s, null, 200); if (text) return text; }
    return '';
  };
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend';
  /** The heading an element stands under. */
  /** @type {(el: Element) => string} */
  const sectionOf = (el) => {
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      for (let s = previousElement(at); s; s = previousElement(s)) {
        const inside = all(s, HEADINGS);
        const heading = matches(s, HEADINGS) ? s : inside[inside.length - 1];
        if (heading) return textOf(heading, null, 200);
      }
      const label = at === el ? '' : collapse(attr(at, 'aria-label') ?? '') || ariaLabelledBy(at);
      if (label) return label;
    }
    return '';
  };

  /** @type {PrintApi['fingerprint']} */
  const fingerprint = (el) => {
    const tag = tagOf(el);
    let testId = null;
    for (let i = 0; testId === null && i < testAttributes.length; i++) testId = attr(el, testAttributes[i]);
    const classes = split(trim(attr(el, 'class') ?? ''), /\s+/);
    const parent = parentOf(el);
    const order = indexed();
    let index = 0;
    while (index < order.length && order[index] !== el) index++;
    /** @type {Record<string, string|null>} */
    const facts = {
      __proto__: null, // for..in below must not meet what a page adds to Object.prototype
      testId,
      id: attr(el, 'id'),
      nameAttr: attr(el, 'name'),
      role: roleOf(el),
      name: cut(nameOf(el)),
      label: cut(labelOf(el)),
      text: cut(textOf(el)),
      nearby: cut(aroundOf(el)),
      sibling: cut(siblingText(el)),
      parent: parent && cut(textOf(parent)),
      section: cut(sectionOf(el)),
      href: attr(el, 'href'),
      placeholder: attr(el, 'placeholder'),
      typeAttr: attr(el, 'type'),
      css: css(el),
      xpath: xpath(el),
    };
    /** @type {Fingerprint} */
    const print = { tag };
    for (const key in facts) if (facts[key]) set(print, key, facts[key]);
    if (index < order.length) print.webspIndex = index;
    if (classes[0]) print.classes = classes;
    return print;
  };

  /** @type {PrintApi} */
  const api = { testAttributes, fingerprint, aroundOf, css, xpath, allByCss, allByXPath };
  Object.assign(websp, api);
})();
