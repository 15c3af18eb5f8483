// @ts-check
"use strict";

// Helpers to find and make elements; they precede the script of each page of a report.

const nodes = (() => {
  /**
   * @template {Element} T
   * @param {string} selector
   * @param {new () => T} kind
   * @param {ParentNode} [root]
   * @returns {T}
   */
  const find = (selector, kind, root = document) => {
    const found = root.querySelector(selector);
    if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
    return found;
  };

  /**
   * Return a new element with a class and text or children.
   * @template {keyof HTMLElementTagNameMap} K
   * @param {K} tag
   * @param {string} [className]
   * @param {...(string | Node)} children
   * @returns {HTMLElementTagNameMap[K]}
   */
  const make = (tag, className = "", ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };

  return { find, make };
})();
