// @ts-check
/*
 * Weighs the evidence that an element is the recorded one. Needs mark_evidence.js and what it needs. Adds to
 * __webspReplay
 *
 *   Weigher   one search that judges its candidates: judge(el)
 *
 * It follows record linkage (Fellegi and Sunter 1969): each recorded fact adds evidence to a candidate that has it,
 * and subtracts evidence from one that differs, and more if the recorded value is elsewhere on the page. What each
 * finding is worth is in evidence.yaml, with the reasons; docs/recording.md has it as a table.
 */

/**
 * @typedef {object} Judged
 * @property {Element} el
 * @property {Evidence[]} items
 * @property {number} score the share of the recorded facts that agree
 * @property {number} evidence = facts + place
 * @property {number} facts
 * @property {number} place evidence of its position
 * @property {boolean} eligible whether it has more of a named element than its place and surroundings
 * @property {boolean} unchanged no text counts against it
 * @property {boolean} marked it has a recorded mark that no other element has
 * @property {boolean} doubtful under another heading or with another name than recorded, and without its mark
 * @typedef {Offer & {judge(el: Element): Judged, isKnownByText(): boolean, isOfNumber(el: Element): boolean}} Judge
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.Weigher) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { WORTH, RULES } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  const { raw, parentOf, roleOf, textOf } = websp;
  const { attr, tagOf } = raw;
  const { words, numbers, common, similarity, isCut, rest, alike, agreement, scoreOf, SAME } = /** @type {Similarity} */ (replay.similarity);
  const { around, usable, HEADINGS } = /** @type {CandidatesApi} */ (replay);
  const MarkWeigher = /** @type {new (query: Query) => Offer & WithMarks} */ (replay.MarkWeigher);
  const item = /** @type {Piece} */ (replay.evidence);

  /** Longer texts are of sections, not of rows. */
  const LONG = 3_000;
  const SWITCHES = new Set(['checkbox', 'switch', 'menuitemcheckbox']);
  const FIELDS = new Set([...SWITCHES, 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'textbox']);
  const ROWS = 'tr,li,[role=row],[role=listitem]';
  const UNIQUE_MARKS = ['testId', 'id', 'nameAttr'];
  /** Marks that two rows do not share; a test id is often the same in all of them. */
  const ROW_MARKS = ['id', 'nameAttr', 'href'];

  /** The level of a heading, 1 to 6; Infinity for all else. */
  /** @type {(el: Element) => number} */
  const levelOf = (el) => {
    if (attr(el, 'role') === 'heading') return Number(attr(el, 'aria-level')) || 2;
    return /^h[1-6]$/.test(tagOf(el)) ? Number(tagOf(el)[1]) : Infinity;
  };
  /** @type {(items: Evidence[]) => number} */
  const total = (items) => items.reduce((sum, { worth }) => sum + worth, 0);
  /** The evidence of each fact that speaks against a candidate. */
  /** @type {(items: Evidence[]) => Evidence[]} */
  const against = (items) => [...new Set(items.map(({ fact }) => fact))]
    .map((fact) => item(fact, 'against', total(items.filter((one) => one.fact === fact)))).filter(({ worth }) => worth < 0);
  const OPPOSITES = [['on', 'off'], ['show', 'hide'], ['start', 'stop'], ['enable', 'disable'], ['active', 'inactive']];
  /** Whether two names differ in a word and its opposite: "Follow" and "Unfollow". */
  /** @type {(one: string, other: string) => boolean} */
  const isOpposite = (one, other) => {
    const a = words(one, false);
    const b = words(other, false);
    const only = a.filter((word) => !b.includes(word));
    const instead = b.filter((word) => !a.includes(word));
    if (a.length !== b.length || only.length !== 1 || instead.length !== 1) return false;
    const [x, y] = [only[0], instead[0]];
    return OPPOSITES.some((pair) => pair.includes(x) && pair.includes(y))
      || [[x, y], [y, x]].some(([short, long]) => /^(un|dis|de|ent)$/.test(long.slice(0, -short.length)) && long.endsWith(short));
  };
  /** Whether an element shows a chosen value, which may be part of its name: "Font: Monospace". */
  /** @type {(el: Element) => boolean} */
  const showsValue = (el) => roleOf(el) === 'combobox' || /^(listbox|true|menu|tree|grid)$/.test(attr(el, 'aria-haspopup') ?? '');
  /** The words of a name without the value that the element shows. */
  /** @type {(print: Fingerprint) => string[]} */
  const steady = ({ name, text }) => {
    const shown = words(text ?? '', false);
    const label = words(name ?? '', false).filter((word) => !shown.includes(word));
    return label.length || !name?.includes(':') ? label : words(name.split(':')[0], false);
  };

  class Weigher extends MarkWeigher {
    /** @type {boolean|undefined} */
    said;
    /** @type {Element[]|undefined} */
    sayers;

    // -------------------------------------------------------------- name and texts
    /** @type {(has: Fingerprint, agrees: boolean, valued: boolean) => Evidence[]} */
    name(has, agrees, valued) {
      const { print, known } = this;
      // What had no name may get one, for those who cannot see the page.
      if (!print.name) return !has.name && this.isOnlyNameless() && !this.isKnownByText() ? [item('name', 'only')] : [];
      if (agrees) {
        const items = [item('name', 'same')];
        const more = Math.min(2, words(print.name, false).length - 1);
        if (more > 0) items.push(item('name', 'word', WORTH.name.word * more));
        if (!this.same(print.name, has.name)) items.push(item('name', 'label'));
        if (known.name > 1) items.push(this.isNumber(has.name) ? item('name', 'number') : item('name', 'shared', -Math.log(known.name)));
        return items;
      }
      if (!has.name) return [item('name', 'missing')];
      if (valued) {
        const wanted = steady(print);
        if (alike(wanted, steady(has))) return wanted.length ? [item('name', 'value')] : [];
      }
      if (!this.query.loose && isOpposite(print.name, has.name)) return [item('name', 'opposite')];
      if (known.name) return [item('name', 'moved')];
      return [item('name', 'other', WORTH.name.other + 2 * similarity(print.name, has.name, this.query.loose))];
    }

    /** Whether the names that are the same but for their numbers are told apart by these, and this is the recorded one. */
    /** @type {(name: string|undefined) => boolean} */
    isNumber(name = '') {
      const wanted = numbers(this.print.name ?? '');
      if (!wanted || numbers(name) !== wanted) return false;
      return this.named.filter((el) => numbers(websp.nameOf(el)) === wanted).length === 1;
    }

    /** Whether it was the only one of its role without a name, and is. */
    isOnlyNameless() {
      return this.nameless === 1 && !this.print.namesakes;
    }

    /** @type {(has: Fingerprint, valued: boolean) => Evidence[]} */
    texts(has, valued) {
      const items = [];
      for (const key of /** @type {const} */ (['label', 'text'])) {
        const wanted = this.print[key];
        if (!wanted || wanted === this.print.name || (valued && key === 'text')) continue;
        if (!this.same(wanted, has[key])) items.push(item('text', 'other'));
        else if (key === 'label' || !this.isKnownByText()) items.push(item('text', 'same'));
        else items.push(...this.onlyText(wanted));
      }
      return items;
    }

    /** The evidence of a text by which a person knows the target, as a plain span has no name. */
    /** @type {(wanted: string) => Evidence[]} */
    onlyText(wanted) {
      const items = [item('text', 'only')];
      const more = Math.min(2, words(wanted, false).length - 1);
      if (more > 0) items.push(item('text', 'word', WORTH.text.word * more));
      const several = this.saying().length;
      if (several > 1) items.push(item('text', 'shared', -Math.log(several)));
      return items;
    }

    /** Whether the target has a text, but nothing that a browser takes for a name. */
    isKnownByText() {
      const { name, label, text, role } = this.print;
      return !!text && !name && !label && role !== 'textbox';
    }

    /** The elements with the recorded text, without those around another one (cached). */
    saying() {
      if (!this.sayers) {
        const all = this.offer('text').filter((at) => this.same(this.print.text, textOf(at)));
        this.sayers = all.filter((at) => !all.some((inner) => !!websp.kit.upwards(parentOf(inner), (outer) => outer === at)));
      }
      return this.sayers;
    }

    // -------------------------------------------------------------- heading and row
    /** @type {(el: Element, has: Fingerprint, bare: boolean) => Evidence[]} */
    section(el, has, bare) {
      const wanted = this.print.section;
      if (!wanted) return [];
      if (similarity(wanted, has.section, true) >= SAME) return [item('section', 'same')];
      // Older recordings have the last heading before it, of whatever section; and a section may have lost controls.
      if ([1, Infinity].some((least) => similarity(wanted, websp.headingOf(el, least), true) >= SAME)) return [item('section', 'before')];
      // Where none of its namesakes has gone, the heading of a group that has lost or got controls may come between.
      const { namesakes = Infinity } = this.print;
      const isComplete = this.known.name > namesakes;
      if (isComplete && (this.isAfter(el, wanted) || (!namesakes && this.isUnder(el, wanted)))) return [item('section', 'before')];
      if (this.known.section) return [item('section', 'moved')];
      // A theme may make plain text of the headings.
      if (this.isSaid(wanted)) return [];
      return [item('section', bare ? 'bare' : has.section ? 'other' : 'missing')];
    }

    /** Whether an element is under a heading with this text, directly or with headings of lower levels between them. */
    /** @type {(el: Element, text: string) => boolean} */
    isUnder(el, text) {
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
      const { toldBy = '', nearby = '' } = this.print;
      const wanted = rest(nearby, this.print);
      if (!/^(row|number)$/.test(toldBy) || !row.some(({ finding }) => finding === 'same') || this.isOfHeading(wanted)) return false;
      const bearers = this.named.filter((at) => usable(at) && this.isAround(at, wanted, numbers(nearby) || undefined));
      return bearers.length === 1 && bearers[0] === el;
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
      if (isMost && (namesakes < 1 || wanted.slice(0, 2).every((word, at) => there[at] === word))) return [item('around', 'most')];
      // The recorded text is a whole section: a partial match is little evidence.
      if (!whole && shared >= wanted.length / 3) return [];
      if (bare) return [item('around', 'bare')];
      // The name agrees, but nearly all other words of the row differ: it is another row.
      if (!whole || !agrees || wanted.length < 2 || shared >= wanted.length / 3) return [item('around', 'other')];
      return [item('around', websp.kit.upwards(parentOf(el), (at) => raw.matches(at, ROWS)) ? 'row' : 'replaced')];
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
      const row = websp.surroundingOf(el, 1_000);
      // Other controls in the row can be excluded by their texts, but not icons without a text.
      const others = row ? websp.elements(row).filter((at) => at !== el && roleOf(at) === has.role) : [];
      // What was beside it is not the target itself under another name.
      const then = words(`${this.print.parent ?? ''} ${this.print.sibling ?? ''} ${this.print.nearby ?? ''}`, false);
      const wasThere = (/** @type {string} */ text) => !!text && common(words(text, false), then) === words(text, false).length;
      const isOfRow = SWITCHES.has(has.role ?? '') || /^(row|number)$/.test(this.print.toldBy ?? '');
      return (isOfRow || this.isInPlace(el)) && !wasThere(has.text ?? has.name ?? '') && others.every((at) => !this.print.namesakes && wasThere(textOf(at))) && this.isSaidOnce();
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

    // -------------------------------------------------------------- place
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

    // -------------------------------------------------------------- all of it
    /** @type {(el: Element) => Judged} */
    judge(el) {
      const { print } = this;
      const has = this.fullPrint(el);
      const valued = showsValue(el);
      const agrees = !!print.name && (this.same(print.name, has.name) || this.same(print.name, has.text)
        || (!!print.label && this.same(print.label, has.label)));
      const marks = this.marks(has, el);
      const marked = total(marks);
      const isPlain = this.isKnownByText() && this.same(print.text, has.text);
      // A name that only the target had, and only this element has, tells it from all others.
      const isOnly = !!print.name && this.known.name < 2 && print.namesakes === 0;
      const isCommon = this.known.name > 1 || !!print.namesakes || words(print.name ?? '', false).length < 2;
      const isVague = words(print.text ?? '', false).length < 2 || (isPlain && this.saying().length > 1);
      const bare = marked < 3 && (print.name ? agrees && isCommon : isPlain ? isVague : !this.isOnlyNameless());
      const name = this.name(has, agrees, valued);
      const heading = this.section(el, has, bare);
      const isOfForm = isOnly && heading.some(({ finding }) => finding === 'same') && this.isAmongFields(el);
      const row = this.around(el, bare && !isOnly, agrees && !isOfForm && !this.isMarked(marks, ROW_MARKS));
      const told = [...name, ...this.texts(has, valued), ...heading, ...row, ...this.beside(has)];
      told.push(...this.relief(told, agrees && (this.isMarked(marks) || this.isOfOwnRow(el, row))), ...this.retold(told));
      const classes = print.classes?.length ? WORTH.classes.same * agreement('classes', print.classes, has.classes, false) : 0;
      const items = [...marks, ...this.kind(has), ...told, ...(classes ? [item('classes', 'same', classes)] : [])];
      const place = this.place(el);
      const named = agrees || isPlain || (!print.name && !has.name) || name.some(({ finding }) => finding === 'value');
      const eligible = !print.name || named || marked >= WORTH.placeholder.same
        || (total(row) >= WORTH.around.same && this.isOnlyOneMeant(el, has));
      return {
        el, items: [...items, ...place], facts: total(items), place: total(place), evidence: total(items) + total(place),
        score: scoreOf(print, has, this.query.loose), eligible,
        unchanged: !against(told).length,
        marked: this.isMarked(marks),
        doubtful: !this.isMarked(marks) && (total(heading) < 0 || !named),
      };
    }

    /** Whether it has a recorded mark that no other element has. */
    /** @type {(marks: Evidence[], of?: string[]) => boolean} */
    isMarked(marks, of = UNIQUE_MARKS) {
      return marks.some(({ fact, finding }) => (finding === 'same' && of.includes(fact)) || finding === 'option');
    }

    /** One witness alone does not outweigh the name and a mark of its own, or a row of its own: the other may have changed. */
    /** @type {(told: Evidence[], certain: boolean) => Evidence[]} */
    relief(told, certain) {
      const [first, ...more] = against(told).filter(({ worth }) => worth < RULES.alone);
      if (!certain || !first || more.length || told.some(({ finding }) => finding === 'row')) return [];
      return [item(first.fact, 'alone', RULES.alone - first.worth)];
    }

    /** All texts may change together (another language, a rewrite), so they count against a candidate only once. */
    /** @type {(told: Evidence[]) => Evidence[]} */
    retold(told) {
      if (this.known.name || this.known.section) return [];
      const sum = total(against(told));
      return sum < RULES.retold ? [item('texts', 'retold', RULES.retold - sum)] : [];
    }
  }

  Object.assign(replay, { Weigher });
})();
