// @ts-check
/*
 * Fifth part of __websp (see dom.js): the facts by which an element is found again, and the paths to it.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & MarksApi & StateApi & Partial<PrintApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.fingerprint) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, labelOf, indexed, isControl, marksOf, serialOf, isSerial, kit } = websp;
  const { all, collapse, replace, cut, trim, split, test, ariaLabelledBy } = kit;
  const { attr, matches, tagOf, nodeType, parentNode, hostOf, previousElement, nextElement } = raw;
  const escape = CSS.escape;
  const { set } = Reflect;
  const IN_ORDER = XPathResult.ORDERED_NODE_SNAPSHOT_TYPE;
  // An <img name="evaluate"> would hide the document's own.
  const evaluateIn = kit.uncurry(Document.prototype.evaluate);

  // ---------------------------------------------------------------- fingerprint
  // An id with a number in it may be another one at the next load, or after the next row.
  const NUMBERED = /\d/;
  const MOST = 120; // Characters of a recorded text.
  const UNCUT = 400;

  /** @type {(root: Node, el: Element) => string} */
  const uniqueId = (root, el) => {
    const id = attr(el, 'id');
    if (!id || test(NUMBERED, id) || isSerial(root, 'id', id)) return '';
    return all(root, `#${escape(id)}`).length === 1 ? `#${escape(id)}` : '';
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

  const HIGHEST = 8; // ancestors that are looked at for the text of a row

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
        left -= letters(textOf(inner) || labelOf(inner));
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
  /** The text around an element at a height: that of its ancestor so many levels up. */
  /** @type {(el: Element, height: number) => string} */
  const textAt = (el, height) => {
    let at = parentOf(el);
    for (let i = 0; i < height && at; i++) at = parentOf(at);
    return at && tagOf(at) !== 'body' ? textOf(at, el, 1_000) : '';
  };
  /** The others of the same role and name that are rendered. */
  /** @type {PrintApi['namesakesOf']} */
  const namesakesOf = (el) => {
    const role = roleOf(el);
    const name = nameOf(el);
    const others = [];
    const list = indexed();
    for (let i = 0; i < list.length; i++) {
      const other = list[i];
      if (other !== el && roleOf(other) === role && nameOf(other) === name && raw.shown(other)) others[others.length] = other;
    }
    return others;
  };
  /** Without numbers, which change by themselves: "9 words" is on every row. */
  /** @type {(text: string) => string} */
  const steady = (text) => collapse(replace(text, /\d+/g, ' '));
  /** Text around an element that none of its namesakes has: "Pixel phone, 5 minutes ago" for one of many buttons. */
  /** @type {(el: Element, namesakes: Element[]) => string} */
  const rowOf = (el, namesakes) => {
    const nearest = aroundOf(el);
    /** @type {(text: string, of: (other: Element) => string) => boolean} */
    const isOwn = (text, of) => {
      for (let i = 0; i < namesakes.length; i++) if (steady(of(namesakes[i])) === steady(text)) return false;
      return true;
    };
    if (isOwn(nearest, aroundOf)) return nearest;
    for (let height = 1; height < HIGHEST; height++) {
      const text = textAt(el, height);
      if (text && isOwn(text, (other) => textAt(other, height))) return text;
    }
    return nearest;
  };
  /** @type {(el: Element) => string} */
  const siblingText = (el) => {
    for (let s = previousElement(el); s; s = previousElement(s)) { const text = textOf(s, null, 200); if (text) return text; }
    for (let s = nextElement(el); s; s = nextElement(s)) { const text = textOf(s, null, 200); if (text) return text; }
    return '';
  };
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend';
  /** Whether a heading is the header of an accordion: it contains a control, or is in one. */
  /** @type {(heading: Element) => boolean} */
  const isInControl = (heading) => {
    let found = kit.upwards(heading, isControl) !== null;
    walk(heading, (inner) => {
      found ||= isControl(inner);
      return !found;
    });
    return found;
  };
  /** Whether an element and the heading in it are a section of their own, closed before what follows. */
  /** @type {(before: Element) => boolean} */
  const isClosed = (before) => {
    const headings = all(before, HEADINGS);
    for (let i = 0; i < headings.length; i++) if (isInControl(headings[i])) return true;
    let controls = 0;
    walk(before, (inner) => {
      if (isControl(inner)) controls++;
      return controls < 2;
    });
    return controls > 1;
  };
  /** The heading an element stands under: not the last one of a section that ends before it, unless `any` is set. */
  /** @type {PrintApi['headingOf']} */
  const headingOf = (el, any = false) => {
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      for (let s = previousElement(at); s; s = previousElement(s)) {
        const isHeading = matches(s, HEADINGS);
        const inside = isHeading ? [] : all(s, HEADINGS);
        const heading = isHeading ? s : inside[inside.length - 1];
        if (heading && (isHeading || any || !isClosed(s))) return textOf(heading, null, 200);
      }
      const label = at === el ? '' : collapse(attr(at, 'aria-label') ?? '') || ariaLabelledBy(at);
      if (label) return label;
    }
    return '';
  };

  /** @type {(el: Element, most: number) => Fingerprint} */
  const factsOf = (el, most) => {
    const tag = tagOf(el);
    const marks = marksOf(el);
    const classes = split(trim(attr(el, 'class') ?? ''), /\s+/);
    const parent = parentOf(el);
    const order = indexed();
    let index = 0;
    while (index < order.length && order[index] !== el) index++;
    /** @type {Record<string, string|null>} */
    const facts = {
      __proto__: null, // for..in below must not meet what a page adds to Object.prototype
      testId: marks.testId,
      id: marks.id,
      nameAttr: marks.nameAttr,
      value: marks.value,
      form: marks.form,
      role: roleOf(el),
      name: cut(nameOf(el), most),
      label: cut(labelOf(el), most),
      text: cut(textOf(el), most),
      nearby: cut(aroundOf(el), most),
      sibling: cut(siblingText(el), most),
      parent: parent && cut(textOf(parent), most),
      section: cut(headingOf(el), most),
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
  /** @type {PrintApi['fingerprint']} */
  const fingerprint = (el) => factsOf(el, MOST);
  /** @type {PrintApi['recordedPrint']} */
  const recordedPrint = (el) => {
    const print = factsOf(el, UNCUT);
    if (print.name) {
      const namesakes = namesakesOf(el);
      print.namesakes = namesakes.length;
      const row = namesakes.length ? cut(rowOf(el, namesakes), UNCUT) : '';
      if (row) print.nearby = row;
    }
    const serial = serialOf(el, marksOf(el));
    if (serial.length) print.serial = serial;
    /** @type {Record<string, string>} */
    const uncut = {};
    for (const key of /** @type {const} */ (['name', 'label', 'text', 'nearby', 'sibling', 'parent', 'section'])) {
      const text = print[key];
      if (!text || text.length <= MOST) continue;
      uncut[key] = text;
      print[key] = cut(text, MOST);
      print.uncut = uncut;
    }
    return print;
  };

  /** @type {PrintApi} */
  const api = { fingerprint, recordedPrint, namesakesOf, headingOf, aroundOf, css, xpath, allByCss, allByXPath };
  Object.assign(websp, api);
})();
