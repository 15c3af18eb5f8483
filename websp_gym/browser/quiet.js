// @ts-check
/*
 * Waiting until the document rests. Adds to __websp
 *   quiet(ms, cap)   resolves {quiet, waited} when the DOM has not changed for `ms` milliseconds and two
 *                    animation frames have passed, or after `cap` milliseconds with quiet: false
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<MotionApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.quiet) return;
  const { raw, walk } = websp;
  // Kept from before the page ran: fake timers and zone.js patch all of them.
  const later = setTimeout.bind(globalThis);
  const frame = requestAnimationFrame.bind(globalThis);
  const now = performance.now.bind(performance);
  const Observer = MutationObserver;
  const Later = Promise;
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };

  /** @type {(done: () => void) => void} */
  const nextFrames = (done) => {
    let once = () => { once = () => {}; done(); };
    frame(() => frame(() => once()));
    // Frames out of view are not drawn and get no animation frames.
    later(() => once(), 60);
  };

  /** @type {MotionApi['quiet']} */
  const quiet = (ms, cap) => new Later((resolve) => {
    const start = now();
    let last = start;
    const observer = new Observer(() => { last = now(); });
    observer.observe(document, CHANGES);
    walk(document, (el) => { const shadow = raw.shadowOf(el); if (shadow) observer.observe(shadow, CHANGES); });
    /** @type {(rested: boolean) => void} */
    const end = (rested) => { observer.disconnect(); resolve({ quiet: rested, waited: now() - start }); };
    const check = () => {
      const left = ms - (now() - last);
      if (now() - start >= cap) end(false);
      else if (left > 0) later(check, left < cap ? left : cap);
      else { const seen = last; nextFrames(() => (seen === last ? end(true) : check())); }
    };
    check();
  });

  Object.assign(websp, { quiet });
})();
