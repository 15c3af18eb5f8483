// @ts-check
/*
 * Part of __websp (see dom.js): the tabs, menus, headings of an accordion or links within a page that an element is one of,
 * and the series of fields whose marks an author counted up. They stay in number and order when all their names change
 * (another language).
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & MarksApi & RowsApi & Partial<GroupsApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.groupOf) return;
  const { raw, walk, parentOf, roleOf, nameOf, stateOf, kit } = websp;
  const { attr, tagOf, matches } = raw;
  const MOST = 20; // openers in a group
  const FIELDS = /^(checkbox|combobox|searchbox|slider|spinbutton|switch|textbox)$/;
  /** Marks that only an author gives. @type {MarkName[]} */
  const COUNTED = ['nameAttr', 'testId'];
  const FORMS = 'input,select,textarea,[type=submit],[aria-pressed],[aria-checked]';

  /** What an element opens, and so the kind of group it is in; "" if it does more than to show something. */
  /** @type {(el: Element) => ''|'tab'|'menu'|'part'} */
  const kindOf = (el) => {
    const role = roleOf(el);
    if (matches(el, FORMS)) return '';
    if (role === 'tab') return 'tab';
    if (role === 'link' && kit.test(/^#[^!/]/, attr(el, 'href') ?? '')) return 'part';
    const opens = tagOf(el) === 'summary' || raw.has(el, 'aria-expanded') || !matches(el, ':not([aria-haspopup]),[aria-haspopup=false]');
    return opens && (tagOf(el) === 'summary' || kit.test(/^(button|link|menuitem)$/, role)) ? 'menu' : '';
  };
  /** @type {(at: Element, kind: string) => Element[]} */
  const membersIn = (at, kind) => {
    /** @type {Element[]} */
    const list = [];
    walk(at, (inner) => {
      if (list.length <= MOST && kindOf(inner) === kind && raw.shown(inner)) list[list.length] = inner;
      return list.length <= MOST;
    });
    return list;
  };
  /** @type {GroupsApi['groupOf']} */
  const groupOf = (el) => {
    const kind = kindOf(el);
    if (!kind) return [];
    for (let at = parentOf(el); at && tagOf(at) !== 'body'; at = parentOf(at)) {
      // Another row may be in its place.
      if (matches(at, 'tr,[role=row]')) return [];
      const members = membersIn(at, kind);
      if (members.length > MOST) return [];
      if (members.length > 1 && (kind !== 'tab' || roleOf(at) === 'tablist' || !kit.upwards(at, (outer) => roleOf(outer) === 'tablist'))) return members;
    }
    return [];
  };
  /** What elements are called, if each is called otherwise. */
  /** @type {(members: Element[], call: (el: Element) => string) => string[]} */
  const distinct = (members, call) => {
    /** @type {string[]} */
    const names = [];
    for (let i = 0; i < members.length; i++) {
      const name = kit.cut(call(members[i]));
      for (let k = 0; k < i; k++) if (names[k] === name) return [];
      if (!name) return [];
      names[i] = name;
    }
    return names;
  };
  /** @type {GroupsApi['groupNamesOf']} */
  const groupNamesOf = (el) => {
    const members = groupOf(el);
    for (let i = 0; i < members.length; i++) if (stateOf(members[i]).checked !== null) return [];
    return distinct(members, nameOf);
  };

  /** @type {GroupsApi['seriesNamesOf']} */
  const seriesNamesOf = (el) => {
    const role = roleOf(el);
    if (!kit.test(FIELDS, role)) return [];
    for (let i = 0; i < COUNTED.length; i++) {
      const mark = websp.markOf(el, COUNTED[i]);
      if (!mark) continue;
      /** @type {Element[]} */
      const members = [];
      walk(document, (at) => {
        const own = roleOf(at) === role ? websp.markOf(at, COUNTED[i]) : null;
        if (own && members.length <= MOST && (at === el || websp.isCounterpart(mark, own))) members[members.length] = at;
        return true;
      });
      if (members.length > 1 && members.length <= MOST) return distinct(members, (at) => nameOf(at) || websp.aroundOf(at));
    }
    return [];
  };

  /** @type {GroupsApi} */
  const api = { groupOf, groupNamesOf, seriesNamesOf };
  Object.assign(websp, api);
})();
