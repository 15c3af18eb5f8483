// @ts-check
/*
 * Locates a recorded element in one document. Needs similarity.js and candidates.js. Adds to __webspReplay
 *
 *   locate(query)   {found: null | {rung, score, evidence, candidates, weak, doubtful}, rungs, known}
 *                   rungs: [{rung, candidates, best, why}]
 *   element()       the element that locate() found last
 *   candidates(query, rung)   the candidates of one rung, to measure it
 *
 * A rung is one way to find candidates. The rungs are ordered from what redesigns rarely change to what they
 * change first. A candidate is never chosen only because it is the first or the only one. The choice follows
 * record linkage (Fellegi and Sunter 1969): each recorded fact adds evidence to a candidate that has it, and
 * subtracts evidence from one that differs, and more if the recorded value is elsewhere on the page. The best
 * candidate must have enough evidence and clearly more than the next one. No element is better than a wrong one.
 */

/**
 * @typedef {{el: Element, score: number, evidence: number, facts: number, place: number, doubtful: boolean,
 *   unchanged: boolean}} Judged
 *   evidence = facts + place (evidence of its position); unchanged: no text counts against it
 * @typedef {{rung: string, candidates: number, best: number, why: string}} RungReport
 * @typedef {{rung: string, score: number, evidence: number, candidates: number, weak: boolean, doubtful: boolean}} Winner
 * @typedef {{found: Winner|null, rungs: RungReport[], known: Known}} Located
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.locate) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, roleOf, nameOf, textOf, labelOf, fingerprint } = websp;
  const { attr, tagOf } = raw;
  const { words, common, similarity, rest, alike, agreement, scoreOf, SAME } = /** @type {Similarity} */ (replay.similarity);
  const { Candidates, testIdOf, around, usable, HEADINGS, ANY } = /** @type {CandidatesApi} */ (replay);

  /**
   * Evidence of identifying attributes: [the same value, another value].
   * @type {Record<string, [number, number]>}
   */
  const MARKS = { testId: [5, -1], id: [4.5, -0.7], nameAttr: [4.5, -0.7], href: [4.5, -2], placeholder: [2, -1] };
  /** The recorded id or test id is now on another element. */
  const MOVED = -4;
  const KIND = { role: -3, typeAttr: -4, tag: -1.5, same: 0.3 };
  /**
   * The name. bare: the same, of one word ("Remove" is on every row); word: each further word; missing: no name
   * now, or none when recorded; other: another name; moved: another name, and another element has the recorded
   * one; label: only the label still has it; only: none was recorded, and no other of its role has none.
   */
  const NAME = { bare: 3.5, word: 0.75, missing: -1, other: -1.5, moved: -4, label: -1, only: 2 };
  /** All texts may change together (another language, a rewrite): limit of their evidence against a candidate. */
  const RETOLD = -1.5;
  /** The element's text and label, where they differ from its name. */
  const OWN = { same: 1, other: -0.5 };
  /** The heading above: the same, none, another, or another although the recorded one still exists. */
  const SECTION = { same: 2, missing: -1, other: -0.7, moved: -12 };
  /** The text around it, without its name. same; word: each word over two; only: no other element of its kind has
   * this text; most: mostly the same; other: different; replaced: nearly all different. */
  const AROUND = { same: 2.5, word: 0.75, only: 1, most: 1, other: -1, replaced: -6 };
  /** For a candidate with only the place and surroundings of a named element: its neighbor has these too. */
  const VETO = -50;
  /** A name of one word, or of several elements, is little evidence: heading and surroundings must agree. */
  const BARE = { section: -3, around: -6 };
  const BESIDE = { sibling: [1, -0.7], parent: [0.5, -0.3] };
  const CLASSES = 0.5;
  /** A path leads to it. There is always some element at a place, so this never decides alone. */
  const PLACE = { css: 0.7, xpath: 0.7, index: 0.5 };
  /** The least evidence of an accepted candidate (see LEAD and SURE for its lead, and for certainty). */
  const ENOUGH = 3;
  /** The least evidence without that of its place. */
  const LEAST = 1.5;
  const LEAD = 1.2;
  const SURE = 5.5;
  /** Full fingerprints are slow (about 2 ms each): compute them for this many candidates, the most similar. */
  const MOST = 12;
  const RUNGS = ['attributes', 'role+name', 'label', 'text', 'css', 'xpath', 'index'];
  // Ids that frameworks count or hash are no evidence; the same pattern as in fingerprint.js.
  const UNSTABLE = /^:|:$|\d{3,}|[0-9a-f]{8,}|^(radix|headlessui|mui|ember|react|ng|mat|downshift)[-:_]?.*\d/i;
  /** Facts that are slow, because they require a search of the surrounding elements. */
  const COSTLY = ['nearby', 'sibling', 'parent', 'section'];
  const SWITCHES = new Set(['checkbox', 'switch', 'menuitemcheckbox']);

  /** @type {(a: number, b: number) => number} */
  const sum = (a, b) => a + b;

  // ---------------------------------------------------------------- what an element is
  /** A fingerprint of the facts that are fast to compute. */
  /** @type {(el: Element) => Fingerprint} */
  const quickPrint = (el) => ({
    tag: tagOf(el),
    testId: testIdOf(el),
    id: attr(el, 'id') ?? undefined,
    nameAttr: attr(el, 'name') ?? undefined,
    role: roleOf(el),
    name: nameOf(el).slice(0, 120).trim(),
    label: labelOf(el).slice(0, 120).trim(),
    text: textOf(el).slice(0, 120).trim(),
    href: attr(el, 'href') ?? undefined,
    placeholder: attr(el, 'placeholder') ?? undefined,
    typeAttr: attr(el, 'type') ?? undefined,
    classes: (attr(el, 'class') ?? '').split(/\s+/),
  });
  /** Approximate length at which recorded texts around an element are cut. */
  const CUT = 110;

  /** Whether the heading above an element is that of its own section, not of one that ends before it. */
  /** @type {(el: Element) => boolean} */
  const isUnderHeading = (el) => {
    for (let at = /** @type {Element|null} */ (el); at; at = parentOf(at)) {
      for (let before = raw.previousElement(at); before; before = raw.previousElement(before)) {
        if (raw.matches(before, HEADINGS)) return true;
        const inside = websp.elements(before);
        if (inside.some((other) => raw.matches(other, HEADINGS))) return !inside.some(websp.isControl);
      }
      if (at !== el && (raw.has(at, 'aria-label') || raw.has(at, 'aria-labelledby'))) return true;
    }
    return false;
  };

  // ---------------------------------------------------------------- one search
  class Search extends Candidates {
    /** @type {Map<Element, Fingerprint>} */
    prints = new Map();

    /** @type {(el: Element) => Fingerprint} */
    fullPrint(el) {
      let print = this.prints.get(el);
      if (!print) this.prints.set(el, print = fingerprint(el));
      return print;
    }

    /** The most similar candidates, for full fingerprints. */
    /** @type {(list: Element[]) => Element[]} */
    shortlist(list) {
      if (list.length <= MOST) return list;
      const quick = list.map((el) => {
        const near = this.print.nearby ? similarity(this.print.nearby, around(el), true) * 0.15 : 0;
        return { el, score: scoreOf(this.print, quickPrint(el), this.query.loose, COSTLY) + near };
      });
      return quick.sort((a, b) => b.score - a.score).slice(0, MOST).map((entry) => entry.el);
    }

    // -------------------------------------------------------------- evidence
    /** @type {(has: Fingerprint, el: Element) => number} */
    marks(has, el) {
      const { print } = this;
      let sum = 0;
      for (const [key, [agrees, differs]] of Object.entries(MARKS)) {
        const wanted = Reflect.get(print, key);
        const own = Reflect.get(has, key);
        if (!wanted || (key === 'id' && UNSTABLE.test(wanted))) continue;
        if (wanted === own) {
          // All radio buttons of a group, and all check boxes of a list, have the same name.
          const shared = key === 'nameAttr' && (print.typeAttr === 'radio' || wanted.endsWith('[]'));
          sum += shared ? 1 : agrees;
        } else if (this.isElsewhere(key, wanted, el)) sum += MOVED;
        else sum += own ? differs : differs / 2;
      }
      return sum;
    }

    /** Whether it has the recorded test id or id, which are unique. */
    /** @type {(has: Fingerprint) => boolean} */
    isMarked({ testId, id }) {
      const { print } = this;
      return (!!testId && testId === print.testId) || (!!id && id === print.id && !UNSTABLE.test(id));
    }

    /** Whether another element of the recorded role has this id or test id. */
    /** @type {(key: string, value: string, el: Element) => boolean} */
    isElsewhere(key, value, el) {
      if (key !== 'testId' && key !== 'id') return false;
      return this.pool.some((at) => at !== el && usable(at) && (key === 'id' ? attr(at, 'id') : testIdOf(at)) === value);
    }

    /** @type {(has: Fingerprint) => number} */
    kind(has) {
      const { print } = this;
      const differs = (print.role && print.role !== has.role ? KIND.role : 0)
        + ((print.typeAttr ?? '') !== (has.typeAttr ?? '') && print.tag === 'input' && !this.isTypeUnknown() ? KIND.typeAttr : 0)
        + (print.tag !== ANY && print.tag !== has.tag ? KIND.tag : 0);
      return differs || KIND.same;
    }

    /** @type {(has: Fingerprint, agrees: boolean) => number} */
    name(has, agrees) {
      const { print, known } = this;
      if (!print.name) return has.name ? NAME.missing : this.nameless === 1 ? NAME.only : 0;
      if (agrees) {
        const more = Math.min(2, words(print.name, false).length - 1);
        const told = this.same(print.name, has.name) ? 0 : NAME.label;
        return NAME.bare + NAME.word * more + told - Math.log(Math.max(1, known.name));
      }
      if (!has.name) return NAME.missing;
      return known.name ? NAME.moved : NAME.other + 2 * similarity(print.name, has.name, this.query.loose);
    }

    /** @type {(has: Fingerprint) => number} */
    texts(has) {
      let sum = 0;
      for (const key of /** @type {('label'|'text')[]} */ (['label', 'text'])) {
        const wanted = this.print[key];
        if (wanted && wanted !== this.print.name) sum += this.same(wanted, has[key]) ? OWN.same : OWN.other;
      }
      return sum;
    }

    /** @type {(el: Element, has: Fingerprint, bare: boolean, agrees: boolean) => number} */
    section(el, has, bare, agrees) {
      const wanted = this.print.section;
      if (!wanted) return 0;
      if (similarity(wanted, has.section, true) >= SAME) return SECTION.same;
      // For links below all sections, as in a footer, the last heading above them is no evidence.
      if (agrees && !!has.href && has.href === this.print.href && !isUnderHeading(el)) return 0;
      if (this.known.section) return SECTION.moved;
      if (bare) return BARE.section;
      return has.section ? SECTION.other : SECTION.missing;
    }

    /** @type {(el: Element, has: Fingerprint, bare: boolean, agrees: boolean) => number} */
    around(el, has, bare, agrees) {
      const recorded = this.print.nearby ?? '';
      const wanted = rest(recorded, this.print);
      const whole = recorded.length < CUT;
      if (!whole) wanted.pop();
      if (!wanted.length) return 0;
      const there = this.rest(el);
      const shared = common(wanted, there);
      if (whole && alike(wanted, there)) {
        const only = this.offer('text').filter((at) => alike(wanted, this.rest(at))).length === 1;
        return AROUND.same + AROUND.word * Math.min(3, Math.max(0, wanted.length - 2)) + (only ? AROUND.only : 0);
      }
      // All of the recorded words, or most of a long text: the rest may be a date, a counter or a note.
      if (shared === wanted.length || (shared >= 4 && shared >= 0.7 * wanted.length)) return AROUND.most;
      // The recorded text is a whole section: a partial match is little evidence.
      if (!whole && shared >= wanted.length / 3) return 0;
      if (bare) return BARE.around;
      if (!whole) return AROUND.other;
      // The name agrees, but nearly all other words of the row differ: it is another row.
      return agrees && wanted.length > 1 && shared < wanted.length / 3 ? AROUND.replaced : AROUND.other;
    }

    /** Whether the recorded text around the target is on the page only once, not on every row. */
    isSaidOnce() {
      const wanted = rest(this.print.nearby, this.print);
      const said = this.all.filter((el) => this.innermost(el, wanted));
      return said.length <= 1;
    }

    /** Whether this is certainly the recorded control of the recorded row, although its name differs. */
    /** @type {(el: Element, has: Fingerprint) => boolean} */
    isOnlyOneMeant(el, has) {
      // A button without its name cannot be recognized; a switch can, as a row has only one.
      if (!has.name && !SWITCHES.has(has.role ?? '')) return false;
      if (this.print.text && !has.text) return false;
      // Other rows still have the recorded name: this row's control was not renamed, but removed.
      if (!this.print.text && this.known.name) return false;
      const text = around(el);
      let row = parentOf(el);
      while (row && textOf(row, el, 1_000) !== text && tagOf(row) !== 'body') row = parentOf(row);
      // Other controls in the row can be excluded by their texts, but not icons without a text.
      const silent = row ? websp.elements(row).filter((at) => at !== el && roleOf(at) === has.role && !textOf(at)) : [];
      return !silent.length && this.isSaidOnce();
    }

    /** Whether an element contains all of these words, and no descendant does. */
    /** @type {(el: Element, wanted: string[]) => boolean} */
    innermost(el, wanted) {
      /** @type {(at: Element) => boolean} */
      const says = (at) => common(wanted, words(textOf(at), false)) === wanted.length;
      return raw.shown(el) && says(el) && !websp.elements(el).some((at) => at !== el && says(at));
    }

    /** @type {(has: Fingerprint) => number} */
    beside(has) {
      const { print } = this;
      let sum = 0;
      for (const key of /** @type {('sibling'|'parent')[]} */ (['sibling', 'parent'])) {
        const wanted = rest(print[key], print);
        if (!wanted.length) continue;
        const there = rest(has[key], has);
        sum += alike(wanted, there) ? BESIDE[key][0] : common(wanted, there) ? 0 : BESIDE[key][1];
      }
      return sum;
    }

    /** @type {(el: Element) => number} */
    place(el) {
      let sum = 0;
      for (const [rung, weight] of Object.entries(PLACE)) {
        const there = this.offer(rung);
        if (there.length === 1 && there[0] === el) sum += weight;
      }
      return sum;
    }

    /** @type {(el: Element) => Judged} */
    judge(el) {
      const { print } = this;
      const has = this.fullPrint(el);
      const agrees = !!print.name && (this.same(print.name, has.name) || (!!print.label && this.same(print.label, has.label)));
      const marks = this.marks(has, el);
      const common = words(print.name ?? '', false).length < 2 || this.known.name > 1;
      const bare = marks < 3 && (print.name ? agrees && common : this.nameless !== 1);
      const section = this.section(el, has, bare, agrees);
      const around = this.around(el, has, bare, agrees && marks < 3);
      const told = [this.name(has, agrees), this.texts(has), section, around, this.beside(has)];
      const against = told.filter((part) => part < 0).reduce(sum, 0);
      const retold = !this.known.name && !this.known.section;
      const texts = told.filter((part) => part > 0).reduce(sum, 0) + (retold ? Math.max(against, RETOLD) : against);
      const classes = print.classes?.length ? CLASSES * agreement('classes', print.classes, has.classes, false) : 0;
      // Kind, heading and place also fit the neighbor of a named element.
      const meant = !print.name || agrees || marks >= MARKS.placeholder[0] || (around >= AROUND.same && this.isOnlyOneMeant(el, has));
      const facts = (meant ? 0 : VETO) + marks + this.kind(has) + texts + classes;
      const place = this.place(el);
      return {
        el, facts, place, evidence: facts + place, score: scoreOf(print, has, this.query.loose),
        unchanged: against === 0,
        doubtful: !this.isMarked(has) && (section < 0 || !agrees),
      };
    }

    // -------------------------------------------------------------- the search
    /** Whether all paths lead to the best of several equal candidates whose texts are as recorded. */
    /** @type {(best: Judged, next: Judged) => boolean} */
    isUnmoved(best, next) {
      const paths = Object.keys(PLACE).map((rung) => this.offer(rung));
      return best.unchanged && best.facts >= next.facts - 0.01 && paths.every((list) => list.length === 1 && list[0] === best.el);
    }

    /** @returns {{winner: Winner|null, el: Element|null, rungs: RungReport[]}} */
    run() {
      const all = [...new Set(RUNGS.flatMap((rung) => this.offer(rung)))];
      const judged = this.shortlist(all).map((el) => this.judge(el))
        .sort((a, b) => (Math.abs(a.facts - b.facts) < 0.01 ? b.place - a.place : b.facts - a.facts));
      const [best, next] = judged;
      const close = !!best && !!next && best.facts - next.facts < LEAD;
      const taken = !!best && best.evidence >= ENOUGH && best.facts >= LEAST && (!close || this.isUnmoved(best, next));
      const rung = taken ? RUNGS.find((name) => this.offer(name).includes(best.el)) ?? '' : '';
      const rungs = RUNGS.map((name) => this.report(name, judged, taken && name === rung, close));
      if (!taken) return { winner: null, el: null, rungs };
      const { score, evidence, doubtful, el } = best;
      const low = rung !== 'attributes' && rung !== 'role+name';
      return {
        winner: {
          rung, score: round(score), evidence: round(evidence), candidates: this.offer(rung).length,
          weak: low || close || doubtful || evidence < SURE, doubtful,
        },
        el, rungs,
      };
    }

    /** @type {(rung: string, judged: Judged[], won: boolean, close: boolean) => RungReport} */
    report(rung, judged, won, close) {
      const offer = this.offer(rung);
      const own = judged.filter(({ el }) => offer.includes(el));
      const best = own[0];
      let why = '';
      if (!offer.length) why = 'nothing there';
      else if (!won && close && best && best.facts > judged[0].facts - LEAD) why = 'several alike';
      else if (!won && best && (best.evidence < ENOUGH || best.facts < LEAST)) why = 'contradicts the recording';
      else if (!won) why = 'another is more alike';
      return { rung, candidates: offer.length, best: round(Math.max(0, ...own.map(({ score }) => score))), why };
    }
  }

  /** @type {(score: number) => number} */
  const round = (score) => Math.round(score * 1000) / 1000;

  /** @type {Element|null} */
  let last = null;
  /** @type {(query: Query) => Located} */
  const locate = (query) => {
    const search = new Search(query);
    const { winner, el, rungs } = search.run();
    last = el;
    return { found: winner, rungs, known: search.own };
  };

  /** @type {(query: Query, rung: string) => Element[]} */
  const candidates = (query, rung) => {
    const search = new Search(query);
    return search.offer(rung);
  };

  Object.assign(replay, { locate, candidates, element: () => last });
})();
