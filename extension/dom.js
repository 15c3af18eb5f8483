// @ts-check
/*
 * What an element is: the ONE copy of the code that reads roles, names, states and fingerprints out of a page.
 * The recorder loads it as a content script; the Python side injects it at document start into every frame,
 * before any script of the page, and keeps the built-ins it needs from then on: a page that later patches
 * them, or a form whose fields are called "id" and "parentNode", does not change what is read.
 *
 * globalThis.__websp (not enumerable, not replaceable) has
 *   walk(root, visit)      flat tree in reading order: open shadow roots in place of light children, slots
 *                          filled. visit(element) returns false to leave out what lies inside
 *   elements(root)         the same as an array
 *   parentOf(node)         parent element in the flat tree (slot, then shadow host), null at the top
 *   roleOf(el)             first valid token of role=, else the implicit ARIA role, else "generic"
 *   nameOf(el)             accessible name, whitespace collapsed: aria-labelledby, aria-label, label, alt,
 *                          content where the role allows it, title, placeholder
 *   textOf(el, skip?)      visible text, whitespace collapsed, without the subtree of `skip`
 *   labelOf(el)            text of its <label>s or of aria-labelledby, "" without
 *   stateOf(el, rules?)    {checked, mixed, expanded, disabled, selected, pressed, value}; null = has no such
 *                          state. `value` is the machine value (an <option>'s value=), bullets for a password.
 *                          rules [{on: css, off: css}] come first: css matched by the element or inside it
 *   shownValue(el)         the value as a person reads it (the label of the chosen option)
 *   interactive(el)        can a person operate it: a control, a click handler or tab stop, or the outermost
 *                          element of a pointer cursor. Says nothing about visibility
 *   operable(el)           the interactive element an event at `el` is meant for (label -> its control), else el
 *   indexed(root?)         interactive elements in walk order (without options); position = data-websp-index
 *   fingerprint(el)        facts to find it again; keys without a value are left out
 *   aroundOf(el, limit?)   text of the nearest ancestor that says more than the controls in it
 *   css(el), xpath(el)     paths; steps into a shadow root are written " ::shadow "
 *   allByCss(path), allByXPath(path)   the elements such a path means, in order
 *   describe(el)           `<button> "Accept"` for messages
 */

(() => {
  'use strict';
  if (Object.getOwnPropertyDescriptor(globalThis, '__websp')) return;

  // ---------------------------------------------------------------- built-ins, kept
  /** @type {(fn: any) => any} */
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  /** @type {(proto: object, name: string) => any} */
  const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name)?.get);
  const replace = uncurry(String.prototype.replace);
  const split = uncurry(String.prototype.split);
  /** @type {(text: string, times: number) => string} */
  const repeat = uncurry(String.prototype.repeat);
  /** @type {(text: string) => string} */
  const lower = uncurry(String.prototype.toLowerCase);
  /** @type {(text: string) => string} */
  const trim = uncurry(String.prototype.trim);
  /** @type {(text: string, from: number, to: number) => string} */
  const slice = uncurry(String.prototype.slice);
  /** @type {(re: RegExp, text: string) => boolean} */
  const test = uncurry(RegExp.prototype.test);
  /** @type {(set: Set<string>, word: string) => boolean} */
  const contains = uncurry(Set.prototype.has);
  const hasOwn = Object.hasOwn;
  const LONGEST = 20_000; // Characters of one text of the page that are looked at: nobody reads more of a name.
  const escape = CSS.escape;

  /** @type {(node: Node) => number} */
  const nodeType = getter(Node.prototype, 'nodeType');
  /** @type {(node: Node) => Node|null} */
  const parentNode = getter(Node.prototype, 'parentNode');
  /** @type {(node: Node) => string|null} */
  const textContent = getter(Node.prototype, 'textContent');
  /** @type {(node: Text) => HTMLSlotElement|null} */
  const textSlot = getter(Text.prototype, 'assignedSlot');
  /** @type {(el: Element) => HTMLSlotElement|null} */
  const elementSlot = getter(Element.prototype, 'assignedSlot');
  /** @type {(root: ShadowRoot) => Element} */
  const hostOf = getter(ShadowRoot.prototype, 'host');
  /** @type {(el: Element) => Node[]} */
  const assigned = uncurry(HTMLSlotElement.prototype.assignedNodes);
  /** @type {(el: Element) => boolean} */
  const isEditable = getter(HTMLElement.prototype, 'isContentEditable');
  /** @type {(el: Element) => string} */
  const typeOfInput = getter(HTMLInputElement.prototype, 'type');
  /** @type {(el: Element) => string} */
  const valueOfInput = getter(HTMLInputElement.prototype, 'value');
  const elementAll = uncurry(Element.prototype.querySelectorAll);
  const documentAll = uncurry(Document.prototype.querySelectorAll);
  const fragmentAll = uncurry(DocumentFragment.prototype.querySelectorAll);
  const documentById = uncurry(Document.prototype.getElementById);
  const fragmentById = uncurry(DocumentFragment.prototype.getElementById);
  const computedStyle = globalThis.getComputedStyle;
  /** @type {(el: Element, name: string) => string|null} */
  const attribute = uncurry(Element.prototype.getAttribute);
  /** @type {(text: string) => string} */
  const shortened = (text) => (text.length > LONGEST ? slice(text, 0, LONGEST) : text);

  /** @type {Raw} */
  const raw = {
    nodeType,
    parentNode,
    hostOf,
    previousElement: getter(Element.prototype, 'previousElementSibling'),
    nextElement: getter(Element.prototype, 'nextElementSibling'),
    stringify: JSON.stringify,
    firstChild: getter(Node.prototype, 'firstChild'),
    nextSibling: getter(Node.prototype, 'nextSibling'),
    rootOf: uncurry(Node.prototype.getRootNode),
    isConnected: getter(Node.prototype, 'isConnected'),
    tagOf: getter(Element.prototype, 'localName'),
    shadowOf: getter(Element.prototype, 'shadowRoot'),
    attr: (el, name) => {
      const value = attribute(el, name);
      return value === null ? null : shortened(value);
    },
    has: uncurry(Element.prototype.hasAttribute),
    matches: uncurry(Element.prototype.matches),
    rect: uncurry(Element.prototype.getBoundingClientRect),
    rects: uncurry(Element.prototype.getClientRects),
    shown: uncurry(Element.prototype.checkVisibility),
    style: (el) => computedStyle(el),
    // A form or an image called "body" takes the place of document.body.
    body: getter(Document.prototype, 'body').bind(null, document),
    root: getter(Document.prototype, 'documentElement').bind(null, document),
  };
  const { tagOf, attr, matches } = raw;

  /** @type {(text: string) => string} */
  const collapse = (text) => trim(replace(text, /\s+/g, ' '));
  /** @type {Kit['cut']} */
  const cut = (text, most = 120) => (text.length > most ? trim(slice(text, 0, most)) : text);
  /** @type {(node: Node, css: string) => NodeListOf<Element>} */
  const all = (node, css) => {
    const type = nodeType(node);
    return (type === 1 ? elementAll : type === 9 ? documentAll : fragmentAll)(node, css);
  };
  /** @type {(near: Node, id: string) => Element|null} */
  const byId = (near, id) => {
    const root = raw.rootOf(near);
    const type = nodeType(root);
    return type === 9 ? documentById(root, id) : type === 11 ? fragmentById(root, id) : null;
  };
  /** @type {(...words: string[]) => Set<string>} */
  const setOf = (...words) => new Set(words);

  // ---------------------------------------------------------------- the flat tree
  /** @type {(node: Node, visit: (child: Node) => void) => void} */
  const eachChild = (node, visit) => {
    /** @type {Node} */
    let from = node;
    if (nodeType(node) === 1) {
      const el = /** @type {Element} */ (node);
      from = raw.shadowOf(el) ?? node;
      if (from === node && tagOf(el) === 'slot') {
        const filled = assigned(el);
        for (let i = 0; i < filled.length; i++) visit(filled[i]);
        if (filled.length) return;
      }
    }
    for (let child = raw.firstChild(from); child; child = raw.nextSibling(child)) visit(child);
  };

  /** @type {Core['walk']} */
  const walk = (root, visit) => {
    /** @type {(node: Node) => void} */
    const enter = (node) => {
      if (nodeType(node) === 1 && visit(/** @type {Element} */ (node)) !== false) eachChild(node, enter);
    };
    if (nodeType(root) === 1) enter(root);
    else eachChild(root, enter);
  };

  /** @type {Core['elements']} */
  const elements = (root) => {
    /** @type {Element[]} */
    const list = [];
    walk(root, (el) => void (list[list.length] = el));
    return list;
  };

  /** @type {Core['parentOf']} */
  const parentOf = (node) => {
    const type = nodeType(node);
    const slot = type === 1 ? elementSlot(/** @type {Element} */ (node))
      : type === 3 ? textSlot(/** @type {Text} */ (node)) : null;
    if (slot) return slot;
    const parent = parentNode(node);
    if (!parent) return null;
    if (nodeType(parent) === 1) return /** @type {Element} */ (parent);
    return parent instanceof ShadowRoot ? hostOf(parent) : null;
  };

  /** @type {(el: Element|null, test: (el: Element) => boolean) => Element|null} */
  const upwards = (el, fits) => {
    for (let at = el; at; at = parentOf(at)) if (fits(at)) return at;
    return null;
  };

  // ---------------------------------------------------------------- role
  const WIDGETS = setOf('button', 'link', 'checkbox', 'switch', 'radio', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'combobox', 'textbox', 'searchbox', 'slider', 'spinbutton', 'treeitem');
  const ROLES = setOf(...WIDGETS, 'alert', 'alertdialog', 'application', 'article', 'banner', 'blockquote',
    'caption', 'cell', 'code', 'columnheader', 'complementary', 'contentinfo', 'definition', 'dialog',
    'directory', 'document', 'emphasis', 'feed', 'figure', 'form', 'generic', 'grid', 'gridcell', 'group',
    'heading', 'img', 'image', 'list', 'listbox', 'listitem', 'log', 'main', 'marquee', 'math', 'menu',
    'menubar', 'meter', 'navigation', 'none', 'note', 'paragraph', 'presentation', 'progressbar', 'radiogroup',
    'region', 'row', 'rowgroup', 'rowheader', 'scrollbar', 'search', 'separator', 'status', 'strong', 'table',
    'tablist', 'tabpanel', 'term', 'time', 'timer', 'toolbar', 'tooltip', 'tree', 'treegrid');
  const NAMED_BY_CONTENT = setOf('button', 'link', 'checkbox', 'switch', 'radio', 'tab', 'menuitem',
    'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'heading', 'cell', 'gridcell', 'row',
    'columnheader', 'rowheader', 'tooltip');
  /** @type {Record<string, string>} */
  const INPUT_ROLES = {
    checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox',
    button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', color: 'button',
  };
  /** @type {Record<string, string>} */
  const TAG_ROLES = {
    button: 'button', summary: 'button', textarea: 'textbox', option: 'option', optgroup: 'group',
    details: 'group', fieldset: 'group', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
    h5: 'heading', h6: 'heading', nav: 'navigation', main: 'main', aside: 'complementary', article: 'article',
    table: 'table', thead: 'rowgroup', tbody: 'rowgroup', tfoot: 'rowgroup', tr: 'row', td: 'cell',
    th: 'columnheader', ul: 'list', ol: 'list', menu: 'list', li: 'listitem', dialog: 'dialog', p: 'paragraph',
    form: 'form', output: 'status', progress: 'progressbar', meter: 'meter', hr: 'separator', search: 'search',
    figure: 'figure', caption: 'caption', header: 'banner', footer: 'contentinfo', iframe: 'iframe',
  };

  /** @type {(el: Element) => string} */
  const inputType = (el) => {
    // The parser makes the <input> of an <svg> an SVG element: no control, so as good as a hidden one.
    try { return typeOfInput(el); } catch { return 'hidden'; }
  };
  /** @type {(el: Element) => boolean} */
  const hasHref = (el) => raw.has(el, 'href') || raw.has(el, 'xlink:href');
  /** @type {(el: Element) => boolean} */
  const isEditingHost = (el) => {
    const value = attr(el, 'contenteditable');
    return value !== null && lower(value) !== 'false' && el instanceof HTMLElement && isEditable(el);
  };

  /** @type {(el: Element) => string} */
  const implicitRole = (el) => {
    const tag = tagOf(el);
    if (tag === 'a' || tag === 'area') return hasHref(el) ? 'link' : 'generic';
    if (tag === 'input') {
      const type = inputType(el);
      if (type === 'checkbox' && raw.has(el, 'switch')) return 'switch';
      if (raw.has(el, 'list') && test(/^(text|search|tel|url|email)$/, type)) return 'combobox';
      return INPUT_ROLES[type] ?? 'textbox';
    }
    if (tag === 'select') {
      const select = /** @type {HTMLSelectElement} */ (el);
      return select.multiple || select.size > 1 ? 'listbox' : 'combobox';
    }
    if (tag === 'img') return attr(el, 'alt') === '' ? 'presentation' : 'img';
    if (tag === 'section') return raw.has(el, 'aria-label') || raw.has(el, 'aria-labelledby') ? 'region' : 'generic';
    if (isEditingHost(el)) return 'textbox';
    return hasOwn(TAG_ROLES, tag) ? TAG_ROLES[tag] : 'generic';
  };

  /** @type {Core['roleOf']} */
  const roleOf = (el) => {
    const given = attr(el, 'role');
    if (given) {
      const tokens = split(lower(trim(given)), /\s+/);
      for (let i = 0; i < tokens.length; i++) {
        if (!contains(ROLES, tokens[i])) continue;
        if (tokens[i] !== 'none' && tokens[i] !== 'presentation') return tokens[i];
        // ARIA: a focusable element cannot be made presentational.
        if (!isNativeControl(el) && !raw.has(el, 'tabindex')) return 'presentation';
        break;
      }
    }
    return implicitRole(el);
  };

  const NATIVE = setOf('button', 'select', 'textarea', 'option');
  /** @type {(el: Element) => boolean} */
  const isNativeControl = (el) => {
    const tag = tagOf(el);
    if (tag === 'input') return inputType(el) !== 'hidden';
    if (tag === 'a' || tag === 'area') return hasHref(el);
    if (tag === 'summary') return parentNode(el) instanceof HTMLDetailsElement && matches(el, 'summary:first-of-type');
    if (tag === 'audio' || tag === 'video') return raw.has(el, 'controls');
    return contains(NATIVE, tag);
  };

  // ---------------------------------------------------------------- text and name
  const UNREAD = setOf('script', 'style', 'noscript', 'template', 'head', 'datalist', 'object', 'iframe');

  /**
   * Adds the text under `node` as a reader meets it; `named` also takes aria-label, alt and control values.
   * @typedef {{out: string, limit: number, named: boolean, skip: Element|null, hidden: boolean, top: Node}} Reading
   * @type {(node: Node, to: Reading) => void}
   */
  const read = (node, to) => {
    if (to.out.length > to.limit || node === to.skip) return;
    const type = nodeType(node);
    if (type === 3) to.out += shortened(textContent(node) ?? '');
    if (type !== 1) return;
    const el = /** @type {Element} */ (node);
    const tag = tagOf(el);
    if (contains(UNREAD, tag)) return;
    if (tag === 'br') { to.out += ' '; return; }
    const style = raw.style(el);
    const display = style.display;
    if (!to.hidden && (display === 'none' || (display !== 'contents' && style.contentVisibility === 'hidden'))) return;
    if (to.named && node !== to.top) {
      const own = embeddedName(el, tag, to);
      if (own !== null) { to.out += own; return; }
    } else if (tag === 'select' || tag === 'textarea') return;
    const apart = display !== 'contents' && !test(/^inline|^none/, display) || display === 'inline-block';
    if (apart) to.out += ' ';
    const unseen = !to.hidden && style.visibility !== 'visible';
    eachChild(el, (child) => { if (!unseen || nodeType(child) === 1) read(child, to); });
    if (apart) to.out += ' ';
  };

  /** What an element inside a named one adds to the name instead of its text; null: just its text. */
  /** @type {(el: Element, tag: string, to: Reading) => string|null} */
  const embeddedName = (el, tag, to) => {
    if (!to.hidden && lower(attr(el, 'aria-hidden') ?? '') === 'true') return '';
    const label = attr(el, 'aria-label');
    if (label && trim(label)) return ` ${label} `;
    if (tag === 'img' || (tag === 'input' && inputType(el) === 'image')) return ` ${attr(el, 'alt') ?? attr(el, 'title') ?? ''} `;
    if (tag === 'svg') return ` ${svgTitle(el)} `;
    if (tag === 'input' && test(/^(checkbox|radio|hidden|password|file)$/, inputType(el))) return ' ';
    if (tag === 'input' || tag === 'select' || tag === 'textarea') return ` ${shownValue(el)} `;
    return null;
  };

  /** @type {(el: Element) => string} */
  const svgTitle = (el) => {
    for (let child = raw.firstChild(el); child; child = raw.nextSibling(child)) {
      if (nodeType(child) === 1 && tagOf(/** @type {Element} */ (child)) === 'title') return shortened(textContent(child) ?? '');
    }
    return '';
  };

  /** @type {(el: Element, options: Partial<Reading>) => string} */
  const reading = (el, options) => {
    /** @type {Reading} */
    const to = { out: '', limit: 600, named: false, skip: null, hidden: false, top: el, ...options };
    read(el, to);
    return collapse(to.out);
  };

  /** @type {Core['textOf']} */
  const textOf = (el, skip = null, limit = 600) => reading(el, { skip, limit });

  /** @type {(el: Element) => string} */
  const ariaLabelledBy = (el) => {
    const ids = attr(el, 'aria-labelledby');
    if (!ids) return '';
    const parts = split(trim(ids), /\s+/);
    let out = '';
    for (let i = 0; i < parts.length && out.length < LONGEST; i++) {
      const target = byId(el, parts[i]);
      if (!target) continue;
      const label = attr(target, 'aria-label');
      // A hidden element may name another one (accname 2A): it is read as if it were shown.
      out += ` ${(label && trim(label)) || reading(target, { named: true, hidden: !raw.shown(target) }) || embedded(target)}`;
    }
    return collapse(out);
  };
  /** @type {(el: Element) => string} */
  const embedded = (el) => embeddedName(el, tagOf(el), { out: '', limit: 600, named: true, skip: null, hidden: true, top: el }) ?? '';

  const LABELABLE = setOf('input', 'select', 'textarea', 'button', 'meter', 'output', 'progress');
  const MOST_LABELS = 20;
  /** @type {Core['labelsOf']} */
  const labelsOf = (el) => {
    /** @type {Element[]} */
    const list = [];
    const labels = contains(LABELABLE, tagOf(el)) ? /** @type {HTMLInputElement} */ (el).labels : null;
    if (labels) for (let i = 0; i < labels.length && i < MOST_LABELS; i++) list[i] = labels[i];
    return list;
  };
  /** @type {(el: Element) => string} */
  const nativeLabel = (el) => {
    const labels = labelsOf(el);
    let out = '';
    for (let i = 0; i < labels.length; i++) {
      const aria = attr(labels[i], 'aria-label');
      out += ` ${(aria && trim(aria)) || reading(labels[i], { named: true, skip: el, hidden: !raw.shown(labels[i]) })}`;
    }
    return collapse(out);
  };
  /** @type {Core['labelOf']} */
  const labelOf = (el) => ariaLabelledBy(el) || nativeLabel(el);

  /** @type {(el: Element, tag: string) => string} */
  const nativeName = (el, tag) => {
    if (tag === 'input') {
      const type = inputType(el);
      if (type === 'image') return attr(el, 'alt') || attr(el, 'title') || attr(el, 'value') || 'Submit';
      if (test(/^(submit|reset|button)$/, type)) {
        const value = shortened(valueOfInput(el));
        return value || nativeLabel(el) || (type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '');
      }
    }
    if (tag === 'img' || tag === 'area') return attr(el, 'alt') ?? '';
    if (tag === 'svg') return svgTitle(el);
    if (tag === 'option') return attr(el, 'label') || shortened(textContent(el) ?? '');
    if (tag === 'fieldset' || tag === 'table' || tag === 'figure') {
      const wanted = { fieldset: 'legend', table: 'caption', figure: 'figcaption' }[tag];
      for (let child = raw.firstChild(el); child; child = raw.nextSibling(child)) {
        if (nodeType(child) === 1 && tagOf(/** @type {Element} */ (child)) === wanted) return reading(/** @type {Element} */ (child), { named: true });
      }
    }
    return nativeLabel(el);
  };

  /** @type {Core['nameOf']} */
  const nameOf = (el) => {
    const tag = tagOf(el);
    const aria = ariaLabelledBy(el) || collapse(attr(el, 'aria-label') ?? '') || collapse(nativeName(el, tag));
    if (aria) return aria;
    if (contains(NAMED_BY_CONTENT, roleOf(el)) && tag !== 'input' && tag !== 'select') {
      const text = reading(el, { named: true });
      if (text) return text;
    }
    return collapse(attr(el, 'title') || attr(el, 'placeholder') || attr(el, 'aria-placeholder') || '');
  };

  /** @type {(el: Element) => string|null} */
  const valueOf = (el) => {
    const tag = tagOf(el);
    if (tag === 'input') {
      const type = inputType(el);
      if (test(/^(hidden|checkbox|radio|submit|reset|button|image)$/, type)) return null;
      const value = shortened(valueOfInput(el));
      return type === 'password' ? repeat('•', value.length) : value;
    }
    if (tag === 'select' || tag === 'textarea') return shortened(/** @type {HTMLSelectElement} */ (el).value);
    if (isEditingHost(el)) return textOf(el);
    return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow');
  };

  /** @type {Core['shownValue']} */
  const shownValue = (el) => {
    if (tagOf(el) !== 'select') return valueOf(el) ?? '';
    const chosen = /** @type {HTMLSelectElement} */ (el).selectedOptions;
    let out = '';
    for (let i = 0; i < chosen.length && out.length < LONGEST; i++) {
      out += `${i ? ', ' : ''}${collapse(attr(chosen[i], 'label') || shortened(textContent(chosen[i]) ?? ''))}`;
    }
    return out;
  };

  /** @type {Core['describe']} */
  const describe = (el) => {
    const role = roleOf(el);
    const what = role === 'generic' || role === 'presentation' ? tagOf(el) : role;
    const name = cut(nameOf(el) || textOf(el));
    const id = attr(el, 'id');
    return `<${what}>${name ? ` "${name}"` : id ? ` #${id}` : ''}`;
  };

  /** @type {Core} */
  const core = {
    raw, walk, elements, parentOf, roleOf, nameOf, textOf, labelOf, labelsOf, valueOf, shownValue, describe,
    kit: {
      uncurry, eachChild, all, byId, upwards, collapse, cut, lower, trim, split, test, contains, ariaLabelledBy, isNativeControl,
      isEditingHost, inputType, WIDGETS,
    },
  };
  Object.defineProperty(globalThis, '__websp', { value: core, enumerable: false });
})();
