// @ts-check
/*
 * What could be pressed before something was changed: replay may leave out a button that comes only with a change
 * (Save in a bar, Confirm in a dialog) where nothing needs to change, and no other.
 *
 * globalThis.__webspRecorder.presence has
 *   changing()     something is about to be changed: remembers what can be pressed, unless a change came before
 *   follows(el)    whether an element was absent or disabled before the changes made since
 *   pressed(followed)   such an element was pressed, or one that was there all the time, which ends the changes
 */
(() => {
  'use strict';
  const recorder = /** @type {Recorder} */ (Reflect.get(globalThis, '__webspRecorder'));
  if (recorder.presence) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { link } = recorder;
  const { raw, kit, roleOf, nameOf } = websp;

  /** What could be pressed before the first of the changes on this page, by role and name. */
  /** @type {{url: string, keys: Set<string>}|null} */
  let before = null;

  /** @type {(el: Element) => string} */
  const keyOf = (el) => `${roleOf(el)} ${kit.cut(nameOf(el))}`;
  const usable = () => websp.indexed().filter((el) => raw.shown(el, { visibilityProperty: true })
    && !websp.stateOf(el, link.options.rules).disabled);

  /** @type {Presence['changing']} */
  const changing = () => {
    if (before?.url !== location.href) before = { url: location.href, keys: new Set(usable().map(keyOf)) };
  };
  /** @type {Presence['follows']} */
  const follows = (el) => before?.url === location.href && !before.keys.has(keyOf(el));
  /** @type {Presence['pressed']} */
  const pressed = (followed) => { if (!followed) before = null; };

  recorder.presence = { changing, follows, pressed };
})();
