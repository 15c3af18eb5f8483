// @ts-check
/*
 * Locates a recorded element in one document. Needs evidence.js and what it needs. Adds to __webspReplay
 *
 *   locate(query)   {found: null | {rung, score, evidence, candidates, weak, doubtful}, rungs, known, explained}
 *                   rungs: [{rung, candidates, best, why}]; explained: the candidates judged, if query.explain is set
 *   element()       the element that locate() found last
 *   candidates(query, rung)   the candidates of one rung, to measure it
 *
 * A rung is one way to find candidates. The rungs are ordered from what redesigns rarely change to what they
 * change first. A candidate is never chosen only because it is the first or the only one: the best one must have
 * enough evidence, and clearly more than the next one. No element is better than a wrong one.
 */

/**
 * @typedef {{rung: string, candidates: number, best: number, why: string}} RungReport
 * @typedef {{rung: string, score: number, evidence: number, candidates: number, weak: boolean, doubtful: boolean}} Winner
 * @typedef {{element: string, path: string, evidence: number, eligible: boolean, taken: boolean, items: Evidence[]}} Explained
 * @typedef {{found: Winner|null, rungs: RungReport[], known: Known, explained: Explained[]}} Located
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.locate) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { RULES } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  const { raw, roleOf, nameOf, textOf, labelOf } = websp;
  const { attr, tagOf } = raw;
  const { similarity, scoreOf } = /** @type {Similarity} */ (replay.similarity);
  const { Candidates, around, usable, resolved, NOWHERE } = /** @type {CandidatesApi} */ (replay);
  const Weigher = /** @type {new (query: Query) => Judge} */ (replay.Weigher);

  /** Full fingerprints are slow (about 2 ms each): compute them for this many candidates, the most similar. */
  const MOST = 12;
  const RUNGS = ['attributes', 'role+name', 'label', 'text', 'css', 'xpath', 'index'];
  const PATHS = ['css', 'xpath', 'index'];
  /** Facts that are slow, because they require a search of the surrounding elements. */
  const COSTLY = ['nearby', 'sibling', 'parent', 'section'];

  /** @type {(value: number) => number} */
  const round = (value) => Math.round(value * 1000) / 1000;
  /** @type {(el: Element, outer: Element) => boolean} */
  const isInside = (el, outer) => !!websp.kit.upwards(websp.parentOf(el), (at) => at === outer);
  /** A fingerprint of the facts that are fast to compute. */
  /** @type {(el: Element) => Fingerprint} */
  const quickPrint = (el) => {
    const { testId, id, nameAttr, value } = websp.marksOf(el);
    return {
      tag: tagOf(el),
      testId: testId ?? undefined,
      id: id ?? undefined,
      nameAttr: nameAttr ?? undefined,
      value: value ?? undefined,
      role: roleOf(el),
      name: websp.kit.cut(nameOf(el)),
      label: websp.kit.cut(labelOf(el)),
      text: websp.kit.cut(textOf(el)),
      href: attr(el, 'href') ?? undefined,
      placeholder: attr(el, 'placeholder') ?? undefined,
      typeAttr: attr(el, 'type') ?? undefined,
      classes: (attr(el, 'class') ?? '').split(/\s+/),
    };
  };

  class Search extends Weigher {
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

    /** Whether all recorded paths lead to the best of several equal candidates, none came or went, and no text and no address differs. */
    /** @type {(best: Judged, next: Judged|undefined) => boolean} */
    isUnmoved(best, next) {
      const { name, css, xpath, webspIndex, namesakes } = this.print;
      if (name && namesakes !== undefined && this.known.name !== namesakes + 1) return false;
      if (best.items.some(({ fact, finding }) => fact === 'href' && finding === 'other')) return false;
      const paths = PATHS.filter((rung) => ({ css, xpath, index: webspIndex })[rung] !== undefined).map((rung) => this.offer(rung));
      return paths.length > 1 && best.unchanged && this.isOfNumber(best.el) && (!next || best.facts >= next.facts - 0.01)
        && paths.every((list) => list.length === 1 && list[0] === best.el);
    }

    /** Whether one of two elements without a name is inside the other and says the same: a click meets both. */
    /** @type {(one: Judged, other: Judged) => boolean} */
    isSameToClick(one, other) {
      if (!this.isKnownByText() || textOf(one.el) !== textOf(other.el)) return false;
      return isInside(one.el, other.el) || isInside(other.el, one.el);
    }

    /** Whether two links have the same name and lead to the same address: whichever is clicked, the same page comes. */
    /** @type {(one: Judged, other: Judged) => boolean} */
    isSameLink(one, other) {
      // A page's own script may do something to the row of a link.
      if (this.isLinkOfRow(one.el) || this.isLinkOfRow(other.el)) return false;
      const [a, b] = [one.el, other.el].map((el) => attr(el, 'href') ?? '');
      return !NOWHERE.test(a) && resolved(a) === resolved(b) && roleOf(one.el) === roleOf(other.el)
        && this.same(nameOf(one.el), nameOf(other.el));
    }

    /** Of links that are the same, one that can be seen. */
    /** @type {(best: Judged, judged: Judged[]) => Judged} */
    seen(best, judged) {
      if (!best || usable(best.el)) return best;
      return judged.find((other) => usable(other.el) && this.isEnough(other) && this.isSameLink(best, other)) ?? best;
    }

    /** The best candidate, or what is inside it and says the same, if no path tells which one was clicked. */
    /** @type {(judged: Judged[]) => Judged} */
    inmost([best, ...others]) {
      if (!best || best.place) return best;
      const inner = others.filter((other) => isInside(other.el, best.el) && this.isSameToClick(best, other)
        && best.facts - other.facts < RULES.lead);
      return inner.find((one) => !inner.some((other) => isInside(other.el, one.el))) ?? best;
    }

    /** Whether nothing but its place tells the target from others of its role and name: a secret in its row is not kept. */
    /** @type {(best: Judged) => boolean} */
    isPlaced({ marked, items }) {
      const { toldBy, nearby } = this.print;
      const isAddressed = items.some(({ fact, finding }) => fact === 'href' && finding === 'same');
      return !marked && !isAddressed && !!toldBy && toldBy !== 'heading' && !nearby;
    }

    /** Whether there is enough evidence for a candidate, also without that of its place. */
    /** @type {(judged: Judged) => boolean} */
    isEnough({ eligible, evidence, facts }) {
      return eligible && evidence >= RULES.enough && facts >= RULES.least;
    }

    /**
     * The only usable element of the recorded role and name, if nothing that was recorded differs and all paths lead to
     * it: no other can be meant, so none is looked at.
     * @returns {Judged|null}
     */
    unmistakable() {
      const { name, namesakes } = this.print;
      if (!name || namesakes !== 0 || this.known.name !== 1) return null;
      const [el, ...others] = this.offer('role+name');
      if (!el || others.length || this.offer('attributes').some((other) => other !== el) || !this.isInPlace(el)) return null;
      this.isAlone = true;
      const best = this.judge(el);
      this.isAlone = false;
      const isSure = best.unchanged && !best.doubtful && best.evidence >= RULES.sure && this.isEnough(best);
      return isSure && best.items.every(({ worth }) => worth >= 0) ? best : null;
    }

    /** @returns {{winner: Winner|null, el: Element|null, rungs: RungReport[], judged: Judged[]}} */
    run() {
      const only = this.query.explain ? null : this.unmistakable();
      if (only) {
        const rung = this.offer('attributes').length ? 'attributes' : 'role+name';
        return {
          winner: {
            rung, score: round(only.score), evidence: round(only.evidence), candidates: 1, weak: false, doubtful: false,
          },
          el: only.el, rungs: [this.report(rung, [only], true, false)], judged: [only],
        };
      }
      const all = [...new Set(RUNGS.flatMap((rung) => this.offer(rung)))];
      const judged = this.shortlist(all).map((el) => this.judge(el)).sort((a, b) => {
        if (a.eligible !== b.eligible) return a.eligible ? -1 : 1;
        return Math.abs(a.facts - b.facts) < 0.01 ? b.place - a.place : b.facts - a.facts;
      });
      const best = this.seen(this.inmost(judged), judged);
      const next = judged.find((other) => other !== best && !this.isSameToClick(best, other) && !this.isSameLink(best, other));
      const close = !!best && !!next?.eligible && best.facts - next.facts < RULES.lead;
      const taken = !!best && this.isEnough(best) && (!(close || this.isPlaced(best)) || this.isUnmoved(best, next));
      const rung = taken ? RUNGS.find((name) => this.offer(name).includes(best.el)) ?? '' : '';
      const rungs = RUNGS.map((name) => this.report(name, judged, taken && name === rung, close));
      if (!taken) return { winner: null, el: null, rungs, judged };
      const { score, evidence, doubtful, el } = best;
      const low = rung !== 'attributes' && rung !== 'role+name';
      return {
        winner: {
          rung, score: round(score), evidence: round(evidence), candidates: this.offer(rung).length,
          weak: low || close || doubtful || evidence < RULES.sure, doubtful,
        },
        el, rungs, judged,
      };
    }

    /** @type {(rung: string, judged: Judged[], won: boolean, close: boolean) => RungReport} */
    report(rung, judged, won, close) {
      const offer = this.offer(rung);
      const own = judged.filter(({ el }) => offer.includes(el));
      const best = own[0];
      let why = '';
      if (!offer.length) why = 'nothing there';
      else if (!won && close && best?.eligible && best.facts > judged[0].facts - RULES.lead) why = 'several alike';
      else if (!won && best && !this.isEnough(best)) why = 'contradicts the recording';
      else if (!won) why = 'another is more alike';
      return { rung, candidates: offer.length, best: round(Math.max(0, ...own.map(({ score }) => score))), why };
    }

    /** @type {(judged: Judged[], taken: Element|null) => Explained[]} */
    explain(judged, taken) {
      return judged.map(({ el, evidence, eligible, items }) => ({
        element: websp.describe(el), path: websp.css(el), evidence: round(evidence), eligible, taken: el === taken,
        items: items.map((one) => ({ ...one, worth: round(one.worth) })),
      }));
    }
  }

  /** @type {Element|null} */
  let last = null;
  /** @type {(query: Query) => Located} */
  const locate = (query) => {
    const located = look(query);
    if (!query.hidden || (located.found && !located.found.doubtful)) return located;
    const el = last;
    // What is hidden may have been recorded in a row that showed more under the pointer, and in a closed menu it has no name.
    const hovered = websp.kit.asHovered(() => look(query));
    if (hovered.found && !(located.found && hovered.found.doubtful)) return hovered;
    last = el;
    return located;
  };
  /** @type {(query: Query) => Located} */
  const look = (query) => {
    const search = new Search(query);
    const { winner, el, rungs, judged } = search.run();
    last = el;
    return { found: winner, rungs, known: search.own, explained: query.explain ? search.explain(judged, el) : [] };
  };

  /** @type {(query: Query, rung: string) => Element[]} */
  const candidates = (query, rung) => new Candidates(query).offer(rung);

  Object.assign(replay, { locate, candidates, element: () => last });
})();
