// @ts-check
/*
 * Weighs the evidence of an element's marks (test id, id, name, value, address, form) and of its kind. Needs
 * similarity.js and candidates.js. Adds to __webspReplay
 *
 *   MarkWeigher         candidates with the evidence of their marks and kind
 *   evidence(fact, finding, worth?)   one piece of evidence, with its worth from evidence.yaml
 */

/**
 * @typedef {{fact: string, finding: string, worth: number}} Evidence
 * @typedef {(fact: string, finding: string, worth?: number) => Evidence} Piece
 * @typedef {object} WithMarks
 * @property {(el: Element) => Fingerprint} fullPrint (cached)
 * @property {(has: Fingerprint, el: Element) => Evidence[]} marks
 * @property {(has: Fingerprint) => Evidence[]} kind
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.MarkWeigher) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { WORTH } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  const { raw, fingerprint } = websp;
  const { attr } = raw;
  const { Candidates, isButton, isSubmit, testIdOf, hasMark, usable, resolved, NOWHERE, ANY } = /** @type {CandidatesApi} */ (replay);

  /** @type {Piece} */
  const item = (fact, finding, worth = WORTH[fact][finding]) => ({ fact, finding, worth });
  /** @type {(print: Fingerprint) => boolean} */
  const isRadio = ({ role, typeAttr }) => role === 'radio' || typeAttr === 'radio';
  /** Marks that say only what a control is; a field named "email" or "search" is that field. */
  const KINDS = /^(submit|reset|button|btn|input)$/i;
  /** @type {(lang: string) => string} */
  const languageOf = (lang) => lang.toLowerCase().split(/[-_]/, 1)[0];
  class MarkWeigher extends Candidates {
    /** @type {Map<Element, Fingerprint>} */
    prints = new Map();
    /** @type {Map<string, boolean>} */
    serials = new Map();

    /** @type {(el: Element) => Fingerprint} */
    fullPrint(el) {
      let print = this.prints.get(el);
      if (!print) this.prints.set(el, print = fingerprint(el));
      return print;
    }

    /** Whether a recorded mark was counted up, there or here. */
    /** @type {(mark: MarkName, el: Element) => boolean} */
    isSerial(mark, el) {
      const { print } = this;
      if (print.serial?.includes(mark)) return true;
      const bearer = websp.bearerOf(el, mark);
      const attribute = websp.attributeOf(bearer, mark);
      if (!attribute || (mark === 'value' && isRadio(print))) return false;
      let serial = this.serials.get(mark);
      if (serial === undefined) {
        const group = mark === 'value' && print.nameAttr ? `[name="${CSS.escape(print.nameAttr)}"]` : '';
        this.serials.set(mark, serial = websp.isSerial(raw.rootOf(bearer), attribute, print[mark] ?? '', group));
      }
      return serial;
    }

    /** Whether, in another language, it is one of a series of as many fields as recorded, none of which kept its name. */
    /** @type {(el: Element) => boolean} */
    isInSeries(el) {
      const { group = [], lang } = this.print;
      const now = attr(document.documentElement, 'lang');
      if (!lang || !now || languageOf(lang) === languageOf(now) || this.known.name || this.known.section) return false;
      const names = websp.seriesNamesOf(el);
      return names.length > 1 && names.length === group.length
        && !names.some((own) => group.some((recorded) => this.same(recorded, own)));
    }

    /** Whether other elements of its role have the mark too; radio buttons and name[] belong to a group by nature. */
    /** @type {(mark: 'testId'|'id'|'nameAttr', value: string) => boolean} */
    isShared(mark, value) {
      if (mark === 'nameAttr' && (isRadio(this.print) || value.endsWith('[]'))) return true;
      return this.withMark(mark, value).length > 1;
    }

    /** The elements of the recorded role that have a mark. */
    /** @type {(mark: 'testId'|'id'|'nameAttr', value: string) => Element[]} */
    withMark(mark, value) {
      return this.pool.filter((at) => (mark === 'testId' ? testIdOf(at) === value : hasMark(at, mark, value)) && usable(at));
    }

    /** @type {(has: Fingerprint, el: Element) => Evidence[]} */
    marks(has, el) {
      const items = [];
      for (const mark of /** @type {const} */ (['testId', 'id', 'nameAttr'])) {
        const wanted = this.print[mark];
        if (wanted) items.push(this.mark(mark, wanted, has[mark], el));
      }
      items.push(...this.value(has, el), ...this.href(has, el), ...this.plain('placeholder', has), ...this.form(has));
      return items;
    }

    /** @type {(mark: 'testId'|'id'|'nameAttr', wanted: string, own: string|undefined, el: Element) => Evidence} */
    mark(mark, wanted, own, el) {
      const isSame = wanted === own || (mark !== 'testId' && hasMark(el, mark, wanted));
      if (KINDS.test(wanted)) return item(mark, 'kind', isSame ? undefined : 0);
      if (isSame) {
        if (this.isSerial(mark, el)) return item(mark, mark !== 'id' && this.isInSeries(el) ? 'series' : 'serial');
        if (this.isShared(mark, wanted)) return item(mark, 'shared');
        return item(mark, /\d/.test(wanted) ? 'numbered' : 'same');
      }
      if (this.isSerial(mark, el) || (own && websp.isCounterpart(wanted, own))) return item(mark, 'counted', 0);
      if (mark !== 'nameAttr' && this.withMark(mark, wanted).some((at) => at !== el)) return item(mark, 'moved');
      return item(mark, own ? 'other' : 'missing');
    }

    /** @type {(has: Fingerprint, el: Element) => Evidence[]} */
    value(has, el) {
      const { value, nameAttr } = this.print;
      if (!value) return [];
      const grouped = !!nameAttr && has.nameAttr === nameAttr;
      if (value === has.value) {
        if (this.isSerial('value', el)) return [item('value', 'serial')];
        const isOption = has.role === 'option' && this.pool.filter((at) => websp.marksOf(at).value === value && usable(at)).length === 1;
        return [item('value', isOption || (grouped && this.isShared('nameAttr', nameAttr)) ? 'option' : 'same')];
      }
      if (!has.value || this.isSerial('value', el)) return [];
      return [item('value', grouped ? 'other option' : 'other')];
    }

    /** @type {(has: Fingerprint, el: Element) => Evidence[]} */
    href({ href: own }, el) {
      const wanted = this.print.href;
      if (!wanted || NOWHERE.test(wanted)) return [];
      if (!own) return [item('href', 'missing')];
      const isPart = wanted.startsWith('#');
      // A part of this page may be numbered, as ids are.
      if (isPart && (websp.isCounterpart(wanted, own) || websp.isSerial(raw.rootOf(el), 'href', wanted))) return [item('href', 'counted', 0)];
      // An address that was counted up ("/shelf/2" beside "/shelf/3") belongs to a row, which another one may have taken.
      const isCounted = wanted === own && !!this.print.name && !this.same(this.print.name, websp.nameOf(el))
        && websp.isSerial(raw.rootOf(el), 'href', wanted);
      if (isCounted) return [item('href', 'counted', 0)];
      if (wanted === own || wanted === resolved(own)) return [item('href', isPart && /\d/.test(wanted) ? 'part' : 'same')];
      if (this.leads(el)) return [item('href', this.addresses().length === 1 ? 'same' : 'part')];
      const [path, query = ''] = wanted.split('?', 2);
      const [ownPath, ownQuery = ''] = own.split('?', 2);
      const pairs = ownQuery.split('&');
      const kept = path === ownPath && query !== ownQuery && query.split('&').every((pair) => !pair || pairs.includes(pair));
      return [item('href', kept ? 'part' : 'other')];
    }

    /** @type {(has: Fingerprint) => Evidence[]} */
    form(has) {
      const { form, section } = this.print;
      const items = this.plain('form', has);
      if (!form || has.form !== form || !isSubmit(has) || !isSubmit(this.print) || !section) return items;
      // Where all texts have changed, the button that sends the form is known by the form.
      const retold = !this.known.name && !this.known.section;
      const senders = this.pool.filter((at) => usable(at) && websp.marksOf(at).form === form && isSubmit(this.fullPrint(at)));
      return retold && senders.length === 1 ? [item('form', 'submit')] : items;
    }

    /** @type {(fact: 'placeholder'|'form', has: Fingerprint) => Evidence[]} */
    plain(fact, has) {
      const wanted = this.print[fact];
      if (!wanted) return [];
      return [item(fact, wanted === has[fact] ? 'same' : has[fact] ? 'other' : 'missing')];
    }

    /** @type {(has: Fingerprint) => Evidence[]} */
    kind(has) {
      const { print } = this;
      const items = [];
      if (print.role && print.role !== has.role) items.push(item('kind', 'role'));
      const isRewritten = print.tag !== has.tag && isButton(print) && isButton(has);
      const typed = print.tag === 'input' && !isRewritten && !this.isTypeUnknown();
      if (typed && (print.typeAttr ?? '') !== (has.typeAttr ?? '')) items.push(item('kind', 'type'));
      if (print.tag !== ANY && print.tag !== has.tag && !isRewritten) items.push(item('kind', 'tag'));
      return items.length ? items : [item('kind', 'same')];
    }
  }

  Object.assign(replay, { MarkWeigher, evidence: item });
})();
