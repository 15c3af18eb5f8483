// @ts-check
/*
 * Notices what a page asks of the browser that the browser would answer in a window of its own: permissions, devices,
 * printing. Such calls are visible only in the page's own world, so this script runs there. A function of two event
 * names that the page cannot know: on the event `ask` on the window, it dispatches the event `tell` with the words of
 * what was asked since the last time (notices.py has a sentence for each). Permissions are denied by the browser
 * (launch.py); what only a window could end, such as choosing a device, is refused here, because no window would.
 * It keeps the built-ins it needs; a page that defeats this is not told on.
 */
(/** @type {string} */ ask, /** @type {string} */ tell) => {
  'use strict';
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const refused = Promise.reject.bind(Promise);
  const dispatch = Function.prototype.call.bind(EventTarget.prototype.dispatchEvent);
  const Refusal = DOMException;
  const Told = CustomEvent;
  const Watched = Proxy;
  const page = globalThis;
  /** @type {(el: HTMLInputElement) => string} */
  const typeOf = Function.prototype.call.bind(/** @type {any} */ (getOwnPropertyDescriptor(HTMLInputElement.prototype, 'type')).get);

  /** @type {() => {[word: string]: boolean}} */
  const none = () => /** @type {any} */ ({ __proto__: null });
  let asked = none();

  /** Notes each call of a function, on what it `counts`; `ends` returns the result of a call that the browser would never end. */
  /** @type {(owner: object|undefined, name: string, word: string, ends?: (given: any[]) => any, counts?: (self: any) => boolean) => void} */
  const watch = (owner, name, word, ends, counts = () => true) => {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (!found || typeof found.value !== 'function') return;
    /** @type {(target: Function, self: any, given: any[]) => any} */
    const call = (target, self, given) => {
      const end = ends?.(given);
      if ((!ends || end) && counts(self)) asked[word] = true;
      return end ?? apply(target, self, given);
    };
    // Without a prototype, so that the page cannot add traps.
    found.value = new Watched(found.value, /** @type {any} */ ({ __proto__: null, apply: call }));
    defineProperty(/** @type {object} */ (owner), name, found);
  };
  /** @type {(name: string) => any} */
  const prototypeOf = (name) => Reflect.get(page, name)?.prototype;
  /** @type {(el: unknown) => boolean} */
  const isFile = (el) => el instanceof HTMLInputElement && typeOf(el) === 'file';
  const denied = () => refused(new Refusal('Permission denied', 'NotAllowedError'));
  const noDevice = () => refused(new Refusal('No device selected.', 'NotFoundError'));
  /** A key is asked for in a window, unless it is only offered beside a field. */
  /** @type {(given: any[]) => any} */
  const noKey = (given) => (given[0]?.publicKey && given[0].mediation !== 'conditional' ? denied() : undefined);
  /** @type {(given: any[]) => any} */
  const noAccount = (given) => ((given[0]?.identity || given[0]?.password) && given[0].mediation !== 'silent' ? denied() : undefined);

  watch(Reflect.get(page, 'Notification'), 'requestPermission', 'notifications');
  watch(prototypeOf('PushManager'), 'subscribe', 'notifications');
  watch(prototypeOf('Geolocation'), 'getCurrentPosition', 'location');
  watch(prototypeOf('Geolocation'), 'watchPosition', 'location');
  watch(prototypeOf('MediaDevices'), 'getUserMedia', 'camera', denied);
  watch(prototypeOf('MediaDevices'), 'getDisplayMedia', 'screen', denied);
  watch(prototypeOf('Clipboard'), 'read', 'clipboard');
  watch(prototypeOf('Clipboard'), 'readText', 'clipboard');
  watch(prototypeOf('Navigator'), 'requestMIDIAccess', 'midi');
  watch(Reflect.get(page, 'IdleDetector'), 'requestPermission', 'idle');
  watch(page, 'getScreenDetails', 'screens');
  watch(page, 'queryLocalFonts', 'fonts');
  watch(prototypeOf('Bluetooth'), 'requestDevice', 'device', noDevice);
  watch(prototypeOf('USB'), 'requestDevice', 'device', noDevice);
  watch(prototypeOf('HID'), 'requestDevice', 'device', noDevice);
  watch(prototypeOf('Serial'), 'requestPort', 'device', noDevice);
  watch(prototypeOf('CredentialsContainer'), 'get', 'key', noKey);
  watch(prototypeOf('CredentialsContainer'), 'create', 'key', noKey);
  watch(prototypeOf('CredentialsContainer'), 'get', 'account', noAccount);
  // The browser tells of a chooser by itself, but now and then only after the page has come to rest.
  watch(prototypeOf('HTMLElement'), 'click', 'file', undefined, isFile);
  watch(prototypeOf('HTMLInputElement'), 'showPicker', 'file', undefined, isFile);
  watch(page, 'showOpenFilePicker', 'file');
  watch(page, 'showSaveFilePicker', 'file');
  watch(page, 'showDirectoryPicker', 'file');
  watch(page, 'print', 'print');
  watch(prototypeOf('PaymentRequest'), 'show', 'payment');
  watch(prototypeOf('EyeDropper'), 'open', 'color');
  watch(prototypeOf('Document'), 'requestStorageAccess', 'storage');

  addEventListener(ask, () => {
    let words = '';
    for (const word in asked) words += `${word} `;
    if (!words) return;
    asked = none();
    dispatch(page, new Told(tell, /** @type {CustomEventInit} */ ({ __proto__: null, detail: words })));
  });
}
