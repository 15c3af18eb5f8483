// @ts-check
/*
 * What makes an element the one that was observed: its role, its name and its place, not its node. Injected before
 * page.js; adds to __websp
 *   placeOf(el)        the text of the nearest ancestor that has more text than the element: its row, if it is in one
 *   besideOf(el)       the text that a person takes for the name of a control without one: beside it, or of its row
 *   changed(was, now)  how an element differs from the one that was observed, as a predicate; '' if it is the same.
 *                      Times that pass by themselves ("3 minutes ago", "0:29") are no difference
 */
(() => {
  'use strict';
  const websp = /** @type {Dom & Partial<IdentityApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.changed) return;
  const { raw, parentOf, textOf, aroundOf, isControl, kit } = websp;
  const { eachChild, cut, collapse, replace, uncurry } = kit;
  /** @type {(node: Node) => string|null} */
  const contentOf = uncurry(/** @type {Function} */ (Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get));
  const HIGHEST = 6; // ancestors
  const LONGEST = 200;
  const MOST_BESIDE = 40; // children of a parent whose texts are looked through

  /** @type {IdentityApi['placeOf']} */
  const placeOf = (el) => {
    const own = (contentOf(el) ?? '').length;
    let at = parentOf(el);
    for (let height = 0; at && height < HIGHEST; height++, at = parentOf(at)) {
      const content = contentOf(at) ?? '';
      const text = content.length > own ? collapse(cut(content, 2 * LONGEST + own)) : '';
      if (text.length > own) return cut(text, LONGEST);
    }
    return '';
  };

  /** @type {IdentityApi['besideOf']} */
  const besideOf = (el) => {
    const parent = parentOf(el);
    /** @type {string[]} */
    const texts = [];
    let controls = 0;
    let mine = -1;
    let textFirst = false;
    let open = false; // whether the last text goes on
    let seen = 0;
    if (parent) {
      eachChild(parent, (node) => {
        if (++seen > MOST_BESIDE) return;
        const type = raw.nodeType(node);
        const isElement = type === 1;
        if (isElement && isControl(/** @type {Element} */ (node))) {
          if (node === el) mine = controls;
          controls++;
          open = false;
          return;
        }
        const text = isElement ? textOf(/** @type {Element} */ (node), [], LONGEST) : type === 3 ? collapse(cut(contentOf(node) ?? '', LONGEST)) : '';
        if (!text) return;
        if (!controls && !texts.length) textFirst = true;
        if (open) texts[texts.length - 1] += ` ${text}`;
        else texts[texts.length] = text;
        open = true;
      });
    }
    // One text for each control: before each, or after each.
    if (mine >= 0 && controls > 1 && texts.length === controls) return cut(texts[mine], LONGEST);
    if (mine === 0 && controls === 1 && texts.length) return cut(textFirst || texts.length === 1 ? texts[0] : texts.join(' '), LONGEST);
    return aroundOf(el, LONGEST);
  };

  const UNITS = '(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|wks?|weeks?|months?|yrs?|years?)';
  const CLOCK = /\b\d{1,2}:\d{2}(?::\d{2})?\b/g;
  const SPAN = new RegExp(`\\b(?:\\d+(?:\\.\\d+)?|an?)\\s?${UNITS}\\b`, 'gi');
  /** A text without the times in it. */
  /** @type {(text: string) => string} */
  const steady = (text) => replace(replace(replace(text, CLOCK, '#'), SPAN, '#'), /\bjust now\b/gi, '# ago');
  /** @type {(text: string) => string} */
  const quoted = (text) => (text ? `"${cut(text, 100)}"` : 'nothing');

  /** @type {IdentityApi['changed']} */
  const changed = (was, now) => {
    if (was.role !== now.role) return `is now a <${now.role}> ${quoted(now.name)}, and was a <${was.role}> ${quoted(was.name)}`;
    if (steady(was.name) !== steady(now.name)) return `now says ${quoted(now.name)}; in the observation it said ${quoted(was.name)}`;
    if (steady(was.place) !== steady(now.place)) return `is now in ${quoted(now.place)}; in the observation it was in ${quoted(was.place)}`;
    return '';
  };

  /** @type {IdentityApi} */
  const api = { placeOf, besideOf, changed };
  Object.assign(websp, api);
})();
