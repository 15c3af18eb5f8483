// @ts-check
/*
 * Fifth part of __websp (see dom.js): the text of a row, and of what else is around an element, without that of the other
 * controls and actions there.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & MarksApi & Partial<RowsApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.proseOf) return;
  const { raw, walk, parentOf, roleOf, nameOf, textOf, isControl, surfacesOf, kit } = websp;
  const { collapse, replace, test, labellersOf } = kit;
  const { matches, nodeType, tagOf, previousElement, nextElement } = raw;
  /** @type {(node: Node) => string|null} */
  const textContent = kit.getter(Node.prototype, 'textContent');

  /** A control, and what draws the value of a combobox. */
  /** @type {(el: Element) => Element[]} */
  const drawnParts = (el) => {
    const list = roleOf(el) === 'combobox' ? surfacesOf(el) : [];
    list[list.length] = el;
    return list;
  };
  /** Whether an element contains a control that is no link: a list of links is text. */
  /** @type {(el: Element) => boolean} */
  const holdsControl = (el) => {
    let found = false;
    walk(el, (inner) => {
      found ||= inner !== el && isControl(inner) && roleOf(inner) !== 'link';
      return !found;
    });
    return found;
  };
  /** @type {(el: Element, outer: Element) => boolean} */
  const isIn = (el, outer) => kit.upwards(el, (at) => at === outer) !== null;
  /** The button or box that a row begins with: its title, on which a person may click too. What has several rows has none. */
  /** @type {(row: Element, el: Element) => Element|null} */
  const titleOf = (row, el) => {
    const whole = textBeside(row, el, 1_000);
    let title = /** @type {Element|null} */ (null);
    let isRow = true;
    walk(row, (inner) => {
      if (!isRow || inner === el || !isControl(inner)) return isRow && inner !== el;
      isRow = roleOf(inner) !== roleOf(el) || nameOf(inner) !== nameOf(el);
      const text = !title && test(/^(button|checkbox|switch|radio)$/, roleOf(inner)) ? textOf(inner) || nameOf(inner) : '';
      if (text && kit.slice(whole, 0, text.length) === text) title = inner;
      return false;
    });
    return isRow ? title : null;
  };
  /**
   * The parts of an ancestor of an element that are of other controls: these with their labels, and what contains a
   * control but neither the element nor the title of its row, as a group of fields with its heading; not the options of
   * a closed list.
   * @type {(at: Element, el: Element, title: Element|null) => Element[]}
   */
  const othersIn = (at, el, title) => {
    const list = drawnParts(el);
    walk(at, (inner) => {
      if (inner === el || inner === title || raw.style(inner).display === 'none') return false;
      const isAround = inner === at || isIn(el, inner) || (title !== null && isIn(title, inner));
      // A link may be the title of a row, and a list of links is a text.
      if (isAround || roleOf(inner) === 'link') return true;
      if (!isControl(inner)) {
        if (!holdsControl(inner)) return true;
        list[list.length] = inner;
        return false;
      }
      const drawn = drawnParts(inner);
      for (let i = 0; i < drawn.length; i++) list[list.length] = drawn[i];
      const labels = labellersOf(inner);
      for (let i = 0; i < labels.length; i++) list[list.length] = labels[i];
      return false;
    });
    return list;
  };
  const ROWS = 'tr,li,dd,[role=row],[role=listitem]';
  /** Rows of cells: all cells belong to what is in one of them. */
  const TABLE_ROWS = 'tr,[role=row]';
  const LISTS = '[role=menu],[role=menubar],[role=listbox],[role=tablist]';
  const LONGEST_ROW = 400; // characters; what says more is the layout of a page
  const BESIDE = 2; // rows on each side
  /** Signs that stand alone, as those between the actions of a row. */
  const SEPARATORS = /(?<=^|\s)[|·•‧∙⋅/,–—-]+(?=\s|$)/g;
  /** @type {(text: string) => string} */
  const unseparated = (text) => collapse(replace(text, SEPARATORS, ' '));
  /** The text of an ancestor; that of a description begins with its term. */
  /** @type {(at: Element, skip: Element[], limit: number) => string} */
  const toldIn = (at, skip, limit) => {
    const text = textOf(at, skip, limit);
    if (tagOf(at) !== 'dd') return text;
    let term = previousElement(at);
    while (term && tagOf(term) === 'dd') term = previousElement(term);
    return collapse(`${term && tagOf(term) === 'dt' ? textOf(term, [], limit) : ''} ${text}`);
  };
  /** The links in an element. */
  /** @type {(at: Element) => Element[]} */
  const linksIn = (at) => {
    /** @type {Element[]} */
    const list = [];
    walk(at, (inner) => {
      if (inner === at || roleOf(inner) !== 'link') return true;
      list[list.length] = inner;
      return false;
    });
    return list;
  };
  /** The texts of the links in the rows beside a row. */
  /** @type {(row: Element) => string[]} */
  const linksBeside = (row) => {
    /** @type {string[]} */
    const texts = [];
    /** @type {(next: (el: Element) => Element|null) => void} */
    const collect = (next) => {
      let at = next(row);
      for (let i = 0; i < BESIDE && at; i++, at = next(at)) {
        const links = tagOf(at) === tagOf(row) ? linksIn(at) : [];
        for (let k = 0; k < links.length; k++) texts[texts.length] = textOf(links[k]);
      }
    };
    collect(previousElement);
    collect(nextElement);
    return texts;
  };
  /** Whether a part of a page says nothing: there are only controls, links and separators in it. */
  /** @type {(node: Node, el: Element) => boolean} */
  const isBare = (node, el) => {
    if (nodeType(node) !== 1) return !unseparated(nodeType(node) === 3 ? textContent(node) ?? '' : '');
    const at = /** @type {Element} */ (node);
    if (at === el || isControl(at) || isIn(el, at)) return true;
    const skip = othersIn(at, el, null);
    const links = linksIn(at);
    for (let i = 0; i < links.length; i++) skip[skip.length] = links[i];
    return !unseparated(textOf(at, skip, 200));
  };
  /**
   * The parts of a row beside a control that, with separators between them, are a line of actions, as in "Edit | Delete".
   * @type {(el: Element, row: Element) => Node[]}
   */
  const lineAround = (el, row) => {
    /** @type {Node[]} */
    const line = [];
    let isLine = false;
    for (let at = el, whole = true; whole && at !== row; ) {
      const parent = parentOf(at);
      if (!parent) break;
      /** @type {Node[]} */
      const nodes = [];
      kit.eachChild(parent, (node) => { nodes[nodes.length] = node; });
      let own = 0;
      while (own < nodes.length && nodes[own] !== at) own++;
      let first = own;
      let last = own;
      while (first > 0 && isBare(nodes[first - 1], el)) first--;
      while (last < nodes.length - 1 && isBare(nodes[last + 1], el)) last++;
      for (let i = first; i <= last; i++) {
        if (i !== own) line[line.length] = nodes[i];
        const text = collapse(textContent(nodes[i]) ?? '');
        isLine ||= unseparated(text) !== text;
      }
      whole = first === 0 && last === nodes.length - 1;
      at = parent;
    }
    return isLine ? line : [];
  };
  /**
   * The links of a row that are no text of it but do something: those that the rows beside it have too, and those in a line
   * with the element; not the one that the row begins with.
   * @type {(row: Element, el: Element) => Element[]}
   */
  const actionsIn = (row, el) => {
    const links = linksIn(row);
    if (!links.length) return links;
    const beside = linksBeside(row);
    const line = lineAround(el, row);
    const whole = textBeside(row, el, LONGEST_ROW);
    /** @type {Element[]} */
    const found = [];
    for (let i = 0; i < links.length; i++) {
      const text = textOf(links[i]);
      let isCommon = false;
      for (let k = 0; k < beside.length && !isCommon; k++) isCommon = beside[k] === text;
      const isTitle = kit.slice(whole, 0, text.length) === text;
      let isInLine = false;
      for (let k = 0; k < line.length && !isInLine; k++) isInLine = kit.upwards(links[i], (at) => at === line[k]) !== null;
      if (isCommon || (!isTitle && isInLine)) found[found.length] = links[i];
    }
    return found;
  };
  /** The parts of an ancestor that say nothing of a row: other controls, with their groups, and the links that do something. */
  /** @type {(at: Element, el: Element, title: Element|null) => Element[]} */
  const othersAndActionsIn = (at, el, title) => {
    const list = othersIn(at, el, title);
    const actions = actionsIn(kit.upwards(at, (outer) => matches(outer, ROWS)) ?? at, el);
    for (let i = 0; i < actions.length; i++) list[list.length] = actions[i];
    return list;
  };
  /** Text of an ancestor without that of other controls and their groups: "Hide Share" is on every card, and more come with time. */
  /** @type {RowsApi['proseOf']} */
  const proseOf = (at, el, limit) => unseparated(toldIn(at, othersAndActionsIn(at, el, null), limit));
  /** @type {RowsApi['rowTextOf']} */
  const rowTextOf = (at, el, limit) => unseparated(toldIn(at, othersAndActionsIn(at, el, titleOf(at, el)), limit));
  /** @type {RowsApi['textBeside']} */
  const textBeside = (at, el, limit) => toldIn(at, drawnParts(el), limit);
  /** @type {RowsApi['partsOf']} */
  const partsOf = (at, el, limit) => {
    const links = actionsIn(kit.upwards(at, (outer) => matches(outer, ROWS)) ?? at, el);
    const skip = othersIn(at, el, null);
    let actions = '';
    for (let i = 0; i < links.length && actions.length < limit; i++) {
      if (links[i] !== el) skip[skip.length] = links[i];
      if (links[i] !== el) actions += ` ${textOf(links[i])}`;
    }
    return { own: actions ? toldIn(at, skip, limit) : '', actions };
  };
  /** @type {RowsApi['tableRowOf']} */
  const tableRowOf = (el) => {
    const row = kit.upwards(parentOf(el), (at) => matches(at, `${ROWS},table,[role=grid],[role=table]`));
    return row && matches(row, TABLE_ROWS) && textOf(row, [], LONGEST_ROW).length < LONGEST_ROW ? row : null;
  };
  /** The nearest ancestor with a text that is not of other controls: the row of an element in a list, even if it has none. */
  /** @type {RowsApi['surroundingOf']} */
  const surroundingOf = (el, limit = 200) => {
    let first = null;
    for (let at = parentOf(el); at && tagOf(at) !== 'body'; at = parentOf(at)) {
      // A menu may be anywhere on the page.
      if (matches(at, LISTS)) return null;
      const text = textBeside(at, el, limit);
      const prose = text && proseOf(at, el, limit);
      // Beside its own name, the other cells of a row may be the same in all rows.
      if (prose && prose !== nameOf(el)) {
        const row = tableRowOf(el);
        return row && isIn(at, row) ? row : at;
      }
      if (prose || (text && matches(at, ROWS))) return at;
      if (text) first = first || at;
    }
    return first;
  };
  /** @type {RowsApi['aroundOf']} */
  const aroundOf = (el, limit = 200) => {
    const at = surroundingOf(el, limit);
    return at ? proseOf(at, el, limit) || textBeside(at, el, limit) : '';
  };
  /** @type {RowsApi} */
  const api = { surroundingOf, aroundOf, tableRowOf, textBeside, proseOf, rowTextOf, partsOf };
  Object.assign(websp, api);
})();
