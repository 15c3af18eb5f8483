// @ts-check
/* From the notes of all frames to one websp-trace/1. */
import './secrets.js';

const secrets = /** @type {SecretsApi} */ (Reflect.get(globalThis, '__webspSecrets'));
const MOST = 5_000; // events a trace may have
const URLS = new Set(['url', 'href']);
// Words of HTML and ARIA, not of the page: somebody may be called "button".
const FIXED = new Set(['type', 'tag', 'role', 'typeAttr', 'xpath', 'key']);

/**
 * An event without secrets in its URLs and with placeholders where the account's values stood.
 * @template T
 * @param {T} part
 * @param {Account|null} account
 * @param {string} [name]
 * @returns {T}
 */
export const cleaned = (part, account, name = '') => {
  if (typeof part === 'string') {
    // The one placeholder the recorder itself writes.
    if (FIXED.has(name) || (name === 'value' && part === '{{account.password}}')) return part;
    const text = URLS.has(name) ? secrets.cleanUrl(part) : part;
    return /** @type {T} */ (/** @type {unknown} */ (secrets.fillIn(text, account)));
  }
  if (Array.isArray(part)) return /** @type {any} */ (part.map((one) => cleaned(one, account, name)));
  if (part && typeof part === 'object') {
    return /** @type {any} */ (Object.fromEntries(Object.entries(part).map(([key, value]) => [key, cleaned(value, account, key)])));
  }
  return part;
};

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
  let count = 0;
  for (const note of all) if (!note.event) count++;
  return count;
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
    schema: 'websp-trace/1',
    name: recording.name,
    site: recording.site,
    start_url: recording.startUrl,
    viewport: recording.viewport,
    recorded_with: `websp-recorder ${chrome.runtime.getManifest().version}`,
    ...(omitted(all) && { omitted: omitted(all) }),
    events,
  };
};
