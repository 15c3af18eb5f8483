// @ts-check
/*
 * Third part of __websp (see dom.js): the state an element is in, and whether a person can operate it.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & Partial<StateApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.stateOf) return;
  const { raw, parentOf, roleOf, valueOf, walk, kit } = websp;
  const { all, byId, upwards, isNativeControl, isEditingHost, inputType, lower, test, contains, WIDGETS } = kit;
  const { attr, matches, parentNode, tagOf } = raw;
  // Kept like the built-ins of dom.js: what a page makes of them later is not what is read.
  /** @type {(proto: object, name: string) => (el: Element) => boolean} */
  const flag = (proto, name) => kit.uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(proto, name)?.get));
  const isChecked = flag(HTMLInputElement.prototype, 'checked');
  const isMixed = flag(HTMLInputElement.prototype, 'indeterminate');
  const isChosen = flag(HTMLOptionElement.prototype, 'selected');
  const isOpen = flag(HTMLDetailsElement.prototype, 'open');

  // ---------------------------------------------------------------- state
  /** @type {(el: Element, name: string) => boolean|null} */
  const ariaFlag = (el, name) => {
    const value = attr(el, name);
    return value === null || value === '' || value === 'undefined' ? null : lower(value) !== 'false';
  };
  const CHECKABLE = new Set(['checkbox', 'switch', 'radio', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

  /** @type {(el: Element, rules: ClassRule[]) => boolean|null} */
  const ruledState = (el, rules) => {
    for (let deep = 0; deep < 2; deep++) {
      for (let i = 0; i < rules.length; i++) {
        const { on, off } = rules[i];
        const fits = (/** @type {string|undefined} */ css) => !!css && (deep ? all(el, css).length > 0 : matches(el, css));
        if (fits(on)) return true;
        if (fits(off)) return false;
      }
    }
    return null;
  };

  /** @type {(el: Element, role: string) => {checked: boolean|null, mixed: boolean}} */
  const checkedState = (el, role) => {
    if (tagOf(el) === 'input' && test(/^(checkbox|radio)$/, inputType(el))) {
      const mixed = isMixed(el);
      return { checked: !mixed && isChecked(el), mixed };
    }
    if (!contains(CHECKABLE, role)) return { checked: null, mixed: false };
    const value = lower(attr(el, 'aria-checked') ?? '');
    const selectable = role === 'option' || role === 'treeitem' || role === 'radio' && raw.has(el, 'aria-selected');
    if (!value && selectable) return { checked: null, mixed: false };
    if (!value) {
      // Seen in the wild: a switch that says its state with aria-pressed.
      return { checked: role === 'option' ? null : ariaFlag(el, 'aria-pressed') ?? false, mixed: false };
    }
    return { checked: value === 'true', mixed: value === 'mixed' };
  };

  // A <select> opened by openPicker() (page.js) shows its options in the page; any other hides its state.
  const knowsOpen = CSS.supports('selector(:open)');
  /** @type {(el: Element, tag: string) => boolean|null} */
  const expandedState = (el, tag) => {
    if (tag === 'select') return knowsOpen && raw.has(el, 'data-websp-picker') ? matches(el, ':open') : null;
    const aria = ariaFlag(el, 'aria-expanded');
    if (aria !== null) return aria;
    const parent = tag === 'summary' ? parentNode(el) : tag === 'details' ? el : null;
    if (parent instanceof HTMLDetailsElement) return isOpen(parent);
    const popover = raw.has(el, 'popovertarget') ? byId(el, attr(el, 'popovertarget') ?? '') : null;
    return popover ? matches(popover, ':popover-open') : null;
  };

  /** @type {(el: Element) => boolean} */
  const isDisabled = (el) => matches(el, ':disabled')
    || upwards(el, (at) => raw.has(at, 'inert') || lower(attr(at, 'aria-disabled') ?? '') === 'true') !== null;

  /** @type {StateApi['stateOf']} */
  const stateOf = (el, rules = []) => {
    const tag = tagOf(el);
    const role = roleOf(el);
    const ruled = ruledState(el, rules);
    const { checked, mixed } = ruled === null ? checkedState(el, role) : { checked: ruled, mixed: false };
    const current = ariaFlag(el, 'aria-current');
    return {
      checked,
      mixed,
      expanded: expandedState(el, tag),
      disabled: isDisabled(el),
      selected: el instanceof HTMLOptionElement ? isChosen(el)
        : ariaFlag(el, 'aria-selected') ?? (role === 'tab' ? current ?? false : current),
      pressed: role === 'button' ? ariaFlag(el, 'aria-pressed') : null,
      value: valueOf(el),
    };
  };

  // ---------------------------------------------------------------- what can be operated
  const WRAPPERS = 3; // levels from an unseen control to what draws it
  /** @type {StateApi['isControl']} */
  const isControl = (el) => isNativeControl(el) || (raw.has(el, 'role') && contains(WIDGETS, roleOf(el))) || isEditingHost(el);
  /** @type {StateApi['hasHandler']} */
  const hasHandler = (el) => raw.has(el, 'onclick') || test(/^\s*\+?\d/, attr(el, 'tabindex') ?? '');
  /** @type {(el: Element) => boolean} */
  const startsPointer = (el) => {
    if (raw.style(el).cursor !== 'pointer') return false;
    const parent = parentOf(el);
    if (parent && raw.style(parent).cursor === 'pointer') return false;
    return tagOf(el) !== 'label' && !upwards(el, isControl);
  };
  /** @type {StateApi['interactive']} */
  const interactive = (el) => isControl(el) || hasHandler(el) || startsPointer(el);

  /** Whether a wrapper shows nothing of what is in it: it is cut to a point, or moved off the page. */
  /** @type {(at: Element) => boolean} */
  const hidesAway = (at) => {
    const box = raw.rect(at);
    const { overflow, position } = raw.style(at);
    if ((box.width < 2 || box.height < 2) && overflow !== 'visible') return true;
    return test(/^(absolute|fixed)$/, position) && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
  };
  /** Whether something else draws a control: it is transparent, has no size of its own, or is hidden away. */
  /** @type {StateApi['isUnseen']} */
  const isUnseen = (el) => isTransparent(el) || isHiddenAway(el);
  /** @type {(el: Element) => boolean} */
  const isTransparent = (el) => {
    const box = raw.rect(el);
    return box.width < 2 || box.height < 2 || raw.style(el).opacity === '0';
  };
  /** @type {(el: Element) => boolean} */
  const isBox = (el) => tagOf(el) === 'input' && test(/^(checkbox|radio)$/, inputType(el));
  /** Whether a box is hidden away. A link or a field there is one for screen readers or a trap, which nothing draws. */
  /** @type {(el: Element) => boolean} */
  const isHiddenAway = (el) => {
    let at = isBox(el) ? el : null;
    for (let level = 0; at && level < WRAPPERS; level++, at = parentOf(at)) if (hidesAway(at)) return true;
    return false;
  };
  /** Whether an element of about its size lies over a box. */
  /** @type {(el: Element, box: Element) => boolean} */
  const covers = (el, box) => {
    if (!isBox(box)) return false;
    const over = raw.rect(el);
    const under = raw.rect(box);
    const x = under.x + under.width / 2;
    const y = under.y + under.height / 2;
    return over.left < x && x < over.right && over.top < y && y < over.bottom
      && over.width <= 2 * under.width + 10 && over.height <= 2 * under.height + 10;
  };
  /** The first controls in an element, at most two. */
  /** @type {(el: Element) => Element[]} */
  const someControls = (el) => {
    /** @type {Element[]} */
    const found = [];
    walk(el, (inner) => {
      if (found.length < 2 && isControl(inner)) found[found.length] = inner;
      return found.length < 2;
    });
    return found;
  };
  /** The control that an element draws: the only one in a wrapper around both, and unseen itself or lying under it. */
  /** @type {(el: Element) => Element|null} */
  const drawnBy = (el) => {
    let at = /** @type {Element|null} */ (el);
    for (let level = 0; at && level <= WRAPPERS; level++, at = parentOf(at)) {
      const controls = someControls(at);
      const control = controls[0];
      if (!control) continue;
      if (controls.length > 1) return null;
      // What says more than a tick is not the drawing of a box that is somewhere else.
      const draws = isTransparent(control) || (level > 0 && (covers(el, control) || (isHiddenAway(control) && websp.textOf(el).length < 3)));
      return draws ? control : null;
    }
    return null;
  };
  /** @type {StateApi['drawingsOf']} */
  const drawingsOf = (el) => {
    let wrapper = el;
    for (let at = parentOf(el), level = 0; at && level < WRAPPERS && someControls(at).length === 1; level++, at = parentOf(at)) wrapper = at;
    /** @type {Element[]} */
    const drawings = [];
    walk(wrapper, (inner) => {
      if (tagOf(inner) === 'label') return false;
      const draws = inner !== el && raw.shown(inner) && someControls(inner).length === 0 && drawnBy(inner) === el
        && (covers(inner, el) || hasHandler(inner) || startsPointer(inner));
      if (draws) drawings[drawings.length] = inner;
      return !draws;
    });
    return drawings;
  };
  /** @type {StateApi['surfacesOf']} */
  const surfacesOf = (el) => {
    const surfaces = [];
    let at = isUnseen(el) ? parentOf(el) : null;
    for (let level = 0; at && level < WRAPPERS && someControls(at).length === 1; level++, at = parentOf(at)) surfaces[level] = at;
    return surfaces;
  };

  /** @type {StateApi['operable']} */
  const operable = (el) => {
    const control = upwards(el, (at) => isControl(at) || tagOf(at) === 'label');
    if (control && tagOf(control) !== 'label') return control;
    const labelled = control && /** @type {HTMLLabelElement} */ (control).control;
    return labelled ?? drawnBy(el) ?? upwards(el, (at) => hasHandler(at) || startsPointer(at)) ?? el;
  };

  /** @type {StateApi['indexed']} */
  const indexed = (root = document) => {
    /** @type {Element[]} */
    const list = [];
    walk(root, (el) => {
      const tag = tagOf(el);
      if (tag === 'head') return false;
      if (interactive(el)) list[list.length] = el;
      return tag !== 'select' && tag !== 'datalist' && tag !== 'svg';
    });
    return list;
  };

  /** @type {StateApi} */
  const api = { stateOf, isControl, hasHandler, interactive, operable, isUnseen, surfacesOf, drawingsOf, indexed };
  Object.assign(websp, api);
})();
