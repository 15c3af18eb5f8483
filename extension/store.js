// @ts-check
/*
 * Where a recording is kept while the service worker may be stopped at any moment: events and pictures in IndexedDB,
 * the rest in extension storage. The account's values are in session storage, which is memory only: what reaches
 * the disk has placeholders already.
 */

const STORES = /** @type {const} */ (['events', 'pictures']);

/** @type {Promise<IDBDatabase>|null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
const database = () => (opened ??= new Promise((resolve, reject) => {
  const request = indexedDB.open('recording', 1);
  request.onupgradeneeded = () => { for (const name of STORES) request.result.createObjectStore(name, { keyPath: 'id' }); };
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
}));

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(typeof STORES)[number][]} names
 * @param {(stores: IDBObjectStore[]) => IDBRequest<T>|void} work
 * @returns {Promise<T|undefined>}
 */
const transact = async (mode, names, work) => {
  const transaction = (await database()).transaction(names, mode);
  const request = work(names.map((name) => transaction.objectStore(name)));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request ? request.result : undefined);
    transaction.onabort = () => reject(transaction.error);
  });
};

export const store = Object.freeze({
  /** @type {(record: Note) => Promise<void>} */
  putNote: async (record) => { await transact('readwrite', ['events'], ([events]) => { events.put(record); }); },
  /** @type {() => Promise<Note[]>} */
  notes: async () => await transact('readonly', ['events'], ([events]) => events.getAll()) ?? [],
  /** @type {(id: string, dataUrl: string) => Promise<void>} */
  putPicture: async (id, dataUrl) => { await transact('readwrite', ['pictures'], ([pictures]) => { pictures.put({ id, dataUrl }); }); },
  /** @type {(id: string) => Promise<string|null>} */
  picture: async (id) => (await transact('readonly', ['pictures'], ([pictures]) => pictures.get(id)))?.dataUrl ?? null,
  clear: async () => { await transact('readwrite', [...STORES], (stores) => { for (const one of stores) one.clear(); }); },

  /** @type {() => Promise<Recording|null>} */
  recording: async () => (await chrome.storage.local.get('recording')).recording ?? null,
  /** `live` alone is for the content scripts: whether it is worth asking. */
  /** @type {(recording: Recording|null) => Promise<void>} */
  setRecording: async (recording) => {
    const live = recording !== null && (recording.state === 'recording' || recording.state === 'paused');
    await chrome.storage.local.set({ recording, live });
  },
  /** @type {() => Promise<Account|null>} */
  account: async () => (await chrome.storage.session.get('account')).account ?? null,
  /** @type {(account: Account|null) => Promise<void>} */
  setAccount: async (account) => { await chrome.storage.session.set({ account }); },
});
