// @ts-check
/*
 * Knows which short timers are pending, of pages that nobody knows: a field that waits for the end of typing, a menu that
 * opens after a moment, a handler attached after the load. It runs in the page's own world, because only there setTimeout
 * can be seen. A function of two event names that the page cannot know: on the event `ask` on the window, it dispatches
 * `tell` with the milliseconds until the next timer (as `loaded`) if there is one. Only timers that were set for as many
 * milliseconds as the event's `detail`, at most, are told: half a second, or ten for a page that may save after a while.
 * Intervals are not counted, and of timers that start timers the first few only. A Proxy keeps name, length and native text
 * of what it stands for.
 */
(/** @type {string} */ ask, /** @type {string} */ tell) => {
  'use strict';
  const { apply } = Reflect;
  const now = performance.now.bind(performance);
  const dispatch = dispatchEvent.bind(globalThis);
  const Told = ProgressEvent;
  const SHORT = 500; // milliseconds
  const LONGEST = 10_000;
  const CHAIN = 3;
  const MOST = 1_000; // only hostile pages have more
  /** When the pending timers are due, and for how long they were set, by their number. */
  /** @type {Record<number, {at: number, delay: number}>} */
  const due = Object.create(null);
  let count = 0;
  /** @type {(id: number) => void} */
  const forget = (id) => {
    if (!(id in due)) return;
    delete due[id];
    count--;
  };
  /** Timers in whose callbacks the running code was started, one in the other. */
  let depth = 0;

  /** @type {(native: Function, instead: (native: Function, self: unknown, given: any[]) => unknown) => any} */
  const standIn = (native, instead) => new Proxy(native, Object.assign(Object.create(null), { apply: instead }));
  /** @type {(native: Function, self: unknown, given: any[]) => unknown} */
  const clear = (native, self, given) => {
    if (typeof given[0] === 'number') forget(given[0]);
    return apply(native, self, given);
  };

  globalThis.setTimeout = standIn(setTimeout, (native, self, given) => {
    const [callback, delay = 0] = [given[0], given[1]];
    if (typeof callback !== 'function' || typeof delay !== 'number' || delay > LONGEST) return apply(native, self, given);
    const level = depth + 1;
    given[0] = /** @this {unknown} */ function (/** @type {unknown[]} */ ...rest) {
      forget(id);
      const before = depth;
      depth = level;
      try { return apply(callback, this, rest); } finally { depth = before; }
    };
    const id = /** @type {number} */ (apply(native, self, given));
    if (level <= CHAIN && count < MOST) {
      due[id] = { at: now() + (delay > 0 ? delay : 0), delay };
      count++;
    }
    return id;
  });
  globalThis.clearTimeout = standIn(clearTimeout, clear);
  globalThis.clearInterval = standIn(clearInterval, clear);

  addEventListener(ask, (event) => {
    const most = Number(/** @type {CustomEvent} */ (event).detail) || SHORT;
    let next = Infinity;
    for (const id in due) if (due[id].delay <= most && due[id].at < next) next = due[id].at;
    const left = next - now();
    if (next < Infinity) dispatch(new Told(tell, { loaded: left > 0 ? left : 0 }));
  });
}
