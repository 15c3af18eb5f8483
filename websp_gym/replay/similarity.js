// @ts-check
/*
 * Measures the similarity of texts and of elements. Needs __websp (extension/dom.js and its parts), __webspSecretTexts
 * (extension/secret_texts.js) and __webspEvidence (evidence.yaml). Creates
 * globalThis.__webspReplay (not enumerable), which candidates.js, evidence.js, locate.js, act.js, occlusion.js, hover.js and
 * virtual_lists.js extend.
 */

/**
 * @typedef {object} Similarity
 * @property {(text: string, loose: boolean) => string[]} words
 *   the text's words in lower case, without numbers, secrets and names of icons; loose: "on" and "off" are treated as
 *   the same word
 * @property {(text: string) => string} open a text of the page without the secrets and people in it
 * @property {(text: string) => string} numbers the numbers of a text, without those that count minutes, hours or days
 * @property {(a: string[], b: string[]) => number} common number of shared words
 * @property {(one: string|undefined, other: string|undefined, loose: boolean) => number} similarity 0 to 1
 *   how alike a recorded text and one of the page are
 * @property {(recorded: string) => boolean} isCut whether only the beginning of a text was recorded
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

  const { withoutSecrets, withoutPeople } = /** @type {SecretTexts} */ (Reflect.get(globalThis, '__webspSecretTexts'));
  const { WORTH } = /** @type {EvidenceTable} */ (Reflect.get(globalThis, '__webspEvidence'));
  /**
   * Weights for the similarity of two elements, 0 to 1: the weight of the facts that agree, divided by the
   * weight of all facts in the fingerprint. Used in reports, and to choose candidates for a full comparison.
   * @type {Record<string, number>}
   */
  const WEIGHTS = {
    name: WORTH.name.same, testId: WORTH.testId.same, id: WORTH.id.same, nameAttr: WORTH.nameAttr.same,
    value: WORTH.value.same, form: WORTH.form.same, label: WORTH.text.same, text: WORTH.text.same, href: WORTH.href.same,
    placeholder: WORTH.placeholder.same, role: -WORTH.kind.role, tag: -WORTH.kind.tag, typeAttr: -WORTH.kind.type,
    section: WORTH.section.same, nearby: WORTH.around.same, sibling: WORTH.sibling.same, parent: WORTH.parent.same,
    classes: WORTH.classes.same,
  };
  const SAME = 0.9;
  const STATE_WORDS = new Set(['on', 'off', 'enabled', 'disabled', 'enable', 'disable', 'active', 'inactive']);
  /** Names of icons that show the state of a menu or an accordion, within its name. */
  const ICON_WORDS = new Set(['collapsed', 'expanded']);
  const TEXTS = new Set(['name', 'label', 'text', 'placeholder', 'nearby', 'sibling', 'parent', 'section']);
  const CONTEXT = new Set(['nearby', 'sibling', 'parent', 'section']);

  /** Approximate length at which recorded texts are cut; imported ones are shorter and end in "…". */
  const CUT = 110;
  /** @type {(recorded: string) => boolean} */
  const isCut = (recorded) => recorded.length >= CUT || recorded.endsWith(' …');

  /** A recorded text has no secrets, and the page may show others by now. */
  /** @type {(text: string) => string} */
  const open = (text) => withoutPeople(withoutSecrets(text));
  /** @type {Map<string, string[]>} */
  const known = new Map();
  const MOST = 5_000; // texts that are remembered; looking for secrets takes longer than all the rest
  /** @type {(text: string) => string[]} */
  const wordsOf = (text) => {
    let words = known.get(text);
    if (!words) {
      const every = (open(text) || text).toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
      const steady = every.filter((word) => !/^\d+$/.test(word) && !ICON_WORDS.has(word));
      words = steady.length ? steady : every;
      if (known.size >= MOST) known.clear();
      known.set(text, words);
    }
    return words;
  };
  /** @type {(text: string, loose: boolean) => string[]} */
  const words = (text, loose) => {
    const some = wordsOf(text);
    return loose ? some.map((word) => (STATE_WORDS.has(word) ? '±' : word)) : [...some];
  };

  /** Words such as "minutes" and "ago" in English and the language of the page: a number beside one changes by itself. */
  const timeWords = () => {
    /** @type {Set<string>} */
    const found = new Set();
    for (const language of ['en', document.documentElement.lang]) {
      for (const style of /** @type {const} */ (['long', 'short'])) {
        for (const unit of /** @type {const} */ (['second', 'minute', 'hour', 'day', 'week', 'month', 'year'])) {
          for (const count of [-1, -2, -7, 2]) for (const word of phrase(language, style, unit, count)) found.add(word);
        }
      }
    }
    return found;
  };
  /** @type {(language: string, style: 'long'|'short', unit: Intl.RelativeTimeFormatUnit, count: number) => string[]} */
  const phrase = (language, style, unit, count) => {
    try {
      return new Intl.RelativeTimeFormat(language || 'en', { style }).format(count, unit).toLowerCase().match(/\p{L}{2,}/gu) ?? [];
    } catch {
      return []; // the page names a language that there is not
    }
  };
  /** @type {Set<string>|undefined} */
  let times;
  /** @type {(text: string) => string} */
  const numbers = (text) => {
    times ??= timeWords();
    const every = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
    const isTime = (/** @type {number} */ at) => !!times?.has(every[at] ?? '');
    return every.filter((word, at) => /^\d/.test(word) && !isTime(at - 1) && !isTime(at + 1)).join(' ');
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
  /** Whether a recorded text was cut, and the other one begins with what is left of it. */
  /** @type {(recorded: string, other: string) => boolean} */
  const isBeginning = (recorded, other) => {
    if (!isCut(recorded)) return false;
    const kept = words(recorded, false);
    if (!recorded.endsWith('…')) kept.pop(); // may be half a word
    const beginning = kept.join('');
    return beginning.length >= 20 && words(other, false).join('').startsWith(beginning);
  };
  /** @type {(one: string|undefined, other: string|undefined, loose: boolean) => number} */
  const similarity = (one, other, loose) => {
    if (!one || !other) return 0;
    if (one.toLowerCase() === other.toLowerCase()) return 1;
    const a = words(one, loose);
    const b = words(other, loose);
    // Without spaces, because some recordings have none between blocks.
    if ((a.length && a.join('') === b.join('')) || isBeginning(one, other)) return SAME;
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
  const api = { open, words, numbers, common, similarity, isCut, rest, alike, agreement, scoreOf, SAME };
  Object.defineProperty(globalThis, '__webspReplay', { value: { similarity: api } });
})();
