// @ts-check
/*
 * Finds a recorded element again in one document. Needs __websp (extension/dom.js and its parts) and adds
 * globalThis.__webspReplay (not enumerable):
 *
 *   locate(query)   {found: null | {rung, score, candidates, weak}, rungs: [{rung, candidates, best, why}]}
 *   element()       the element locate() found last
 *
 * The rungs go from what redesigns leave alone to what they change first. The candidates of a rung are
 * compared with the WHOLE fingerprint, never taken because they are the first or the only ones: a wrong
 * element is worse than none.
 */

/**
 * @typedef {{print: Fingerprint, loose: boolean, hidden: boolean}} Query
 *   loose: the target says its state in its own text ("Notifications: On"), so on and off count as one word;
 *   hidden: elements that are not rendered count too
 * @typedef {{el: Element, score: number, conflict: boolean, doubtful: boolean}} Scored
 * @typedef {{rung: string, candidates: number, best: number, why: string}} RungReport
 * @typedef {{rung: string, score: number, candidates: number, weak: boolean}} Winner
 * @typedef {{found: Winner|null, rungs: RungReport[]}} Located
 */

(() => {
  'use strict';
  if (Object.getOwnPropertyDescriptor(globalThis, '__webspReplay')) return;
  if (!Reflect.get(globalThis, '__websp')?.fingerprint) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, roleOf, nameOf, textOf, labelOf, labelsOf, fingerprint } = websp;
  const { attr, tagOf, shown } = raw;

  /**
   * How much each fact counts. A score is the weight of what agrees over the weight of all the fingerprint
   * has, 0 to 1. Paths and the index are not in it: they choose candidates, they say nothing about them.
   * @type {Record<string, number>}
   */
  const WEIGHTS = {
    // what the page's authors or the person see as its identity
    name: 4, testId: 3, role: 2, id: 2, nameAttr: 2, label: 2, text: 2, href: 2,
    // where it stands
    section: 2, nearby: 1.5, sibling: 1, parent: 1,
    // what it is made of
    tag: 1, typeAttr: 1, placeholder: 1, classes: 0.5,
  };
  /**
   * The least score a rung's candidate needs. Positions hit something on every page, so they need more.
   * @type {Record<string, number>}
   */
  const ENOUGH = { attributes: 0.35, 'role+name': 0.4, label: 0.4, text: 0.4, css: 0.4, xpath: 0.4, index: 0.5 };
  const POSITIONS = new Set(['css', 'xpath', 'index']);
  /** By how much the best candidate must beat the next one. */
  const MARGIN = 0.03;
  /** Texts that agree this well are the same one (a counter or a state word differs). */
  const SAME = 0.9;
  /** Texts that agree less than this contradict each other. */
  const OPPOSED = 0.34;
  /** A hit by position may have been relabelled, but not into something else. */
  const RELABELLED = 0.6;
  /** A score under this is looked at again once the page is at rest. */
  const SURE = 0.55;
  /** Full fingerprints are dear (about 2 ms): of more candidates only the most alike get one. */
  const MOST = 24;
  const STATE_WORDS = new Set(['on', 'off', 'enabled', 'disabled', 'enable', 'disable', 'active', 'inactive']);
  const TEXTS = new Set(['name', 'label', 'text', 'placeholder', 'nearby', 'sibling', 'parent', 'section']);
  const CONTEXT = new Set(['nearby', 'sibling', 'parent', 'section']);
  const COSTLY = [...CONTEXT];

  // ---------------------------------------------------------------- likeness
  /** @type {(text: string, loose: boolean) => string[]} */
  const words = (text, loose) => {
    const every = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const steady = every.filter((word) => !/^\d+$/.test(word));
    const some = steady.length ? steady : every;
    return loose ? some.map((word) => (STATE_WORDS.has(word) ? '±' : word)) : some;
  };

  /** @type {(one: string|undefined, other: string|undefined, loose: boolean) => number} */
  const likeness = (one, other, loose) => {
    if (!one || !other) return 0;
    if (one.toLowerCase() === other.toLowerCase()) return 1;
    const a = words(one, loose);
    const b = words(other, loose);
    if (a.length && a.join(' ') === b.join(' ')) return SAME;
    const left = [...b];
    let common = 0;
    for (const word of a) {
      const at = left.indexOf(word);
      if (at < 0) continue;
      left.splice(at, 1);
      common++;
    }
    // Never as good as the same text: the order of the words counts too.
    return Math.min(0.89, (2 * common) / (a.length + b.length || 1));
  };

  /** @type {(key: string, wanted: any, has: any, loose: boolean) => number} */
  const agreement = (key, wanted, has, loose) => {
    if (TEXTS.has(key)) return likeness(wanted, has, loose || CONTEXT.has(key));
    if (key === 'classes') {
      return wanted.filter((/** @type {string} */ name) => (has ?? []).includes(name)).length / wanted.length;
    }
    if (wanted === has) return 1;
    return key === 'href' && has && wanted.split(/[?#]/)[0] === has.split(/[?#]/)[0] ? 0.5 : 0;
  };

  /** @type {(wanted: Fingerprint, has: Fingerprint, loose: boolean, skip?: string[]) => number} */
  const scoreOf = (wanted, has, loose, skip = []) => {
    let got = 0;
    let total = 0;
    for (const key in WEIGHTS) {
      const value = Reflect.get(wanted, key);
      if (value === undefined || value === null || value.length === 0 || skip.includes(key)) continue;
      total += WEIGHTS[key];
      got += WEIGHTS[key] * agreement(key, value, Reflect.get(has, key), loose);
    }
    return total ? got / total : 0;
  };

  // ---------------------------------------------------------------- what an element is
  /** @type {(el: Element) => string|undefined} */
  const testIdOf = (el) => {
    for (const name of websp.testAttributes) {
      const value = attr(el, name);
      if (value !== null) return value;
    }
    return undefined;
  };
  /** The facts that cost little. */
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
  /** Text of the nearest ancestor that says more than the element: a quick look before the full fingerprint. */
  /** @type {(el: Element) => string} */
  const around = (el) => {
    for (let at = parentOf(el); at && tagOf(at) !== 'body'; at = parentOf(at)) {
      const text = textOf(at, el, 200);
      if (text) return text.slice(0, 120).trim();
    }
    return '';
  };
  /** @type {(el: Element) => boolean} */
  const rendered = (el) => {
    if (!shown(el, { visibilityProperty: true })) return false;
    const box = raw.rect(el);
    return box.width > 0 || box.height > 0 || raw.rects(el).length > 0;
  };
  /** Whether a person can get at it: rendered, or a hidden native input behind a label that is. */
  /** @type {(el: Element) => boolean} */
  const usable = (el) => rendered(el) || (tagOf(el) === 'input' && labelsOf(el).some(rendered)) || tagOf(el) === 'option';

  // ---------------------------------------------------------------- one search
  class Search {
    /** @param {Query} query */
    constructor(query) {
      this.query = query;
      this.print = query.print;
      /** @type {Map<Element, Fingerprint>} */
      this.prints = new Map();
      /** @type {Map<Element, Scored>} */
      this.scores = new Map();
      this.all = websp.elements(document);
      const { tag, role } = this.print;
      this.pool = this.all.filter((el) => (role ? roleOf(el) === role : tagOf(el) === tag));
      /** @type {RungReport[]} */
      this.rungs = [];
      /** Best score seen on any rung: a later rung must not settle for less. */
      this.top = 0;
      /** Whether a rung had several candidates it could not tell apart. */
      this.twins = false;
    }

    /** @type {(one: string|undefined, other: string|undefined) => boolean} */
    same(one, other) {
      return likeness(one, other, this.query.loose) >= SAME;
    }

    /** @type {(rung: string) => Element[]} */
    candidates(rung) {
      const { print } = this;
      const { tag } = print;
      switch (rung) {
        case 'attributes':
          return this.all.filter((el) => (print.testId && testIdOf(el) === print.testId)
            || (print.id && attr(el, 'id') === print.id)
            || (tagOf(el) === tag && ((print.nameAttr && attr(el, 'name') === print.nameAttr
              && (attr(el, 'type') ?? undefined) === (print.typeAttr ?? undefined))
              || (print.href && attr(el, 'href') === print.href))));
        case 'role+name': return print.name ? this.pool.filter((el) => this.same(print.name, nameOf(el))) : [];
        case 'label': return print.label ? this.pool.filter((el) => this.same(print.label, labelOf(el))) : [];
        case 'text': return this.byText();
        case 'css': return print.css ? attempt(() => websp.allByCss(print.css ?? '')) : [];
        case 'xpath': return print.xpath ? attempt(() => websp.allByXPath(print.xpath ?? '')) : [];
        default: return print.webspIndex === undefined ? [] : websp.indexed().slice(print.webspIndex, print.webspIndex + 1);
      }
    }

    byText() {
      const { print } = this;
      const alike = this.pool.filter((el) => tagOf(el) === print.tag);
      const byOwn = print.text ? alike.filter((el) => this.same(print.text, textOf(el))) : [];
      if (byOwn.length || !print.nearby) return byOwn;
      return alike.filter((el) => likeness(print.nearby, around(el), true) >= SAME);
    }

    /** @type {(el: Element) => Fingerprint} */
    fullPrint(el) {
      let print = this.prints.get(el);
      if (!print) this.prints.set(el, print = fingerprint(el));
      return print;
    }

    /** The candidates worth a full fingerprint. */
    /** @type {(list: Element[]) => Element[]} */
    shortlist(list) {
      if (list.length <= MOST) return list;
      const quick = list.map((el) => {
        const near = this.print.nearby ? likeness(this.print.nearby, around(el), true) * WEIGHTS.nearby / 10 : 0;
        return { el, score: scoreOf(this.print, quickPrint(el), this.query.loose, COSTLY) + near };
      });
      return quick.sort((a, b) => b.score - a.score).slice(0, MOST).map((entry) => entry.el);
    }

    /** @type {(el: Element, rung: string) => Scored} */
    judge(el, rung) {
      const has = this.fullPrint(el);
      const score = scoreOf(this.print, has, this.query.loose);
      const { conflict, doubtful } = this.contradiction(has, rung);
      return { el, score, conflict, doubtful };
    }

    /** Whether an element contradicts the fingerprint so that no score makes up for it. */
    /** @type {(has: Fingerprint, rung: string) => {conflict: boolean, doubtful: boolean}} */
    contradiction(has, rung) {
      const { print } = this;
      const { loose } = this.query;
      /** @type {(key: 'name'|'label'|'text'|'nearby'|'sibling'|'section', least: number) => boolean} */
      const opposed = (key, least) => !!print[key] && !!has[key]
        && likeness(print[key], has[key], loose || CONTEXT.has(key)) < least;
      const roleOff = !!print.role && print.role !== has.role;
      const tagOff = print.tag !== has.tag;
      const typeOff = !!print.typeAttr && print.typeAttr !== has.typeAttr;
      const nameOff = opposed('name', OPPOSED);
      // "Remove" is on every row: a bare word, or none, is believed only where its surroundings do not object.
      const bare = words(print.name ?? '', false).length < 2;
      const lost = bare && opposed('nearby', OPPOSED) && (!print.sibling || opposed('sibling', OPPOSED));
      if (POSITIONS.has(rung)) {
        const elsewhere = this.twins && (opposed('nearby', OPPOSED) || opposed('section', OPPOSED));
        const relabelled = opposed('name', RELABELLED) || opposed('label', RELABELLED) || opposed('text', RELABELLED);
        return { conflict: roleOff || tagOff || typeOff || relabelled || elsewhere || lost, doubtful: false };
      }
      if (rung === 'attributes') {
        const strong = Number(roleOff) + Number(tagOff) + Number(nameOff) > 1;
        return { conflict: strong, doubtful: nameOff || roleOff };
      }
      return { conflict: lost || (rung === 'text' && nameOff), doubtful: false };
    }

    /** @type {(rung: string) => Scored|null} */
    climb(rung) {
      const all = this.candidates(rung).filter((el) => this.query.hidden || usable(el));
      const scored = this.shortlist(all).map((el) => this.judge(el, rung)).sort((a, b) => b.score - a.score);
      const [best, next] = scored.filter((entry) => !entry.conflict);
      const close = !!best && !!next && best.score - next.score < MARGIN;
      let why = '';
      if (!all.length) why = 'nothing there';
      else if (!best) why = 'contradicts the recording';
      else if (close) why = 'several alike';
      else if (best.score < ENOUGH[rung]) why = 'too unlike';
      else if (best.score < this.top - MARGIN) why = 'another is more alike';
      else if (POSITIONS.has(rung) && this.twins && !this.unanimous(best.el)) why = 'several alike, and the paths disagree';
      this.twins ||= close;
      if (best) this.top = Math.max(this.top, best.score);
      this.rungs.push({ rung, candidates: all.length, best: round(scored[0]?.score ?? 0), why });
      return why ? null : best;
    }

    /** Among elements that are alike in everything, both paths must mean the same one. */
    /** @type {(el: Element) => boolean} */
    unanimous(el) {
      const ways = [this.candidates('css'), this.candidates('xpath')].filter((list) => list.length);
      return ways.length > 0 && ways.every((list) => list.length === 1 && list[0] === el);
    }

    /** @returns {{winner: Winner|null, el: Element|null}} */
    run() {
      /** @type {{best: Scored, report: RungReport}|null} */
      let doubtful = null;
      for (const rung of Object.keys(ENOUGH)) {
        if (POSITIONS.has(rung) && doubtful) break;
        const best = this.climb(rung);
        if (!best) continue;
        const report = this.rungs[this.rungs.length - 1];
        // A stable attribute on an element of another name: taken only where nothing else bears the name.
        if (best.doubtful) doubtful = { best, report };
        else return this.won(best, report, rung !== 'attributes' && rung !== 'role+name');
      }
      if (doubtful && doubtful.best.score >= this.top - MARGIN) return this.won(doubtful.best, doubtful.report, true);
      return { winner: null, el: null };
    }

    /** @type {(best: Scored, report: RungReport, weak: boolean) => {winner: Winner, el: Element}} */
    won({ el, score }, { rung, candidates }, weak) {
      return { winner: { rung, score: round(score), candidates, weak: weak || score < SURE }, el };
    }
  }

  /** @type {(find: () => Element[]) => Element[]} */
  const attempt = (find) => {
    try {
      return find();
    } catch {
      return []; // a path the browser cannot read finds nothing
    }
  };
  /** @type {(score: number) => number} */
  const round = (score) => Math.round(score * 1000) / 1000;

  /** @type {Element|null} */
  let last = null;
  /** @type {(query: Query) => Located} */
  const locate = (query) => {
    const search = new Search(query);
    const { winner, el } = search.run();
    last = el;
    return { found: winner, rungs: search.rungs };
  };

  Object.defineProperty(globalThis, '__webspReplay', { value: { locate, element: () => last } });
})();
