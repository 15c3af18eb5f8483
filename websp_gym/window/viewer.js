// @ts-check
/*
 * The page of a streamed window: draws the pictures of the tab, and sends what the person does. Messages come as
 * server-sent events (stream.py, server.py) and go in requests, one at a time and in order (messages.py).
 */
(() => {
  'use strict';
  /** @type {<T extends HTMLElement>(id: string, kind: new () => T) => T} */
  const get = (id, kind) => {
    const found = document.getElementById(id);
    if (!(found instanceof kind)) throw new Error(`no ${id}`);
    return found;
  };
  const screen = get('screen', HTMLCanvasElement);
  const keys = get('keys', HTMLTextAreaElement);
  const stage = get('stage', HTMLElement);
  const dialog = get('dialog', HTMLDialogElement);
  const brush = /** @type {CanvasRenderingContext2D} */ (screen.getContext('2d', { alpha: false }));
  /** Size of the tab in its own pixels. */
  let size = { width: 1280, height: 1024 };
  let viewer = '';
  /** @type {EventSource|null} */
  let source = null;

  // ---------------------------------------------------------------- sending
  /** @type {any[]} */
  const waiting = [];
  let sending = false;
  const flush = async () => {
    if (sending || !waiting.length || !viewer) return;
    sending = true;
    const batch = waiting.splice(0);
    try {
      await fetch('input', {
        method: 'POST', body: JSON.stringify(batch), headers: { 'Content-Type': 'application/json', 'X-Viewer': viewer },
      });
    } catch { /* the stream says that the connection is lost */ }
    sending = false;
    flush();
  };
  /** @type {(message: any) => void} */
  const send = (message) => {
    const last = waiting.at(-1);
    const moved = (/** @type {any} */ it) => it?.kind === 'mouse' && it.type === 'mouseMoved';
    if (moved(message) && moved(last) && last.buttons === message.buttons) waiting.pop();
    waiting.push(message);
    flush();
  };

  // ---------------------------------------------------------------- the picture
  const fit = () => {
    const room = stage.getBoundingClientRect();
    const scale = Math.max(0.05, Math.min((room.width - 16) / size.width, (room.height - 16) / size.height, 2));
    screen.style.width = `${Math.floor(size.width * scale)}px`;
    screen.style.height = `${Math.floor(size.height * scale)}px`;
  };
  new ResizeObserver(fit).observe(stage);
  let drawn = Promise.resolve();
  /** @type {(frame: {id: number, width: number, height: number, data: string}) => Promise<void>} */
  const draw = async (frame) => {
    const image = new Image();
    image.src = `data:image/jpeg;base64,${frame.data}`;
    try {
      await image.decode();
      if (screen.width !== image.naturalWidth || screen.height !== image.naturalHeight) {
        screen.width = image.naturalWidth;
        screen.height = image.naturalHeight;
      }
      if (size.width !== frame.width || size.height !== frame.height) {
        size = { width: frame.width, height: frame.height };
        fit();
      }
      brush.drawImage(image, 0, 0);
      screen.dataset.frame = String(frame.id);
    } finally {
      send({ kind: 'seen', id: frame.id });
    }
  };

  // ---------------------------------------------------------------- mouse
  const isMac = /^Mac|iP/.test(navigator.platform);
  /** Modifiers of the DevTools protocol; Command is Ctrl where the browser runs. @type {(event: MouseEvent|KeyboardEvent) => number} */
  const modifiers = (event) => {
    const [ctrl, meta] = isMac ? [event.ctrlKey || event.metaKey, false] : [event.ctrlKey, event.metaKey];
    return (event.altKey ? 1 : 0) | (ctrl ? 2 : 0) | (meta ? 4 : 0) | (event.shiftKey ? 8 : 0);
  };
  const BUTTONS = ['left', 'middle', 'right'];
  let held = 0;
  /** @type {(type: string, event: MouseEvent, more?: object) => void} */
  const mouse = (type, event, more = {}) => {
    const box = screen.getBoundingClientRect();
    /** @type {(at: number, from: number, across: number, whole: number) => number} */
    const inside = (at, from, across, whole) => Math.min(Math.max((at - from) * whole / across, 0), whole - 1);
    send({
      kind: 'mouse', type, modifiers: modifiers(event), buttons: event.buttons & 7,
      x: inside(event.clientX, box.left, box.width, size.width), y: inside(event.clientY, box.top, box.height, size.height),
      ...more,
    });
  };
  /** The text field lies where one points, so that an input method opens its window there. @type {(event: MouseEvent) => void} */
  const reach = (event) => {
    const room = stage.getBoundingClientRect();
    keys.style.transform = `translate(${event.clientX - room.left}px, ${event.clientY - room.top}px)`;
    keys.focus({ preventScroll: true });
  };
  screen.addEventListener('mousedown', (event) => {
    event.preventDefault();
    if (event.button > 2) return;
    reach(event);
    held |= 1 << event.button;
    mouse('mousePressed', event, { button: BUTTONS[event.button], count: event.detail });
  });
  addEventListener('mouseup', (event) => {
    if (!(held & (1 << event.button))) return;
    held &= ~(1 << event.button);
    mouse('mouseReleased', event, { button: BUTTONS[event.button], count: event.detail });
  });
  addEventListener('mousemove', (event) => {
    if (!held && event.target !== screen) return;
    const button = held & 1 ? 'left' : held & 4 ? 'right' : held & 2 ? 'middle' : 'none';
    mouse('mouseMoved', event, { button });
  });
  screen.addEventListener('contextmenu', (event) => event.preventDefault());
  screen.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 40 : event.deltaMode === 2 ? size.height : 1;
    mouse('mouseWheel', event, { dx: event.deltaX * lines, dy: event.deltaY * lines });
  }, { passive: false });

  // ---------------------------------------------------------------- keyboard
  /** What the person's own browser does: its text field takes the paste, and F5 and the like stay. @type {(event: KeyboardEvent) => boolean} */
  const isOwn = (event) => ((modifiers(event) & 2) !== 0 && event.key.toLowerCase() === 'v') || /^F(5|11|12)$/.test(event.key);
  /** @type {(type: string, event: KeyboardEvent) => void} */
  const key = (type, event) => {
    // Text that an input method or a dead key makes comes to the text field.
    if (event.isComposing || event.keyCode === 229 || event.key === 'Dead' || event.key === 'Process' || isOwn(event)) return;
    if (event.key === 'F6') {
      event.preventDefault();
      if (type === 'keyDown') get('around', HTMLElement).querySelector('button')?.focus();
      return;
    }
    event.preventDefault();
    const typed = [...event.key].length === 1 && event.getModifierState('AltGraph');
    send({
      kind: 'key', type, key: isMac && event.key === 'Meta' ? 'Control' : event.key, code: event.code, number: event.keyCode,
      location: event.location, repeat: event.repeat, modifiers: typed ? modifiers(event) & 8 : modifiers(event),
    });
  };
  keys.addEventListener('keydown', (event) => key('keyDown', event));
  keys.addEventListener('keyup', (event) => key('keyUp', event));
  const typed = () => {
    if (keys.value) send({ kind: 'text', text: keys.value });
    keys.value = '';
  };
  keys.addEventListener('input', (event) => { if (!(event instanceof InputEvent && event.isComposing)) typed(); });
  keys.addEventListener('compositionend', typed);

  // ---------------------------------------------------------------- around the picture
  /** @type {(id: string, text: string) => void} */
  const say = (id, text) => { get(id, HTMLElement).textContent = text; };
  /** @type {(text: string, press: () => void, kind?: string) => HTMLButtonElement} */
  const button = (text, press, kind = '') => {
    const made = document.createElement('button');
    made.type = 'button';
    made.textContent = text;
    made.className = kind;
    made.addEventListener('click', press);
    return made;
  };
  get('back', HTMLButtonElement).addEventListener('click', () => send({ kind: 'go', to: 'back' }));
  get('reload', HTMLButtonElement).addEventListener('click', () => send({ kind: 'go', to: 'reload' }));

  /** @type {(state: {url: string, back: boolean, tabs: {id: number, title: string, current: boolean}[]}) => void} */
  const show = (state) => {
    say('url', state.url);
    get('url', HTMLElement).title = state.url;
    get('back', HTMLButtonElement).disabled = !state.back;
    get('tabs', HTMLElement).replaceChildren(...state.tabs.map((tab) => {
      const box = document.createElement('div');
      box.className = 'tab';
      box.toggleAttribute('data-current', tab.current);
      const name = button(tab.title || 'New tab', () => send({ kind: 'tab', id: tab.id }), 'name');
      name.title = tab.title;
      if (tab.current) name.setAttribute('aria-current', 'true');
      box.append(name);
      if (state.tabs.length > 1) {
        const close = button('×', () => send({ kind: 'tab', id: tab.id, close: true }), 'close');
        close.setAttribute('aria-label', `Close ${tab.title}`);
        box.append(close);
      }
      return box;
    }));
  };
  /** @type {(hello: {title: string, says: string, buttons: string[], viewer: string, until: number|null}) => void} */
  const greet = (hello) => {
    tries = 0;
    viewer = hello.viewer;
    document.title = hello.title;
    say('title', hello.title);
    say('says', hello.says);
    get('buttons', HTMLElement).replaceChildren(...hello.buttons.map(
      (name, at) => button(name, () => send({ kind: 'press', button: name }), at ? '' : 'main')).reverse());
    until = hello.until;
    tick();
    put(false);
    get('over', HTMLElement).hidden = true;
    get('around', HTMLElement).inert = false;
    link('connected', 'on');
    keys.focus({ preventScroll: true });
  };
  /** When the person's time is over, in seconds of Unix time. @type {number|null} */
  let until = null;
  const tick = () => {
    const left = until === null ? 0 : Math.max(0, Math.ceil(until - Date.now() / 1000));
    say('left', until === null ? '' : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`);
  };
  setInterval(tick, 1000);
  /** @type {(text: string, state: 'on'|'off'|'') => void} */
  const link = (text, state) => {
    say('live', text);
    get('live', HTMLElement).toggleAttribute('data-on', state === 'on');
    get('live', HTMLElement).toggleAttribute('data-off', state === 'off');
  };
  /** @type {(title: string, text: string, again: string) => void} */
  const cover = (title, text, again) => {
    say('over-title', title);
    say('over-text', text);
    get('again', HTMLElement).hidden = !again;
    say('again', again);
    get('over', HTMLElement).hidden = false;
    get('around', HTMLElement).inert = true;
    put(false);
    get('again', HTMLElement).focus();
    link(title.toLowerCase(), 'off');
  };
  let fading = 0;
  /** @type {(text: string) => void} */
  const note = (text) => {
    const notice = get('notice', HTMLElement);
    notice.textContent = text;
    notice.hidden = false;
    clearTimeout(fading);
    fading = setTimeout(() => { notice.hidden = true; }, 8000);
  };

  // ---------------------------------------------------------------- dialogs of the page
  /** @typedef {{id: number, type: string, text: string, value: string}} Asked */
  /** @type {Asked[]} */
  const asked = [];
  const TITLES = { alert: 'The page says', confirm: 'The page asks', prompt: 'The page asks', beforeunload: 'Leave this page?' };
  const value = get('dialog-value', HTMLInputElement);
  /** Ask the next question, or forget all: a new stream tells again what is open. @type {(go: boolean) => void} */
  const put = (go) => {
    if (!go) asked.length = 0;
    shown = null;
    dialog.close();
    ask();
  };
  /** @type {Asked|null} */
  let shown = null;
  const ask = () => {
    if (shown || !asked.length) return;
    shown = asked.shift() ?? null;
    const { type, text, value: suggested } = /** @type {Asked} */ (shown);
    const leaves = type === 'beforeunload';
    say('dialog-title', TITLES[/** @type {keyof typeof TITLES} */ (type)] ?? 'The page asks');
    say('dialog-text', text || (leaves ? 'What you entered may not be saved.' : ''));
    value.hidden = type !== 'prompt';
    value.value = suggested;
    get('dialog-no', HTMLElement).hidden = type === 'alert';
    say('dialog-no', leaves ? 'Stay' : 'Cancel');
    say('dialog-yes', leaves ? 'Leave' : 'OK');
    dialog.showModal();
    (type === 'prompt' ? value : get('dialog-yes', HTMLElement)).focus();
    value.select();
  };
  /** @type {(accept: boolean) => void} */
  const answer = (accept) => {
    if (!shown) return;
    send({ kind: 'answer', id: shown.id, accept, text: accept ? value.value : '' });
    put(true);
    keys.focus({ preventScroll: true });
  };
  dialog.addEventListener('submit', (event) => {
    event.preventDefault();
    answer(event.submitter !== get('dialog-no', HTMLElement));
  });
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    answer(false);
  });

  // ---------------------------------------------------------------- receiving
  const connect = () => {
    source?.close();
    const from = source = new EventSource('stream');
    /** @type {(kind: string, take: (data: any) => void) => void} */
    const on = (kind, take) => from.addEventListener(kind, (event) => take(JSON.parse(/** @type {MessageEvent} */ (event).data)));
    /** @type {(title: string, text: string, again: string) => void} */
    const stop = (title, text, again) => {
      from.close();
      viewer = '';
      waiting.length = held = 0;
      cover(title, text, again);
    };
    on('hello', greet);
    on('frame', (frame) => { drawn = drawn.then(() => draw(frame)).catch(() => {}); });
    on('state', show);
    on('says', ({ text }) => say('says', text));
    on('notice', ({ text }) => note(text));
    on('dialog', (one) => { asked.push(one); ask(); });
    on('taken', () => stop('Shown elsewhere', 'Another page has taken over this window.', 'Show it here'));
    on('ended', ({ text }) => stop('Ended', text, ''));
    on('next', ({ text }) => {
      stop('Done', text, '');
      tries = MOST;
      later();
    });
    from.addEventListener('error', () => {
      if (tries > 0) {
        from.close();
        later();
      } else stop('Disconnected', 'The program has ended, or the connection to it is lost.', 'Connect again');
    });
  };
  /** How often it asks for the next window, every half second. */
  const MOST = 240;
  let tries = 0;
  const later = () => {
    tries -= 1;
    setTimeout(connect, 500);
  };
  get('again', HTMLElement).addEventListener('click', connect);
  connect();
})();
