// @ts-check
/*
 * Weighs the evidence that an element is the recorded one. Needs row_evidence.js and what it needs. Adds to
 * __webspReplay
 *
 *   Weigher   one search that judges its candidates: judge(el)
 *
 * It follows record linkage (Fellegi and Sunter 1969): each recorded fact adds evidence to a candidate that has it,
 * and subtracts evidence from one that differs, and more if the recorded value is elsewhere on the page. What each
 * finding is worth is in evidence.yaml, with the reasons; docs/reference/traces.md has it as a table.
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
 * @typedef {Offer & {judge(el: Element): Judged, isKnownByText(): boolean, isOfNumber(el: Element): boolean, isInPlace(el: Element): boolean, isLinkOfRow(el: Element): boolean, isAlone: boolean}} Judge
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.Weigher) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { WORTH, RULES } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  const { raw, parentOf, roleOf, textOf } = websp;
  const { attr } = raw;
  const { words, numbers, rest, similarity, alike, agreement, scoreOf } = /** @type {Similarity} */ (replay.similarity);
  const RowWeigher = /** @type {new (query: Query) => Offer & WithMarks & WithRows} */ (replay.RowWeigher);
  const item = /** @type {Piece} */ (replay.evidence);
  const { ROWS } = replay;

  const UNIQUE_MARKS = ['testId', 'id', 'nameAttr'];
  /** Marks that two rows do not share; a test id is often the same in all of them. */
  const ROW_MARKS = ['id', 'nameAttr'];

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

  class Weigher extends RowWeigher {
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

    /** @type {(has: Fingerprint, valued: boolean, el: Element) => Evidence[]} */
    texts(has, valued, el) {
      const items = [];
      for (const key of /** @type {const} */ (['label', 'text'])) {
        const wanted = this.print[key];
        if (!wanted || wanted === this.print.name || (valued && key === 'text')) continue;
        if (key === 'label' && !this.print.name) {
          items.push(...(this.isLabelled(el) ? this.onlyText(wanted, this.offer('label').length) : [item('text', 'other')]));
          continue;
        }
        if (!this.same(wanted, has[key])) items.push(item('text', 'other'));
        else if (key === 'label' || !this.isKnownByText()) items.push(item('text', 'same'));
        else items.push(...this.onlyText(wanted, this.saying().length));
      }
      return items;
    }

    /** The evidence of a text by which a person knows the target, as a plain span has no name; `several` have it. */
    /** @type {(wanted: string, several: number) => Evidence[]} */
    onlyText(wanted, several) {
      const items = [item('text', 'only')];
      const more = Math.min(2, words(wanted, false).length - 1);
      if (more > 0) items.push(item('text', 'word', WORTH.text.word * more));
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
      const row = this.around(el, bare && !isOnly, agrees && !isOfForm && !this.isMarkedInRow(marks, el));
      const around = [...heading, ...row, ...this.beside(has)];
      // A redesign may change all text around a form; the field before the button has just shown that it is this form.
      const isSender = agrees && isOnly && this.isSender(el, has);
      const told = [...name, ...this.texts(has, valued, el),
        ...(isSender ? around.filter(({ worth, finding }) => worth > 0 || finding === 'moved') : around)];
      told.push(...this.relief(told, agrees && (this.isMarked(marks) || this.isOfOwnRow(el, row))), ...this.retold(told));
      const classes = print.classes?.length ? WORTH.classes.same * agreement('classes', print.classes, has.classes, false) : 0;
      const items = [...marks, ...this.kind(has), ...told, ...(classes ? [item('classes', 'same', classes)] : [])];
      const place = this.place(el);
      const named = agrees || isPlain || (!print.name && !has.name) || name.some(({ finding }) => finding === 'value');
      const hasMarks = marked >= WORTH.placeholder.same;
      // What has neither a name nor a text is known by the text around it, which is the label of a field.
      const isAccounts = (this.query.namedAfter ?? []).every((value) => `${has.name} ${has.text}`.toLowerCase().includes(value.toLowerCase()));
      const eligible = !isAccounts ? false : print.name || isPlain
        ? named || hasMarks || (total(row) >= WORTH.around.same && this.isOnlyOneMeant(el, has))
        : hasMarks || this.isLabelled(el) || total(row) > 0 || (!total(row) && !has.name)
          || (!this.isField(has) && name.some(({ finding }) => finding === 'only'));
      return {
        el, items: [...items, ...place], facts: total(items), place: total(place), evidence: total(items) + total(place),
        score: scoreOf(print, has, this.query.loose), eligible,
        unchanged: !against(told).length,
        marked: this.isMarked(marks),
        doubtful: !this.isMarked(marks) && !(agrees && this.isAddressed(el, marks)) && ((total(heading) < 0 && !isSender) || !named),
      };
    }

    /** Whether it has a recorded mark that no other element has. */
    /** @type {(marks: Evidence[], of?: string[]) => boolean} */
    isMarked(marks, of = UNIQUE_MARKS) {
      return marks.some(({ fact, finding }) => (finding === 'same' && of.includes(fact)) || finding === 'option');
    }

    /** Whether it has a mark that the same control of another row would not have. */
    /** @type {(marks: Evidence[], el: Element) => boolean} */
    isMarkedInRow(marks, el) {
      const { href = '', nearby, role } = this.print;
      // Each row may have a form of its own, with the same button.
      if (this.isMarked(marks, role === 'button' ? ['id'] : ROW_MARKS)) return true;
      // The address of the list is that of all its rows; one of a row has its number, or the word it begins with.
      const [title] = rest(nearby, this.print);
      const counts = (href.match(/\d+/g) ?? []).some((number) => !location.href.includes(number));
      const isOwn = !el.closest(ROWS) || counts || (!!title && href.toLowerCase().includes(title));
      return isOwn && this.isMarked(marks, ['href']);
    }

    /** Whether it is a link to the recorded address, and not one of a row, to which a page's own script may do something. */
    /** @type {(el: Element, marks: Evidence[]) => boolean} */
    isAddressed(el, marks) {
      return this.isMarked(marks, ['href']) && !this.isLinkOfRow(el);
    }

    /** Whether a link is in a row, now or when it was recorded. */
    /** @type {(el: Element) => boolean} */
    isLinkOfRow(el) {
      return /^(row|number|both)$/.test(this.print.toldBy ?? '') || !!el.closest('tr,[role=row]');
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
