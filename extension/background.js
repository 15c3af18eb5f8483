// @ts-check
/*
 * The service worker: which tabs are recorded, and the notes they send. Chrome stops it whenever it likes, so
 * everything is stored before it is acknowledged, and a frame repeats what was not.
 *
 * globalThis.websp is for programs (Playwright evaluates in the worker; the popup sends {kind: "call"}):
 *   start(options), pause(), resume(), stop(), discard(), status(), trace(), pictures(), picture(name), recent(n), tabs(),
 *   times(): when each event happened, in milliseconds since 1970
 * All are asynchronous and take and return plain JSON.
 */
import { store } from './store.js';
import { assemble, cleaned, cleanedAnswer, omitted, ordered, startOf } from './trace.js';
import { makeCamera } from './camera.js';

const FLUSH_MS = 1_000;
const READY_MS = 2_000;
const UNRECORDABLE = /^(about:blank|chrome:\/\/(newtab|new-tab-page)\/?.*|)$/;
const SCRIPTS = chrome.runtime.getManifest().content_scripts?.[0]?.js ?? [];
const HOOKS = chrome.runtime.getManifest().content_scripts?.[1]?.js ?? [];

/** @type {Recording|null} */
let recording = null;
/** @type {Account|null} */
let account = null;
/** @type {Map<string, Note>} */
let notes = new Map();
/** @type {Set<chrome.runtime.Port>} */
const ports = new Set();

// ---------------------------------------------------------------- the badge
const showBadge = () => {
  const state = recording?.state ?? 'idle';
  const count = ordered(notes.values()).length;
  const text = state === 'recording' ? (count ? String(count) : 'REC') : state === 'paused' ? 'II' : '';
  void chrome.action.setBadgeBackgroundColor({ color: state === 'paused' ? '#8a6d00' : '#c5221f' });
  void chrome.action.setBadgeText({ text });
  const told = `${count} event${count === 1 ? '' : 's'}`;
  void chrome.action.setTitle({ title: state === 'idle' ? 'WebSP Recorder' : `WebSP Recorder: ${state === 'recording' ? 'REC' : state}, ${told}` });
};

const loaded = (async () => {
  [recording, account] = await Promise.all([store.recording(), store.account()]);
  if (recording) notes = new Map((await store.notes()).map((note) => [note.id, note]));
  showBadge();
})();

let queue = Promise.resolve();
/**
 * One thing after the other: frames talk at the same time, but there is one recording.
 * @template T
 * @param {() => Promise<T>|T} work
 * @returns {Promise<T>}
 */
const inTurn = (work) => {
  const result = queue.then(() => loaded).then(work);
  queue = result.then(() => {}, () => {});
  return result;
};

// ---------------------------------------------------------------- notes
/** @type {(note: Note) => Promise<void>} */
const keep = async (note) => {
  notes.set(note.id, note);
  await store.putNote(note);
  showBadge();
};
/** @type {(tab: number|undefined) => Note|undefined} */
const lastOf = (tab) => ordered(notes.values()).filter((note) => note.tab === tab).pop();

/** The event that types a password, left out unless the password is the account's. */
/** @type {(event: RecordedEvent, password: FrameMessage['password']) => Promise<RecordedEvent>} */
const withoutNewPassword = async (event, password) => {
  if (!password) return event;
  const { typed, isNew } = password;
  const place = event.target?.css ?? '';
  const known = account?.password ? { typed: account.password, place: '' } : account?.signedInWith;
  if (!known && !isNew) {
    // Typed first, as to sign in: what is typed elsewhere must be the same.
    account = { ...account, signedInWith: { typed, place } };
    await store.setAccount(account);
  }
  const own = known ? typed === known.typed || (!isNew && place !== '' && place === known.place) : !isNew;
  return own ? event : { ...event, type: 'omitted', what: 'password', value: '{{account.new_password}}' };
};

/** @type {(message: FrameMessage, sender: chrome.runtime.MessageSender) => Promise<void>} */
const take = async (message, sender) => {
  const tab = sender.tab?.id;
  if (!recording || recording.state === 'stopped' || tab === undefined || !recording.tabs.includes(tab)) return;
  const known = message.id ? notes.get(message.id) : undefined;
  if (message.kind === 'event' && message.event && message.id && !known) {
    const url = message.event.url ?? (await chrome.tabs.get(tab).catch(() => sender.tab))?.url ?? '';
    const event = await withoutNewPassword(message.event, message.password);
    await keep({
      id: message.id, time: message.time ?? Date.now(), arrival: notes.size, tab, field: message.field,
      popup: tab !== recording.tabs[0], event: cleaned({ ...event, url }, account),
    });
  } else if (message.kind === 'settled' && known?.event) {
    const { before, after, toggled, stateful, drop, secret } = message;
    const event = { ...known.event };
    if (before) event.before = before;
    if (after) event.after = after;
    if (toggled) event.type = 'change';
    if (toggled || stateful) event.stateful = true;
    await keep({ ...known, event, drop });
    if (!drop) camera.wanted(known.id, sender.tab, !!secret);
  } else if (message.kind === 'left' && known?.event) {
    await keep({ ...known, event: { ...known.event, left: true } });
  } else if (message.kind === 'modal') {
    const last = lastOf(tab);
    if (last && message.secret && message.id) {
      // Before the event that opened the dialog: replay must know the answer by then.
      const { url } = /** @type {RecordedEvent} */ (last.event);
      await keep({ id: message.id, time: last.time - 0.001, arrival: notes.size, tab, popup: last.popup, event: { type: 'omitted', what: 'answer', url } });
    }
    if (last) await keep({ ...last, modal: message.modal, modalText: message.text == null ? null : cleanedAnswer(message.text, account) });
  }
};

const camera = makeCamera(async (id, dataUrl) => inTurn(async () => {
  const note = notes.get(id);
  if (!note || !recording?.screenshots) return;
  const name = `${String(ordered(notes.values()).findIndex((one) => one.id === id) + 1).padStart(3, '0')}-${id.replace(/\W/g, '-')}.png`;
  await store.putPicture(name, dataUrl);
  await keep({ ...note, picture: name });
}), () => recording?.state === 'recording' && recording.screenshots);

// ---------------------------------------------------------------- frames
/** @type {(port: chrome.runtime.Port) => void} */
const tell = (port) => {
  const tab = port.sender?.tab?.id;
  const ours = recording && recording.state !== 'stopped' && tab !== undefined && recording.tabs.includes(tab);
  const state = ours && recording ? recording.state : 'idle';
  try { port.postMessage({ kind: 'state', state, options: { rules: recording?.rules ?? [] } }); } catch { ports.delete(port); }
};
/** @type {Set<() => void>} */
const waiting = new Set();
const news = () => { for (const look of [...waiting]) look(); };
/** @type {(done: () => boolean, ms: number) => Promise<boolean>} */
const until = (done, ms) => new Promise((resolve) => {
  const look = () => { if (done()) end(true); };
  const end = (/** @type {boolean} */ value) => { waiting.delete(look); clearTimeout(timer); resolve(value); };
  const timer = setTimeout(() => end(false), ms);
  waiting.add(look);
  look();
});
/** @type {Set<chrome.runtime.Port>} */
const ready = new Set();

chrome.runtime.onConnect.addListener((port) => {
  if (port.name !== 'recorder') return;
  ports.add(port);
  port.onDisconnect.addListener(() => { ports.delete(port); ready.delete(port); camera.gone(port.sender); news(); });
  port.onMessage.addListener((/** @type {FrameMessage} */ message) => {
    const sender = /** @type {chrome.runtime.MessageSender} */ (port.sender);
    if (message.kind === 'ready') { ready.add(port); camera.veil(sender, !!message.held); news(); }
    else if (message.kind === 'secret') camera.veil(sender, !!message.held);
    else if (message.kind === 'flushed') { answered.add(port); news(); }
    else if (message.kind === 'scripted') scripted(sender.tab?.id);
    else if (message.kind !== 'ping') {
      void inTurn(async () => {
        await take(message, sender);
        try { port.postMessage({ kind: 'stored', serial: message.serial }); } catch { /* the frame has gone */ }
      });
    }
  });
  void inTurn(() => tell(port));
});

/** @type {Set<chrome.runtime.Port>} */
let answered = new Set();
/** Has every frame send the states it has not yet read; at the end also the field being typed into. */
/** @type {(last: boolean) => Promise<void>} */
const flush = async (last) => {
  const asked = [...ready].filter((port) => ports.has(port));
  answered = new Set();
  for (const port of asked) {
    try { port.postMessage({ kind: 'flush', last }); } catch { ports.delete(port); }
  }
  await until(() => asked.every((port) => answered.has(port) || !ports.has(port)), FLUSH_MS);
  await inTurn(() => {});
};

// ---------------------------------------------------------------- tabs and navigations
/** A tab that a page of the recording opened belongs to it; its frames may have said hello before that is known. */
/** @type {(tab: number, opener: number) => Promise<void>} */
const adopt = async (tab, opener) => {
  if (!recording || recording.state === 'stopped') return;
  if (!recording.tabs.includes(opener) || recording.tabs.includes(tab)) return;
  recording.tabs.push(tab);
  await store.setRecording(recording);
  for (const port of ports) if (port.sender?.tab?.id === tab) tell(port);
};
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId }) => void inTurn(() => adopt(tabId, sourceTabId)));

/** Tabs whose next traversal or reload a script asked for. */
/** @type {Map<number, number>} */
const asked = new Map();
/** @type {(tab: number|undefined) => void} */
const scripted = (tab) => { if (tab !== undefined) asked.set(tab, Date.now()); };
const SCRIPTED_MS = 5_000;
const CHOSEN = /^(typed|auto_bookmark|generated|keyword|reload)$/;

/** @type {(details: chrome.webNavigation.Transition) => void} */
const navigated = (details) => {
  if (details.frameId !== 0) return;
  void inTurn(async () => {
    const { tabId, url, transitionType, transitionQualifiers: how } = details;
    if (!recording || recording.state !== 'recording' || !recording.tabs.includes(tabId)) return;
    const byScript = Date.now() - (asked.get(tabId) ?? 0) < SCRIPTED_MS;
    const again = transitionType === 'reload' || how.includes('forward_back');
    if (again && byScript) { asked.delete(tabId); return; }
    const chosen = how.includes('from_address_bar') || how.includes('forward_back')
      || (CHOSEN.test(transitionType) && !how.includes('client_redirect'));
    if (!chosen || !/^https?:/.test(url)) return;
    await go(tabId, url, details.timeStamp);
  });
};
/** @type {(tab: number, url: string, time: number) => Promise<void>} */
const go = async (tab, url, time) => {
  if (!recording) return;
  if (!recording.startUrl) {
    recording.startUrl = startOf(url, account);
    return store.setRecording(recording);
  }
  await keep({ id: `navigate.${time}`, time, arrival: notes.size, tab, popup: tab !== recording.tabs[0], event: cleaned({ type: 'navigate', url }, account) });
};
chrome.webNavigation.onCommitted.addListener(navigated);
chrome.webNavigation.onHistoryStateUpdated.addListener(navigated);
chrome.webNavigation.onReferenceFragmentUpdated.addListener(navigated);
chrome.webNavigation.onCompleted.addListener(({ tabId, frameId }) => {
  if (frameId !== 0) return;
  void inTurn(async () => {
    const last = recording?.tabs.includes(tabId) ? lastOf(tabId) : undefined;
    if (last && !last.picture) camera.wanted(last.id, await chrome.tabs.get(tabId).catch(() => undefined), false);
  });
});

// ---------------------------------------------------------------- the interface
/** @type {(state: Recording['state']) => Promise<Status>} */
const turn = (state) => inTurn(async () => {
  if (!recording || recording.state === 'stopped') throw new Error('nothing is being recorded');
  recording.state = state;
  if (state === 'stopped') recording.stoppedAt = Date.now();
  await store.setRecording(recording);
  for (const port of ports) tell(port);
  showBadge();
  return report();
});
/** @type {() => Status} */
const report = () => ({
  state: recording?.state ?? 'idle', name: recording?.name ?? '', site: recording?.site ?? '',
  events: ordered(notes.values()).length, omitted: omitted(notes.values()), startedAt: recording?.startedAt ?? null,
  stoppedAt: recording?.stoppedAt ?? null,
});
const forget = async () => {
  recording = null;
  account = null;
  notes = new Map();
  await Promise.all([store.clear(), store.setRecording(null), store.setAccount(null)]);
  for (const port of ports) tell(port);
  showBadge();
};

/** @type {(tabId: number|undefined) => Promise<chrome.tabs.Tab>} */
const tabToRecord = async (tabId) => {
  const tab = tabId === undefined ? (await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0] : await chrome.tabs.get(tabId);
  const url = tab?.url ?? '';
  if (!tab || tab.id === undefined) throw new Error('there is no tab to record');
  if (!/^https?:/.test(url) && !UNRECORDABLE.test(url)) {
    throw new Error(`${url.split('/', 3).join('/')} is a browser page, which extensions cannot record; open the website first`);
  }
  return tab;
};
/** Tabs opened before the extension was installed have no recorder yet; a page's own listeners come first there. */
/** @type {(tab: number) => Promise<void>} */
const reach = async (tab) => {
  try {
    const frames = await chrome.scripting.executeScript({ target: { tabId: tab, allFrames: true }, func: () => '__webspRecorder' in globalThis });
    const frameIds = frames.filter(({ result }) => !result).map(({ frameId }) => frameId);
    if (frameIds.length) {
      await chrome.scripting.executeScript({ target: { tabId: tab, frameIds }, files: SCRIPTS });
      await chrome.scripting.executeScript({ target: { tabId: tab, frameIds }, files: HOOKS, world: 'MAIN' });
    }
    await chrome.tabs.sendMessage(tab, { kind: 'wake' });
  } catch { /* a blank tab: its first page gets the recorder by itself */ }
};

/** Where the last event has led to, and whether that page asks for a password. */
const rememberEnd = async () => {
  const last = ordered(notes.values()).pop();
  const tab = last && await chrome.tabs.get(last.tab).catch(() => undefined);
  if (!last || recording?.state !== 'recording' || !tab?.url || !/^https?:/.test(tab.url)) return;
  let asksPassword = false;
  try {
    const [answer] = await chrome.scripting.executeScript({
      target: { tabId: last.tab },
      func: () => [...document.querySelectorAll('input[type=password]')].some((el) => el.checkVisibility({ visibilityProperty: true })),
    });
    asksPassword = !!answer?.result;
  } catch { return; }
  recording.end = { url: cleaned({ url: tab.url }, account).url, ...(asksPassword && { asks_password: true }) };
  await store.setRecording(recording);
};

/** @type {WebspApi} */
const api = {
  start: async (options) => {
    await loaded;
    if (recording && recording.state !== 'stopped') throw new Error('a recording is already running; stop or discard it first');
    const tab = await tabToRecord(options.tabId);
    const id = /** @type {number} */ (tab.id);
    const given = options.account ?? null;
    await inTurn(async () => {
      await forget();
      account = given;
      await store.setAccount(account);
      recording = {
        state: 'recording', name: options.name, site: options.site, screenshots: !!options.screenshots,
        startUrl: /^https?:/.test(tab.url ?? '') ? startOf(tab.url ?? '', account, options.opened) : '',
        viewport: options.viewport ?? { width: tab.width || 1280, height: tab.height || 1024 },
        rules: options.rules ?? [], tabs: [id], startedAt: Date.now(),
      };
      await store.setRecording(recording);
      showBadge();
    });
    await reach(id);
    for (const port of ports) if (port.sender?.tab?.id === id) tell(port);
    const readable = /^https?:/.test(tab.url ?? '');
    await until(() => !readable || [...ready].some((port) => port.sender?.tab?.id === id && port.sender.frameId === 0), READY_MS);
    return report();
  },
  pause: async () => { await flush(true); return turn('paused'); },
  resume: () => turn('recording'),
  stop: async () => {
    await flush(true);
    await camera.idle();
    await rememberEnd();
    const status = await turn('stopped');
    await inTurn(async () => { account = null; await store.setAccount(null); });
    return status;
  },
  discard: () => inTurn(async () => { await forget(); return report(); }),
  status: () => inTurn(report),
  trace: async () => {
    await flush(false);
    return inTurn(() => {
      if (!recording) throw new Error('nothing has been recorded');
      if (!recording.startUrl) throw new Error('no website was opened while recording');
      return assemble(recording, [...notes.values()]);
    });
  },
  pictures: async () => {
    const list = [];
    for (const note of await inTurn(() => ordered(notes.values()))) {
      const dataUrl = note.picture ? await store.picture(note.picture) : null;
      if (note.picture && dataUrl) list.push({ name: note.picture, dataUrl });
    }
    return list;
  },
  picture: (name) => store.picture(name),
  times: () => inTurn(() => ordered(notes.values()).map(({ time }) => time)),
  tabs: async () => (await chrome.tabs.query({})).map(({ id, url }) => ({ id: id ?? 0, url: url ?? '' })).sort((a, b) => a.id - b.id),
  recent: (count) => inTurn(() => ordered(notes.values()).slice(-count).map(({ event, modal }) => ({
    type: event?.type ?? '', role: event?.target?.role ?? '', value: event?.value ?? event?.key ?? null,
    name: event?.target?.name ?? event?.target?.label ?? event?.target?.text ?? event?.url ?? '', modal: modal ?? null,
  }))),
};
Reflect.set(globalThis, 'websp', api);

chrome.runtime.onMessage.addListener((/** @type {unknown} */ message, sender, respond) => {
  const { kind, call, args } = Object(message);
  // Only the extension's own pages may ask; content scripts share a process with the page.
  if (kind !== 'call' || sender.origin !== `chrome-extension://${chrome.runtime.id}` || !Object.hasOwn(api, call)) return false;
  Reflect.get(api, call)(...(args ?? [])).then(
    (/** @type {unknown} */ value) => respond({ value }),
    (/** @type {Error} */ error) => respond({ error: error.message }),
  );
  return true;
});
