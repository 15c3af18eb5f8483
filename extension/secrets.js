// @ts-check
/*
 * What a recording must never hold, as data, and the few functions that apply it. Loaded by the recorder in every
 * frame and by the service worker; replay and marks do not use it.
 *
 * globalThis.__webspSecrets has
 *   kindOf(facts)              "password", "secret" (left out altogether) or null for a form field
 *   isSecretText(text)         a payment card number, wherever it was typed
 *   isCaptcha(url)             a frame whose inside is a captcha
 *   cleanUrl(url)              the URL without user info, secret parameters and secret fragment
 *   fillIn(text, account)      the text with {{account.email}} and the like in place of the account's values
 */
(() => {
  'use strict';
  if (Reflect.get(globalThis, '__webspSecrets')) return;

  const RULES = Object.freeze({
    passwordAutocomplete: /^(current|new)-password$/,
    secretAutocomplete: /^(one-time-code|cc-(?!name$|type$).*)$/,
    // Read in the words of a field's id, name, label, placeholder and aria-label: "userOtpCode" is "user otp code".
    passwordWords: /\b(pass ?words?|pass ?wd|pwd|pass ?phrase|passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)\b/,
    secretWords: new RegExp([
      // one-time codes
      '\\b(h?otp|totp|2fa|mfa|two ?factor|second factor|tan)\\b', '\\bone ?time\\b', '\\bpass ?code\\b', '\\bpin( ?code)?\\b',
      '\\b(verification|verify|authentication|authenticator|auth|security|login|sign ?in|confirmation|sms|access|guard|backup|recovery) ?(code|key)s?\\b',
      '\\bcode (we|from|sent)\\b', '\\b\\d digit code\\b',
      // payment
      '\\b(credit|debit)? ?card ?(number|no|num)\\b', '\\bcc ?(num|number|no|exp|csc|cvc)\\b', '\\b(cvv2?|cvc2?|csc)\\b', '\\biban\\b',
      // captchas and keys
      '\\b(re|h)?captcha\\b', '\\bcharacters (you see|in the (image|picture))\\b', '\\bturnstile\\b',
      '\\b(api|secret|private|access) ?(key|token)\\b', '\\b(ssn|social security( number)?)\\b', '\\bsecurity answer\\b',
    ].join('|')),
    captchaFrames: /^https:\/\/([\w-]+\.)*(hcaptcha\.com|recaptcha\.net|challenges\.cloudflare\.com|arkoselabs\.com|funcaptcha\.com|geetest\.com)\/|^https:\/\/www\.google\.com\/recaptcha\//,
    // Parts of harmless names too (zip_code), so they count only when they stand alone.
    secretParameters: /^(code|state|key|pass|pin)$/,
    secretParameterWords: /\b(access token|id token|token|api ?key|auth(entication|orization)?|code (challenge|verifier)|auth code|credentials?|csrf|xsrf|hmac|jwt|jsessionid|phpsessid|nonce|otp|passwd|password|pwd|pw|assertion|saml ?\w*|secret|sess(ion)?( ?id)?|session ?\w*|sid|sig(nature)?|ticket|openid|magic|verifier)\b/,
  });

  /** "userOtp-code[0]" → "user otp code 0" */
  /** @type {(text: string) => string} */
  const words = (text) => text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ').toLowerCase().trim();

  /** @type {SecretsApi['kindOf']} */
  const kindOf = ({ type, autocomplete, hints, digits }) => {
    const tokens = autocomplete.toLowerCase().trim().split(/\s+/);
    if (tokens.some((token) => RULES.secretAutocomplete.test(token)) || digits) return 'secret';
    if (type === 'password') {
      // A one-time code is often asked for in a password field; it is no password to fill in again.
      return hints.some((hint) => RULES.secretWords.test(words(hint)) && !RULES.passwordWords.test(words(hint))) ? 'secret' : 'password';
    }
    // Replay types a password into password fields only: in any other field it is left out.
    if (tokens.some((token) => RULES.passwordAutocomplete.test(token))) return 'secret';
    return hints.some((hint) => RULES.passwordWords.test(words(hint)) || RULES.secretWords.test(words(hint))) ? 'secret' : null;
  };

  /** @type {SecretsApi['isSecretText']} */
  const isSecretText = (text) => {
    const runs = text.match(/\d(?:[ -]?\d){12,18}/g) ?? [];
    return runs.some((run) => {
      const digits = run.replace(/\D/g, '');
      let sum = 0; // Luhn
      for (let i = 0; i < digits.length; i++) {
        const digit = Number(digits[digits.length - 1 - i]);
        sum += i % 2 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
      }
      return digits.length <= 19 && sum > 0 && sum % 10 === 0;
    });
  };

  /** @type {SecretsApi['isCaptcha']} */
  const isCaptcha = (url) => RULES.captchaFrames.test(url);

  /** @type {(text: string) => string} */
  const decoded = (text) => {
    try { return decodeURIComponent(text.replace(/\+/g, ' ')); } catch { return text; }
  };
  /** Looks like something a machine made up: long, letters and digits mixed, few repetitions. */
  /** @type {(text: string) => boolean} */
  const looksRandom = (text) => {
    if (/^eyJ[\w-]{10,}\./.test(text)) return true;
    return (text.match(/[\w~+/=-]{20,}/g) ?? []).some((run) => {
      // Words joined by hyphens are an address; a token is one piece or nearly so.
      const longest = Math.max(...run.split(/[-_]/).map((piece) => piece.length));
      if (longest < 16 || !/\d/.test(run) || !/[a-z]/i.test(run)) return false;
      /** @type {Map<string, number>} */
      const counts = new Map();
      for (const char of run) counts.set(char, (counts.get(char) ?? 0) + 1);
      let bits = 0;
      for (const count of counts.values()) bits -= count / run.length * Math.log2(count / run.length);
      return bits > 3.2;
    });
  };
  /** @type {(name: string, value: string) => boolean} */
  const isSecretPair = (name, value) => {
    const lower = decoded(name).toLowerCase();
    return RULES.secretParameters.test(lower) || RULES.secretParameterWords.test(words(decoded(name))) || looksRandom(decoded(value));
  };
  /** Keeps every pair that may stay, byte for byte. */
  /** @type {(query: string) => string} */
  const cleanPairs = (query) => query.split('&').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? pair : pair.slice(0, at);
    const value = at < 0 ? '' : pair.slice(at + 1);
    if (at < 0 ? looksRandom(decoded(name)) : isSecretPair(name, value)) return [];
    const inner = decoded(value);
    if (!/^https?:\/\/|^\/\S*\?/.test(inner)) return [pair];
    const clean = cleanUrl(inner);
    return [clean === inner ? pair : `${name}=${encodeURIComponent(clean)}`];
  }).join('&');

  /** @type {SecretsApi['cleanUrl']} */
  const cleanUrl = (url) => {
    const [, base, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? ['', url];
    const host = base.replace(/^([a-z][\w+.-]*:\/\/)[^/@]*@/i, '$1');
    const kept = query && cleanPairs(query);
    const part = fragment && cleanFragment(fragment);
    return host + (kept ? `?${kept}` : '') + (part ? `#${part}` : '');
  };
  /** @type {(fragment: string) => string} */
  const cleanFragment = (fragment) => {
    // "#/settings?tab=1" is a route of a single-page site, "#access_token=…&expires_in=…" a reply to it.
    const at = fragment.indexOf('?');
    if (at >= 0) {
      const kept = cleanPairs(fragment.slice(at + 1));
      return fragment.slice(0, at) + (kept ? `?${kept}` : '');
    }
    return cleanPairs(fragment);
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
      for (const form of new Set([value, encodeURIComponent(value), CSS_ESCAPE(value)])) {
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
