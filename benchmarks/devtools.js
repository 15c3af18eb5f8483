// @ts-check
/*
 * The selectors of Chrome DevTools Recorder and their use in its replay, reimplemented after the published
 * sources of the panel. Each step has a list of alternatives, in this order:
 *   aria    the name if it is unique, else name and role; else the same inside the nearest ancestor that is
 *           unique by name, role or both (inside an ancestor, the role alone is enough)
 *   css     from the element up until it is unique: one of the test attributes, else a unique id, else the tag if
 *           no sibling has it, else also the input's type, a class that no sibling has, or :nth-of-type()
 *   xpath   from the nearest ancestor with an id down, by position
 *   pierce  the css path again, searched through open shadow roots
 *   text    its text of up to 64 characters, if no other element has it
 * Replay tries them in this order and takes the first element of the first alternative that finds any.
 *   __devtools.record(el) -> alternatives     __devtools.find(alternatives) -> Element|null
 */

/** @typedef {{kind: string, steps: string[]}} Alternative */

(() => {
  'use strict';
  const websp = /** @type {Dom} */ (Reflect.get(globalThis, '__websp'));
  const TESTS = ['data-testid', 'data-test', 'data-qa', 'data-cy', 'data-test-id', 'data-qa-id', 'data-testing'];
  const LONGEST = 64;
  const UNREAD = ['script', 'style', 'body', 'html', 'head', 'title'];

  /** @param {Element} [within] */
  const everything = (within) => websp.elements(within ?? document);
  /** @param {string} step @param {Element} [within] */
  const byAria = (step, within) => {
    const parts = /^(.*?)(?:\[role="(.*)"\])?$/s.exec(step);
    const [name, role] = [parts?.[1] ?? '', parts?.[2]];
    return everything(within).filter((el) => (!name || websp.nameOf(el) === name) && (!role || websp.roleOf(el) === role));
  };
  /** @param {string} css */
  const byCss = (css) => [...document.querySelectorAll(css)];
  /** @param {string} text */
  const byText = (text) => everything().filter((el) => !UNREAD.includes(el.localName) && websp.textOf(el).includes(text)
    && ![...el.children].some((child) => websp.textOf(child).includes(text)));
  /** @param {string} path */
  const byXPath = (path) => {
    const found = document.evaluate(path, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    return [...Array(found.snapshotLength).keys()].map((i) => /** @type {Element} */ (found.snapshotItem(i)));
  };

  /** @param {Element} el */
  const step = (el) => {
    for (const name of TESTS) if (el.getAttribute(name)) return `[${name}='${CSS.escape(el.getAttribute(name) ?? '')}']`;
    if (el.id && byCss(`#${CSS.escape(el.id)}`).length === 1) return `#${CSS.escape(el.id)}`;
    const siblings = [...(el.parentElement?.children ?? [])].filter((at) => at !== el);
    if (!siblings.some((at) => at.localName === el.localName)) return el.localName;
    if (el instanceof HTMLInputElement && !siblings.some((at) => at instanceof HTMLInputElement && at.type === el.type)) {
      return `${el.localName}[type='${el.type}']`;
    }
    const own = [...el.classList].find((name) => !siblings.some((at) => at.classList.contains(name)));
    if (own) return `${el.localName}.${CSS.escape(own)}`;
    const same = [...(el.parentElement?.children ?? [])].filter((at) => at.localName === el.localName);
    return `${el.localName}:nth-of-type(${same.indexOf(el) + 1})`;
  };
  /** @param {Element} el */
  const cssOf = (el) => {
    let path = '';
    for (let at = /** @type {Element|null} */ (el); at; at = at.parentElement) {
      path = step(at) + (path && ` > ${path}`);
      if (byCss(path).length === 1) return path;
    }
    return path;
  };
  /** @param {Element} el */
  const xpathOf = (el) => {
    let path = '';
    for (let at = /** @type {Element|null} */ (el); at; at = at.parentElement) {
      if (at.id) return `//*[@id="${at.id}"]${path}`;
      const same = [...(at.parentElement?.children ?? [])].filter((each) => each.localName === at?.localName);
      path = `/${at.localName}${same.length > 1 ? `[${same.indexOf(at) + 1}]` : ''}${path}`;
    }
    return path;
  };
  /** Return the shortest step that matches only this element within another. */
  /** @param {Element} el @param {Element|undefined} within @param {boolean} roleAlone */
  const ariaStep = (el, within, roleAlone) => {
    const name = websp.nameOf(el);
    const role = websp.roleOf(el);
    const steps = [...(name ? [name] : []), ...(roleAlone ? [`[role="${role}"]`] : []), ...(name ? [`${name}[role="${role}"]`] : [])];
    return steps.find((each) => byAria(each, within).length === 1 && byAria(each, within)[0] === el);
  };
  /** @param {Element} el */
  const ariaOf = (el) => {
    const alone = ariaStep(el, undefined, false);
    if (alone) return [alone];
    for (let at = el.parentElement; at; at = at.parentElement) {
      const above = ariaStep(at, undefined, true);
      const inside = above && ariaStep(el, at, true);
      if (above && inside) return [above, inside];
    }
    return [];
  };
  /** @param {Element} el */
  const textOf = (el) => {
    const text = websp.textOf(el);
    return text && text.length <= LONGEST && byText(text).length === 1 ? [text] : [];
  };

  /** @param {Element} el @returns {Alternative[]} */
  const record = (el) => [
    { kind: 'aria', steps: ariaOf(el) },
    { kind: 'css', steps: [cssOf(el)] },
    { kind: 'xpath', steps: [xpathOf(el)] },
    { kind: 'pierce', steps: [cssOf(el)] },
    { kind: 'text', steps: textOf(el) },
  ].filter(({ steps }) => steps.length);
  /** @param {Alternative} alternative */
  const all = ({ kind, steps }) => {
    if (kind === 'xpath') return byXPath(steps[0]);
    if (kind === 'text') return byText(steps[0]);
    if (kind === 'css') return byCss(steps[0]);
    if (kind === 'pierce') return everything().filter((el) => el.matches(steps[0]));
    const first = byAria(steps[0]);
    return steps.length === 1 ? first : first.flatMap((el) => byAria(steps[1], el));
  };
  /** @param {Alternative[]} alternatives */
  const find = (alternatives) => {
    for (const alternative of alternatives) {
      const found = all(alternative)[0];
      if (found) return found;
    }
    return null;
  };
  Object.defineProperty(globalThis, '__devtools', { configurable: true, value: { record, find } });
})();
