// Types of the functions that the Python package adds to __websp, for the type checker only. For what they do, see the
// head of each script: page.js, boxes.js, hit.js, shadows.js, listeners.js, frames.js, identity.js, fields.js, scroll.js, quiet.js.

interface Box { x: number; y: number; w: number; h: number }
interface Spot { box: Box; x: number; y: number }
interface PageMark {
  index: number;
  tag: string;
  role: string;
  name: string;
  text: string;
  type: string;
  box: [number, number, number, number];
  at: [number, number];
  checked: boolean | null;
  mixed: boolean;
  expanded: boolean | null;
  disabled: boolean;
  selected: boolean | null;
  value: string;
  href: string;
  editable: boolean;
  scrollable: boolean;
  row: string;
  place: string;
  heading: string;
}
/** Where an element stands; `over` is the heading itself. */
interface Standing { place: string; heading: string; href: string; address: string; over: Element | null }
interface Identity extends Standing { role: string; name: string; state: boolean | null; lone: boolean }
interface Compared { error?: string; told?: string }
type Matrix = [number, number, number, number, number, number];
interface FrameSpot { iframe: number; matrix: Matrix; box: [number, number, number, number] }
interface Scrolled { moved: boolean; what: string; end?: boolean; iframe?: number; inside?: [number, number]; popup?: boolean }
interface Refusal { error: string }
interface At { x: number; y: number }
/** A point where the pointer operates an element, and a change of this that does not keep it from being operated. */
interface Reached extends At { toggles?: boolean; told?: string }
type Direction = 'up' | 'down' | 'left' | 'right';

interface BoxApi {
  boxesOf(el: Element): Box[];
  bearerOfBox(el: Element): Element;
}
interface HitApi {
  view(clip?: Box | null): Box;
  topAt(x: number, y: number): Element | null;
  belongs(hit: Element | null, target: Element): boolean;
  spotOf(el: Element, within: Box, faint?: boolean): Spot | null;
  spotNow(el: Element, within: Box, faint?: boolean): Spot | null;
  forget(): void;
}
interface ShadowApi {
  doubt(el: Element, tag: string, display: string | undefined): void;
  suspects(): Element[];
  reveal(root: ShadowRoot): void;
  revealed(): ShadowRoot[];
  forgetShadows(): void;
}
interface ListenerApi {
  heed(ask: string, tell: string): void;
  askForHandlers(): void;
  reacts(el: Element): boolean;
  isList(el: Element, hand: boolean): boolean;
  isLandmark(el: Element): boolean;
  saysSomething(el: Element): boolean;
}
interface FrameApi {
  holdsDocument(el: Element, tag?: string): boolean;
  iframe(number: number): Element | null;
  numberOf(el: Element): number;
  frameMatrix(el: Element): Matrix;
  outOf(el: Element, x: number, y: number): { x: number; y: number };
  intoFrame(el: Element, x: number, y: number): [number, number];
  frameSpot(el: Element, within: Box): FrameSpot | null;
  uncovered(iframe: number, points: number[]): string;
}
/** What a frame keeps of the element of a mark. */
interface Held { el: Element; target: Element; faint: boolean; soft: boolean; was: Identity }
interface IdentityApi {
  identify(marks: PageMark[], held: Held[]): void;
  standingOf(el: Element, target: Element, was: Identity): Standing;
  addressOf(): string;
  compare(was: Identity, now: Identity, passed: number, same?: boolean): Compared;
}
interface PickerApi {
  drawPicker(el: Element, sized?: boolean): boolean;
  drawPickerAt(x: number, y: number): { iframe: number; at: [number, number] } | null;
  ofBid(bid: string): Element | null;
  drawPickerOf(bid: string): boolean;
  closePickers(): void;
}
interface PageApi {
  collect(clip?: Box | null): PageMark[];
  survey(clip?: Box | null, most?: number): string;
  element(index: number): Element | null;
  targetOf(index: number): Element | null;
  changedSince(index: number, pressed?: boolean): Compared;
  elementsOf(indexes: number[]): Element[];
  customsOf(indexes: number[]): Element[];
  point(index: number): { x: number; y: number } | Refusal;
  openPicker(index: number): boolean;
  keepFromPasting(): void;
}
interface MotionApi {
  scrollAt(x: number, y: number, direction: Direction, fraction: number): Scrolled;
  scrollElement(index: number, direction: Direction, fraction: number): Scrolled | Refusal;
  scrollPopup(direction: Direction, fraction: number): Scrolled;
  scrollToEnd(): Scrolled;
  scrollOut(direction: Direction, fraction: number, iframe: number): Scrolled;
  quiet(ms: number, cap: number, known?: boolean, pause?: number, frames?: number, timers?: { ask: string; tell: string; ms: number; longest: number } | null): Promise<{ quiet: boolean; parsed: boolean; waited: number; asked: string }>;
  stirred(): number;
  attend(ask: string, tell: string): void;
}
type Pressed = { done: true } | { missed: true } | { inFrame: string } | Refusal;
interface PressApi {
  reach(index: number): Reached | Refusal;
  press(index: number): Reached | Refusal;
  touch(index: number): Reached | Refusal;
  through(el: Element, at: [number, number]): At | Refusal;
  pressed(): Pressed | null;
  isPointedAt(index: number): boolean;
}
interface FieldApi {
  typing(index: number, text: string): { how: 'keys' | 'set' | 'wait'; lines?: boolean } | Refusal;
  fillIn(index: number, text: string): void;
  focusOn(index: number): Partial<Refusal>;
  keepCursor(el?: Element | null): void;
  cursorLost(): string;
  isUnsettled(): boolean;
  leave(): boolean;
  leaveAny(): number | boolean;
  comeBack(): void;
  focused(): Element | null;
  lost(index: number, text: string): string;
  drawPickerOfFocus(): number | null;
}
type Websp = Dom & BoxApi & HitApi & ShadowApi & ListenerApi & FrameApi & PickerApi & IdentityApi & PageApi & MotionApi & FieldApi & PressApi;
