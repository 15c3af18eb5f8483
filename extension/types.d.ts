// Types of globalThis.__websp, for the checker only; never loaded by a browser. What each one does: dom.js.

interface ClassRule { on?: string; off?: string }

interface State {
  checked: boolean | null;
  mixed: boolean;
  expanded: boolean | null;
  disabled: boolean;
  selected: boolean | null;
  pressed: boolean | null;
  value: string | null;
}

interface Fingerprint {
  tag: string;
  testId?: string;
  id?: string;
  nameAttr?: string;
  role?: string;
  name?: string;
  label?: string;
  text?: string;
  nearby?: string;
  sibling?: string;
  parent?: string;
  section?: string;
  href?: string;
  placeholder?: string;
  typeAttr?: string;
  css?: string;
  xpath?: string;
  webspIndex?: number;
  classes?: string[];
}

/** Built-ins as they were before the page ran. */
interface Raw {
  nodeType(node: Node): number;
  parentNode(node: Node): Node | null;
  firstChild(node: Node): Node | null;
  nextSibling(node: Node): Node | null;
  previousElement(el: Element): Element | null;
  nextElement(el: Element): Element | null;
  rootOf(node: Node): Node;
  isConnected(node: Node): boolean;
  tagOf(el: Element): string;
  shadowOf(el: Element): ShadowRoot | null;
  hostOf(root: ShadowRoot): Element;
  attr(el: Element, name: string): string | null;
  has(el: Element, name: string): boolean;
  matches(el: Element, css: string): boolean;
  rect(el: Element): DOMRect;
  rects(el: Element): DOMRectList;
  shown(el: Element, options?: object): boolean;
  style(el: Element): CSSStyleDeclaration;
  body(): HTMLElement | null;
  root(): HTMLElement | null;
  stringify(value: unknown): string;
}

/** Small helpers the parts of __websp share, from dom.js. */
interface TreeKit {
  uncurry(fn: Function): any;
  getter(proto: object, name: string): any;
  eachChild(node: Node, visit: (child: Node) => void): void;
  all(node: Node, css: string): NodeListOf<Element>;
  byId(near: Node, id: string): Element | null;
  upwards(el: Element | null, fits: (el: Element) => boolean): Element | null;
  collapse(text: string): string;
  shortened(text: string): string;
  cut(text: string, most?: number): string;
  lower(text: string): string;
  trim(text: string): string;
  split(text: string, by: RegExp | string): string[];
  test(re: RegExp, text: string): boolean;
  contains(set: Set<string>, word: string): boolean;
  LONGEST: number;
}

/** The same, and those from names.js. */
interface Kit extends TreeKit {
  ariaLabelledBy(el: Element): string;
  isNativeControl(el: Element): boolean;
  isEditingHost(el: Element): boolean;
  inputType(el: Element): string;
  WIDGETS: Set<string>;
}

interface Tree {
  raw: Raw;
  kit: TreeKit;
  walk(root: Node, visit: (el: Element) => boolean | void): void;
  elements(root: Node): Element[];
  parentOf(node: Node): Element | null;
}

interface NamesApi {
  roleOf(el: Element): string;
  nameOf(el: Element): string;
  textOf(el: Element, skip?: Element | null, limit?: number): string;
  labelOf(el: Element): string;
  labelsOf(el: Element): Element[];
  valueOf(el: Element): string | null;
  shownValue(el: Element): string;
  describe(el: Element): string;
}

type Core = Tree & NamesApi & { kit: Kit };

interface StateApi {
  stateOf(el: Element, rules?: ClassRule[]): State;
  isControl(el: Element): boolean;
  hasHandler(el: Element): boolean;
  interactive(el: Element): boolean;
  operable(el: Element): Element;
  indexed(root?: Node): Element[];
}

interface PrintApi {
  testAttributes: readonly string[];
  fingerprint(el: Element): Fingerprint;
  aroundOf(el: Element, limit?: number): string;
  css(el: Element): string;
  xpath(el: Element): string;
  allByCss(path: string): Element[];
  allByXPath(path: string): Element[];
}

type Dom = Core & StateApi & PrintApi;

