// @ts-check
/*
 * Last part of __websp (see dom.js): the facts by which an element is found again, and the paths to it.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & MarksApi & StateApi & RowsApi & SurroundingsApi & GroupsApi & Partial<PrintApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.fingerprint) return;
  const { raw, parentOf, roleOf, nameOf, textOf, labelOf, indexed, isControl, marksOf, serialOf, isSerial, kit } = websp;
  const { aroundOf, siblingText, headingOf, namesakesOf, toldApart, groupNamesOf, seriesNamesOf } = websp;
  const { all, cut, trim, split, test } = kit;
  const { attr, tagOf, nodeType, parentNode, hostOf, previousElement, nextElement } = raw;
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
  const css = (el, counted = false) => path(el, ' > ', (at) => {
    const { at: n, of } = position(at);
    // A path from the top of a shadow root must say so, or it also fits deeper inside.
    const top = parentNode(at) instanceof ShadowRoot ? ':host > ' : '';
    const last = counted ? `:nth-last-of-type(${of - n + 1})` : '';
    return top + escape(tagOf(at)) + (of > 1 ? `:nth-of-type(${n})${last}` : '');
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
  /** Whether the value of a control is only its text once more, in the language of the page, and tells it from no other. */
  /** @type {(el: Element, print: Fingerprint) => boolean} */
  const isValueText = (el, { value, name, nameAttr }) => {
    if (!value || value !== name) return false;
    const list = nameAttr ? all(raw.rootOf(el), `[name="${escape(nameAttr)}"]`) : [];
    return list.length < 2;
  };
  const TEXTS = /** @type {const} */ (['name', 'label', 'text', 'nearby', 'sibling', 'parent', 'section']);
  /** What a recording keeps of the texts of an element and its rows: see trace.js. */
  /** @type {(print: Fingerprint) => (text: string) => string} */
  const keptOf = (print) => {
    const { codesBeside, withoutSecrets, withoutPeople } = /** @type {SecretTexts} */ (Reflect.get(globalThis, '__webspSecretTexts'));
    const beside = codesBeside(TEXTS.map((key) => print[key] ?? ''));
    return (text) => withoutPeople(withoutSecrets(text, undefined, beside));
  };
  /** @type {PrintApi['recordedPrint']} */
  const recordedPrint = (el) => {
    const print = factsOf(el, UNCUT);
    const known = print.name || isControl(el);
    const namesakes = known ? namesakesOf(el) : [];
    if (known) print.namesakes = namesakes.length;
    if (namesakes.length) {
      const { nearby, toldBy } = toldApart(el, namesakes, keptOf(print));
      print.toldBy = toldBy;
      if (nearby) print.nearby = cut(nearby, UNCUT); else delete print.nearby;
    }
    if (isValueText(el, print)) delete print.value;
    const group = groupNamesOf(el);
    const series = group.length ? [] : seriesNamesOf(el);
    const lang = attr(document.documentElement, 'lang');
    if (group.length) print.group = group;
    if (series.length && lang) { print.group = series; print.lang = cut(lang, 20); }
    const serial = serialOf(el, marksOf(el));
    if (serial.length) print.serial = serial;
    /** @type {Record<string, string>} */
    const uncut = {};
    for (const key of TEXTS) {
      const text = print[key];
      if (!text || text.length <= MOST) continue;
      uncut[key] = text;
      print[key] = cut(text, MOST);
      print.uncut = uncut;
    }
    return print;
  };

  /** @type {PrintApi} */
  const api = { fingerprint, recordedPrint, css, xpath, allByCss, allByXPath };
  Object.assign(websp, api);
})();
