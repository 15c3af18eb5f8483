"""Copy, cut and paste by keyboard, with a clipboard for each episode.

The browser's own clipboard is one for all of its contexts, so pages never paste from it (``browser/clipboard.js``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from websp_gym.browser.isolated import Frame, worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

Edit = Literal["copy", "cut", "paste"]
_LONGEST = 100_000
"""Characters of a selection that are kept."""
_EDITS: dict[tuple[str, str], Edit] = {
    ("control", "c"): "copy",
    ("control", "insert"): "copy",
    ("control", "x"): "cut",
    ("shift", "delete"): "cut",
    ("control", "v"): "paste",
    ("shift", "insert"): "paste",
}
# What is selected where the focus is; what is written in a password field cannot be copied.
_SELECTION = """function (longest) {
  if (!document.hasFocus()) return '';
  let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  const field = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement;
  if (!field) return String(getSelection()).slice(0, longest);
  if (at.type === 'password' || typeof at.selectionStart !== 'number') return '';
  return at.value.slice(at.selectionStart, at.selectionEnd).slice(0, longest);
}"""


def edit_of(keys: str) -> Edit | None:
    """What a key combination does with the clipboard.

    Args:
        keys: As Playwright writes them, such as ``Control+c``.

    Returns:
        None where it does nothing of the kind.
    """
    modifier, _, key = keys.casefold().rpartition("+")
    return _EDITS.get((modifier.replace("controlormeta", "control"), key))


def selected(page: Page) -> str:
    """The text that is selected where the focus is.

    Args:
        page: The tab.

    Returns:
        It, cut to 100 000 characters; empty where nothing is selected.
    """
    texts = [frame.run(_SELECTION, _LONGEST) for frame in _frames(page)]
    # A document has the focus when one of its frames has; the inner one holds the selection.
    return next((text for text in reversed(texts) if isinstance(text, str) and text), "")


def keep_from_pasting(page: Page) -> None:
    """Makes sure that the browser's clipboard cannot be pasted, also where a document was written anew.

    Args:
        page: The tab.
    """
    for frame in _frames(page):
        frame.ask("keepFromPasting")


def paste(tabs: Tabs) -> None:
    """Types what the episode copied last, where the focus is."""
    if tabs.clipboard:
        tabs.current.keyboard.insert_text(tabs.clipboard)


def _frames(page: Page) -> list[Frame]:
    worlds = worlds_of(page)
    return [worlds.main, *worlds.children()]
