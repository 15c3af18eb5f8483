// @ts-check
/*
 * Fourth part of __websp (see dom.js): the marks that the author of a page gives to an element, and how much they are
 * worth. A mark that others on the page carry too with other numbers ("topic_2" beside "topic_3", ":r1:" beside
 * ":r7:") was counted up: it belongs to a place, not to an element, and is another one when a row is inserted.
 */
(() => {
  'use strict';
  const websp = /** @type {Core & Partial<MarksApi>} */ (Reflect.get(globalThis, '__websp'));
  if (websp.marksOf) return;
  const { raw, kit, parentOf } = websp;
  const { all, replace, slice, split, test } = kit;
  const { attr, tagOf } = raw;
  const escape = CSS.escape;
  /** @type {(text: string, part: string) => number} */
  const indexOf = kit.uncurry(String.prototype.indexOf);

  const testAttributes = Object.freeze(['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa',
    'data-automation', 'data-automation-id', 'data-e2e', 'data-tid', 'data-hook']);
  /** @type {MarkName[]} */
  const MARKS = ['testId', 'id', 'nameAttr', 'value'];
  const CHOICE = /^(option|menuitemradio|menuitemcheckbox|radio)$/;
  const MEANT = /^(option|menuitem|menuitemradio|menuitemcheckbox|radio|checkbox|switch|button)$/;
  const DIGITS = '0123456789abcdefghijklmnopqrstuv';
  /** How React ends an id that its users take the colons from: "r" and a number to the base 32. */
  const LETTERED = /..r[0-9a-v]{1,2}$/;
  const VALUED = /^(checkbox|radio|submit|button|reset|image)$/;

  /** @type {(el: Element) => string|null} */
  const testAttributeOf = (el) => {
    for (let i = 0; i < testAttributes.length; i++) if (raw.has(el, testAttributes[i])) return testAttributes[i];
    return null;
  };
  /** What a box, a button or an option stands for, whatever it is called; not what was typed into a field. */
  /** @type {(el: Element) => string|null} */
  const valueMarkOf = (el) => {
    const tag = tagOf(el);
    const fixed = tag === 'option' || tag === 'button' || (tag === 'input' && test(VALUED, kit.inputType(el)));
    if (fixed) return attr(el, 'value');
    if (!test(CHOICE, websp.roleOf(el))) return null;
    // A custom element has the value of the option that it is.
    return attr(el, 'data-value') ?? (test(/-/, tag) ? attr(el, 'value') : null);
  };
  /** @type {(el: Element, mark: MarkName) => string|null} */
  const ownMarkOf = (el, mark) => {
    if (mark === 'value') return valueMarkOf(el);
    const attribute = attributeOf(el, mark);
    return attribute && attr(el, attribute);
  };
  /** @type {(el: Element, mark: MarkName) => boolean} */
  const bears = (el, mark) => {
    const attribute = attributeOf(el, mark);
    return !!attribute && !!attr(el, attribute);
  };
  /** @type {MarksApi['bearerOf']} */
  const bearerOf = (el, mark, hosts = websp.hostsOf(el)) => {
    // What a text field holds is no mark.
    if (mark === 'value' && !test(MEANT, websp.roleOf(el))) return el;
    for (let i = 0; i < hosts.length; i++) if (bears(hosts[i], mark)) return hosts[i];
    const field = bears(el, mark) ? null : kit.fieldIn(el);
    return field && bears(field, mark) ? field : el;
  };
  /** The name that the radio buttons of a group have in common, where only the group has it. */
  /** @type {(el: Element) => string|null} */
  const groupNameOf = (el) => {
    const group = websp.roleOf(el) === 'radio' ? kit.upwards(parentOf(el), (at) => websp.roleOf(at) === 'radiogroup') : null;
    const root = group && raw.rootOf(group);
    return group && (attr(group, 'name') || (root instanceof ShadowRoot ? attr(raw.hostOf(root), 'name') : null));
  };
  /** @type {MarksApi['markOf']} */
  const markOf = (el, mark, hosts = websp.hostsOf(el)) => {
    const bearer = bearerOf(el, mark, hosts);
    if (mark === 'value' && bearer !== el) return attr(bearer, 'value');
    return ownMarkOf(bearer, mark) || (mark === 'nameAttr' ? groupNameOf(el) : null);
  };
  /** The form of a control: its id, its name, or the path it is sent to. */
  /** @type {(el: Element) => string|null} */
  const formOf = (el) => {
    const form = kit.upwards(parentOf(el), (at) => tagOf(at) === 'form');
    if (!form) return null;
    return attr(form, 'id') || attr(form, 'name') || split(attr(form, 'action') ?? '', /[?#]/)[0] || null;
  };

  // ---------------------------------------------------------------- marks that are counted up
  /** The mark with its numbers left out: "topic_2" and "topic_13" have one shape. */
  /** @type {(mark: string) => string} */
  const shapeOf = (mark) => replace(mark, /\d+/g, '#');
  /** With every enclosed piece left out that may be a number to another base: ":r1a:" and ":rb:". */
  /** @type {(mark: string) => string} */
  const looseShapeOf = (mark) => replace(mark, /(?<=[^A-Za-z0-9])(?:[A-Za-z0-9]*\d[A-Za-z0-9]*|[A-Za-z]{1,2})(?=[^A-Za-z0-9])/g, '#');
  /** Whether two different marks differ in numbers only. */
  /** @type {(one: string, other: string) => boolean} */
  const isCounterpart = (one, other) => {
    if (one === other) return false;
    if (shapeOf(one) === shapeOf(other)) return true;
    return looseShapeOf(one) === looseShapeOf(other) && (test(/\d/, one) || test(/\d/, other));
  };
  /** Whether an id was counted up by React ("optionrm", "optionrn", "optionro"): two others go on by equal steps. */
  /** @type {(root: Node, id: string) => boolean} */
  const isLettered = (root, id) => {
    if (!test(LETTERED, id)) return false;
    const start = slice(id, 0, -1);
    const others = all(root, `[id^="${escape(start)}"]`);
    /** @type {boolean[]} */
    const taken = [];
    for (let i = 0; i < others.length; i++) {
      const other = attr(others[i], 'id') ?? '';
      const at = other.length === id.length ? indexOf(DIGITS, slice(other, -1)) : -1;
      if (at >= 0) taken[at] = true;
    }
    const at = indexOf(DIGITS, slice(id, -1));
    for (let step = 1; at >= 0 && step <= 4; step++) {
      const run = [at - 2 * step, at - step, at + step, at + 2 * step];
      for (let i = 0; i < 3; i++) if (taken[run[i]] && taken[run[i + 1]]) return true;
    }
    return false;
  };
  /** The attribute that holds a mark of an element. */
  /** @type {MarksApi['attributeOf']} */
  const attributeOf = (el, mark) => {
    if (mark === 'testId') return testAttributeOf(el);
    return mark === 'nameAttr' ? 'name' : mark;
  };
  /** @type {MarksApi['isSerial']} */
  const isSerial = (root, attribute, mark, group = '') => {
    if (attribute === 'id' && isLettered(root, mark)) return true;
    if (!test(/\d/, mark) && looseShapeOf(mark) === mark) return false;
    const start = split(mark, /[^A-Za-z_-]/)[0];
    // What comes before the first number of a mark is the same in its counterparts.
    const beginning = start && test(/\d/, mark) ? `^="${escape(start)}"` : '';
    const others = all(root, `${group}[${attribute}${beginning}]`);
    for (let i = 0; i < others.length; i++) if (isCounterpart(mark, attr(others[i], attribute) ?? '')) return true;
    return false;
  };

  /** @type {MarksApi['marksOf']} */
  const marksOf = (el) => {
    const hosts = websp.hostsOf(el);
    return {
      testId: markOf(el, 'testId', hosts), id: markOf(el, 'id', hosts), nameAttr: markOf(el, 'nameAttr', hosts),
      value: markOf(el, 'value', hosts), form: formOf(el),
    };
  };
  /** @type {MarksApi['serialOf']} */
  const serialOf = (el, marks) => {
    /** @type {string[]} */
    const serial = [];
    for (let i = 0; i < MARKS.length; i++) {
      const mark = MARKS[i];
      const value = marks[mark];
      const bearer = bearerOf(el, mark);
      const attribute = attributeOf(bearer, mark);
      // The values of radio buttons are counted by the author, and mean what they say.
      if (!value || !attribute || (mark === 'value' && websp.roleOf(el) === 'radio')) continue;
      const group = mark === 'value' && marks.nameAttr ? `[name="${escape(marks.nameAttr)}"]` : mark === 'value' ? tagOf(bearer) : '';
      if (isSerial(raw.rootOf(bearer), attribute, value, group)) serial[serial.length] = mark;
    }
    return serial;
  };
  /** @type {MarksApi} */
  const api = { testAttributes, marksOf, markOf, bearerOf, serialOf, isSerial, isCounterpart, attributeOf };
  Object.assign(websp, api);
})();
