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
  value?: string;
  form?: string;
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
  /** The marks among testId, id, nameAttr and value that others on the page carry with other numbers. */
  serial?: string[];
  /** How many others have the same role and name. */
  namesakes?: number;
  /** The names of the tabs, menus or parts of the page that it is one of, in order. */
  group?: string[];
  lang?: string;
  toldBy?: 'row' | 'number' | 'heading' | 'both' | 'place';
  /** Texts that are cut above, longer: a secret at the cut is known by its whole. Only on the way to the worker. */
  uncut?: Record<string, string>;
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
  /** The shadow root of an element, if it is open or was kept. */
  shadowOf(el: Element): ShadowRoot | null;
  /** Keeps a closed shadow root. */
  keepShadow(root: ShadowRoot): void;
  hostOf(root: ShadowRoot): Element;
  attr(el: Element, name: string): string | null;
  has(el: Element, name: string): boolean;
  matches(el: Element, css: string): boolean;
  rect(el: Element): DOMRect;
  rects(el: Element): DOMRectList;
  shown(el: Element, options?: object): boolean;
  style(el: Element): CSSStyleDeclaration;
  body(): HTMLElement | null;
  active(): Element | null;
  /** Whether the focus is on it, within its document; a window that loses the focus keeps it there. */
  hasFocus(el: Element): boolean;
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
  replace(text: string, pattern: RegExp, by: string): string;
  slice(text: string, from: number, to?: number): string;
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
  labellersOf(el: Element): Element[];
  fieldIn(el: Element): Element | null;
  isNativeControl(el: Element): boolean;
  isEditingHost(el: Element): boolean;
  inputType(el: Element): string;
  asHovered: <T>(run: () => T) => T;
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
  textOf(el: Element, skip?: Element[], limit?: number): string;
  labelOf(el: Element): string;
  labelsOf(el: Element): Element[];
  /** The custom elements whose only control of its role an element is, from the inside out. */
  hostsOf(el: Element): Element[];
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
  isUnseen(el: Element): boolean;
  /** What draws an unseen control: the elements around it without another control, from the inside out. */
  surfacesOf(el: Element): Element[];
  drawingsOf(el: Element): Element[];
  indexed(root?: Node): Element[];
}

type MarkName = 'testId' | 'id' | 'nameAttr' | 'value';
interface Marks { testId: string | null; id: string | null; nameAttr: string | null; value: string | null; form: string | null }

interface MarksApi {
  testAttributes: readonly string[];
  marksOf(el: Element): Marks;
  /** The element that has a mark: a custom element has those of the control in it. */
  bearerOf(el: Element, mark: MarkName, hosts?: Element[]): Element;
  markOf(el: Element, mark: MarkName, hosts?: Element[]): string | null;
  serialOf(el: Element, marks: Marks): string[];
  /** Whether others with this attribute carry the mark with other numbers; `group` narrows them by a selector. */
  isSerial(root: Node, attribute: string, mark: string, group?: string): boolean;
  isCounterpart(one: string, other: string): boolean;
  attributeOf(el: Element, mark: MarkName): string | null;
}

interface SurroundingsApi {
  namesakesOf(el: Element): Element[];
  /** The text whose `kept` part tells an element from its namesakes, if any, and what it is told by. */
  toldApart(el: Element, namesakes: Element[], kept: (text: string) => string): { nearby: string; toldBy: NonNullable<Fingerprint['toldBy']> };
  headingOf(el: Element, least?: number): string;
  siblingText(el: Element): string;
}

interface RowsApi {
  /** The row of cells around an element, unless it is the layout of a page. */
  tableRowOf(el: Element): Element | null;
  surroundingOf(el: Element, limit?: number): Element | null;
  aroundOf(el: Element, limit?: number): string;
  textBeside(at: Element, el: Element, limit: number): string;
  proseOf(at: Element, el: Element, limit: number): string;
  rowTextOf(at: Element, el: Element, limit: number): string;
  partsOf(at: Element, el: Element, limit: number): { own: string; actions: string };
}

interface GroupsApi {
  groupOf(el: Element): Element[];
  /** The names in the group of an element, if each has one of its own. */
  groupNamesOf(el: Element): string[];
  /** The names, or the texts around, of the fields whose name attributes or test ids differ in numbers only, of this one too. */
  seriesNamesOf(el: Element): string[];
}

interface PrintApi {
  fingerprint(el: Element): Fingerprint;
  recordedPrint(el: Element): Fingerprint;
  css(el: Element, counted?: boolean): string;
  xpath(el: Element): string;
  allByCss(path: string): Element[];
  allByXPath(path: string): Element[];
}

type Dom = Core & StateApi & MarksApi & RowsApi & SurroundingsApi & GroupsApi & PrintApi;


/** What a recording must never hold: secret_rules.yaml. */
interface SecretRule { what: string; pattern: string; ignore_case?: boolean; odd?: number; card?: boolean; typed?: boolean }
interface CompiledRule { pattern: RegExp; odd: number; card: boolean; typed: boolean }
interface SecretRules {
  everywhere: SecretRule[];
  texts: SecretRule[];
  addresses: SecretRule[];
  handles: SecretRule[];
  beside: { words: string; codes: SecretRule[] }[];
  parameters: { names: string; words: string; short: string; passing: string; passing_values: string };
  paths: { links: string; token: { pattern: string; odd: number }; people: string };
  account: { distinct: string; before: string; ordinary: string };
  fields: {
    password_autocomplete: string;
    new_password: string;
    current_password: string;
    secret_autocomplete: string;
    password: string;
    secret: string[];
    about: string[];
    captcha_frames: string;
  };
  odd_pairs: { parts: string; fewest: number; turn: number; change: number; letters: Record<string, string> };
}

interface SecretTexts {
  withoutSecrets(text: string, found?: Set<string>, beside?: CompiledRule[]): string;
  withoutPeople(text: string): string;
  codesBeside(texts: string[]): CompiledRule[];
  holdsSecret(mark: string, known?: Iterable<string>): boolean;
  isSecretText(text: string): boolean;
  isHandle(part: string): boolean;
  within(text: string, most: number): string;
  oddness(text: string): number;
  isCard(text: string): boolean;
}
