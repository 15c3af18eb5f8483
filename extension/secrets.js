// @ts-check
/*
 * Form fields, URLs and the account's values: what a recording must not hold of them, by the rules in
 * secret_rules.yaml. Needs secret_rules.js and secret_texts.js. Loaded by the recorder in every frame and by the
 * service worker; redact.py does the same for imports.
 *
 * globalThis.__webspSecrets has
 *   kindOf(facts)              "password", "secret" (left out altogether) or null for a form field
 *   isSecretText(text)         a card number or a key, wherever it was typed
 *   isCaptcha(url)             a frame whose inside is a captcha
 *   cleanUrl(url, known?)      the URL without user info, secret parameters and secret parts of its path and fragment;
 *                              known: secrets found elsewhere
 *   fillIn(text, account)      the text with {{account.email}} and the like in place of the account's values
 */
(() => {
  'use strict';
  if (Reflect.get(globalThis, '__webspSecrets')) return;

  const RULES = /** @type {SecretRules} */ (Reflect.get(globalThis, '__webspSecretRules'));
  const { holdsSecret, isHandle, isSecretText } = /** @type {SecretTexts} */ (Reflect.get(globalThis, '__webspSecretTexts'));
  const { fields, parameters } = RULES;
  const passwordAutocomplete = new RegExp(fields.password_autocomplete, 'u');
  const secretAutocomplete = new RegExp(fields.secret_autocomplete, 'u');
  const passwordWords = new RegExp(fields.password, 'u');
  const secretWords = new RegExp(fields.secret.join('|'), 'u');
  const captchaFrames = new RegExp(fields.captcha_frames, 'u');
  const parameterNames = new RegExp(parameters.names, 'u');
  const parameterWords = new RegExp(parameters.words, 'u');
  const passingNames = new RegExp(parameters.passing, 'u');
  const passingValues = new RegExp(parameters.passing_values, 'u');
  const DEEPEST = 3; // URLs in parameters of URLs

  /** "userOtp-code[0]" → "user otp code 0" */
  /** @type {(text: string) => string} */
  const words = (text) => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ').toLowerCase().trim();

  /** @type {SecretsApi['kindOf']} */
  const kindOf = ({ type, autocomplete, hints, digits }) => {
    const tokens = autocomplete.toLowerCase().trim().split(/\s+/);
    if (tokens.some((token) => secretAutocomplete.test(token)) || digits) return 'secret';
    if (type === 'password') {
      // A one-time code is often asked for in a password field; it is no password to fill in again.
      return hints.some((hint) => secretWords.test(words(hint)) && !passwordWords.test(words(hint))) ? 'secret' : 'password';
    }
    // Replay types a password into password fields only: in any other field it is left out.
    if (tokens.some((token) => passwordAutocomplete.test(token))) return 'secret';
    return hints.some((hint) => passwordWords.test(words(hint)) || secretWords.test(words(hint))) ? 'secret' : null;
  };

  /** @type {SecretsApi['isCaptcha']} */
  const isCaptcha = (url) => captchaFrames.test(url);

  /** @type {(text: string) => string} */
  const decoded = (text) => {
    try { return decodeURIComponent(text.replace(/\+/g, ' ')); } catch { return text; }
  };
  /** @type {(text: string, known: Iterable<string>) => boolean} */
  const isSecretPart = (text, known) => holdsSecret(text, known) || isHandle(text);
  /** @type {(name: string) => boolean} */
  const isSecretName = (name) => parameterNames.test(decoded(name).toLowerCase()) || parameterWords.test(words(decoded(name)));
  /** Whether a parameter is another one at each load, so that it says nothing of where a link leads. */
  /** @type {(name: string, value: string) => boolean} */
  const isPassing = (name, value) => passingNames.test(words(decoded(name))) && passingValues.test(value);
  /** The pair without its secrets, byte for byte where there are none; null if nothing may stay. */
  /** @type {(pair: string, known: Iterable<string>, depth: number) => string|null} */
  const cleanPair = (pair, known, depth) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    if (value.includes('{{account.')) return value.includes('account.password') ? null : pair;
    if ((at >= 0 && (isSecretName(name) || isPassing(name, value))) || isSecretPart(decoded(name), known)) return null;
    if (!/^(?:https?:\/\/|\/)/.test(value)) return isSecretPart(value, known) ? null : pair;
    const clean = depth < DEEPEST ? cleanUrl(value, known, depth + 1) : '';
    return clean === value ? pair : `${name}=${encodeURIComponent(clean)}`;
  };
  /** @type {(query: string, known: Iterable<string>, depth: number) => string} */
  const cleanPairs = (query, known, depth) => query.split('&').map((pair) => cleanPair(pair, known, depth)).filter(Boolean).join('&');
  const PEOPLE = new RegExp(RULES.paths.people, 'iu');
  /** The path without parts that are secret; the others may be names of users, which cannot be told from other words. */
  /** @type {(path: string, known: Iterable<string>) => string} */
  const cleanPath = (path, known) => path.split('/').flatMap((part, at, parts) => {
    const [own, ...more] = part.split(';');
    const isPage = /^[0-9]+$/.test(own) && at > 0 && !PEOPLE.test(parts[at - 1]) && ![...known].includes(own);
    if (!isPage && isSecretPart(decoded(own), known)) return [];
    return [[own, ...more.filter((pair) => !isSecretName(pair.split('=')[0]) && !isSecretPart(decoded(pair), known))].join(';')];
  }).join('/');

  /** @type {SecretsApi['cleanUrl']} */
  const cleanUrl = (url, known = [], depth = 0) => {
    const [, base, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? ['', url];
    const [, host, path] = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]*|)(.*)$/s.exec(base) ?? ['', '', base];
    const kept = query && cleanPairs(query, known, depth);
    const part = fragment && cleanFragment(fragment, known, depth);
    return host.replace(/\/\/.*@/, '//') + cleanPath(path, known) + (kept ? `?${kept}` : '') + (part ? `#${part}` : '');
  };
  /** @type {(fragment: string, known: Iterable<string>, depth: number) => string} */
  const cleanFragment = (fragment, known, depth) => {
    // "#/settings?tab=1" is a route of a single-page site, "#access_token=…&expires_in=…" a reply to it.
    const at = fragment.indexOf('?');
    if (at < 0 && fragment.includes('=')) return cleanPairs(fragment, known, depth);
    const kept = at < 0 ? '' : cleanPairs(fragment.slice(at + 1), known, depth);
    return cleanPath(at < 0 ? fragment : fragment.slice(0, at), known) + (kept ? `?${kept}` : '');
  };

  /** @type {(text: string) => string} */
  const literal = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const SHORTEST = 3; // A name of two letters stands in too many words.
  const CUT = 118; // Texts end after 120 characters, or a little before where a space stood there.
  /** A text cut in the middle of a value keeps neither the value nor its beginning. */
  /** @type {(text: string, value: string) => string} */
  const withoutStump = (text, value) => {
    if (text.length < CUT) return text;
    for (let length = value.length - 1; length > SHORTEST; length--) {
      if (text.toLowerCase().endsWith(value.slice(0, length).toLowerCase())) return text.slice(0, -length).trimEnd();
    }
    return text;
  };
  /** @type {SecretsApi['fillIn']} */
  const fillIn = (text, account) => {
    // Braces of the page's own would read as placeholders.
    let out = text.replace(/\{\{(?=[^{}]*\}\})/g, '{ {');
    for (const field of /** @type {const} */ (['email', 'username', 'name'])) {
      const value = account?.[field]?.trim();
      if (!value || value.length < SHORTEST) continue;
      const encoded = encodeURIComponent(value);
      for (const form of new Set([value, encoded, encoded.replaceAll('%20', '+'), CSS_ESCAPE(value)])) {
        const whole = new RegExp(`(?<![\\p{L}\\p{N}])${literal(form)}(?![\\p{L}\\p{N}])`, field === 'email' ? 'giu' : 'gu');
        out = out.replace(whole, `{{account.${field}}}`);
      }
      out = withoutStump(out, value);
    }
    return out;
  };
  // A service worker has no CSS object; ids in paths are escaped with backslashes.
  /** @type {(text: string) => string} */
  const CSS_ESCAPE = (text) => text.replace(/[^\p{L}\p{N}_-]/gu, '\\$&');

  /** @type {SecretsApi} */
  const api = { kindOf, isSecretText, isCaptcha, cleanUrl, fillIn };
  Object.defineProperty(globalThis, '__webspSecrets', { value: Object.freeze(api), enumerable: false });
})();
