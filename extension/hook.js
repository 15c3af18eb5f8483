// @ts-check
/*
 * The one thing that can be learnt in the page's own world only: what was answered to alert, confirm and prompt.
 * A proxy of a built-in calls through and still reads as "[native code]".
 */
(() => {
  'use strict';
  const dispatch = EventTarget.prototype.dispatchEvent.bind(window);
  const Told = CustomEvent;
  const apply = Reflect.apply;
  for (const name of /** @type {const} */ (['alert', 'confirm', 'prompt'])) {
    const native = window[name];
    if (!native) continue;
    Reflect.set(window, name, new Proxy(native, {
      apply(target, self, args) {
        const answer = apply(target, self, args);
        const accepted = name === 'alert' || (answer !== null && answer !== false);
        const text = name === 'prompt' && accepted ? answer : null;
        dispatch(new Told('websp-dialog', { detail: { accepted, text, message: `${args[0] ?? ''}` } }));
        return answer;
      },
    }));
  }
})();
