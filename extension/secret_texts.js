// @ts-check
/*
 * Finds and removes secrets in texts, by the rules in secret_rules.yaml. Needs secret_rules.js. The importers do the
 * same in secret_texts.py; tests/data/secret_cases.yaml is run through both. Loaded by the recorder in every frame, by
 * its service worker, and by whoever compares a recorded text with one of a page.
 *
 * globalThis.__webspSecretTexts has
 *   withoutSecrets(text, found?, beside?)   a text that a person reads without its secrets, which are added to `found`;
 *                                           beside: rules for secrets that a text near it announces
 *   withoutPeople(text)                     without e-mail addresses and names after an at sign
 *   codesBeside(texts)                      the rules for the kinds of secrets that a text around an element announces
 *   holdsSecret(mark, known?)               whether an id, path or other mark contains a secret, an e-mail address or
 *                                           one of the known secrets
 *   isSecretText(text)                      whether a text that was typed or chosen contains a secret
 *   isHandle(part)                          whether a part of a URL is a user's name after an at sign
 *   within(text, most)                      the text cut to a length; not within an address or a name, and without a
 *                                           part of a number
 *   oddness(text)                           how unlike words of a language: below 3.2 for words, above for random letters
 *   isCard(text)                            whether a text is the number of a payment card
 */
(() => {
  'use strict';
  if (Reflect.get(globalThis, '__webspSecretTexts')) return;
  const RULES = /** @type {SecretRules} */ (Reflect.get(globalThis, '__webspSecretRules'));
  const ODD = 3.2; // No ordinary word is as odd.
  const SHORTEST = 6; // Shorter ones are not searched for elsewhere: they would be found in ordinary words.
  const REMEMBERED = 2_000;

  /** @type {(list: SecretRule[]) => CompiledRule[]} */
  const compiled = (list) => list.map(({ pattern, ignore_case: any, odd = 0, card = false, typed = true }) => ({ pattern: new RegExp(pattern, any ? 'giu' : 'gu'), odd, card, typed }));
  const everywhere = compiled(RULES.everywhere);
  const texts = compiled(RULES.texts);
  const addresses = compiled(RULES.addresses);
  const handles = compiled(RULES.handles);
  const kindsBeside = RULES.beside.map(({ words, codes }) => ({ words: new RegExp(words, 'iu'), codes: compiled(codes) }));
  const PARTS = new RegExp(RULES.odd_pairs.parts, 'g');

  /** @type {(letters: string) => number} */
  const costOf = (letters) => {
    let cost = 0;
    for (let i = 1; i < letters.length; i++) cost += Number(RULES.odd_pairs.letters[letters[i - 1]][letters.charCodeAt(i) - 97]);
    return cost;
  };
  /** @type {SecretTexts['oddness']} */
  const oddness = (text) => {
    if (new Set(text.toLowerCase().match(/[a-z0-9]/g)).size < RULES.odd_pairs.fewest) return 0;
    let cost = 0;
    let pairs = 0;
    for (const word of text.match(/[A-Za-z0-9]+/g) ?? []) {
      let before = '';
      for (const part of word.match(PARTS) ?? []) {
        const number = /^[0-9]/.test(part);
        if (before) {
          cost += number || /^[0-9]/.test(before) || part.length < 3 ? RULES.odd_pairs.turn : RULES.odd_pairs.change;
          pairs += 1;
        }
        if (!number) {
          cost += costOf(part.toLowerCase());
          pairs += part.length - 1;
        }
        before = part;
      }
    }
    return pairs ? cost / pairs : 0;
  };
  /** @type {SecretTexts['isCard']} */
  const isCard = (text) => {
    const digits = text.slice(0, 40).replace(/[ -]/g, '');
    if (!/^[0-9]{13,19}$/.test(digits) || text.length > 40) return false;
    let sum = 0; // Luhn
    for (let i = 0; i < digits.length; i++) {
      const digit = Number(digits[digits.length - 1 - i]);
      sum += i % 2 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
    }
    return sum > 0 && sum % 10 === 0;
  };

  /** The beginning and end of each secret in a text. */
  /** @type {(rule: CompiledRule, text: string) => Generator<[number, number]>} */
  const matches = function* ({ pattern, odd, card }, text) {
    let at = 0;
    for (;;) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match) return;
      const begin = match.index + (match[1] ?? '').length;
      const end = match.index + match[0].length;
      const secret = text.slice(begin, end);
      if (oddness(secret) < odd || (card && !isCard(secret))) {
        at = match.index + 1;
      } else {
        yield [begin, end];
        at = Math.max(end, at + 1);
      }
    }
  };
  /** The forms in which a removed secret may stand elsewhere: whole, without spaces, its words. */
  /** @type {(secret: string) => string[]} */
  const formsOf = (secret) => {
    const odd = secret.split(/[ ,;]+/).filter((word) => /[0-9]/.test(word) || oddness(word) >= ODD);
    const bare = secret.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
    return [secret, secret.replace(/[ -]/g, ''), bare, ...odd].filter((form) => form.length >= SHORTEST);
  };
  /** @type {(text: string, groups: CompiledRule[][], found?: Set<string>) => string} */
  const without = (text, groups, found) => {
    let out = text;
    for (const rule of groups.flat()) {
      let kept = '';
      let at = 0;
      for (const [begin, end] of matches(rule, out)) {
        if (found) for (const form of formsOf(out.slice(begin, end))) found.add(form);
        kept += `${out.slice(at, begin)} `;
        at = end;
      }
      out = kept + out.slice(at);
    }
    return out === text ? text : out.replace(/\s+/g, ' ').trim();
  };

  /** Remembers what it returned, because the same texts are compared again and again. */
  /** @type {(clean: (text: string) => string) => (text: string) => string} */
  const remembered = (clean) => {
    /** @type {Map<string, string>} */
    const seen = new Map();
    return (text) => {
      let out = seen.get(text);
      if (out === undefined) {
        if (seen.size >= REMEMBERED) seen.clear();
        seen.set(text, out = clean(text));
      }
      return out;
    };
  };
  const withoutUsual = remembered((text) => without(text, [everywhere, texts]));
  /** @type {SecretTexts['withoutSecrets']} */
  const withoutSecrets = (text, found, beside = []) => {
    if (!found && !beside.length) return withoutUsual(text);
    return without(text, [everywhere, texts, beside], found);
  };
  /** @type {SecretTexts['withoutPeople']} */
  const withoutPeople = remembered((text) => without(text, [addresses, handles]));
  /** @type {SecretTexts['codesBeside']} */
  const codesBeside = (around) => kindsBeside.flatMap(({ words, codes }) => (around.some((text) => words.test(text)) ? codes : []));
  /** @type {(text: string, rules: CompiledRule[]) => boolean} */
  const matchesAny = (text, rules) => rules.some((rule) => !matches(rule, text).next().done);
  /** @type {SecretTexts['holdsSecret']} */
  const holdsSecret = (mark, known = []) => {
    for (const secret of known) if (mark.includes(secret)) return true;
    return matchesAny(mark, everywhere) || matchesAny(mark, addresses);
  };
  /** @type {SecretTexts['isSecretText']} */
  const isSecretText = (text) => matchesAny(text, everywhere.filter(({ typed }) => typed));
  /** @type {SecretTexts['isHandle']} */
  const isHandle = (part) => part.startsWith('@') && matchesAny(part, handles);
  /** @type {SecretTexts['within']} */
  const within = (text, most) => {
    if (text.length <= most) return text;
    let end = most;
    for (const rule of [...addresses, ...handles]) {
      for (const [from, to] of matches(rule, text)) if (from < end && to > end) end = from;
    }
    return text.slice(0, end).replace(/(?:[A-Za-z0-9._+/=-]*[0-9][A-Za-z0-9._+/=-]*|\{\{[^{}]*\}?)$/, '').trim();
  };

  /** @type {SecretTexts} */
  const api = { withoutSecrets, withoutPeople, codesBeside, holdsSecret, isSecretText, isHandle, within, oddness, isCard };
  Object.defineProperty(globalThis, '__webspSecretTexts', { value: Object.freeze(api), enumerable: false });
})();
