// @ts-check
/*
 * Blocks pasting from the system's clipboard in every document, because all episodes of a browser share it. The
 * keyboard shortcuts of an agent use a clipboard of its episode instead (actions/clipboard.py). This listener is
 * registered before the page's own, which cannot remove it; only document.open() can (see page.js).
 */
addEventListener('paste', (event) => {
  if (!event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
