// @ts-check
/*
 * Finds the elements of one document that may be a recorded one. Needs similarity.js. Adds to __webspReplay
 *
 *   Candidates     one search: the candidates of every rung, and what the document says of the recorded facts
 *   isButton(print), isSubmit(print)   whether a fingerprint is of a push button, of one that sends its form
 *   testIdOf(el), hasMark(el, mark, value), around(el), usable(el)   facts of an element
 *   resolved(href)  the whole address of a link
 *   HEADINGS, NOWHERE, ANY  the selector of headings; addresses that lead nowhere; the tag of an imported element whose tag is unknown
 *
 * A rung is one way to find candidates; the rungs are ordered from what redesigns rarely change to what they
 * change first.
 */

/**
 * @typedef {{words: string[], numbers: string, actions?: string[]}} RowText
 *   words and numbers around an element; actions: the words of the links there that do something, if they are not among `words`
 * @typedef {{print: Fingerprint, loose: boolean, hidden: boolean, namedAfter?: string[], known?: Known, explain?: boolean}} Query
 *   loose: the target's text shows its state ("Notifications: On"), so "on" and "off" are the same word;
 *   hidden: include elements that are not rendered; namedAfter: values of the account that the name has; known: facts
 *   about all frames of the page
 * @typedef {{name: number, section: boolean}} Known
 *   how many elements have the recorded role and name, and whether the recorded heading exists
 *
 * @typedef {object} Offer
 * @property {Query} query
 * @property {Fingerprint} print the recorded fingerprint
 * @property {Element[]} all
 * @property {Element[]} pool the elements of the recorded role
 * @property {Element[]} named those of them with the recorded name
 * @property {number} nameless if no name was recorded: how many of them have none either
 * @property {Known} own facts about this document
 * @property {Known} known facts about all frames of the page
 * @property {(el: Element) => boolean} ofTag
 * @property {(one: string|undefined, other: string|undefined) => boolean} same
 * @property {(el: Element, wanted: string[], counted?: string) => boolean} isAround whether it has these words (and
 *   these numbers) around it or its row
 * @property {(el: Element) => boolean} isLabelled whether an imported label is its own
 * @property {(el: Element) => boolean} leads whether a link has the recorded address
 * @property {() => string[]} addresses the addresses on the page that a recording would keep as the recorded one
 * @property {() => boolean} isTypeUnknown
 * @property {(rung: string) => Element[]} offer the candidates of a rung (cached)
 *
 * @typedef {object} CandidatesApi
 * @property {new (query: Query) => Offer} Candidates
 * @property {(print: Fingerprint) => boolean} isButton
 * @property {(print: Fingerprint) => boolean} isSubmit
 * @property {(el: Element) => string|undefined} testIdOf
 * @property {(el: Element, mark: 'id'|'nameAttr', value: string) => boolean} hasMark
 * @property {(el: Element) => string} around
 * @property {(el: Element) => boolean} usable
 * @property {(href: string) => string} resolved
 * @property {string} HEADINGS
 * @property {RegExp} NOWHERE
 * @property {string} ANY
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.Candidates) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { raw, parentOf, roleOf, nameOf, textOf, labelOf, labelsOf } = websp;
  const { attr, tagOf, shown } = raw;
  const { cleanUrl } = /** @type {SecretsApi} */ (Reflect.get(globalThis, '__webspSecrets'));
  const { open, numbers, common, similarity, rest, alike, SAME } = /** @type {Similarity} */ (replay.similarity);

  /** The tag of an imported element whose tag is unknown. */
  const ANY = '*';
  const HIGHEST = 20; // as in surroundings.js
  const STATES = /^(?:on|off|yes|no|enabled|disabled|active|inactive)*$/i; // what a switch may say of its state only
  const ROWS = 'tr,li,dd,[role=row],[role=listitem]';
  const NOWHERE = /^(#!?$|javascript:|$)/i;
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading],legend';

  /** @type {(el: Element) => string|undefined} */
  const testIdOf = (el) => websp.markOf(el, 'testId') ?? undefined;
  /** Whether an element has a mark, itself or as the control in a custom element. */
  /** @type {(el: Element, mark: 'id'|'nameAttr', value: string) => boolean} */
  const hasMark = (el, mark, value) => attr(el, websp.attributeOf(el, mark) ?? '') === value || websp.markOf(el, mark) === value;
  /** The text around an element, longer than a recording keeps it. */
  /** @type {(el: Element) => string} */
  const around = (el) => websp.aroundOf(el, 1_000);
  /** @type {(el: Element) => boolean} */
  const rendered = (el) => {
    if (!shown(el, { visibilityProperty: true })) return false;
    const box = raw.rect(el);
    return box.width > 0 || box.height > 0 || raw.rects(el).length > 0;
  };
  /** Whether a person can use it: rendered, or an unseen input with a rendered label or drawing. */
  /** @type {(el: Element) => boolean} */
  const usable = (el) => rendered(el) || tagOf(el) === 'option'
    || (tagOf(el) === 'input' && [...labelsOf(el), ...websp.surfacesOf(el)].some(rendered));

  /** Whether it is a push button, which an upgrade may turn from an <input> into a <button>. */
  /** @type {(print: Fingerprint) => boolean} */
  const isButton = ({ tag, typeAttr = '' }) => (tag === 'button' ? !/^reset$/i.test(typeAttr)
    : tag === 'input' && /^(submit|button|image)$/i.test(typeAttr));
  /** @type {(print: Fingerprint) => boolean} */
  const isSubmit = ({ tag, typeAttr }) => typeAttr === 'submit' || (tag === 'button' && !typeAttr);

  /** The whole address of a link, which some recordings have instead of the attribute. */
  /** @type {(href: string) => string} */
  const resolved = (href) => {
    try { return new URL(href, document.baseURI).href; } catch { return href; }
  };
  /** @type {(href: string) => string} */
  const pathOf = (href) => href.split(/[?#;]/, 1)[0];

  /** @type {(find: () => Element[]) => Element[]} */
  const attempt = (find) => {
    try {
      return find();
    } catch {
      return []; // the browser cannot parse the path
    }
  };

  /** Whether recorded words are those of a row and, as older recordings have them, of actions in it: one more says nothing. */
  /** @type {(wanted: string[], own: string[], actions: string[]) => boolean} */
  const covers = (wanted, own, actions) => {
    if (wanted.length <= own.length || common(own, wanted) < own.length) return alike(wanted, own);
    return common(wanted, [...own, ...actions]) === wanted.length;
  };

  class Candidates {
    /** @param {Query} query */
    constructor(query) {
      this.query = query;
      this.print = query.print;
      /** @type {string[]|undefined} */
      this.ways = undefined;
      /** @type {Map<Element, RowText[]>} */
      this.rests = new Map();
      this.all = websp.elements(document);
      const { tag, role } = this.print;
      this.pool = this.all.filter((el) => (role ? roleOf(el) === role
        : tag === ANY ? websp.interactive(el) : tagOf(el) === tag));
      this.named = this.print.name ? this.pool.filter((el) => this.same(this.print.name, nameOf(el))) : [];
      // A redesign may add words for those who listen ("Mute, not active"): a person still reads the same.
      if (this.print.name && !this.named.length) this.named = this.pool.filter((el) => this.same(this.print.name, textOf(el)));
      /** @type {Known} */
      this.own = {
        name: this.named.filter(usable).length,
        section: !!this.print.section && this.all.some((el) => raw.matches(el, HEADINGS) && this.same(this.print.section, textOf(el))),
      };
      this.known = query.known ?? this.own;
      this.nameless = this.print.name ? 0 : this.pool.filter((el) => usable(el) && this.ofTag(el) && !nameOf(el)).length;
      /** @type {Map<string, Element[]>} */
      this.offered = new Map();
    }

    /** @type {(el: Element) => boolean} */
    ofTag(el) {
      if (this.print.tag === ANY || tagOf(el) === this.print.tag) return true;
      return isButton(this.print) && isButton({ tag: tagOf(el), typeAttr: attr(el, 'type') ?? undefined });
    }

    /** @type {(one: string|undefined, other: string|undefined) => boolean} */
    same(one, other) {
      return similarity(one, other, this.query.loose) >= SAME;
    }

    /** @type {(rung: string) => Element[]} */
    candidates(rung) {
      const { print } = this;
      switch (rung) {
        case 'attributes':
          return this.all.filter((el) => (print.testId && testIdOf(el) === print.testId)
            || (print.id && hasMark(el, 'id', print.id))
            || (this.ofTag(el) && ((print.nameAttr && hasMark(el, 'nameAttr', print.nameAttr)
              && (this.isTypeUnknown() || (attr(el, 'type') ?? undefined) === (print.typeAttr ?? undefined)))
              || (print.href && this.leads(el)))));
        case 'role+name': return this.named;
        case 'label': return print.label ? this.pool.filter((el) => this.same(print.label, labelOf(el)) || this.isLabelled(el)) : [];
        case 'text': return this.byText();
        case 'css': return print.css ? attempt(() => websp.allByCss(print.css ?? '')) : [];
        case 'xpath': return print.xpath ? attempt(() => websp.allByXPath(print.xpath ?? '')) : [];
        default: return print.webspIndex === undefined ? [] : websp.indexed().slice(print.webspIndex, print.webspIndex + 1);
      }
    }

    /** Whether it has the label by which alone an imported recording knows a switch; without a name, what is around it begins so. */
    /** @type {(el: Element) => boolean} */
    isLabelled(el) {
      const { name, label } = this.print;
      if (name || !label) return false;
      const own = nameOf(el);
      if (this.same(label, own) || this.same(label, labelOf(el))) return true;
      return STATES.test(own.replace(/[^\p{L}]/gu, '')) && `${open(around(el)).toLowerCase()} `.startsWith(`${open(label).toLowerCase()} `);
    }

    /** Whether a link has the recorded address: without what is another one at each load, as a recording keeps it. */
    /** @type {(el: Element) => boolean} */
    leads(el) {
      const wanted = this.print.href ?? '';
      const own = attr(el, 'href') ?? '';
      if (own === wanted || resolved(own) === wanted) return true;
      return pathOf(own) === pathOf(wanted) && cleanUrl(own) === cleanUrl(wanted);
    }

    /** The addresses on the page that a recording would keep as the recorded one. */
    /** @type {() => string[]} */
    addresses() {
      this.ways ??= [...new Set(this.all.filter((el) => raw.has(el, 'href') && this.leads(el)).map((el) => resolved(attr(el, 'href') ?? '')))];
      return this.ways;
    }

    byText() {
      const { print } = this;
      const kin = this.pool.filter((el) => this.ofTag(el));
      const byOwn = print.text ? kin.filter((el) => this.same(print.text, textOf(el))) : [];
      const note = rest(print.nearby, print);
      if (!note.length) return byOwn;
      return kin.filter((el) => byOwn.includes(el) || this.isAround(el, note));
    }

    /** Whether an ancestor of an element has another that may be the target in it too: it is more than one row. */
    /** @type {(at: Element, el: Element) => boolean} */
    holdsAnother(at, el) {
      const others = this.named.length ? this.named : this.pool;
      return others.some((other) => other !== el && websp.kit.upwards(other, (outer) => outer === at) !== null);
    }

    /** Whether an element has these words around it, near it or around its row, and these numbers; the texts are cut as in a recording. */
    /** @type {(el: Element, wanted: string[], counted?: string) => boolean} */
    isAround(el, wanted, counted) {
      let texts = this.rests.get(el);
      if (!texts) {
        const own = { name: nameOf(el), text: textOf(el) };
        const cutAs = (/** @type {string} */ text) => websp.kit.cut(open(text));
        let last = '';
        const parts = [cutAs(websp.aroundOf(el))];
        /** @type {RowText[]} */
        const linked = [];
        let isOneRow = true;
        // A recording keeps the text of the row where the text nearby is the same in all rows.
        for (let at = parentOf(el), height = 0; at && tagOf(at) !== 'body' && height < HIGHEST; at = parentOf(at), height++) {
          const text = websp.textBeside(at, el, 1_000);
          if (text.length >= 1_000) break;
          if (!text || text === last) continue;
          last = text;
          // Older recordings have the texts of the controls in a row too.
          const prose = websp.proseOf(at, el, 1_000);
          const row = websp.rowTextOf(at, el, 1_000);
          parts.push(cutAs(text), cutAs(prose), ...(row === prose ? [] : [cutAs(row)]));
          if (!isOneRow) continue;
          isOneRow = !this.holdsAnother(at, el);
          const apart = isOneRow ? websp.partsOf(at, el, 1_000) : { own: '', actions: '' };
          isOneRow &&= !raw.matches(at, ROWS);
          if (apart.actions) linked.push({ words: rest(open(apart.own), own), numbers: numbers(apart.own), actions: rest(apart.actions, {}) });
        }
        texts = parts.map((part) => ({ words: rest(part, own), numbers: numbers(part) }));
        texts.push(...linked);
        this.rests.set(el, texts);
      }
      return texts.some((text) => (text.actions ? covers(wanted, text.words, text.actions) : alike(wanted, text.words))
        && (counted === undefined || counted === text.numbers));
    }

    /** Whether an import could not know the type. An <input> without a type is a text field, which has a role. */
    isTypeUnknown() {
      return !this.print.typeAttr && this.print.role !== 'textbox' && this.print.role !== 'combobox';
    }

    /** The candidates of a rung (cached). */
    /** @type {(rung: string) => Element[]} */
    offer(rung) {
      let list = this.offered.get(rung);
      if (!list) {
        list = this.candidates(rung).filter((el) => this.query.hidden || usable(el));
        this.offered.set(rung, list);
      }
      return list;
    }
  }

  /** @type {CandidatesApi} */
  const api = { Candidates, isButton, isSubmit, testIdOf, hasMark, around, usable, resolved, HEADINGS, NOWHERE, ANY };
  Object.assign(replay, api);
})();
