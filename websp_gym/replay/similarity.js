// @ts-check
/*
 * Measures the similarity of texts and of elements. Needs __websp (extension/dom.js and its parts). Creates
 * globalThis.__webspReplay (not enumerable), which candidates.js, locate.js, act.js, occlusion.js, hover.js and
 * virtual_lists.js extend.
 */

/**
 * @typedef {object} Similarity
 * @property {(text: string, loose: boolean) => string[]} words
 *   the text's words in lower case without numbers; loose: "on" and "off" are treated as the same word
 * @property {(a: string[], b: string[]) => number} common number of shared words
 * @property {(one: string|undefined, other: string|undefined, loose: boolean) => number} similarity 0 to 1
 * @property {(text: string|undefined, print: {name?: string, text?: string}) => string[]} rest
 * @property {(a: string[], b: string[]) => boolean} alike
 * @property {(key: string, wanted: any, has: any, loose: boolean) => number} agreement of one fact, 0 to 1
 * @property {(wanted: Fingerprint, has: Fingerprint, loose: boolean, skip?: string[]) => number} scoreOf 0 to 1
 * @property {number} SAME least similarity of equal texts (only a counter or a state word differs)
 */

(() => {
  'use strict';
  if (Object.getOwnPropertyDescriptor(globalThis, '__webspReplay')) return;
  if (!Reflect.get(globalThis, '__websp')?.fingerprint) return;

  /**
   * Weights for the similarity of two elements, 0 to 1: the weight of the facts that agree, divided by the
   * weight of all facts in the fingerprint. Used in reports, and to choose candidates for a full comparison.
   * @type {Record<string, number>}
   */
  const WEIGHTS = {
    name: 4, testId: 3, role: 2, id: 2, nameAttr: 2, label: 2, text: 2, href: 2,
    section: 2, nearby: 1.5, sibling: 1, parent: 1,
    tag: 1, typeAttr: 1, placeholder: 1, classes: 0.5,
  };
  const SAME = 0.9;
  const STATE_WORDS = new Set(['on', 'off', 'enabled', 'disabled', 'enable', 'disable', 'active', 'inactive']);
  const TEXTS = new Set(['name', 'label', 'text', 'placeholder', 'nearby', 'sibling', 'parent', 'section']);
  const CONTEXT = new Set(['nearby', 'sibling', 'parent', 'section']);

  /** @type {(text: string, loose: boolean) => string[]} */
  const words = (text, loose) => {
    const every = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const steady = every.filter((word) => !/^\d+$/.test(word));
    const some = steady.length ? steady : every;
    return loose ? some.map((word) => (STATE_WORDS.has(word) ? '±' : word)) : some;
  };

  /** The words in `words` that are not in `those`; each word in `those` removes one. */
  /** @type {(words: string[], those: string[]) => string[]} */
  const without = (words, those) => {
    const left = [...words];
    for (const word of those) {
      const at = left.indexOf(word);
      if (at >= 0) left.splice(at, 1);
    }
    return left;
  };
  /** @type {(a: string[], b: string[]) => number} */
  const common = (a, b) => a.length - without(a, b).length;
  /** @type {(one: string|undefined, other: string|undefined, loose: boolean) => number} */
  const similarity = (one, other, loose) => {
    if (!one || !other) return 0;
    if (one.toLowerCase() === other.toLowerCase()) return 1;
    const a = words(one, loose);
    const b = words(other, loose);
    if (a.length && a.join(' ') === b.join(' ')) return SAME;
    // Less than for equal texts, because the order of words matters too.
    return Math.min(0.89, (2 * common(a, b)) / (a.length + b.length || 1));
  };
  /** The words around an element without its name. The element's own text is not part of `text`. */
  /** @type {(text: string|undefined, print: {name?: string, text?: string}) => string[]} */
  const rest = (text, { name, text: own }) => without(words(text ?? '', false), own ? [] : words(name ?? '', false))
    .filter((word) => !STATE_WORDS.has(word));
  /** Whether both have the same words in any order, because moving parts of a page changes the order. */
  /** @type {(a: string[], b: string[]) => boolean} */
  const alike = (a, b) => (a.length === b.length && common(a, b) === a.length)
    || a.join('') === b.join(''); // words of adjacent elements join: <b>Ada</b><i>since May</i>

  /** @type {(key: string, wanted: any, has: any, loose: boolean) => number} */
  const agreement = (key, wanted, has, loose) => {
    if (TEXTS.has(key)) return similarity(wanted, has, loose || CONTEXT.has(key));
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
      if (key === 'tag' && value === '*') continue; // unknown in an imported trace
      total += WEIGHTS[key];
      got += WEIGHTS[key] * agreement(key, value, Reflect.get(has, key), loose);
    }
    return total ? got / total : 0;
  };

  /** @type {Similarity} */
  const api = { words, common, similarity, rest, alike, agreement, scoreOf, SAME };
  Object.defineProperty(globalThis, '__webspReplay', { value: { similarity: api } });
})();
