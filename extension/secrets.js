// @ts-check
/*
 * Form fields, URLs and the account's values: what a recording must not hold of them, by the rules in
 * secret_rules.yaml. Needs secret_rules.js and secret_texts.js. Loaded by the recorder in every frame and by the
 * service worker; redact.py does the same for imports.
 *
 * globalThis.__webspSecrets has
 *   kindOf(facts)              "password", "secret" (left out altogether) or null for a form field
 *   asksForPassword(facts)     whether a form field asks for a password, whatever its type
 *   asksForNewPassword(facts), asksForCurrentPassword(facts)   for one that the account shall have, or has
 *   isSecretText(text)         a card number or a key, wherever it was typed
 *   isCaptcha(url)             a frame whose inside is a captcha
 *   cleanUrl(url, known?)      the URL without user info, secret parameters and secret parts of its path and fragment;
 *                              known: secrets found elsewhere
 *   isWhole(url)               whether cleanUrl leaves all of it but what is another one at each load
 *   fillIn(text, account, as)  the text with {{account.email}} and the like in place of the account's values; as: whether it
 *                              is a "text" of the page, a "mark" (id and the like), a "path" of CSS, a "url" or a "value"
 *                              that a person typed
 */
(() => {
  'use strict';
  if (Reflect.get(globalThis, '__webspSecrets')) return;

  const RULES = /** @type {SecretRules} */ (Reflect.get(globalThis, '__webspSecretRules'));
  const { holdsSecret, isHandle, isSecretText, oddness } = /** @type {SecretTexts} */ (Reflect.get(globalThis, '__webspSecretTexts'));
  const { fields, parameters, paths } = RULES;
  const passwordAutocomplete = new RegExp(fields.password_autocomplete, 'u');
  const secretAutocomplete = new RegExp(fields.secret_autocomplete, 'u');
  const passwordWords = new RegExp(fields.password, 'u');
  const secretWords = new RegExp(fields.secret.join('|'), 'u');
  const aboutSecret = new RegExp(fields.about.join('|'), 'u');
  const captchaFrames = new RegExp(fields.captcha_frames, 'u');
  const parameterNames = new RegExp(parameters.names, 'u');
  const parameterWords = new RegExp(parameters.words, 'u');
  const shortNames = new RegExp(parameters.short, 'u');
  const linkWords = new RegExp(paths.links, 'iu');
  const tokenShape = new RegExp(paths.token.pattern, 'u');
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
    // Beside a label that says so ("Name of the password"), marks of a program do not count: its id may be of the whole row.
    const asks = hints.filter((hint) => !aboutSecret.test(words(hint)) && (passwordWords.test(words(hint)) || secretWords.test(words(hint))));
    const isAbout = hints.some((hint) => aboutSecret.test(words(hint)));
    return asks.some((hint) => !isAbout || /\s/.test(hint.trim())) ? 'secret' : null;
  };

  const newPasswordWords = new RegExp(fields.new_password, 'u');
  const currentPasswordWords = new RegExp(fields.current_password, 'u');
  /** @type {(facts: FieldFacts, autocomplete: RegExp, pattern: RegExp) => boolean} */
  const says = ({ autocomplete, hints }, known, pattern) => autocomplete.toLowerCase().trim().split(/\s+/).some((token) => known.test(token))
    || hints.some((hint) => pattern.test(words(hint)));
  /** @type {SecretsApi['asksForPassword']} */
  const asksForPassword = (facts) => says(facts, passwordAutocomplete, passwordWords);
  /** @type {SecretsApi['asksForNewPassword']} */
  const asksForNewPassword = (facts) => says(facts, /^new-password$/, newPasswordWords);
  /** @type {SecretsApi['asksForCurrentPassword']} */
  const asksForCurrentPassword = (facts) => says(facts, /^current-password$/, currentPasswordWords);

  /** @type {SecretsApi['isCaptcha']} */
  const isCaptcha = (url) => captchaFrames.test(url);

  /** @type {(text: string) => string} */
  const decoded = (text) => {
    try { return decodeURIComponent(text.replace(/\+/g, ' ')); } catch { return text; }
  };
  /** @type {(text: string, known: Iterable<string>) => boolean} */
  const isSecretPart = (text, known) => holdsSecret(text, known) || isHandle(text);
  /** The token of a link by mail, which may be shorter than other secrets. */
  /** @type {(text: string) => boolean} */
  const isShortToken = (text) => tokenShape.test(text) && oddness(text) >= paths.token.odd;
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
    if (shortNames.test(decoded(name).toLowerCase()) && isShortToken(value)) return null;
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
    const number = /^[0-9]+$/.test(own);
    const isPage = number && at > 0 && !PEOPLE.test(parts[at - 1]) && ![...known].includes(own);
    const isOfLink = parts.slice(0, at).some((before) => linkWords.test(before)) && (isShortToken(own) || (number && own.length >= 6));
    if (isOfLink || (!isPage && isSecretPart(decoded(own), known))) return [];
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
  /** @type {SecretsApi['isWhole']} */
  const isWhole = (url) => {
    const all = new URL(url);
    const clean = new URL(cleanUrl(url));
    return clean.pathname === all.pathname && clean.hash === all.hash && [...all.searchParams].every(([name, value]) => (
      clean.searchParams.getAll(name).includes(value) || isPassing(name, value)
    ));
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
  const CUT = 118; // Texts end after 120 characters, or a little before where a space stood there.
  const STUMP = 4;
  /** A text cut in the middle of a value keeps neither the value nor its beginning. */
  /** @type {(text: string, value: string) => string} */
  const withoutStump = (text, value) => {
    if (text.length < CUT) return text;
    for (let length = value.length - 1; length >= STUMP; length--) {
      if (text.toLowerCase().endsWith(value.slice(0, length).toLowerCase())) return text.slice(0, -length).trimEnd();
    }
    return text;
  };
  // A service worker has no CSS object; ids in paths are escaped with backslashes.
  /** @type {(text: string) => string} */
  const CSS_ESCAPE = (text) => text.replace(/[^\p{L}\p{N}_-]/gu, '\\$&');
  /** The forms in which a value may stand on a page or in a URL, for a regular expression. */
  /** @type {(value: string) => string} */
  const formsOf = (value) => {
    const encoded = encodeURIComponent(value);
    return [...new Set([value, encoded, encoded.replaceAll('%20', '+'), CSS_ESCAPE(value)])].map(literal).join('|');
  };
  const { account: NAMES } = RULES;
  const distinct = new RegExp(NAMES.distinct, 'u');
  const ordinary = new RegExp(NAMES.ordinary, 'iu');
  const LETTER = '[\\p{L}\\p{N}]';
  const JOINT = '[._@+-]';
  // A word of its own: "ada" neither in "adamant" nor in "countess.ada".
  const FROM = `(?<!${LETTER})(?<!${LETTER}${JOINT})`;
  const TO = `(?!${LETTER}|${JOINT}${LETTER})`;
  const PLACE = '\\{\\{account\\.[a-z]+\\}\\}';
  /** @type {(text: string, forms: string, place: string) => string} */
  const emailFilled = (text, forms, place) => text.replace(
    new RegExp(`(?:(?<![\\p{L}\\p{N}._%+-])|(?<=%[0-9A-F]{2}))(?:${forms})(?![\\p{L}\\p{N}_@-]|\\.${LETTER})`, 'giu'), () => place);
  /** In a text of the page. */
  /** @type {(text: string, value: string, place: string) => string} */
  const nameFilled = (text, value, place) => {
    const form = literal(value);
    let out = text.replace(new RegExp(`(^|[^\\p{L}])(${NAMES.before})( ?["“«„']?)${form}${TO}`, 'giu'), (_, a, b, c) => a + b + c + place);
    if (ordinary.test(value)) return out;
    if (distinct.test(value)) out = out.replace(new RegExp(`${FROM}${form}${TO}`, 'gu'), () => place);
    return out.replace(new RegExp(`(${PLACE}[ ()<>|·,]{1,3})${form}${TO}`, 'gu'), (_, a) => a + place)
      .replace(new RegExp(`${FROM}${form}(?=[ ()<>|·,]{1,3}${PLACE})`, 'gu'), () => place);
  };
  /** In a URL: a part of its path, the value of a parameter, the first name of its host. */
  /** @type {(url: string, value: string, place: string) => string} */
  const partFilled = (url, value, place) => url.replace(
    new RegExp(`(^|[/=@~]|%2F|%3D|%40)(?:${formsOf(value)})(?=$|[/?&#;,]|%2F|%26|%3F|%23)|(//)(?:${literal(value)})(?=\\.[^./]+\\.[^./])`, 'gu'),
    (_, before, host) => (before ?? host) + place);
  /** In an id and the like, where a name that is no other word is one between dashes too. */
  /** @type {(mark: string, value: string, place: string) => string} */
  const wordFilled = (mark, value, place) => (!distinct.test(value) || ordinary.test(value) ? mark
    : mark.replace(new RegExp(`(?<!${LETTER})(?:${formsOf(value)})(?!${LETTER})`, 'gu'), () => place));
  /** @type {Record<FilledAs, (text: string, value: string, place: string) => string>} */
  const FILL = {
    value: (text, value, place) => (text.trim() === value ? text.replace(value, () => place) : text),
    text: (text, value, place) => (text.trim() === value && !ordinary.test(value) ? text.replace(value, () => place) : nameFilled(text, value, place)),
    url: (text, value, place) => (ordinary.test(value) ? text : partFilled(text, value, place)),
    mark: (text, value, place) => (distinct.test(value) || ordinary.test(value) ? wordFilled(text, value, place)
      : text.replace(new RegExp(`^(?:${formsOf(value)})$`, 'u'), () => place)),
    // "#ada" and '[href="/users/ada"]', but not the tag of "form > a".
    path: (text, value, place) => wordFilled(text, value, place)
      .replace(/(["'])(.*?)\1/g, (_, quote, inner) => quote + FILL.mark(FILL.url(inner, value, place), value, place) + quote)
      .replace(/(?<=#)(?:\\.|[^\s>.:#[\\"'])+/g, (mark) => FILL.mark(mark, value, place)),
  };
  /** @type {SecretsApi['fillIn']} */
  const fillIn = (text, account, as) => {
    // Braces of the page's own would read as placeholders.
    let out = text.replace(/\{\{(?=[^{}]*\}\})/g, '{ {');
    for (const field of /** @type {const} */ (['email', 'username', 'name'])) {
      const value = account?.[field]?.trim();
      if (!value) continue;
      const place = `{{account.${field}}}`;
      out = field === 'email' ? emailFilled(out, formsOf(value), place) : FILL[as](out, value, place);
      if (as !== 'value' && (field === 'email' || distinct.test(value))) out = withoutStump(out, value);
    }
    return out;
  };

  /** @type {SecretsApi} */
  const api = { kindOf, asksForPassword, asksForNewPassword, asksForCurrentPassword, isSecretText, isCaptcha, cleanUrl, isWhole, fillIn };
  Object.defineProperty(globalThis, '__webspSecrets', { value: Object.freeze(api), enumerable: false });
})();
