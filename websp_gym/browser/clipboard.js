// @ts-check
/*
 * All episodes of a browser would share the system's clipboard: what one copied, another could paste. So nothing is
 * pasted from it, in any document; the shortcuts of an agent use a clipboard of its episode (actions/clipboard.py).
 * Registered before the page's own listeners, which cannot take it away; document.open() can (see page.js).
 */
addEventListener('paste', (event) => {
  if (!event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
