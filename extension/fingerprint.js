// @ts-check
/*
 * Fifth part of __websp (see dom.js): the facts by which an element is found again, and the paths to it.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & MarksApi & StateApi & Partial<PrintApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.fingerprint) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, labelOf, hostsOf, indexed, isControl, surfacesOf, marksOf, serialOf, isSerial, kit } = websp;
  const { all, collapse, replace, cut, trim, split, test, ariaLabelledBy, labellersOf } = kit;
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

  const HIGHEST = 20; // ancestors that are looked at for the text of a row

  /** A control, and what draws the value of a combobox. */
  /** @type {(el: Element) => Element[]} */
  const drawnParts = (el) => {
    const list = roleOf(el) === 'combobox' ? surfacesOf(el) : [];
    list[list.length] = el;
    return list;
  };
  /** Whether an element contains a control that is no link: a list of links is text. */
  /** @type {(el: Element) => boolean} */
  const holdsControl = (el) => {
    let found = false;
    walk(el, (inner) => {
      found ||= inner !== el && isControl(inner) && roleOf(inner) !== 'link';
      return !found;
    });
    return found;
  };
  /** @type {(el: Element, outer: Element) => boolean} */
  const isIn = (el, outer) => kit.upwards(el, (at) => at === outer) !== null;
  /** The button or box that a row begins with: its title, on which a person may click too. */
  /** @type {(row: Element, el: Element) => Element|null} */
  const titleOf = (row, el) => {
    const whole = textBeside(row, el, 1_000);
    let title = /** @type {Element|null} */ (null);
    walk(row, (inner) => {
      if (title || inner === el) return false;
      if (!test(/^(button|checkbox|switch|radio)$/, roleOf(inner))) return true;
      const text = textOf(inner) || nameOf(inner);
      if (text && kit.slice(whole, 0, text.length) === text) title = inner;
      return false;
    });
    return title;
  };
  /**
   * The parts of an ancestor of an element that are of other controls: these with their labels, and what contains a
   * control but neither the element nor the title of its row, as a group of fields with its heading; not the options of
   * a closed list.
   * @type {(at: Element, el: Element, title: Element|null) => Element[]}
   */
  const othersIn = (at, el, title) => {
    const list = drawnParts(el);
    walk(at, (inner) => {
      if (inner === el || inner === title || raw.style(inner).display === 'none') return false;
      const isAround = inner === at || isIn(el, inner) || (title !== null && isIn(title, inner));
      // A link may be the title of a row, and a list of links is a text.
      if (isAround || roleOf(inner) === 'link') return true;
      if (!isControl(inner)) {
        if (!holdsControl(inner)) return true;
        list[list.length] = inner;
        return false;
      }
      const drawn = drawnParts(inner);
      for (let i = 0; i < drawn.length; i++) list[list.length] = drawn[i];
      const labels = labellersOf(inner);
      for (let i = 0; i < labels.length; i++) list[list.length] = labels[i];
      return false;
    });
    return list;
  };
  /** Text of an ancestor without that of other controls and their groups: "Hide Share" is on every card, and more come with time. */
  /** @type {PrintApi['proseOf']} */
  const proseOf = (at, el, limit) => textOf(at, othersIn(at, el, null), limit);
  /** @type {PrintApi['rowTextOf']} */
  const rowTextOf = (at, el, limit) => textOf(at, othersIn(at, el, titleOf(at, el)), limit);
  /** @type {PrintApi['textBeside']} */
  const textBeside = (at, el, limit) => textOf(at, drawnParts(el), limit);
  const ROWS = 'tr,li,[role=row],[role=listitem]';
  const LISTS = '[role=menu],[role=menubar],[role=listbox],[role=tablist]';
  /** The nearest ancestor with a text that is not of other controls: the row of an element in a list, even if it has none. */
  /** @type {PrintApi['surroundingOf']} */
  const surroundingOf = (el, limit = 200) => {
    let first = null;
    for (let at = parentOf(el); at && tagOf(at) !== 'body'; at = parentOf(at)) {
      // A menu may be anywhere on the page.
      if (matches(at, LISTS)) return null;
      const text = textBeside(at, el, limit);
      if (text && (matches(at, ROWS) || proseOf(at, el, limit))) return at;
      if (text) first = first || at;
    }
    return first;
  };
  /** @type {PrintApi['aroundOf']} */
  const aroundOf = (el, limit = 200) => {
    const at = surroundingOf(el, limit);
    return at ? proseOf(at, el, limit) || textBeside(at, el, limit) : '';
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
  /** The ancestors of an element up to the one that contains another element too: its row is one of them. */
  /** @type {(el: Element, others: Element[]) => Element[]} */
  const ownAncestors = (el, others) => {
    const list = [];
    for (let at = parentOf(el); at && tagOf(at) !== 'body' && list.length < HIGHEST; at = parentOf(at)) {
      for (let i = 0; i < others.length; i++) if (kit.upwards(others[i], (outer) => outer === at)) return list;
      list[list.length] = at;
    }
    return list;
  };
  /** @typedef {(at: Element, el: Element, limit: number) => string} Read */
  /** The text before the first number: "Order" of "Order 1724, paid". */
  /** @type {(text: string) => string} */
  const unnumbered = (text) => collapse(split(text, /\d/)[0]);
  const MOST_IN_ROW = 12; // controls
  /** The roles of the controls in an element, which rows of a list have alike; none of what has more controls than a row. */
  /** @type {(at: Element) => string} */
  const rolesIn = (at) => {
    let roles = '';
    let count = 0;
    walk(at, (inner) => {
      if (count <= MOST_IN_ROW && isControl(inner)) { roles += ` ${roleOf(inner)}`; count++; }
      return count <= MOST_IN_ROW;
    });
    return count <= MOST_IN_ROW ? roles : '';
  };
  /** Whether the ancestor of an element at a height is one of several rows, of which another belongs to one of its namesakes. */
  /** @type {(el: Element, others: Element[], height: number) => boolean} */
  const isRow = (el, others, height) => {
    const row = ancestorOf(el, height);
    const roles = row ? rolesIn(row) : '';
    for (let i = 0; roles && i < others.length; i++) {
      const other = ancestorOf(others[i], height);
      if (other && row && parentOf(other) === parentOf(row) && rolesIn(other) === roles) return true;
    }
    return false;
  };
  /** The nearest text around an element, below the ancestors of the others, that, measured so, none of these has. */
  /** @type {(el: Element, others: Element[], read: Read, measure: ((text: string) => string)|null) => string} */
  const ownText = (el, others, read, measure) => {
    const heights = ownAncestors(el, others).length;
    const name = nameOf(el);
    for (let height = 0; height < heights; height++) {
      const whole = read === proseOf && isRow(el, others, height) ? rowTextOf : read;
      const text = textAt(el, height, whole);
      let shared = !text || text === name || (measure && !measure(text));
      for (let i = 0; measure && i < others.length && !shared; i++) shared = measure(textAt(others[i], height, whole)) === measure(text);
      if (!shared) return text;
    }
    return '';
  };
  /** The text that tells an element from its namesakes, if any, and what it is told by. */
  /** @type {(el: Element, namesakes: Element[]) => {nearby: string, toldBy: NonNullable<Fingerprint['toldBy']>}} */
  const toldApart = (el, namesakes) => {
    const heading = headingOf(el);
    const under = [];
    for (let i = 0; i < namesakes.length; i++) if (headingOf(namesakes[i]) === heading) under[under.length] = namesakes[i];
    // What has no name is told from the other controls in its row by their texts only.
    const read = nameOf(el) ? proseOf : textBeside;
    /** @type {(others: Element[]) => string} */
    const own = (others) => ownText(el, others, read, steady) || ownText(el, others, read, collapse);
    const row = own(namesakes);
    if (row) return { nearby: row, toldBy: ownText(el, namesakes, read, unnumbered) ? 'row' : 'number' };
    if (heading && !under.length) return { nearby: ownText(el, namesakes, read, null), toldBy: 'heading' };
    const inSection = under.length < namesakes.length ? own(under) : '';
    return { nearby: inSection, toldBy: inSection ? 'both' : 'place' };
  };
  /** The ancestor of an element so many levels above its parent. */
  /** @type {(el: Element, height: number) => Element|null} */
  const ancestorOf = (el, height) => {
    let at = parentOf(el);
    for (let i = 0; i < height && at; i++) at = parentOf(at);
    return at && tagOf(at) !== 'body' ? at : null;
  };
  /** @type {(el: Element, height: number, read: Read) => string} */
  const textAt = (el, height, read) => {
    const at = ancestorOf(el, height);
    return at ? read(at, el, 1_000) : '';
  };
  /** @type {(el: Element) => string} */
  const siblingText = (el) => {
    for (let s = previousElement(el); s; s = previousElement(s)) { const text = textOf(s, [], 200); if (text) return text; }
    for (let s = nextElement(el); s; s = nextElement(s)) { const text = textOf(s, [], 200); if (text) return text; }
    const host = hostsOf(el)[0];
    return host ? siblingText(host) : '';
  };
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
  /** The headings inside an element; the legend of a group of fields is over what is in the group only. */
  /** @type {(at: Element) => Element[]} */
  const headingsIn = (at) => {
    /** @type {Element[]} */
    const found = [];
    walk(at, (inner) => { if (inner !== at && matches(inner, HEADINGS)) found[found.length] = inner; });
    return found;
  };
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
  /** Whether an element with so many controls and a heading is a section of its own, closed before what follows. */
  /** @type {(before: Element, least: number) => boolean} */
  const isClosed = (before, least) => {
    if (least === Infinity) return false;
    const headings = headingsIn(before);
    for (let i = 0; i < headings.length; i++) if (isInControl(headings[i])) return true;
    let controls = 0;
    walk(before, (inner) => {
      if (isControl(inner)) controls++;
      return controls < least;
    });
    return controls >= least;
  };
  /** The heading an element stands under: not the last one of a section that ends before it, unless it has less than `least` controls. */
  /** @type {PrintApi['headingOf']} */
  const headingOf = (el, least = 2) => {
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      for (let s = previousElement(at); s; s = previousElement(s)) {
        const isHeading = matches(s, `${HEADINGS},legend`);
        const inside = isHeading ? [] : headingsIn(s);
        const heading = isHeading ? s : inside[inside.length - 1];
        if (heading && (isHeading || !isClosed(s, least))) return textOf(heading, [], 200);
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
  /** Whether the value of a control is only its text once more, in the language of the page, and tells it from no other. */
  /** @type {(el: Element, print: Fingerprint) => boolean} */
  const isValueText = (el, { value, name, nameAttr }) => {
    if (!value || value !== name) return false;
    const list = nameAttr ? all(raw.rootOf(el), `[name="${escape(nameAttr)}"]`) : [];
    return list.length < 2;
  };
  /** @type {PrintApi['recordedPrint']} */
  const recordedPrint = (el) => {
    const print = factsOf(el, UNCUT);
    const known = print.name || isControl(el);
    const namesakes = known ? namesakesOf(el) : [];
    if (known) print.namesakes = namesakes.length;
    if (namesakes.length) {
      const { nearby, toldBy } = toldApart(el, namesakes);
      print.toldBy = toldBy;
      if (nearby) print.nearby = cut(nearby, UNCUT); else delete print.nearby;
    }
    if (isValueText(el, print)) delete print.value;
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
  const api = { fingerprint, recordedPrint, namesakesOf, headingOf, surroundingOf, aroundOf, textBeside, proseOf, rowTextOf, css, xpath, allByCss, allByXPath };
  Object.assign(websp, api);
})();
