// @ts-check
/*
 * Writing down what was done: one message per event at once, and a second one when the page has reacted.
 *
 * globalThis.__webspRecorder.notes has
 *   stateOf(el)            the two-state facts of an element, without values
 *   note(entry)            notes an event; returns its id
 *   settleNow()            reads the state the last event led to, before the next one changes it; a two-state control
 *                          that has not moved yet is waited for meanwhile
 *   omit(what, place?)     notes that something was left out here, and what: its value is never sent; returns its id
 *   keepSecret(el, text)   a secret that a field holds: cut out of everything noted from now on
 */
(() => {
  'use strict';
  const recorder = /** @type {Recorder} */ (Reflect.get(globalThis, '__webspRecorder'));
  if (recorder.notes) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { link, watch } = recorder;
  const { raw } = websp;
  const REACTION_MS = 1_000;
  const TOGGLE_MS = 1_500; // A switch that asks its server first: as long as it has not moved, it is waited for.
  const HELD_MS = 3_000;
  const FEWEST = 4; // Shorter secrets are digits of a code, and would be cut out of every number.

  /** What each field has held; not what stood there on the way, which is the beginning of ordinary words too. */
  /** @type {Map<Element, Set<string>>} */
  const secrets = new Map();
  /** @type {(secret: string) => RegExp} */
  const pattern = (secret) => {
    const text = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    // One of letters only may be an ordinary word: "pass" is not cut out of "passengers".
    return new RegExp(/^[\p{L} ]+$/u.test(secret) ? `(?<![\\p{L}\\p{N}])${text}(?![\\p{L}\\p{N}])` : text, 'gu');
  };
  /** @type {(value: unknown) => any} */
  const scrubbed = (value) => {
    if (typeof value === 'string') {
      let out = value;
      const held = [...secrets.values()].flatMap((list) => [...list]).sort((a, b) => b.length - a.length);
      for (const secret of held) out = out.replace(pattern(secret), '');
      return out;
    }
    if (Array.isArray(value)) return value.map(scrubbed);
    if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, scrubbed(part)]));
    return value;
  };

  /** @type {Notes['stateOf']} */
  const stateOf = (el) => {
    const { checked, expanded, selected, pressed } = websp.stateOf(el, link.options.rules);
    return { checked, expanded, selected, pressed };
  };
  /** @type {(state: NotedState|null) => Partial<NotedState>|undefined} */
  const known = (state) => {
    const facts = Object.entries(state ?? {}).filter(([, value]) => value !== null);
    return facts.length ? Object.fromEntries(facts) : undefined;
  };
  const onOf = (/** @type {NotedState|null} */ state) => state?.checked ?? state?.pressed ?? null;

  /** The element, or what the page has put in its place. */
  /** @type {(el: Element, print: Fingerprint) => Element|null} */
  const current = (el, print) => {
    if (raw.isConnected(el)) return el;
    const alike = (/** @type {Element} */ other) => raw.tagOf(other) === print.tag
      && websp.roleOf(other) === print.role && (websp.nameOf(other).slice(0, 120).trim() || undefined) === print.name;
    const there = print.css ? websp.allByCss(print.css).filter(alike) : [];
    if (there.length === 1) return there[0];
    const anywhere = websp.indexed().filter(alike);
    return anywhere.length === 1 ? anywhere[0] : null;
  };

  /** The events whose effect is not known yet, the last one last. */
  /** @type {Pending[]} */
  let pending = [];
  /** @type {(waiting: Pending) => NotedState|null} */
  const afterOf = ({ el, print, holder }) => {
    if (holder && holder !== el) return raw.isConnected(holder) ? stateOf(holder) : null;
    const now = el && print && current(el, print);
    return now ? stateOf(now) : null;
  };
  /** @type {(waiting: Pending, leaving?: boolean) => void} */
  const finish = (waiting, leaving = false) => {
    if (waiting.done) return;
    waiting.done = true;
    const last = pending[pending.length - 1] === waiting;
    pending = pending.filter((other) => other !== waiting);
    tell(waiting, leaving);
    if (last) watch.settled();
  };
  /** @type {(waiting: Pending, leaving: boolean) => void} */
  const tell = (waiting, leaving) => {
    const { id, el, before, holder, tentative, changesBefore } = waiting;
    const after = afterOf(waiting);
    /** @type {FrameMessage} */
    const message = { kind: 'settled', id, secret: recorder.fields?.held() ?? false };
    const inner = holder !== null && holder !== el;
    const flipped = onOf(before) !== null && onOf(after) !== null && onOf(before) !== onOf(after);
    if (before && (inner ? flipped : after)) {
      message.before = known(before);
      message.after = known(after);
    }
    // A row that turned its own check box, a toggle button that did toggle: replay may turn them on and off.
    if (flipped && inner) message.toggled = true;
    if (flipped && !inner && before?.checked === null && before?.pressed !== null) message.stateful = true;
    if (!leaving && tentative() && changesBefore === watch.changes() && !flipped) message.drop = true;
    if (waiting.superseded) message.drop = true;
    link.send(message);
  };
  /** @type {(waiting: Pending) => Promise<void>} */
  const settle = async (waiting) => {
    let began = performance.now();
    // A page may act when the key goes up.
    while (!waiting.done && waiting.held() && performance.now() - began < HELD_MS) await watch.quiet(REACTION_MS);
    began = performance.now();
    await watch.quiet(REACTION_MS);
    const before = JSON.stringify(known(waiting.before));
    while (!waiting.done && before && performance.now() - began < TOGGLE_MS) {
      const after = afterOf(waiting);
      if (!after || (JSON.stringify(known(after)) !== before && performance.now() >= waiting.restlessUntil)) break;
      await watch.quiet(REACTION_MS);
    }
    finish(waiting);
  };

  /** @type {Notes['note']} */
  const note = (entry) => {
    settleNow();
    const { type, el, print, value, key, field, password } = entry;
    // Pressed again before it moved: where the second press leads is what both came to.
    const unmoved = pending.filter((other) => el && switchOf(other) === (entry.holder ?? el));
    for (const waiting of unmoved) {
      waiting.superseded = true;
      finish(waiting);
    }
    const id = link.nextId();
    const path = link.framePath();
    /** @type {RecordedEvent} */
    const event = { type };
    if (parent === window) event.url = location.href;
    if (print) event.target = path.length ? { ...print, framePath: path } : print;
    if (value !== undefined) event.value = value;
    if (key) event.key = key;
    if (entry.follows !== undefined) event.follows_change = entry.follows;
    if (entry.stateful) event.stateful = true;
    const before = entry.before ?? null;
    const inner = !!entry.holder && entry.holder !== el;
    if (!inner && known(before)) event.before = known(before);
    // Should the page go away at once, this is the last that can be said.
    const now = el && !inner && raw.isConnected(el) ? known(stateOf(el)) : undefined;
    if (now && event.before) event.after = now;
    const hover = entry.hover ?? [];
    if (hover.length) event.hover = hover.map((opener) => (path.length ? { ...opener, framePath: path } : opener));
    const time = performance.timeOrigin + performance.now();
    link.send({ kind: 'event', id, time, field, password, event: secrets.size ? scrubbed(event) : event });
    /** @type {Pending} */
    const waiting = {
      id, el: el ?? null, print: print ?? null, before, holder: entry.holder ?? null, done: false,
      tentative: entry.tentative ?? (() => false), held: entry.held ?? (() => false), changesBefore: entry.changesBefore ?? NaN,
      restlessUntil: unmoved.length ? performance.now() + TOGGLE_MS : 0,
    };
    pending.push(waiting);
    void settle(waiting);
    return id;
  };
  /** The two-state control that an event turns, or what the page has put in its place. */
  /** @type {(waiting: Pending) => Element|null} */
  const switchOf = ({ el, print, holder, before }) => {
    if (onOf(before) === null) return null;
    if (holder && holder !== el) return holder;
    return el && print && current(el, print);
  };
  /** @type {(waiting: Pending) => boolean} */
  const isUnmoved = (waiting) => {
    if (performance.now() < waiting.restlessUntil) return true;
    const after = switchOf(waiting) && afterOf(waiting);
    return !!after && onOf(after) === onOf(waiting.before);
  };
  const settleNow = () => { for (const waiting of [...pending]) if (!isUnmoved(waiting)) finish(waiting); };
  /** @type {Notes['omit']} */
  const omit = (what, { el, print, field, value } = {}) => {
    settleNow();
    const path = link.framePath();
    const target = print ?? (el && websp.recordedPrint(el));
    /** @type {RecordedEvent} */
    const event = { type: 'omitted', what };
    if (parent === window) event.url = location.href;
    if (target) event.target = path.length ? { ...target, framePath: path } : target;
    if (value) event.value = value;
    const id = link.nextId();
    const time = performance.timeOrigin + performance.now();
    link.send({ kind: 'event', id, time, field, event: secrets.size ? scrubbed(event) : event });
    return id;
  };
  /** @type {Notes['keepSecret']} */
  const keepSecret = (el, text) => {
    const secret = text.trim();
    if (secret.length < FEWEST) return;
    const held = secrets.get(el) ?? new Set();
    for (const other of held) if (secret.startsWith(other)) held.delete(other);
    secrets.set(el, held.add(secret));
  };

  // What is asked for on the way may still change, and is told again.
  link.onFlush((last) => { for (const waiting of [...pending]) if (last) finish(waiting); else tell(waiting, false); });
  // That the page goes is what came of it.
  link.hear('pagehide', () => { for (const waiting of [...pending]) finish(waiting, true); });
  recorder.notes = { stateOf, note, settleNow, omit, keepSecret };
})();
