// @ts-check
/*
 * What a page of the benchmark knows about itself, in a closure that no locator sees:
 *   __foreign.page            what to show (see the README)
 *   __foreign.place(key, el)  the element that a control is rendered in; null when it is gone
 *   __foreign.tell(key, value) what was operated, and its new value; the server keeps it
 *   __foreign.find(key) -> Element|null     __foreign.sent() -> when the server has heard everything
 */

Reflect.set(globalThis, '__show', (/** @type {any} */ page) => {
  /** @type {Map<string, Element>} */
  const places = new Map();
  /** @type {Set<Promise<unknown>>} */
  const open = new Set();
  const post = globalThis.fetch.bind(globalThis);
  /** @param {string} key @param {unknown} value */
  const tell = (key, value) => {
    const sending = post('/tell', { method: 'POST', keepalive: true, body: JSON.stringify([key, value]) });
    open.add(sending);
    sending.finally(() => open.delete(sending));
  };
  Object.defineProperty(globalThis, '__foreign', {
    value: Object.freeze({
      page,
      tell,
      /** @param {string} key @param {Element|null} el */
      place: (key, el) => void (el ? places.set(key, el) : places.delete(key)),
      /** @param {string} key */
      find: (key) => places.get(key) ?? null,
      sent: () => Promise.all(open).then(() => true),
    }),
  });
  Reflect.deleteProperty(globalThis, '__show');
});
