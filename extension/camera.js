// @ts-check
/*
 * A picture after each event, as Chrome allows: two per second and of the visible tab only. An event whose turn
 * does not come before the next one has none. Chrome itself shows a password as bullets; while any frame shows
 * another secret (a one-time code, a card number, a password made readable) there is no picture at all: a blurred
 * field would have to be drawn over in the page, and would say how long the secret is.
 */

const APART_MS = 510;

/**
 * @param {(id: string, dataUrl: string) => Promise<void>} save
 * @param {() => boolean|undefined} on
 */
export const makeCamera = (save, on) => {
  /** @type {Set<string>} */
  const veiled = new Set();
  let last = 0;
  /** @type {{id: string, window: number|undefined, tab: number|undefined}|null} */
  let next = null;
  /** @type {Promise<void>|null} */
  let busy = null;
  let spoilt = false;

  const key = (/** @type {chrome.runtime.MessageSender|undefined} */ sender) => `${sender?.tab?.id}:${sender?.documentId ?? sender?.frameId}`;
  const shoot = async () => {
    while (next) {
      await new Promise((done) => setTimeout(done, Math.max(0, last + APART_MS - Date.now())));
      const now = next;
      next = null;
      if (!now || veiled.size || !on()) continue;
      spoilt = false;
      last = Date.now();
      try {
        const tab = now.tab === undefined ? null : await chrome.tabs.get(now.tab);
        if (!tab?.active) continue;
        const dataUrl = await chrome.tabs.captureVisibleTab(tab.windowId, { format: 'png' });
        if (!spoilt && !veiled.size) await save(now.id, dataUrl);
      } catch { /* minimised, closed or a page of the browser: no picture */ }
    }
    busy = null;
  };

  return {
    /** @type {(id: string, tab: chrome.tabs.Tab|undefined, secret: boolean) => void} */
    wanted: (id, tab, secret) => {
      if (!on() || secret) return;
      next = { id, tab: tab?.id, window: tab?.windowId };
      busy ??= shoot();
    },
    /** @type {(sender: chrome.runtime.MessageSender, held: boolean) => void} */
    veil: (sender, held) => {
      if (held) { veiled.add(key(sender)); spoilt = true; } else veiled.delete(key(sender));
    },
    /** @type {(sender: chrome.runtime.MessageSender|undefined) => void} */
    gone: (sender) => void veiled.delete(key(sender)),
    idle: async () => { await busy; },
  };
};
