// @ts-check
/*
 * Part of __websp (see dom.js): the tabs, menus, headings of an accordion or links within a page that an element is one of.
 * They only show something, and stay in number and order when all their names change (another language).
 */
(() => {
  'use strict';
  const websp = /** @type {Core & StateApi & MarksApi & Partial<GroupsApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.groupOf) return;
  const { raw, walk, parentOf, roleOf, nameOf, stateOf, kit } = websp;
  const { attr, tagOf, matches } = raw;
  const MOST = 20; // openers in a group
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
  /** The names in the group of an element, if each has one of its own. */
  /** @type {GroupsApi['groupNamesOf']} */
  const groupNamesOf = (el) => {
    const members = groupOf(el);
    /** @type {string[]} */
    const names = [];
    for (let i = 0; i < members.length; i++) {
      const name = kit.cut(nameOf(members[i]));
      for (let k = 0; k < i; k++) if (names[k] === name) return [];
      if (!name || stateOf(members[i]).checked !== null) return [];
      names[i] = name;
    }
    return names;
  };

  /** @type {GroupsApi} */
  const api = { groupOf, groupNamesOf };
  Object.assign(websp, api);
})();
