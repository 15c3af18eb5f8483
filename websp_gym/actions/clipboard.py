"""Copy, cut and paste by keyboard, with a separate clipboard for each episode.

All contexts of a browser share its clipboard, so pages are never allowed to paste from it
(``browser/clipboard.js``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from websp_gym.actions.keys import notice_for
from websp_gym.browser.isolated import Frame, worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

Edit = Literal["copy", "cut", "paste"]
_LONGEST = 100_000
"""Maximum number of characters copied from a selection."""
_EDITS: dict[tuple[str, str], Edit] = {
    ("control", "c"): "copy",
    ("control", "insert"): "copy",
    ("control", "x"): "cut",
    ("shift", "delete"): "cut",
    ("control", "v"): "paste",
    ("shift", "insert"): "paste",
}
# Selected text at the focus; text in password fields cannot be copied.
_SELECTION = """function (longest) {
  if (!document.hasFocus()) return '';
  let at = document.activeElement;
  while (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
  const field = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement;
  if (!field) return String(getSelection()).slice(0, longest);
  if (at.type === 'password' || typeof at.selectionStart !== 'number') return '';
  return at.value.slice(at.selectionStart, at.selectionEnd).slice(0, longest);
}"""


@contextmanager
def pressing(keys: str, tabs: Tabs, focus: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Do what goes with pressing keys: use the episode's clipboard, and report keys without effect.

    Args:
        keys: A key or combination, as Playwright writes it; the block presses it.
        tabs: The open tabs.
        focus: Focuses the element that the keys are for, if it does not have the focus yet.
    """
    edit = edit_of(keys)
    if edit in ("copy", "cut"):
        focus()
        tabs.clipboard = selected(tabs.current) or tabs.clipboard
    if edit == "paste":
        # The browser's clipboard is shared with other episodes.
        keep_from_pasting(tabs.current)
    yield
    if edit == "paste":
        paste(tabs)
    if told := notice_for(keys):
        tabs.notices.add(told)


def edit_of(keys: str) -> Edit | None:
    """Return the clipboard operation of a key combination such as ``Control+c``, or None if it has none."""
    modifier, _, key = keys.casefold().rpartition("+")
    return _EDITS.get((modifier.replace("controlormeta", "control"), key))


def selected(page: Page) -> str:
    """Return the selected text at the focus, cut to 100 000 characters; empty if nothing is selected."""
    texts = [frame.run(_SELECTION, _LONGEST) for frame in _frames(page)]
    # A document also has the focus when one of its frames does; the inner frame holds the selection.
    return next((text for text in reversed(texts) if isinstance(text, str) and text), "")


def keep_from_pasting(page: Page) -> None:
    """Block pasting from the browser's clipboard, even in documents rewritten by ``document.open()``."""
    for frame in _frames(page):
        frame.ask("keepFromPasting")


def paste(tabs: Tabs) -> None:
    """Type the episode's clipboard at the focus."""
    if tabs.clipboard:
        tabs.current.keyboard.insert_text(tabs.clipboard)


def _frames(page: Page) -> list[Frame]:
    worlds = worlds_of(page)
    return [worlds.main, *worlds.children()]
