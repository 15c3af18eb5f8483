// @ts-check
/*
 * What makes an element the one that was observed: not its node, but its role, its name, the state of what a press turns
 * over, and where it stands: its row, the heading over it and the page's address, or where a link leads. Injected before
 * page.js; adds to __websp
 *   identify(marks, held)  keeps where each element stands, for the marks and in what is `held` of them, and says of those
 *                      that have no name, or the same role and name as others, which row they are in: `row`
 *   standingOf(el, target, was)    where an element stands: place, heading, href, address
 *   addressOf()        the address of the document, with the route that an application keeps behind the "#"
 *   compare(was, now, passed, same?)  how an element differs from the one that was observed `passed` seconds ago, as
 *                      {error}: a predicate; {} if it is the same. Times that have passed ("3 minutes ago", "0:29") are no
 *                      difference. If it is the `same` node, a count that has changed ("Inbox (12)") is none either,
 *                      but is `told`
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<IdentityApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.compare) return;
  const { raw, parentOf, textOf, aroundOf, isControl, kit } = websp;
  const { eachChild, all, cut, collapse, replace, split, test, uncurry } = kit;
  const { tagOf } = raw;
  const { abs, max } = Math;
  /** @type {(text: string, pattern: RegExp, by: (...found: string[]) => string) => string} */
  const replaceBy = uncurry(String.prototype.replace);
  /** @type {(node: Node) => string|null} */
  const contentOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get));
  /** @type {(text: string) => string} Replaces lone surrogates, which cannot be stored as text. */
  const wellFormed = uncurry(Reflect.get(String.prototype, 'toWellFormed') ?? String.prototype.toString);
  /** @type {(node: Node, other: Node) => number} */
  const positionOf = uncurry(Node.prototype.compareDocumentPosition);
  const HIGHEST = 6; // ancestors
  const LONGEST = 200;
  const MOST_BESIDE = 40; // children of a parent whose texts are looked through

  // ---------------------------------------------------------------- where an element stands
  /** @type {(text: string, part: string) => string} */
  const without = (text, part) => {
    const at = part ? text.indexOf(part) : -1;
    return at < 0 ? text : `${text.slice(0, at)} ${text.slice(at + part.length)}`;
  };
  /** The text around an element without its own: of the nearest ancestor that has any. What stands alone has none in a large part of a page. */
  /** @type {(el: Element, lone: boolean) => string} */
  const placeOf = (el, lone) => {
    const own = contentOf(el) ?? '';
    let at = parentOf(el);
    for (let height = 0; at && tagOf(at) !== 'body' && height < HIGHEST; height++, at = parentOf(at)) {
      const content = contentOf(at) ?? '';
      if (content.length <= own.length) continue;
      if (lone && content.length > own.length + 2 * LONGEST) return '';
      const text = collapse(cut(without(content, own), 2 * LONGEST));
      if (text) return wellFormed(cut(text, LONGEST));
    }
    return '';
  };

  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend';
  const MOST_UNSHOWN = 5;
  /** The headings of each root, and what each says, as one look finds them. @typedef {{lists: Map<Node, NodeListOf<Element>>, said: Map<Element, string>}} Headings */
  /** @type {() => Headings} */
  const noHeadings = () => ({ lists: new Map(), said: new Map() });
  const PRECEDING = 2;
  const CONTAINS = 8;
  /** The last heading before an element, in its own shadow root or else before the host of that. */
  /** @type {(el: Element, headings: Headings) => Element|null} */
  const headingOver = (el, headings) => {
    const root = raw.rootOf(el);
    const list = headings.lists.get(root) ?? all(root, HEADINGS);
    headings.lists.set(root, list);
    let low = 0;
    for (let high = list.length; low < high;) {
      const middle = (low + high) >> 1;
      if (positionOf(el, list[middle]) & PRECEDING) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1, unshown = 0; i >= 0 && unshown < MOST_UNSHOWN; i--) {
      if (positionOf(el, list[i]) & CONTAINS) continue;
      if (raw.shown(list[i])) return list[i];
      unshown++;
    }
    return root instanceof ShadowRoot ? headingOver(raw.hostOf(root), headings) : null;
  };
  /** @type {(heading: Element|null, headings?: Headings) => string} */
  const saidBy = (heading, headings = noHeadings()) => {
    if (!heading) return '';
    const said = headings.said.get(heading) ?? wellFormed(cut(textOf(heading, [], LONGEST), LONGEST));
    headings.said.set(heading, said);
    return said;
  };

  /** @type {IdentityApi['addressOf']} */
  const addressOf = () => {
    const { href } = location;
    return wellFormed(test(/#[!/]/, href) ? href : split(href, '#')[0]);
  };
  /** Where a link leads; '' for one that only a script follows. */
  /** @type {(el: Element) => string} */
  const hrefOf = (el) => {
    const { href } = /** @type {HTMLAnchorElement} */ (el);
    const leads = typeof href === 'string' && raw.has(el, 'href') && !test(/^javascript:|#$/i, href);
    return leads ? wellFormed(cut(href, 10 * LONGEST)) : '';
  };
  /** @type {(el: Element, target: Element, lone: boolean, headings: Headings, known?: Element|null) => Standing} */
  const standing = (el, target, lone, headings, known = null) => {
    const href = hrefOf(el);
    const over = href ? null : known ?? headingOver(target, headings);
    return {
      place: href && lone ? '' : placeOf(target, lone), href, address: href ? '' : addressOf(), heading: saidBy(over, headings), over,
    };
  };
  /** @type {IdentityApi['standingOf']} */
  const standingOf = (el, target, { lone, over, heading }) => {
    // What is inserted under a heading may have one of its own.
    const stays = over !== null && raw.isConnected(over) && raw.shown(over) && saidBy(over) === heading;
    return standing(el, target, lone, noHeadings(), stays ? over : null);
  };

  /** The text that a person takes for the name of a control without one: beside it, or of its row. */
  /** @type {(el: Element) => string} */
  const besideOf = (el) => {
    const parent = parentOf(el);
    /** @type {string[]} */
    const texts = [];
    let controls = 0;
    let mine = -1;
    let textFirst = false;
    let open = false; // whether the last text goes on
    let seen = 0;
    if (parent) {
      eachChild(parent, (node) => {
        if (++seen > MOST_BESIDE) return;
        const type = raw.nodeType(node);
        const isElement = type === 1;
        if (isElement && isControl(/** @type {Element} */ (node))) {
          if (node === el) mine = controls;
          controls++;
          open = false;
          return;
        }
        const text = isElement ? textOf(/** @type {Element} */ (node), [], LONGEST) : type === 3 ? collapse(cut(contentOf(node) ?? '', LONGEST)) : '';
        if (!text) return;
        if (!controls && !texts.length) textFirst = true;
        if (open) texts[texts.length - 1] += ` ${text}`;
        else texts[texts.length] = text;
        open = true;
      });
    }
    // One text for each control: before each, or after each, perhaps with a caption before all.
    const caption = textFirst && texts.length === controls + 1 ? 1 : 0;
    if (mine >= 0 && controls > 1 && texts.length === controls + caption) return cut(texts[mine + caption], LONGEST);
    if (mine === 0 && controls === 1 && texts.length) return cut(textFirst || texts.length === 1 ? texts[0] : texts.join(' '), LONGEST);
    const column = columnOf(el);
    return aroundOf(el, LONGEST) + (column && `, ${column}`);
  };
  /** The heading of the column of a table that an element is in; '' if it has none. */
  /** @type {(el: Element) => string} */
  const columnOf = (el) => {
    const cell = kit.upwards(el, (at) => tagOf(at) === 'td');
    const row = cell && kit.upwards(cell, (at) => tagOf(at) === 'tr');
    const table = row && kit.upwards(row, (at) => tagOf(at) === 'table');
    const [first] = table ? kit.all(table, 'tr') : [];
    if (!first || first === row) return '';
    const cells = kit.all(first, 'th');
    const at = /** @type {HTMLTableCellElement} */ (cell).cellIndex;
    for (let i = 0; i < cells.length; i++) if (/** @type {HTMLTableCellElement} */ (cells[i]).cellIndex === at) return textOf(cells[i], [], 50);
    return '';
  };

  // ---------------------------------------------------------------- times that pass
  /** Seconds of each unit, by the letters that it begins with. */
  /** @type {[string, number][]} */
  const UNITS = [['ms', 0.001], ['mo', 2_592_000], ['s', 1], ['m', 60], ['h', 3_600], ['d', 86_400], ['w', 604_800], ['y', 31_536_000]];
  const WORD = '(?:ms|secs?|seconds?|s|mins?|minutes?|months?|m|hrs?|hours?|h|days?|d|wks?|weeks?|w|yrs?|years?|y)';
  /** A clock ("0:29", "12:05:07"), a span ("3 minutes ago", "29s"), or "just now". */
  const TIME = new RegExp(`\\b(?:(\\d{1,2}(?::\\d{2}){1,2})|(\\d+(?:\\.\\d+)?|an?)\\s?(${WORD})( ago)?|([Jj]ust now))\\b`, 'g');
  const JUST_NOW = 60; // seconds
  /**
   * The times in a text: seconds, and by how many the text may be behind; and the text without them.
   * @typedef {{seconds: number, grain: number}} Time
   * @type {(text: string) => {rest: string, times: Time[]}}
   */
  const timesIn = (text) => {
    /** @type {Time[]} */
    const times = [];
    const rest = replaceBy(text, TIME, (whole, clock, count, unit, ago, now) => {
      if (now) times[times.length] = { seconds: 0, grain: JUST_NOW };
      else if (clock) {
        const parts = split(clock, ':');
        let seconds = 0;
        for (let i = 0; i < parts.length; i++) seconds = seconds * 60 + Number(parts[i]);
        times[times.length] = { seconds, grain: 1 };
      } else {
        const size = lengthOf(unit);
        times[times.length] = { seconds: (test(/^a/, count) ? 1 : Number(count)) * size, grain: ago ? size : 1 };
      }
      return now || ago ? '# ago' : '#';
    });
    return { rest, times };
  };
  /** @type {(unit: string) => number} */
  const lengthOf = (unit) => {
    for (let i = 0; i < UNITS.length; i++) if (unit.startsWith(UNITS[i][0])) return UNITS[i][1];
    return 1;
  };
  /** Whether two texts are the same but for times that have passed meanwhile, and for `counts` if given. */
  /** @type {(before: string, now: string, passed: number, counts?: RegExp) => boolean} */
  const isSame = (before, now, passed, counts = NONE) => {
    if (before === now) return true;
    const [was, is] = [timesIn(before), timesIn(now)];
    if (replace(was.rest, counts, '#') !== replace(is.rest, counts, '#') || was.times.length !== is.times.length) return false;
    for (let i = 0; i < was.times.length; i++) {
      const most = passed + max(was.times[i].grain, is.times[i].grain) + 1;
      if (abs(was.times[i].seconds - is.times[i].seconds) > most) return false;
    }
    return true;
  };
  const NONE = /(?!)/g;
  /** A number that counts something: in brackets, or before a word that begins small. Others are part of a name. */
  const COUNT = /(?<![\w.:/#-])\d[\d.,\u00a0\u202f]*(?=\s+\p{Ll})|(?<=[(\[])\d[\d.,]*\+?(?=[)\]])/gu;
  const DIGITS = /\d[\d.,\u00a0\u202f]*/g;
  /** @type {(text: string) => string} */
  const quoted = (text) => (text ? `"${cut(text, 100)}"` : 'nothing');
  /** @type {(state: boolean|null, role: string) => string} */
  const stateIn = (state, role) => `${state ? '' : 'not '}${role === 'button' ? 'pressed' : 'checked'}`;

  /** @type {IdentityApi['compare']} */
  const compare = (was, now, passed, same = false) => {
    if (was.role !== now.role) return { error: `is now a <${now.role}> ${quoted(now.name)}, and was a <${was.role}> ${quoted(was.name)}` };
    /** @type {string[]} */
    const told = [];
    /** The difference of two texts, if it is more than a count that the same node shows. */
    /** @type {(before: string, after: string, verb: string, then: string, counts: RegExp) => string} */
    const differs = (before, after, verb, then, counts) => {
      if (isSame(before, after, passed)) return '';
      const difference = `${verb} ${quoted(after)}; in the observation it ${then} ${quoted(before)}`;
      if (!same || !test(/\p{L}/u, before) || !isSame(before, after, passed, counts)) return difference;
      told[told.length] = difference;
      return '';
    };
    const error = differs(was.name, now.name, 'now says', 'said', DIGITS)
      || (was.href === now.href ? '' : `now leads to ${quoted(now.href)}; in the observation it led to ${quoted(was.href)}`)
      || (was.address === now.address ? '' : `is now on the page ${now.address}; in the observation it was on ${was.address}`)
      || (now.heading && differs(was.heading, now.heading, 'is now under the heading', 'was under', COUNT))
      || (was.place && differs(was.place, now.place, 'is now in', 'was in', COUNT))
      || (was.state === now.state ? '' : `is ${stateIn(now.state, now.role)} now; in the observation it was ${stateIn(was.state, was.role)}`);
    return error ? { error } : told.length ? { told: told.join(', and ') } : {};
  };

  // ---------------------------------------------------------------- told apart in a list
  const HIGHEST_ROW = 12; // ancestors
  const LONGEST_ROW = 100;
  /** The ancestors of each of several elements up to the first that it shares with another. */
  /** @type {(els: Element[]) => Element[][]} */
  const ownAncestors = (els) => {
    /** @type {Map<Element, number>} */
    const shared = new Map();
    const lines = els.map((el) => {
      /** @type {Element[]} */
      const line = [];
      for (let at = parentOf(el); at && tagOf(at) !== 'body' && line.length < HIGHEST_ROW; at = parentOf(at)) {
        line[line.length] = at;
        shared.set(at, (shared.get(at) ?? 0) + 1);
      }
      return line;
    });
    return lines.map((line) => {
      const end = line.findIndex((at) => (shared.get(at) ?? 0) > 1);
      return end < 0 ? line : line.slice(0, end);
    });
  };
  const OF_CONTROLS = 'button,input,select,textarea,label,[role=button],[role=switch],[role=checkbox],[role=radio],[role=tab]';
  const MOST_CONTROLS = 40; // in a row
  /** What an ancestor says beside its controls, as one look finds it. @typedef {Map<Element, string>} Rows */
  /** The nearest text around an element that is of no control, without its own name. */
  /** @type {(name: string, own: Element[], rows: Rows) => string} */
  const rowOf = (name, own, rows) => {
    for (let i = 0; i < own.length; i++) {
      let text = rows.get(own[i]);
      if (text === undefined) {
        const controls = all(own[i], OF_CONTROLS);
        text = controls.length > MOST_CONTROLS ? '' : textOf(own[i], slice(controls), LONGEST_ROW);
        rows.set(own[i], text);
      }
      const told = collapse(without(text, name));
      if (told) return told;
    }
    return '';
  };
  /** @type {(list: ArrayLike<Element>) => Element[]} */
  const slice = uncurry(Array.prototype.slice);
  const MOST_ALIKE = 60;
  /** Says of elements of one name which rows they are in; of what is in no row, or a very large one, which heading it is under. */
  /** @type {(alike: PageMark[], held: Held[], headings: Headings, rows: Rows) => void} */
  const tellRows = (alike, held, headings, rows) => {
    const some = alike.slice(0, MOST_ALIKE);
    const own = ownAncestors(some.map((mark) => held[mark.index].el));
    const texts = some.map((mark, i) => rowOf(mark.name || mark.text, own[i], rows));
    const over = some.map((mark) => saidBy(headingOver(held[mark.index].target, headings), headings));
    some.forEach((mark, i) => {
      const isRow = texts[i] && texts[i].length <= LONGEST_ROW && texts.indexOf(texts[i]) === texts.lastIndexOf(texts[i]);
      const isOnly = over[i] && over.indexOf(over[i]) === over.lastIndexOf(over[i]);
      mark.row = wellFormed(cut(!isRow && isOnly ? over[i] : texts[i] || over[i], LONGEST_ROW));
    });
  };

  /** @type {IdentityApi['identify']} */
  const identify = (marks, held) => {
    const headings = noHeadings();
    /** @type {Rows} */
    const rows = new Map();
    /** @type {Map<string, PageMark[]>} */
    const alike = new Map();
    for (const mark of marks) {
      const key = `${mark.role} ${mark.name || mark.text}`;
      const others = alike.get(key) ?? [];
      others[others.length] = mark;
      alike.set(key, others);
    }
    for (const others of alike.values()) {
      const isNameless = !others[0].name && !others[0].text;
      if (others.length > 1 && !isNameless) tellRows(others, held, headings, rows);
      for (const mark of others) {
        const { el, target, was } = held[mark.index];
        if (isNameless) mark.row = wellFormed(besideOf(el));
        was.lone = others.length === 1 && !isNameless;
        Object.assign(was, standing(el, target, was.lone, headings));
        mark.place = was.place;
        mark.heading = was.heading;
      }
    }
  };

  /** @type {IdentityApi} */
  const api = { identify, standingOf, addressOf, compare };
  Object.assign(websp, api);
})();
