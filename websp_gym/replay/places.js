// @ts-check
/*
 * Finds what only opens something (a tab, a menu) by its place among its like. Needs candidates.js. Adds to __webspReplay
 *
 *   byPlace(query)   the element in the recorded place of a group that has as many members in the same order; null if there
 *                    is none, or several
 *   isOwn(query, el) whether an element has a recorded mark that no other element of the document has, a hidden one included:
 *                    by it an element proves that what was opened is what was recorded
 *   addressOf(query) the address that the recorded link leads to, if the page has exactly one such link or several to the same
 *                    address; else ""
 */

(() => {
  'use strict';
  const replay = Reflect.get(globalThis, '__webspReplay');
  if (!replay || replay.byPlace) return;
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const { roleOf } = websp;
  const { Candidates, usable, hasMark, testIdOf } = /** @type {CandidatesApi} */ (replay);

  /** Whether names are the recorded ones, or others in a group whose order did not change as far as anyone can tell. */
  /** @type {(search: Offer, names: string[]) => boolean} */
  const isInOrder = (search, names) => {
    const recorded = search.print.group ?? [];
    return names.length === recorded.length
      && recorded.every((name, at) => names.every((other, there) => at === there || !search.same(name, other)));
  };
  /** @type {(query: Query) => Element|null} */
  const byPlace = (query) => {
    const search = new Candidates(query);
    const { group = [], name, css } = query.print;
    const at = group.indexOf(name ?? '');
    if (at < 0 || group.length < 2) return null;
    /** @type {Set<Element>} */
    const seen = new Set();
    /** @type {Element[]} */
    const found = [];
    for (const el of search.pool) {
      if (seen.has(el) || !usable(el)) continue;
      const members = websp.groupOf(el);
      for (const member of members) seen.add(member);
      const names = websp.groupNamesOf(el);
      const there = members[at];
      if (names.length && there && usable(there) && roleOf(there) === query.print.role && isInOrder(search, names)) found.push(there);
    }
    if (found.length < 2) return found[0] ?? null;
    const [placed, ...more] = css ? found.filter((el) => search.offer('css').includes(el)) : [];
    return more.length ? null : placed ?? null;
  };

  /** @type {(query: Query, el: Element) => boolean} */
  const isOwn = ({ print }, el) => {
    const { testId, id, nameAttr, value, serial = [] } = print;
    const role = roleOf(el);
    const all = websp.elements(document).filter((at) => roleOf(at) === role);
    /** @type {(has: (at: Element) => boolean) => boolean} */
    const isOnly = (has) => has(el) && all.filter(has).length === 1;
    /** @type {(mark: string|undefined, key: string) => boolean} */
    const isSteady = (mark, key) => !!mark && !/\d/.test(mark) && !serial.includes(key);
    return (isSteady(testId, 'testId') && isOnly((at) => testIdOf(at) === testId))
      || (isSteady(id, 'id') && isOnly((at) => hasMark(at, 'id', id ?? '')))
      || (isSteady(nameAttr, 'nameAttr') && isOnly((at) => hasMark(at, 'nameAttr', nameAttr ?? '')
        && (value === undefined || websp.marksOf(at).value === value)));
  };

  /** @type {(query: Query) => string} */
  const addressOf = (query) => {
    const addresses = new Candidates(query).addresses();
    return addresses.length === 1 ? addresses[0] : '';
  };

  Object.assign(replay, { byPlace, isOwn, addressOf });
})();
