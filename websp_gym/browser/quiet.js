// @ts-check
/*
 * Waiting until the document is quiet. Adds to __websp
 *   quiet(ms, cap, known?, pause?, frames?, timers?)   resolves to {quiet, parsed, waited, asked} when the document is parsed, the DOM
 *                            has not changed for `ms` milliseconds and `frames` animation frames (2) have passed, or
 *                            after `cap` milliseconds with quiet: false. `known`: the time before the call counts too,
 *                            so a document that has been quiet for long enough resolves at once, after `pause`
 *                            milliseconds. `timers`: the event names of timers.js, the milliseconds for which its
 *                            pending timers are awaited, and how long these may be set for
 *   attend(ask, tell)        sets the names of the events used to ask asks.js; `asked`: its words since the last time
 * A document without scripting (a sandboxed iframe) has no timers and changes only by loading: it resolves at once.
 * An element that has been changing without a pause for half a second (a spinner, a clock, a ticker) is ignored.
 *   stirred()                when the document last changed or scrolled, in milliseconds
 * Animations that end within a second, and view transitions, are finished, as Playwright does for its screenshots, so
 * that no observation shows a half-open drawer.
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<MotionApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.quiet) return;
  const { raw, walk, kit } = websp;
  const { uncurry, cut } = kit;
  // The originals: fake timers and zone.js patch all of these.
  const later = setTimeout.bind(globalThis);
  const frame = requestAnimationFrame.bind(globalThis);
  const now = performance.now.bind(performance);
  const Later = Promise;
  const listen = uncurry(EventTarget.prototype.addEventListener);
  const unlisten = uncurry(EventTarget.prototype.removeEventListener);
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const Asked = Event;
  const AskedOf = CustomEvent;
  /** @type {(event: Event) => number} */
  const loadedOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(ProgressEvent.prototype, 'loaded')?.get));
  const doc = document;
  /** @type {(doc: Document) => DocumentReadyState} */
  const readyState = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'readyState')?.get));
  /** @type {(doc: Document) => AnimationTimeline} */
  const timelineOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'timeline')?.get));
  const isParsed = () => readyState(doc) !== 'loading';
  const scriptless = matchMedia('(scripting: none)');
  const CHANGES = { subtree: true, childList: true, attributes: true, characterData: true };
  const RESTLESS = 500;
  const PAUSE = 250;
  const ENDING = 1000;

  // ---------------------------------------------------------------- changes
  /** For each element: start of its current series of changes without a pause, and its last change. */
  /** @type {WeakMap<Node, {since: number, last: number}>} */
  const streaks = new WeakMap();
  /** @type {(node: Node) => {since: number, last: number}|undefined} */
  const streakOf = uncurry(WeakMap.prototype.get).bind(null, streaks);
  /** @type {(node: Node, streak: {since: number, last: number}) => void} */
  const keep = uncurry(WeakMap.prototype.set).bind(null, streaks);
  let changed = now();
  let stir = 0;

  /** @type {(node: Node, at: number) => boolean} */
  const isRestless = (node, at) => {
    const streak = streakOf(node);
    if (!streak || at - streak.last > PAUSE) {
      keep(node, { since: at, last: at });
      return false;
    }
    streak.last = at;
    return at - streak.since > RESTLESS;
  };
  const observer = new MutationObserver((records) => {
    const at = now();
    for (let i = 0; i < records.length; i++) if (!isRestless(records[i].target, at)) changed = stir = at;
  });
  observer.observe(document, CHANGES);
  listen(doc, 'scroll', () => { stir = now(); }, { capture: true, passive: true });
  /** @type {MotionApi['stirred']} */
  const stirred = () => stir;

  // ---------------------------------------------------------------- animations
  /** @type {(root: Node) => Animation[]} */
  const ofDocument = uncurry(Document.prototype.getAnimations);
  /** @type {(root: Node) => Animation[]} */
  const ofShadow = uncurry(ShadowRoot.prototype.getAnimations);
  /** @type {(root: Document|ShadowRoot) => Animation[]} */
  const animationsOf = (root) => (raw.nodeType(root) === 9 ? ofDocument : ofShadow)(root);
  /** @type {(animation: Animation) => void} */
  const finish = uncurry(Animation.prototype.finish);

  /** @type {(effect: AnimationEffect|null) => string} */
  const pseudoOf = (effect) => (effect instanceof KeyframeEffect ? effect.pseudoElement ?? '' : '');
  /** Finishes animations that are about to end, and the passing of one view into another; returns whether there were any. */
  /** @type {(roots: (Document|ShadowRoot)[]) => boolean} */
  const endAnimations = (roots) => {
    let any = false;
    for (let r = 0; r < roots.length; r++) {
      const animations = animationsOf(roots[r]);
      for (let i = 0; i < animations.length; i++) {
        const { playState, playbackRate, currentTime, effect, timeline } = animations[i];
        const end = effect ? Number(effect.getComputedTiming().endTime) : Infinity;
        // While one view passes into another, the pictures of both cover the page, and nothing on it can be operated.
        const ending = pseudoOf(effect).startsWith('::view-transition') ? Infinity : ENDING;
        // The state of a scroll-driven animation depends on the scroll position.
        if (playState !== 'running' || playbackRate <= 0 || timeline !== timelineOf(doc) || !(end - Number(currentTime) <= ending) || end === Infinity) continue;
        finish(animations[i]);
        any = true;
      }
    }
    return any;
  };

  // ---------------------------------------------------------------- waiting
  /** @type {(frames: number, done: () => void) => void} */
  const nextFrames = (frames, done) => {
    let once = () => { once = () => {}; done(); };
    // A frame's observers of size and visibility are called after its callbacks: with one frame, wait for them.
    frame(() => (frames > 1 ? frame(() => once()) : later(() => once(), 0)));
    // Iframes out of view are not rendered and get no animation frames.
    later(() => once(), 60);
  };

  /** @type {(within: number, then: () => void) => void} */
  const parsed = (within, then) => {
    let once = () => { once = () => {}; then(); };
    listen(doc, 'readystatechange', () => once(), { once: true });
    later(() => once(), within);
  };

  /** Returns the document and its shadow roots; starts observing new shadow roots. */
  /** @type {() => (Document|ShadowRoot)[]} */
  const watched = () => {
    /** @type {(Document|ShadowRoot)[]} */
    const roots = [document];
    walk(document, (el) => {
      const shadow = raw.shadowOf(el);
      if (!shadow) return;
      observer.observe(shadow, CHANGES);
      roots[roots.length] = shadow;
    });
    return roots;
  };

  let askForWords = '';
  let words = '';
  /** @type {MotionApi['attend']} */
  const attend = (ask, tell) => {
    askForWords = ask;
    listen(globalThis, tell, (/** @type {CustomEvent} */ event) => { words += event.detail; });
  };
  const LONGEST_WORDS = 300;
  /** What the page has asked of the browser since the last time. */
  /** @type {() => string} */
  const asked = () => {
    words = '';
    dispatch(globalThis, new Asked(askForWords));
    return cut(words, LONGEST_WORDS);
  };

  /** The milliseconds until the page's next timer that was set for at most so many, or null. */
  /** @type {(ask: string, tell: string, longest: number) => number|null} */
  const nextTimer = (ask, tell, longest) => {
    /** @type {number|null} */
    let left = null;
    const hear = (/** @type {any} */ event) => { left = loadedOf(event); };
    listen(globalThis, tell, hear);
    dispatch(globalThis, new AskedOf(ask, { detail: longest }));
    unlisten(globalThis, tell, hear);
    return left;
  };

  /** @type {MotionApi['quiet']} */
  const quiet = (ms, cap, known = false, pause = 0, frames = 2, timers = null) => new Later((resolve, reject) => {
    const start = now();
    /** @type {(rested: boolean) => void} */
    const end = (rested) => resolve({ quiet: rested, parsed: isParsed(), waited: now() - start, asked: asked() });
    /** Ends, unless a timer is to be awaited. This one is set later for a later time, so the page's own has run before. */
    const rest = () => {
      const left = timers && nextTimer(timers.ask, timers.tell, timers.longest);
      if (!timers || left === null || now() - start + left > (timers.ms < cap ? timers.ms : cap)) end(true);
      else later(look, left + 1);
    };
    /** Rests, unless something changes first that was due already: a busy machine runs a page's own timers late. */
    const restIfStill = () => {
      if (frames < 2) { rest(); return; }
      const seen = changed;
      later(() => (seen === changed ? rest() : look()), 0);
    };
    if (scriptless.matches) { resolve({ quiet: true, parsed: isParsed(), waited: 0, asked: '' }); return; }
    if (!known) changed = start;
    const roots = watched();
    const begin = () => {
      if (known && isParsed() && now() - changed >= ms && !endAnimations(roots)) restIfStill();
      else check();
    };
    const check = () => {
      const left = cap - (now() - start);
      if (left <= 0) { end(false); return; }
      if (!isParsed()) { parsed(left, look); return; }
      const seen = changed;
      const moved = endAnimations(roots);
      nextFrames(frames, () => {
        const missing = ms - (now() - changed);
        if (seen !== changed || moved) look();
        else if (missing <= 0) restIfStill();
        else later(() => (seen === changed && missing <= left ? restIfStill() : look()), missing < left ? missing : left);
      });
    };
    // Without this, an error in a timer would leave the promise pending forever.
    const look = () => {
      try { check(); } catch (error) { reject(error); }
    };
    if (pause > 0) later(() => { try { begin(); } catch (error) { reject(error); } }, pause < cap ? pause : cap);
    else begin();
  });

  Object.assign(websp, { quiet, stirred, attend });
})();
