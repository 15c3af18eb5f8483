// @ts-check
/*
 * The recorder's window: asks the service worker, which does everything. Opened in a tab of its own as
 * popup.html?tab=<id> it speaks about that tab (tests and people who like it large).
 */

const LATELY = 6;
const REFRESH_MS = 400;
const WORDS = /** @type {Record<string, string>} */ ({ idle: 'Ready', recording: 'Recording', paused: 'Paused', stopped: 'Finished' });
const ICONS = /** @type {Record<string, string>} */ ({
  click: 'M6 2v3M2.5 3.5l2 2M2 7h3M7 7l6 2.4-2.6 1-1 2.6z',
  change: 'M5 4.5h6a3.5 3.5 0 0 1 0 7H5a3.5 3.5 0 0 1 0-7zM11 6.6a1.4 1.4 0 1 1 0 2.8 1.4 1.4 0 0 1 0-2.8z',
  type: 'M3 4V3h10v1M8 3v10M6 13h4',
  key: 'M2.5 4h11v8h-11zM5 9.5h6M5 6.8h.01M8 6.8h.01M11 6.8h.01',
  navigate: 'M2.5 8h10M9 4.5 12.5 8 9 11.5',
});

/** @type {<T extends HTMLElement = HTMLElement>(id: string) => T} */
const byId = (id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id}`);
  return /** @type {any} */ (found);
};
/** @type {(id: string) => HTMLInputElement} */
const field = (id) => byId(id);

/** @type {<K extends keyof WebspApi>(call: K, ...args: Parameters<WebspApi[K]>) => Promise<Awaited<ReturnType<WebspApi[K]>>>} */
const ask = async (call, ...args) => {
  const reply = await chrome.runtime.sendMessage({ kind: 'call', call, args });
  if (reply?.error) throw new Error(reply.error);
  return reply?.value;
};

/** @type {(id: string, error: unknown) => void} */
const complain = (id, error) => {
  const text = error instanceof Error ? error.message : '';
  byId(id).textContent = text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
  byId(id).hidden = !text;
};

// ---------------------------------------------------------------- what is shown
/** @type {(event: Recent) => HTMLLIElement} */
const line = (event) => {
  const item = document.createElement('li');
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  icon.setAttribute('viewBox', '0 0 16 16');
  icon.setAttribute('aria-label', event.type);
  icon.setAttribute('role', 'img');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[event.type] ?? ICONS.click);
  icon.append(path);
  const name = document.createElement('span');
  name.textContent = event.name || event.role || 'the page';
  name.title = `${event.type} ${event.role} ${event.name}`;
  const detail = document.createElement('small');
  detail.textContent = (event.value ?? event.modal ?? event.role).replace(/\{\{account\.(\w+)\}\}/g, '‹$1›');
  item.append(icon, name, detail);
  return item;
};
/** @type {(ms: number) => string} */
const clock = (ms) => {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

let shown = '';
const refresh = async () => {
  const status = await ask('status');
  document.body.dataset.state = status.state;
  if (byId('state').textContent !== WORDS[status.state]) byId('state').textContent = WORDS[status.state];
  byId('what-name').textContent = status.name;
  byId('what-site').textContent = status.site;
  byId('count').textContent = String(status.events);
  byId('omitted').textContent = String(status.omitted);
  byId('time').textContent = status.startedAt ? clock((status.stoppedAt ?? Date.now()) - status.startedAt) : '';
  byId('none').textContent = status.state === 'stopped' ? 'Nothing was recorded.' : 'Use the website. What you do appears here.';
  const recent = status.state === 'idle' ? [] : await ask('recent', LATELY);
  const now = JSON.stringify(recent);
  if (now !== shown) byId('events').replaceChildren(...recent.map(line));
  shown = now;
  /** @type {HTMLButtonElement} */ (byId('export')).disabled = status.events === 0;
};

// ---------------------------------------------------------------- what it is about
const asked = Number(new URLSearchParams(location.search).get('tab'));
/** @type {() => Promise<chrome.tabs.Tab|undefined>} */
const aboutTab = async () => (asked ? chrome.tabs.get(asked) : (await chrome.tabs.query({ active: true, currentWindow: true }))[0]);

/** The name a site goes by: "steampowered" of store.steampowered.com, "bbc" of www.bbc.co.uk. */
/** @type {(host: string) => string} */
const slugOf = (host) => {
  if (/^[\d.]+$|:/.test(host)) return host.replaceAll(':', '-');
  const parts = host.split('.').slice(0, -1);
  const last = parts[parts.length - 1] ?? host;
  return last.length <= 3 && /^(co|com|org|net|ac|gov|edu)$/.test(last) && parts.length > 1 ? parts[parts.length - 2] : last;
};
const prefill = async () => {
  const tab = await aboutTab();
  const url = tab?.url ?? '';
  if (!/^https?:/.test(url)) {
    complain('refusal', new Error('this page belongs to the browser and cannot be recorded: open the website first, then this popup again'));
    byId('setup').classList.add('refused');
    return;
  }
  const { hostname } = new URL(url);
  if (!field('site').value) field('site').value = slugOf(hostname);
  if (!field('name').value) field('name').value = `${hostname.replace(/^www\./, '')} settings`;
};

// ---------------------------------------------------------------- buttons
byId('setup').addEventListener('submit', async (event) => {
  event.preventDefault();
  complain('refusal', null);
  const account = { email: field('email').value.trim(), username: field('username').value.trim(), name: field('fullname').value.trim() };
  try {
    await ask('start', { name: field('name').value.trim(), site: field('site').value, account, screenshots: field('pictures').checked, tabId: (await aboutTab())?.id });
    byId('problem').hidden = true;
  } catch (error) { complain('refusal', error); }
  await refresh();
  byId('pause').focus();
});
/** @type {(id: string, work: () => Promise<unknown>) => void} */
const onClick = (id, work) => byId(id).addEventListener('click', async () => {
  complain('problem', null);
  try { await work(); } catch (error) { complain('problem', error); }
  await refresh();
});

/** @type {(name: string) => string} */
const fileName = (name) => name.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '').slice(0, 80) || 'trace';
const save = async () => {
  const trace = await ask('trace');
  const stem = fileName(trace.name);
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(trace, null, 1)}\n`], { type: 'application/json' }));
  await chrome.downloads.download({ url, filename: `${stem}.json` });
  for (const { name, dataUrl } of await ask('pictures')) await chrome.downloads.download({ url: dataUrl, filename: `${stem}/${name}` });
};

onClick('pause', () => ask('pause'));
onClick('resume', () => ask('resume'));
onClick('stop', () => ask('stop'));
onClick('export', save);
let sure = false;
onClick('discard', async () => {
  // Two clicks for what cannot be undone, unless there is nothing to lose.
  if (!sure && byId('count').textContent !== '0') {
    sure = true;
    byId('discard').textContent = 'Really discard?';
    return;
  }
  await ask('discard');
  await prefill();
});
byId('discard').addEventListener('blur', () => { sure = false; byId('discard').textContent = 'Discard'; });

const live = async () => {
  await refresh().catch((error) => complain('problem', error));
  setTimeout(live, REFRESH_MS);
};
void prefill().then(live);
