// @ts-check
/*
 * What makes an element the one that was observed: its role, its name and its place, not its node. Injected before
 * page.js; adds to __websp
 *   tellApart(marks, held)  says where those marks are that their role and name do not tell from others, or that have no
 *                      name: `place`, also of what is `held` of them, and `row`
 *   placeOf(el)        the text of the nearest ancestor that has more text than the element: its row, if it is in one
 *   changed(was, now, passed)  how an element differs from the one that was observed `passed` seconds ago, as a
 *                      predicate; '' if it is the same. Times that have passed ("3 minutes ago", "0:29") are no difference
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<IdentityApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.changed) return;
  const { raw, parentOf, textOf, aroundOf, isControl, kit } = websp;
  const { eachChild, cut, collapse, split, test, uncurry } = kit;
  const { tagOf } = raw;
  const { abs, max } = Math;
  /** @type {(text: string, pattern: RegExp, by: (...found: string[]) => string) => string} */
  const replaceBy = uncurry(String.prototype.replace);
  /** @type {(node: Node) => string|null} */
  const contentOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get));
  /** @type {(text: string) => string} Replaces lone surrogates, which cannot be stored as text. */
  const wellFormed = uncurry(Reflect.get(String.prototype, 'toWellFormed') ?? String.prototype.toString);
  const HIGHEST = 6; // ancestors
  const LONGEST = 200;
  const MOST_BESIDE = 40; // children of a parent whose texts are looked through

  /** @type {IdentityApi['placeOf']} */
  const placeOf = (el) => {
    const own = (contentOf(el) ?? '').length;
    let at = parentOf(el);
    for (let height = 0; at && tagOf(at) !== 'body' && height < HIGHEST; height++, at = parentOf(at)) {
      const content = contentOf(at) ?? '';
      const text = content.length > own ? collapse(cut(content, 2 * LONGEST + own)) : '';
      if (text.length > own) return wellFormed(cut(text, LONGEST));
    }
    return '';
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
  /** Whether two texts are the same but for times that have passed meanwhile. */
  /** @type {(before: string, now: string, passed: number) => boolean} */
  const isSame = (before, now, passed) => {
    if (before === now) return true;
    const [was, is] = [timesIn(before), timesIn(now)];
    if (was.rest !== is.rest || was.times.length !== is.times.length) return false;
    for (let i = 0; i < was.times.length; i++) {
      const most = passed + max(was.times[i].grain, is.times[i].grain) + 1;
      if (abs(was.times[i].seconds - is.times[i].seconds) > most) return false;
    }
    return true;
  };
  /** @type {(text: string) => string} */
  const quoted = (text) => (text ? `"${cut(text, 100)}"` : 'nothing');

  /** @type {IdentityApi['changed']} */
  const changed = (was, now, passed) => {
    if (was.role !== now.role) return `is now a <${now.role}> ${quoted(now.name)}, and was a <${was.role}> ${quoted(was.name)}`;
    if (!isSame(was.name, now.name, passed)) return `now says ${quoted(now.name)}; in the observation it said ${quoted(was.name)}`;
    if (!isSame(was.place, now.place, passed)) return `is now in ${quoted(now.place)}; in the observation it was in ${quoted(was.place)}`;
    return '';
  };

  const MOST_PLACES = 300;
  /** @type {IdentityApi['tellApart']} */
  const tellApart = (marks, held) => {
    /** @type {Map<string, number>} */
    const times = new Map();
    const keyOf = (/** @type {PageMark} */ mark) => `${mark.role} ${mark.name}`;
    for (let i = 0; i < marks.length; i++) times.set(keyOf(marks[i]), (times.get(keyOf(marks[i])) ?? 0) + 1);
    for (let i = 0, left = MOST_PLACES; i < marks.length && left > 0; i++) {
      const mark = marks[i];
      const { el, target, was } = held[mark.index];
      const nameless = !mark.name && !mark.text;
      if (nameless) mark.row = wellFormed(besideOf(el));
      if (!nameless && times.get(keyOf(mark)) === 1) continue;
      mark.place = was.place = placeOf(target);
      left--;
    }
  };

  /** @type {IdentityApi} */
  const api = { tellApart, placeOf, changed };
  Object.assign(websp, api);
})();
