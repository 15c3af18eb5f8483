// @ts-check
/*
 * Second part of __websp (see dom.js): the role of an element, its text, its names and its value.
 */
(() => {
  'use strict';
  const websp = /** @type {Tree & Partial<NamesApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.nameOf) return;
  const { raw, kit } = websp;
  const { uncurry, getter, eachChild, all, byId, collapse, replace, shortened, slice, cut, lower, trim, split, test, contains, LONGEST } = kit;
  const { attr, matches, nodeType, parentNode, tagOf } = raw;
  const hasOwn = Object.hasOwn;
  const escape = CSS.escape;
  /** @type {(text: string, times: number) => string} */
  const repeat = uncurry(String.prototype.repeat);
  /** @type {(node: Node) => string|null} */
  const textContent = getter(Node.prototype, 'textContent');
  /** @type {(el: Element) => boolean} */
  const isEditable = getter(HTMLElement.prototype, 'isContentEditable');
  /** @type {(doc: Document) => string} */
  const designMode = getter(Document.prototype, 'designMode');
  /** @type {(el: Element) => string} */
  const typeOfInput = getter(HTMLInputElement.prototype, 'type');
  /** @type {(el: Element) => string} */
  const valueOfInput = getter(HTMLInputElement.prototype, 'value');
  const styleOf = globalThis.getComputedStyle;
  /** @type {(...words: string[]) => Set<string>} */
  const setOf = (...words) => new Set(words);

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
    if (value === null) return tagOf(el) === 'body' && designMode(document) === 'on';
    return lower(value) !== 'false' && el instanceof HTMLElement && isEditable(el);
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

  /** @type {NamesApi['roleOf']} */
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

  /** Adds a text. A run of whitespace is one character: the limit is no matter of how a page is indented. */
  /** @type {(to: Reading, text: string) => void} */
  const add = (to, text) => {
    const tight = replace(text, /\s+/g, ' ');
    const follows = tight[0] === ' ' && (!to.out || to.out[to.out.length - 1] === ' ');
    to.out += follows ? slice(tight, 1) : tight;
  };

  /** Whether a text is only for those who listen: it takes a place on the page, and shows nothing of itself. */
  /** @type {(style: CSSStyleDeclaration) => boolean} */
  const isForAssistants = (style) => style.position === 'absolute'
    && (test(/^rect\((0px|1px), (0px|1px), (0px|1px), (0px|1px)\)$/, style.clip) || test(/^inset\((50|100)%\)$/, style.clipPath));

  /** Whether a text is for nobody: transparent, and hidden from assistants, as the copy of a label that only takes its room. */
  /** @type {(el: Element, style: CSSStyleDeclaration) => boolean} */
  const isForNobody = (el, { opacity }) => opacity === '0'
    && kit.upwards(el, (at) => lower(attr(at, 'aria-hidden') ?? '') === 'true') !== null;

  let hovered = false;
  /** Read as if nothing were hidden: as a row that shows its buttons under the pointer. */
  /** @type {<T>(run: () => T) => T} */
  const asHovered = (run) => {
    hovered = true;
    try { return run(); } finally { hovered = false; }
  };

  /**
   * Adds the text under `node` as a reader meets it; `named` also takes aria-label, alt and control values.
   * @typedef {{out: string, limit: number, named: boolean, skip: Element[], hidden: boolean, top: Node}} Reading
   * @type {(node: Node, to: Reading) => void}
   */
  const read = (node, to) => {
    if (to.out.length > to.limit) return;
    for (let i = 0; i < to.skip.length; i++) if (node === to.skip[i]) return;
    const type = nodeType(node);
    if (type === 3) add(to, shortened(textContent(node) ?? ''));
    if (type !== 1) return;
    const el = /** @type {Element} */ (node);
    const tag = tagOf(el);
    if (contains(UNREAD, tag)) return;
    if (tag === 'br') { add(to, ' '); return; }
    const style = raw.style(el);
    const display = style.display;
    if (!to.hidden && (display === 'none' || (display !== 'contents' && style.contentVisibility === 'hidden'))) return;
    if (to.named && node !== to.top) {
      const own = embeddedName(el, tag, to);
      if (own !== null) { add(to, own); return; }
    } else if (tag === 'select' || tag === 'textarea') return;
    if (!to.named && (isForAssistants(style) || isForNobody(el, style))) return;
    const apart = display !== 'contents' && !test(/^inline|^none/, display) || display === 'inline-block';
    if (apart) add(to, ' ');
    const unseen = !to.hidden && style.visibility !== 'visible';
    if (to.named && drawn && !unseen) add(to, drawnText(el, '::before'));
    eachChild(el, (child) => { if (!unseen || nodeType(child) === 1) read(child, to); });
    if (to.named && drawn && !unseen) add(to, drawnText(el, '::after'));
    if (apart) add(to, ' ');
  };

  /** Whether what the style sheet writes is read too. */
  let drawn = true;
  /** @type {<T>(run: () => T) => T} */
  const withoutDrawn = (run) => {
    drawn = false;
    try { return run(); } finally { drawn = true; }
  };
  /** A picture or a counter, a string, and the sign before the words that stand for all of it. */
  const CONTENT = /[\w-]+\([^)]*\)|"((?:[^"\\]|\\.)*)"|(\/)/g;
  /** The words that the style sheet writes before or after the content of an element; no signs and icons. */
  /** @type {(el: Element, where: string) => string} */
  const drawnText = (el, where) => {
    const { content, display, visibility } = styleOf(el, where);
    if (content === 'none' || content === 'normal' || display === 'none' || visibility !== 'visible') return '';
    let out = '';
    for (const [, text, instead] of content.matchAll(CONTENT)) out = instead ? '' : out + replace(text ?? '', /\\(.)/g, '$1');
    if (!test(/[\p{L}\p{N}]/u, out)) return '';
    return display === 'inline' ? out : ` ${out} `;
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
    const to = { out: '', limit: 600, named: false, skip: [], hidden: hovered, top: el, ...options };
    read(el, to);
    return trim(to.out);
  };

  /** @type {NamesApi['textOf']} */
  const textOf = (el, skip = [], limit = 600) => reading(el, { skip, limit });

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
  const embedded = (el) => embeddedName(el, tagOf(el), { out: '', limit: 600, named: true, skip: [], hidden: true, top: el }) ?? '';

  const LABELABLE = setOf('input', 'select', 'textarea', 'button', 'meter', 'output', 'progress');
  const MOST_LABELS = 20;
  /** @type {NamesApi['labelsOf']} */
  const labelsOf = (el) => {
    /** @type {Element[]} */
    const list = [];
    const labels = contains(LABELABLE, tagOf(el)) ? /** @type {HTMLInputElement} */ (el).labels : null;
    if (labels) for (let i = 0; i < labels.length && i < MOST_LABELS; i++) list[i] = labels[i];
    return list;
  };
  /** @type {(el: Element, outer: Element) => boolean} */
  const isWithin = (el, outer) => kit.upwards(el, (at) => at === outer) !== null;
  /** The host of an element's shadow root, if that shows no other element of its kind. */
  /** @type {(el: Element, isOfKind: (other: Element) => boolean) => Element|null} */
  const hostOf = (el, isOfKind) => {
    const root = raw.rootOf(el);
    if (!(root instanceof ShadowRoot)) return null;
    const others = all(root, '*');
    for (let i = 0; i < others.length; i++) {
      const other = others[i];
      // A component may put an unseen input into what it draws, or around it.
      if (other !== el && isOfKind(other) && raw.shown(other) && !isWithin(other, el) && !isWithin(el, other)) return null;
    }
    return raw.hostOf(root);
  };
  /** @type {NamesApi['hostsOf']} */
  const hostsOf = (el) => {
    /** @type {Element[]} */
    const hosts = [];
    const role = roleOf(el);
    if (!contains(WIDGETS, role)) return hosts;
    let host = hostOf(el, (other) => roleOf(other) === role);
    while (host) {
      const tag = tagOf(host);
      hosts[hosts.length] = host;
      host = hostOf(host, (other) => tagOf(other) === tag);
    }
    return hosts;
  };
  /** The labels of a custom element, which a browser does not take for those of the control in it. */
  /** @type {(el: Element) => Element[]} */
  const outerLabels = (el) => {
    /** @type {Element[]} */
    const list = [];
    const hosts = hostsOf(el);
    for (let i = 0; i < hosts.length; i++) {
      const id = attr(hosts[i], 'id');
      const labels = id ? all(raw.rootOf(hosts[i]), `[for="${escape(id)}"]`) : [];
      for (let k = 0; k < labels.length && k < MOST_LABELS; k++) if (tagOf(labels[k]) !== 'output') list[list.length] = labels[k];
      const around = kit.upwards(hosts[i], (at) => tagOf(at) === 'label');
      if (around) list[list.length] = around;
    }
    return list;
  };
  /** @type {(el: Element) => string} */
  const nativeLabel = (el) => {
    const own = labelsOf(el);
    const labels = own.length ? own : outerLabels(el);
    let out = '';
    for (let i = 0; i < labels.length; i++) {
      const aria = attr(labels[i], 'aria-label');
      out += ` ${(aria && trim(aria)) || reading(labels[i], { named: true, skip: [el], hidden: !raw.shown(labels[i]) })}`;
    }
    return collapse(out);
  };
  /** The elements that label a control. */
  /** @type {Kit['labellersOf']} */
  const labellersOf = (el) => {
    const own = labelsOf(el);
    const list = own.length ? own : outerLabels(el);
    const ids = split(trim(attr(el, 'aria-labelledby') ?? ''), /\s+/);
    for (let i = 0; i < ids.length && i < MOST_LABELS; i++) {
      const target = ids[i] ? byId(el, ids[i]) : null;
      if (target) list[list.length] = target;
    }
    return list;
  };
  /** The only field in a drop-down that is no field itself: its label and marks are those of the drop-down. */
  /** @type {Kit['fieldIn']} */
  const fieldIn = (el) => {
    if (attr(el, 'role') !== 'combobox' || contains(LABELABLE, tagOf(el))) return null;
    const fields = all(el, 'input:not([type=hidden]),select,textarea');
    return fields.length === 1 ? fields[0] : null;
  };
  /** @type {NamesApi['labelOf']} */
  const labelOf = (el) => {
    const own = ariaLabelledBy(el) || nativeLabel(el);
    const field = own ? null : fieldIn(el);
    const labels = field ? labelsOf(field) : [];
    // A label that moves aside is often drawn twice.
    return own || (labels[0] ? reading(labels[0], { named: true }) : '');
  };

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

  /** What a style sheet writes beside a switch is its state: "on". */
  const TURNED = setOf('checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio');
  /** @type {NamesApi['nameOf']} */
  const nameOf = (el) => (contains(TURNED, roleOf(el)) && withoutDrawn(() => fullName(el))) || fullName(el);
  /** @type {NamesApi['nameOf']} */
  const fullName = (el) => {
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

  /** @type {NamesApi['shownValue']} */
  const shownValue = (el) => {
    if (tagOf(el) !== 'select') return valueOf(el) ?? '';
    const chosen = /** @type {HTMLSelectElement} */ (el).selectedOptions;
    let out = '';
    for (let i = 0; i < chosen.length && out.length < LONGEST; i++) {
      out += `${i ? ', ' : ''}${collapse(attr(chosen[i], 'label') || shortened(textContent(chosen[i]) ?? ''))}`;
    }
    return out;
  };

  /** @type {NamesApi['describe']} */
  const describe = (el) => {
    const role = roleOf(el);
    const what = role === 'generic' || role === 'presentation' ? tagOf(el) : role;
    const name = cut(nameOf(el) || textOf(el));
    const id = attr(el, 'id');
    return `<${what}>${name ? ` "${name}"` : id ? ` #${id}` : ''}`;
  };

  Object.assign(kit, { ariaLabelledBy, labellersOf, isNativeControl, isEditingHost, inputType, asHovered, fieldIn, WIDGETS });
  /** @type {NamesApi} */
  const api = { roleOf, nameOf, textOf, labelOf, labelsOf, hostsOf, valueOf, shownValue, describe };
  Object.assign(websp, api);
})();
