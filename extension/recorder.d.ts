// Types of the recorder, for the checker only. What each part does: the header of the file it lives in.

interface FieldFacts { type: string; autocomplete: string; hints: string[]; digits: boolean }
interface Account {
  email?: string;
  username?: string;
  name?: string;
  /** Only compared with what is typed; never written down. */
  password?: string;
  /** The password that was typed first, and the CSS path of its field, where the account's is not given. */
  signedInWith?: { typed: string; place: string };
}
type Omitted = 'password' | 'secret' | 'file' | 'captcha' | 'answer';

type FilledAs = 'text' | 'mark' | 'path' | 'url' | 'value';

interface SecretsApi {
  kindOf(facts: FieldFacts): 'password' | 'secret' | null;
  asksForPassword(facts: FieldFacts): boolean;
  asksForNewPassword(facts: FieldFacts): boolean;
  asksForCurrentPassword(facts: FieldFacts): boolean;
  isSecretText(text: string): boolean;
  isCaptcha(url: string): boolean;
  isWhole(url: string): boolean;
  cleanUrl(url: string, known?: Iterable<string>, depth?: number): string;
  fillIn(text: string, account: Account | null | undefined, as: FilledAs): string;
}

type RunState = 'recording' | 'paused' | 'stopped';

interface NotedState {
  checked: boolean | null;
  expanded: boolean | null;
  selected: boolean | null;
  pressed: boolean | null;
}

/** An event as websp-trace/2 has it. */
interface RecordedEvent {
  type: string;
  /** Of an input that was left out. */
  what?: Omitted;
  url?: string;
  target?: Fingerprint & { framePath?: string[] };
  value?: string;
  key?: string;
  /** The field was left, by whatever the person did next. */
  left?: boolean;
  follows_change?: boolean;
  stateful?: boolean;
  before?: Partial<NotedState>;
  after?: Partial<NotedState>;
  hover?: Fingerprint[];
}

interface Trace {
  schema: string;
  name: string;
  site: string;
  start_url: string;
  viewport: { width: number; height: number };
  recorded_with: string;
  omitted?: number;
  end?: { url: string; asks_password?: boolean };
  events: RecordedEvent[];
}

/** What a frame tells the worker. */
interface FrameMessage {
  kind: 'event' | 'settled' | 'left' | 'modal' | 'secret' | 'scripted' | 'ready' | 'flushed' | 'ping';
  serial?: string;
  id?: string;
  time?: number;
  field?: string;
  event?: RecordedEvent;
  /** What was typed into a password field; the worker compares it, and forgets it. */
  password?: { typed: string; isNew: boolean };
  before?: Partial<NotedState>;
  after?: Partial<NotedState>;
  toggled?: boolean;
  stateful?: boolean;
  drop?: boolean;
  secret?: boolean;
  held?: boolean;
  modal?: 'accept' | 'dismiss';
  text?: string | null;
}

/** What the worker tells a frame. */
type WorkerMessage =
  | { kind: 'stored'; serial: string }
  | { kind: 'flush'; last: boolean }
  | { kind: 'state'; state: 'idle' | RunState; options?: { rules: ClassRule[] } };

interface Link {
  state: 'unknown' | 'idle' | RunState;
  options: { rules: ClassRule[] };
  active(): boolean;
  nextId(): string;
  send(message: FrameMessage): void;
  hear<K extends keyof WindowEventMap>(type: K, fn: (event: WindowEventMap[K]) => void): void;
  hear(type: string, fn: (event: Event) => void): void;
  onChange(fn: () => void): void;
  onFlush(fn: (last: boolean) => void): void;
  framePath(): string[];
  refreshPath(): void;
}

interface Watch {
  changes(): number;
  quiet(ms: number): Promise<void>;
  openers(el: Element): Fingerprint[];
  settled(): void;
}

interface Presence {
  changing(): void;
  follows(el: Element): boolean;
  pressed(followed: boolean): void;
}

interface Entry {
  type: 'click' | 'change' | 'type' | 'key';
  el?: Element;
  print?: Fingerprint;
  value?: string;
  key?: string;
  field?: string;
  password?: { typed: string; isNew: boolean };
  before?: NotedState;
  holder?: Element | null;
  stateful?: boolean;
  follows?: boolean;
  tentative?: () => boolean;
  /** Whether the key that did it is still down. */
  held?: () => boolean;
  changesBefore?: number;
  hover?: Fingerprint[];
}

interface Pending {
  id: string;
  el: Element | null;
  print: Fingerprint | null;
  before: NotedState | null;
  holder: Element | null;
  tentative: () => boolean;
  held: () => boolean;
  changesBefore: number;
  done: boolean;
  superseded?: boolean;
  /** Until then a second press may still move it. */
  restlessUntil: number;
}

interface Notes {
  stateOf(el: Element): NotedState;
  note(entry: Entry): string;
  settleNow(): void;
  omit(what: Omitted, place?: { el?: Element; print?: Fingerprint; field?: string; value?: string }): string;
  keepSecret(field: Element, text: string): void;
}

interface Fields {
  isText(el: Element): boolean;
  hasValue(el: Element): boolean;
  fieldOf(el: Element): Element;
  touched(el: Element): boolean;
  valueOf(el: Element): string;
  flush(but?: Element | null): void;
  flushAs(el: Element, text: string): void;
  held(): boolean;
}

interface Recorder {
  link: Link;
  watch: Watch;
  presence: Presence;
  notes: Notes;
  fields: Fields;
  started?: boolean;
}

interface Gesture {
  target: Element;
  holder: Element | null;
  print: Fingerprint;
  before: NotedState;
  box: DOMRect;
  hover: Fingerprint[];
  changes: number;
  follows: boolean;
  over: boolean;
  inside: boolean;
  /** Of a pointer: what makes the browser open its own list or picker; null until that has happened. */
  opens?: Event | null;
}

interface NavigateLike extends Event { navigationType: string; userInitiated: boolean }

/** What the worker keeps of one event. */
interface Note {
  id: string;
  time: number;
  arrival: number;
  tab: number;
  field?: string;
  popup?: boolean;
  event?: RecordedEvent;
  drop?: boolean;
  modal?: 'accept' | 'dismiss';
  modalText?: string | null;
  picture?: string;
}

interface Recording {
  state: RunState;
  name: string;
  site: string;
  startUrl: string;
  viewport: { width: number; height: number };
  screenshots: boolean;
  rules: ClassRule[];
  tabs: number[];
  startedAt: number;
  stoppedAt?: number;
  end?: { url: string; asks_password?: boolean };
}

interface Status {
  state: 'idle' | RunState;
  name: string;
  site: string;
  events: number;
  omitted: number;
  startedAt: number | null;
  stoppedAt: number | null;
}

interface StartOptions {
  name: string;
  site: string;
  account?: Account | null;
  screenshots?: boolean;
  viewport?: { width: number; height: number };
  tabId?: number;
  /** The address that led to the page. */
  opened?: string;
  rules?: ClassRule[];
}

interface Recent { type: string; role: string; name: string; value: string | null; modal: string | null }

interface WebspApi {
  start(options: StartOptions): Promise<Status>;
  pause(): Promise<Status>;
  resume(): Promise<Status>;
  stop(): Promise<Status>;
  discard(): Promise<Status>;
  status(): Promise<Status>;
  trace(): Promise<Trace>;
  pictures(): Promise<{ name: string; dataUrl: string }[]>;
  picture(name: string): Promise<string | null>;
  tabs(): Promise<{ id: number; url: string }[]>;
  times(): Promise<number[]>;
  recent(count: number): Promise<Recent[]>;
}
