// @ts-check
/*
 * Weighs the evidence of what is around an element: the heading over it, the text of its row, and its place. Needs
 * similarity.js, candidates.js and mark_evidence.js. Adds to __webspReplay
 *
 *   RowWeigher      candidates with the evidence of their heading, their row and their place
 *   ROWS            the selector of rows
 */

/**
 * @typedef {object} WithRows
 * @property {(el: Element, has: Fingerprint, bare: boolean) => Evidence[]} section
 * @property {(el: Element, bare: boolean, agrees: boolean) => Evidence[]} around
 * @property {(has: Fingerprint) => Evidence[]} beside
 * @property {(el: Element) => Evidence[]} place
 * @property {(el: Element) => boolean} isOfNumber
 * @property {(el: Element, row: Evidence[]) => boolean} isOfOwnRow
 * @property {(el: Element) => boolean} isAmongFields
 * @property {(has: Fingerprint) => boolean} isField
 * @property {(el: Element, has: Fingerprint) => boolean} isOnlyOneMeant
 * @property {(el: Element) => boolean} isInPlace
 * @property {(el: Element, has: Fingerprint) => boolean} isSender
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.RowWeigher) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { WORTH } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  const { raw, parentOf, roleOf, textOf } = websp;
  const { attr, tagOf } = raw;
  const { words, numbers, common, similarity, isCut, rest, alike, SAME } = /** @type {Similarity} */ (replay.similarity);
  const { around, usable, isSubmit, HEADINGS } = /** @type {CandidatesApi} */ (replay);
  const MarkWeigher = /** @type {new (query: Query) => Offer & WithMarks} */ (replay.MarkWeigher);
  const item = /** @type {Piece} */ (replay.evidence);

  /** Longer texts are of sections, not of rows. */
  const LONG = 3_000;
  /** The most words of a row that is none by its markup. */
  const SHORT = 8;
  const SWITCHES = new Set(['checkbox', 'switch', 'menuitemcheckbox']);
  const FIELDS = new Set([...SWITCHES, 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'textbox']);
  const ROWS = 'tr,li,dd,[role=row],[role=listitem]';
  /** The level of a heading, 1 to 6; Infinity for all else. */
  /** @type {(el: Element) => number} */
  const levelOf = (el) => {
    if (attr(el, 'role') === 'heading') return Number(attr(el, 'aria-level')) || 2;
    return /^h[1-6]$/.test(tagOf(el)) ? Number(tagOf(el)[1]) : Infinity;
  };

  /** A heading without what it says in parentheses. */
  /** @type {(heading: string) => string} */
  const unqualified = (heading) => heading.replace(/\([^()]*\)/g, ' ').trim();

  class RowWeigher extends MarkWeigher {
    /** @type {boolean|undefined} */
    said;
    /** Whether one element alone comes into question. */
    isAlone = false;

    /** @type {(el: Element, has: Fingerprint, bare: boolean) => Evidence[]} */
    section(el, has, bare) {
      const wanted = this.print.section;
      if (!wanted) return [];
      /** @type {(least?: number) => boolean} */
      const isUnder = (least) => similarity(wanted, websp.headingOf(el, least), true) >= SAME;
      const { namesakes = Infinity } = this.print;
      const isComplete = (this.print.name ? this.known.name : this.nameless) > namesakes;
      // A target that is gone leaves the heading of its group to what follows.
      const isLeft = !isComplete && this.isToldByHeading() && !isUnder(1);
      if (!isLeft) {
        if (isUnder()) return [item('section', 'same')];
        // Older recordings have the last heading before it, of whatever section; and a section may have lost controls.
        if (isUnder(1) || isUnder(Infinity)) return [item('section', 'before')];
        // Where none of its namesakes has gone, the heading of a group that has lost or got controls may come between.
        if (isComplete && (this.isAfter(el, wanted) || (!namesakes && this.isBelow(el, wanted)))) return [item('section', 'before')];
      }
      if (this.known.section) return [item('section', 'moved')];
      // A theme may make plain text of the headings.
      if (this.isSaid(wanted)) return [];
      // "Actions" may have become "Actions (footer)", unless one of its namesakes under such a heading has gone; but not
      // "Actions of partners", which is another group.
      if (isComplete && this.same(unqualified(wanted), unqualified(has.section ?? ''))) return [];
      return [item('section', bare ? 'bare' : has.section ? 'other' : 'missing')];
    }

    /** Whether an element is under a heading with this text, directly or with headings of lower levels between them. */
    /** @type {(el: Element, text: string) => boolean} */
    isBelow(el, text) {
      let level = Infinity;
      for (let i = this.all.indexOf(el) - 1; i >= 0 && level > 1; i--) {
        const own = levelOf(this.all[i]);
        if (own >= level) continue;
        level = own;
        if (this.same(text, textOf(this.all[i]))) return true;
      }
      return false;
    }

    /** Whether the heading over an element has this text, or that of a group of controls between the two. */
    /** @type {(el: Element, text: string) => boolean} */
    isAfter(el, text) {
      for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
        for (let before = raw.previousElement(at); before; before = raw.previousElement(before)) {
          const inside = websp.elements(before);
          const headings = inside.filter((inner) => raw.matches(inner, HEADINGS));
          if (headings.some((heading) => this.same(text, textOf(heading)))) return true;
          if (headings.length && !inside.some((inner) => websp.interactive(inner))) return false;
        }
      }
      return false;
    }

    /** Whether an element has this text and no other; the answer for the recorded heading is cached. */
    /** @type {(text: string) => boolean} */
    isSaid(text) {
      this.said ??= this.all.some((el) => el.childElementCount === 0 && raw.shown(el) && this.same(text, textOf(el)));
      return this.said;
    }

    /** Whether the recorded row, which told the target from all its namesakes, is around this element and none of the others. */
    /** @type {(el: Element, row: Evidence[]) => boolean} */
    isOfOwnRow(el, row) {
      const { nearby = '' } = this.print;
      const wanted = rest(nearby, this.print);
      if (!this.isToldByRow() || this.isOfHeading(wanted) || !row.some(({ finding }) => finding === 'same')) return false;
      const bearers = this.named.filter((at) => usable(at) && this.isAround(at, wanted, numbers(nearby) || undefined));
      return bearers.length === 1 && bearers[0] === el;
    }

    /** Whether its heading alone told the target from its namesakes. */
    isToldByHeading() {
      return this.print.toldBy === 'heading' || (this.isToldByRow() && this.isOfHeading(rest(this.print.nearby, this.print)));
    }

    /** Whether the text around the target told it from all its namesakes. */
    isToldByRow() {
      return this.print.toldBy === 'row' || this.print.toldBy === 'number';
    }

    /** @type {(el: Element, bare: boolean, agrees: boolean) => Evidence[]} */
    around(el, bare, agrees) {
      const recorded = this.print.nearby ?? '';
      const wanted = rest(recorded, this.print);
      const whole = !isCut(recorded);
      if (!wanted.length) return [];
      // The last word of a cut text may be half a word.
      const kept = whole || recorded.endsWith('…') ? wanted : wanted.slice(0, -1);
      const joined = kept.join('');
      const row = websp.surroundingOf(el, 1_000);
      const there = row ? rest(websp.textBeside(row, el, 1_000), this.fullPrint(el)) : [];
      const begins = !whole && joined.length >= 20 && there.join('').startsWith(joined);
      const isCounted = this.print.toldBy !== 'number' || this.isOfNumber(el);
      if (isCounted && (begins || (this.isAround(el, wanted) && (whole || wanted.length > 1)))) {
        const items = [item('around', 'same')];
        const more = Math.min(3, wanted.length - 2);
        if (more > 0) items.push(item('around', 'word', WORTH.around.word * more));
        // Where one element alone comes into question, the others are not looked at: it takes seconds on a long page.
        if (this.isAlone) return items;
        if (this.offer('text').filter((at) => this.isAround(at, wanted)).length === 1) items.push(item('around', 'only'));
        else if (numbers(recorded) && this.isOfNumber(el)) items.push(item('around', 'number'));
        return items;
      }
      // What the target has in common with all its namesakes, or with its heading, is no witness against a candidate.
      if (this.print.toldBy === 'heading') return [];
      if (this.isOfHeading(wanted)) return this.isTitled(el) ? [item('around', 'replaced')] : [];
      return this.partly(el, { wanted: kept, there: isCounted ? there : [], whole, bare, agrees });
    }

    /** Whether a text stands beside an element that had none: the title of a row. */
    /** @type {(el: Element) => boolean} */
    isTitled(el) {
      /** @type {(print: Fingerprint) => boolean} */
      const isAlone = ({ parent = '', text, name = '' }) => {
        const own = words(text ?? name, false);
        return words(parent, false).every((word) => own.includes(word));
      };
      return isAlone(this.print) && !isAlone(this.fullPrint(el));
    }

    /** Whether all words are of the recorded heading. */
    /** @type {(some: string[]) => boolean} */
    isOfHeading(some) {
      const heading = words(this.print.section ?? '', false);
      return some.every((word) => heading.includes(word));
    }

    /** Whether the recorded numbers, if there are any, are around an element: orders and volumes differ in nothing else. */
    /** @type {(el: Element) => boolean} */
    isOfNumber(el) {
      const { nearby = '' } = this.print;
      return !numbers(nearby) || this.isAround(el, rest(nearby, this.print), numbers(nearby));
    }

    /** The evidence of a row that has only a part of the recorded words, or none of them. */
    /** @type {(el: Element, row: {wanted: string[], there: string[], whole: boolean, bare: boolean, agrees: boolean}) => Evidence[]} */
    partly(el, { wanted, there, whole, bare, agrees }) {
      if (!wanted.length) return [];
      const joined = wanted.join('');
      const isWithin = joined.length >= 12 && there.join('').includes(joined);
      const shared = isWithin ? wanted.length : common(wanted, there);
      // All of the recorded words, or most of a long text: the rest may be a date, a counter or a note. Some words are
      // in every long text.
      const isMost = isWithin || (there.length < 3 * wanted.length + 3
        && (shared === wanted.length || (shared >= 4 && shared >= 0.7 * wanted.length)));
      // Rows of a list have most of their words in common, and are told apart by the first ones.
      const { namesakes = this.known.name - 1 } = this.print;
      const isAnother = agrees && this.isOfAnotherThing(el, wanted, there);
      if (isMost && !isAnother && (namesakes < 1 || wanted.slice(0, 2).every((word, at) => there[at] === word))) return [item('around', 'most')];
      if (isAnother) return [item('around', 'row')];
      // The recorded text is a whole section: a partial match is little evidence.
      if (!whole && shared >= wanted.length / 3) return [];
      if (bare) return [item('around', 'bare')];
      // The name agrees, but nearly all other words of the row differ: it is another row.
      if (!whole || !agrees || wanted.length < 2 || shared >= wanted.length / 3) return [item('around', 'other')];
      return [item('around', websp.kit.upwards(parentOf(el), (at) => raw.matches(at, ROWS)) ? 'row' : 'replaced')];
    }

    /** Whether it acts on the thing of its row, and the row begins with another one than recorded. */
    /** @type {(el: Element, wanted: string[], there: string[]) => boolean} */
    isOfAnotherThing(el, wanted, there) {
      if (!there.length || there.includes(wanted[0])) return false;
      const row = websp.kit.upwards(parentOf(el), (at) => raw.matches(at, ROWS));
      if (!row && (wanted.length > SHORT || words(this.print.name ?? '', false).length > 1)) return false;
      // What its row begins with is the thing itself.
      const begins = words(textOf(row ?? websp.surroundingOf(el, 1_000) ?? el), false)[0];
      return begins !== words(this.print.name ?? '', false)[0];
    }

    /** @type {(has: Fingerprint) => Evidence[]} */
    beside(has) {
      const { print } = this;
      const items = [];
      for (const key of /** @type {const} */ (['sibling', 'parent'])) {
        const wanted = rest(print[key], print);
        if (!wanted.length) continue;
        const there = rest(has[key], has);
        if (alike(wanted, there)) items.push(item(key, 'same'));
        else if (!common(wanted, there)) items.push(item(key, 'other'));
      }
      return items;
    }

    /** Whether the recorded text around the target is on the page only once, not on every row. */
    isSaidOnce() {
      const wanted = rest(this.print.nearby, this.print);
      return this.all.filter((el) => this.innermost(el, wanted)).length <= 1;
    }

    /** Whether this is certainly the recorded control of the recorded row, although its name differs. */
    /** @type {(el: Element, has: Fingerprint) => boolean} */
    isOnlyOneMeant(el, has) {
      // A button without its name cannot be recognized; a switch can, as a row has only one.
      if (!has.name && !SWITCHES.has(has.role ?? '')) return false;
      if (this.print.text && !has.text) return false;
      // A heading is over all controls of its section.
      if (this.isOfHeading(rest(this.print.nearby, this.print))) return false;
      // Other rows still have the recorded name: this row's control was not renamed, but removed.
      if ((!this.print.text || this.print.namesakes) && this.known.name) return false;
      // A row of its own is certain; else it must be where the target was.
      if (!SWITCHES.has(has.role ?? '') && !this.isToldByRow() && !this.isInPlace(el)) return false;
      // What was beside the target is not the target under another name.
      if (this.wasBeside(has.text ?? has.name ?? '')) return false;
      const row = websp.surroundingOf(el, 1_000);
      const others = row ? websp.elements(row).filter((at) => at !== el && roleOf(at) === has.role) : [];
      // The recorded text of one row among several is without those of the controls in it.
      return others.every((at) => !this.print.namesakes && this.wasBeside(textOf(at))) && this.isSaidOnce();
    }

    /** Whether a text was beside the target when it was recorded. */
    /** @type {(text: string) => boolean} */
    wasBeside(text) {
      const { parent = '', sibling = '', nearby = '' } = this.print;
      const some = words(text, false);
      return some.length > 0 && common(some, words(`${parent} ${sibling} ${nearby}`, false)) === some.length;
    }

    /** Whether it is a control that holds a value. */
    /** @type {(has: Fingerprint) => boolean} */
    isField({ role = '' }) {
      return FIELDS.has(role);
    }

    /** Whether it is the only button that sends the form of the field that was acted on last, or the next one after a password. */
    /** @type {(el: Element, has: Fingerprint) => boolean} */
    isSender(el, has) {
      const field = /** @type {Element|null} */ (replay.lately());
      if (!field || !FIELDS.has(roleOf(field)) || !isSubmit(this.print) || !isSubmit(has)) return false;
      /** @type {(at: Element) => Element|null} */
      const formOf = (at) => websp.kit.upwards(at, (outer) => tagOf(outer) === 'form') ?? Reflect.get(at, 'form') ?? null;
      const form = formOf(field);
      const senders = this.pool.filter((at) => usable(at) && isSubmit(this.fullPrint(at)) && formOf(at) === form);
      if (form) return senders.length === 1 && senders[0] === el;
      // Without a form, the button after any field may be that of a row: only a password goes with the next one.
      const after = this.all.slice(this.all.indexOf(field) + 1);
      return attr(field, 'type') === 'password' && after.find((at) => senders.includes(at) || raw.matches(at, HEADINGS)) === el;
    }

    /** Whether only the heading, and perhaps several fields, are around an element: others come and go, and it is in no row. */
    /** @type {(el: Element) => boolean} */
    isAmongFields(el) {
      const row = websp.surroundingOf(el, 1_000);
      if (!row) return false;
      const isHeading = (/** @type {string} */ text) => this.isOfHeading(words(text, false));
      if (isHeading(around(el))) return true;
      const others = websp.elements(row).filter((at) => at !== el && raw.shown(at));
      return isHeading(websp.proseOf(row, el, 1_000)) && others.filter((at) => FIELDS.has(roleOf(at))).length > 1
        && !others.some((at) => roleOf(at) === 'link' && textOf(at));
    }

    /** Whether an element contains all of these words, and no descendant does. */
    /** @type {(el: Element, wanted: string[]) => boolean} */
    innermost(el, wanted) {
      /** @type {(at: Element) => boolean} */
      const says = (at) => {
        const text = textOf(at);
        return text.length < LONG && common(wanted, words(text, false)) === wanted.length;
      };
      return raw.shown(el) && says(el) && !websp.elements(el).some((at) => at !== el && says(at));
    }

    /** Whether all recorded paths lead to it. */
    /** @type {(el: Element) => boolean} */
    isInPlace(el) {
      const { css, xpath, webspIndex } = this.print;
      return this.place(el).length === [css, xpath, webspIndex].filter((path) => path !== undefined).length;
    }

    /** @type {(el: Element) => Evidence[]} */
    place(el) {
      return ['css', 'xpath', 'index'].filter((rung) => {
        const there = this.offer(rung);
        return there.length === 1 && there[0] === el;
      }).map((rung) => item(rung, 'same'));
    }
  }

  Object.assign(replay, { RowWeigher, ROWS });
})();
