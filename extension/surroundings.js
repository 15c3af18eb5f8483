// @ts-check
/*
 * Sixth part of __websp (see dom.js): the heading over an element, and the text that tells it from others of its role and
 * name.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & MarksApi & RowsApi & Partial<SurroundingsApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.toldApart) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, labelOf, hostsOf, indexed, isControl, tableRowOf, textBeside, proseOf, rowTextOf, kit } = websp;
  const { collapse, replace, split, ariaLabelledBy } = kit;
  const { attr, matches, tagOf, previousElement, nextElement } = raw;

  const HIGHEST = 20; // ancestors that are looked at for the text of a row

  /** The others of the same role and name, or without a name the same label, that are rendered. */
  /** @type {SurroundingsApi['namesakesOf']} */
  const namesakesOf = (el) => {
    const role = roleOf(el);
    const name = nameOf(el);
    const label = name || labelOf(el);
    const others = [];
    const list = indexed();
    for (let i = 0; i < list.length; i++) {
      const other = list[i];
      if (other !== el && roleOf(other) === role && nameOf(other) === name && raw.shown(other)
        && (name || labelOf(other) === label)) others[others.length] = other;
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
  /** @typedef {(text: string) => string} Measure */
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
  /** @type {(el: Element, others: Element[], read: Read, measure: Measure|null) => string} */
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
  /** The text of the row of cells around an element, if it is its own: the cell that tells it now may be another one's later. */
  /** @type {(el: Element, others: Element[], read: Read) => string} */
  const wholeRow = (el, others, read) => {
    const row = tableRowOf(el);
    const own = ownAncestors(el, others);
    for (let i = 0; i < own.length; i++) if (own[i] === row) return textAt(el, i, read === proseOf && isRow(el, others, i) ? rowTextOf : read);
    return '';
  };
  /** The text that tells an element from its namesakes, if any, and what it is told by. */
  /** @type {SurroundingsApi['toldApart']} */
  const toldApart = (el, namesakes, kept) => {
    const heading = headingOf(el);
    const under = [];
    for (let i = 0; i < namesakes.length; i++) if (headingOf(namesakes[i]) === heading) under[under.length] = namesakes[i];
    // What has no name is told from the other controls in its row by their texts only.
    const read = nameOf(el) ? proseOf : textBeside;
    /** @type {(others: Element[], measure: Measure) => string} */
    const by = (others, measure) => ownText(el, others, read, (text) => measure(kept(text)));
    /** @type {(others: Element[]) => string} */
    const own = (others) => by(others, steady) || by(others, collapse);
    const row = own(namesakes);
    if (row) {
      const isNumber = !by(namesakes, unnumbered);
      return { nearby: isNumber ? row : wholeRow(el, namesakes, read) || row, toldBy: isNumber ? 'number' : 'row' };
    }
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
  /** @type {SurroundingsApi['siblingText']} */
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
  /** @type {SurroundingsApi['headingOf']} */
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

  /** @type {SurroundingsApi} */
  const api = { namesakesOf, toldApart, headingOf, siblingText };
  Object.assign(websp, api);
})();
