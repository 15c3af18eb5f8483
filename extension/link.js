// @ts-check
/*
 * The recorder's line to the service worker, one per frame.
 *
 * globalThis.__webspRecorder (isolated world only) begins here; link has
 *   state                  "unknown" until the worker has answered, then "idle", "recording" or "paused"
 *   options                {rules} of the recording
 *   active()               whether what happens now is to be noted ("unknown" counts: nothing may be lost)
 *   nextId()               id of an event, unique over all frames and documents
 *   send(message)          delivers at once, and again when the worker was stopped before it had stored it
 *   hear(type, fn)         a listener on window, ahead of the page's own and of stopPropagation
 *   onChange(fn)           called when the state changes
 *   onFlush(fn)            called before the worker reads the recording: fn(true) at its end, fn(false) on the way
 *   framePath()            CSS paths of the iframes from the top page down to this one
 *   refreshPath()          asks the parent frames for it anew
 *
 * A message is posted synchronously in the handler of the event it tells of, so it leaves before a page that
 * navigates at once can go; what the worker has not acknowledged is posted again when the line is back.
 */
(() => {
  'use strict';
  if (Reflect.get(globalThis, '__webspRecorder')) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { raw } = websp;
  const KEEP_AWAKE_MS = 20_000; // Chrome stops a service worker after 30 s without an event.

  // ---------------------------------------------------------------- listeners
  /** @type {[string, (event: any) => void][]} */
  const ears = [];
  const hear = /** @type {Link['hear']} */ ((/** @type {string} */ type, /** @type {(event: any) => void} */ fn) => {
    ears.push([type, fn]);
    addEventListener(type, fn, true);
  });
  // document.open(), and so document.write() into a window just opened, removes every listener from the window.
  new MutationObserver(() => { for (const [type, fn] of ears) addEventListener(type, fn, true); }).observe(document, { childList: true });

  /** @type {(() => void)[]} */
  const changed = [];
  /** @type {((last: boolean) => void)[]} */
  const flushed = [];
  /** @type {Map<string, FrameMessage>} */
  const unstored = new Map();
  const token = [...crypto.getRandomValues(new Uint32Array(2))].map((n) => n.toString(36)).join('');
  let count = 0;
  let messages = 0;
  /** @type {chrome.runtime.Port|null} */
  let port = null;

  /** @type {Link} */
  const link = {
    state: 'unknown',
    options: { rules: [] },
    active: () => link.state === 'recording' || link.state === 'unknown',
    nextId: () => `${token}.${++count}`,
    onChange: (fn) => void changed.push(fn),
    // Last come, first asked: a gesture becomes an event before the states of events are read.
    onFlush: (fn) => void flushed.unshift(fn),
    send: (message) => {
      if (link.state === 'idle' || link.state === 'paused') return;
      const serial = `${token}:${++messages}`;
      const sent = { ...message, serial };
      unstored.set(serial, sent);
      if (link.state !== 'recording') return;
      if (!port) connect(); // it waits for the worker to be there again
      post(sent);
    },
    hear,
    framePath: () => path,
    refreshPath: () => askForPath(),
  };

  // ---------------------------------------------------------------- the port
  /** @type {(message: object) => void} */
  const post = (message) => {
    try { port?.postMessage(message); } catch { port = null; }
  };
  /** @type {(state: Link['state']) => void} */
  const become = (state) => {
    if (link.state === state) return;
    link.state = state;
    for (const fn of changed) fn();
  };
  /** Whether this extension is still installed: a content script outlives its extension. */
  const orphaned = () => !chrome.runtime?.id;

  /** @type {(message: WorkerMessage) => void} */
  const receive = (message) => {
    if (message.kind === 'stored') unstored.delete(message.serial);
    else if (message.kind === 'flush') {
      if (link.state === 'recording') for (const fn of flushed) fn(message.last);
      post({ kind: 'flushed' });
    } else {
      const first = link.state === 'unknown';
      if (message.options) link.options = message.options;
      if (message.state === 'idle') unstored.clear();
      become(message.state);
      if (message.state !== 'recording') return;
      post({ kind: 'ready', held: recorder.fields?.held() ?? false });
      for (const waiting of unstored.values()) post(waiting);
      if (first) askForPath();
    }
  };
  const connect = () => {
    if (port) return;
    if (orphaned()) { become('idle'); return; }
    port = chrome.runtime.connect({ name: 'recorder' });
    port.onMessage.addListener(receive);
    port.onDisconnect.addListener(() => {
      port = null;
      // The worker was stopped: connecting starts it again.
      if (link.state !== 'idle') setTimeout(connect);
    });
  };
  const begin = async () => {
    if (orphaned()) return become('idle');
    const { live } = await chrome.storage.local.get('live');
    if (live) connect();
    else { unstored.clear(); become('idle'); }
  };
  chrome.runtime.onMessage.addListener((/** @type {unknown} */ message) => {
    if (Reflect.get(Object(message), 'kind') !== 'wake') return;
    if (!port && link.state !== 'recording') link.state = 'unknown';
    connect();
  });
  // A page that comes out of the back/forward cache has lost its port.
  hear('pageshow', (event) => { if (event.persisted) void begin(); });
  setInterval(() => { if (parent === window && link.state === 'recording') post({ kind: 'ping' }); }, KEEP_AWAKE_MS);

  // ---------------------------------------------------------------- which frame this is
  /** @type {string[]} */
  let path = [];
  const MARK = '__webspFrame';
  /** @type {(source: unknown) => Element|null} */
  const frameOf = (source) => {
    /** @type {Element|null} */
    let found = null;
    websp.walk(document, (el) => {
      if (!found && /^(iframe|frame|object|embed)$/.test(raw.tagOf(el)) && Reflect.get(el, 'contentWindow') === source) found = el;
      return !found;
    });
    return found;
  };
  const askForPath = () => {
    if (parent !== window) parent.postMessage({ [MARK]: 'where', token }, '*');
  };
  // A cross-origin frame cannot see the element it stands in; its parent can. The listener is the first of the
  // window, so that the page never sees these messages.
  hear('message', (event) => {
    if (link.state === 'idle') return; // reading event.data copies it
    const word = event.data && typeof event.data === 'object' ? event.data[MARK] : null;
    if (!word || typeof event.data.token !== 'string') return;
    event.stopImmediatePropagation();
    if (word === 'where') {
      const frame = frameOf(event.source);
      if (!frame) return;
      const reply = { [MARK]: 'here', token: event.data.token, path: [...path, websp.css(frame, true)] };
      /** @type {Window} */ (event.source).postMessage(reply, '*');
    } else if (word === 'here' && event.source === parent && event.data.token === token) {
      path = event.data.path.map(String);
    }
  });

  const recorder = /** @type {Recorder} */ ({ link });
  Object.defineProperty(globalThis, '__webspRecorder', { value: recorder, enumerable: false });
  void begin();
})();
