// @ts-check
/*
 * Fifth part of __websp (see dom.js): the text, the row and the heading around an element, and what tells it from others
 * of its role and name.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & MarksApi & Partial<SurroundingsApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.toldApart) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, hostsOf, indexed, isControl, surfacesOf, kit } = websp;
  const { collapse, replace, split, test, ariaLabelledBy, labellersOf } = kit;
  const { attr, matches, tagOf, previousElement, nextElement } = raw;

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
  /** The button or box that a row begins with: its title, on which a person may click too. What has several rows has none. */
  /** @type {(row: Element, el: Element) => Element|null} */
  const titleOf = (row, el) => {
    const whole = textBeside(row, el, 1_000);
    let title = /** @type {Element|null} */ (null);
    let isRow = true;
    walk(row, (inner) => {
      if (!isRow || inner === el || !isControl(inner)) return isRow && inner !== el;
      isRow = roleOf(inner) !== roleOf(el) || nameOf(inner) !== nameOf(el);
      const text = !title && test(/^(button|checkbox|switch|radio)$/, roleOf(inner)) ? textOf(inner) || nameOf(inner) : '';
      if (text && kit.slice(whole, 0, text.length) === text) title = inner;
      return false;
    });
    return isRow ? title : null;
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
  /** @type {SurroundingsApi['proseOf']} */
  const proseOf = (at, el, limit) => textOf(at, othersIn(at, el, null), limit);
  /** @type {SurroundingsApi['rowTextOf']} */
  const rowTextOf = (at, el, limit) => textOf(at, othersIn(at, el, titleOf(at, el)), limit);
  /** @type {SurroundingsApi['textBeside']} */
  const textBeside = (at, el, limit) => textOf(at, drawnParts(el), limit);
  const ROWS = 'tr,li,[role=row],[role=listitem]';
  const LISTS = '[role=menu],[role=menubar],[role=listbox],[role=tablist]';
  /** The nearest ancestor with a text that is not of other controls: the row of an element in a list, even if it has none. */
  /** @type {SurroundingsApi['surroundingOf']} */
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
  /** @type {SurroundingsApi['aroundOf']} */
  const aroundOf = (el, limit = 200) => {
    const at = surroundingOf(el, limit);
    return at ? proseOf(at, el, limit) || textBeside(at, el, limit) : '';
  };
  /** The others of the same role and name that are rendered. */
  /** @type {SurroundingsApi['namesakesOf']} */
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
    if (row) return { nearby: row, toldBy: by(namesakes, unnumbered) ? 'row' : 'number' };
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
  const api = { namesakesOf, toldApart, headingOf, siblingText, surroundingOf, aroundOf, textBeside, proseOf, rowTextOf };
  Object.assign(websp, api);
})();
