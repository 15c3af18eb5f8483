// @ts-check
/* From the notes of all frames to one websp-trace/2. */
import './secret_rules.js';
import './secret_texts.js';
import './secrets.js';

const secrets = /** @type {SecretsApi} */ (Reflect.get(globalThis, '__webspSecrets'));
const { withoutSecrets, withoutPeople, codesBeside, holdsSecret, within } = /** @type {SecretTexts} */ (Reflect.get(globalThis, '__webspSecretTexts'));
const MOST = 5_000; // events a trace may have
const LONGEST = 120; // characters of a text
const READ = 200; // Texts of this length and more may end within a word.
const PASSWORDS = new Set(['{{account.password}}', '{{account.new_password}}']); // the placeholders the recorder itself writes
const TEXTS = /** @type {const} */ (['name', 'label', 'text', 'nearby', 'sibling', 'parent', 'section']);
const MARKS = /** @type {const} */ (['testId', 'id', 'nameAttr', 'value', 'form', 'css']);
// Compared as a whole, so they are left out if a part of them is secret.
const WHOLE = /** @type {const} */ (['value', 'placeholder']);
// What each key holds, as the account's values are looked for in it. The others are words of HTML and ARIA.
/** @type {Record<string, FilledAs>} */
const HOLDS = {
  ...Object.fromEntries(TEXTS.map((key) => [key, 'text'])), placeholder: 'text',
  testId: 'mark', id: 'mark', nameAttr: 'mark', value: 'mark', form: 'url',
  css: 'path', classes: 'path', framePath: 'path', href: 'url', group: 'text',
};

/** A fingerprint with placeholders where the account's values stood. */
/** @type {(print: Fingerprint, account: Account|null) => Fingerprint} */
const filledPrint = (print, account) => {
  const entries = Object.entries(print).map(([key, part]) => {
    const fill = (/** @type {unknown} */ text) => (typeof text === 'string' && HOLDS[key] ? secrets.fillIn(text, account, HOLDS[key]) : text);
    if (key === 'uncut') return [key, filledPrint(part, account)];
    return [key, Array.isArray(part) ? part.map(fill) : fill(part)];
  });
  return /** @type {Fingerprint} */ (Object.fromEntries(entries));
};
/** What was typed, or chosen among the page's own values. The recorder itself writes the placeholder of the password. */
/** @type {(value: string, type: string|undefined, account: Account|null) => string} */
const filledValue = (value, type, account) => (
  PASSWORDS.has(value) ? value : secrets.fillIn(value, account, type === 'change' ? 'mark' : 'value')
);

/** A text as the page has it, as far as it was read; without a word that may have been read in part. */
/** @type {(print: Fingerprint, key: typeof TEXTS[number]) => string} */
const read = (print, key) => {
  const text = print.uncut?.[key] ?? print[key] ?? '';
  return text.length < READ ? text : text.replace(/ [^ ]{0,80}$/, '');
};
/** The texts of a fingerprint without secrets, which are added to `found`. */
/** @type {(print: Fingerprint, found: Set<string>) => Fingerprint} */
const withCleanTexts = (print, found) => {
  const beside = codesBeside(TEXTS.map((key) => read(print, key)));
  const { uncut, ...clean } = print;
  for (const key of TEXTS) {
    if (print[key]) clean[key] = withoutSecrets(read(print, key), found, beside);
  }
  for (const key of WHOLE) {
    const text = print[key] ?? '';
    if (withoutPeople(withoutSecrets(text, found, beside)) !== text) delete clean[key];
  }
  if (print.group) clean.group = print.group.map((text) => withoutSecrets(text, found, beside));
  return clean;
};
/** @type {(text: string, known: Set<string>) => string} */
const without = (text, known) => {
  let out = text;
  for (const secret of known) out = out.replaceAll(secret, ' ');
  return out === text ? text : out.replace(/\s+/g, ' ').trim();
};
/** A mark as it would be without the escapes of CSS. */
/** @type {(path: string) => string} */
const unescaped = (path) => path.replace(/\\(?:([0-9a-fA-F]{1,6})\s?|(.))/g, (_, code, letter) => letter ?? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10FFFF)));

/** A fingerprint with clean texts, without marks that hold a secret. */
/** @type {(print: Fingerprint & {framePath?: string[]}, known: Set<string>) => Fingerprint} */
const withCleanMarks = (print, known) => {
  const clean = { ...print };
  for (const key of TEXTS) {
    const text = within(withoutPeople(without(print[key] ?? '', known)), LONGEST);
    if (text) clean[key] = text;
    else delete clean[key];
  }
  if (print.group) clean.group = print.group.map((text) => within(withoutPeople(without(text, known)), LONGEST));
  const bad = MARKS.filter((key) => print[key] && holdsSecret(unescaped(print[key] ?? ''), known));
  for (const key of bad) delete clean[key];
  const serial = print.serial?.filter((key) => !/** @type {string[]} */ (bad).includes(key));
  if (serial?.length) clean.serial = serial;
  else delete clean.serial;
  const classes = print.classes?.filter((name) => !holdsSecret(name, known));
  if (classes?.length) clean.classes = classes;
  else delete clean.classes;
  // A part of a path leads elsewhere.
  if (print.framePath?.some((path) => holdsSecret(unescaped(path), known))) delete clean.framePath;
  return print.href ? withCleanHref(clean, print.href, known) : clean;
};
/** A link of which a part of the path is secret is another one for every account. */
/** @type {(print: Fingerprint, href: string, known: Set<string>) => Fingerprint} */
const withCleanHref = (print, href, known) => {
  const clean = secrets.cleanUrl(href, known);
  if (/^[^?#]*/.exec(clean)?.[0] === /^(?:[^?#]*)/.exec(href.replace(/\/\/[^/]*@/, '//'))?.[0]) return { ...print, href: clean };
  const { href: left, ...rest } = print;
  return rest;
};

/**
 * An event without secrets, and with placeholders where the account's values stood.
 * @template {Partial<RecordedEvent>} T
 * @param {T} event
 * @param {Account|null} account
 * @returns {T}
 */
export const cleaned = (event, account) => {
  const { target, hover, url, value, ...rest } = event;
  /** @type {Set<string>} */
  const found = new Set();
  const clean = target && withCleanTexts(filledPrint(target, account), found);
  const openers = hover?.map((print) => withCleanTexts(filledPrint(print, account), found));
  return /** @type {T} */ ({
    ...rest,
    ...(value !== undefined && { value: filledValue(value, event.type, account) }),
    ...(clean && { target: withCleanMarks(clean, found) }),
    ...(openers && { hover: openers.map((print) => withCleanMarks(print, found)) }),
    ...(url !== undefined && { url: secrets.cleanUrl(secrets.fillIn(url, account, 'url'), found) }),
  });
};
/** Where a recording starts: a page that a redirect led to, as to sign in, is another one without its secret parameters. */
/** @type {(url: string, account: Account|null, opened?: string) => string} */
export const startOf = (url, account, opened = url) => (
  secrets.isWhole(opened) ? cleaned({ url: opened }, account).url : `${new URL(opened).origin}/`
);
/** What was answered to a prompt. */
/** @type {(text: string, account: Account|null) => string} */
export const cleanedAnswer = (text, account) => withoutSecrets(secrets.fillIn(text, account, 'value'));

/** A field left and come back to, with nothing done in between, is one event. */
/** @type {(last: Note|undefined, note: Note) => boolean} */
const continues = (last, note) => !!note.field && note.field === last?.field && note.event?.type === last.event?.type && !last.modal;

/**
 * The notes that count, in order.
 * @param {Iterable<Note>} all
 * @returns {Note[]}
 */
export const ordered = (all) => {
  /** @type {Note[]} */
  const kept = [];
  for (const note of [...all].sort((a, b) => a.time - b.time || a.arrival - b.arrival)) {
    if (!note.event || note.drop) continue;
    const last = kept[kept.length - 1];
    if (last && continues(last, note)) kept[kept.length - 1] = { ...note, event: { ...note.event, target: last.event?.target } };
    else kept.push(note);
  }
  return kept.slice(0, MOST);
};

/** @type {(all: Iterable<Note>) => number} */
export const omitted = (all) => {
  return ordered(all).filter((note) => note.event?.type === 'omitted').length;
};

/**
 * @param {Recording} recording
 * @param {Note[]} all
 * @returns {Trace}
 */
export const assemble = (recording, all) => {
  const events = ordered(all).map((note) => {
    const { modal, modalText, picture, popup } = note;
    return /** @type {RecordedEvent} */ ({
      ...note.event,
      ...(picture && { screenshot: picture }),
      ...(popup && { popup }),
      ...(modal && { modal }),
      ...(typeof modalText === 'string' && { modal_text: modalText }),
    });
  });
  return {
    schema: 'websp-trace/2',
    name: recording.name,
    site: recording.site,
    start_url: recording.startUrl,
    viewport: recording.viewport,
    recorded_with: `websp-recorder ${chrome.runtime.getManifest().version}`,
    ...(omitted(all) && { omitted: omitted(all) }),
    ...(recording.end && { end: recording.end }),
    events,
  };
};
