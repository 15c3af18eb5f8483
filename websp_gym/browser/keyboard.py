"""Typing as a person does: a key press per character, so that a page that listens to keys hears all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

KEYED = 100
"""Longest text in characters that is typed key by key, at about 2 ms each. Of a longer text, only the last character
is."""


def type_over(page: Page, text: str, *, lines: bool, lost: Callable[[], str]) -> tuple[int, str]:
    """Type a text over the selection, for as long as the field has the cursor.

    Enter is not pressed, because it would submit the form of some fields.

    Args:
        page: The page; the cursor is in the field.
        text: The text. Empty text deletes the selection.
        lines: Whether the field has lines. In others a line end becomes a space, as if the text were pasted.
        lost: Says before each key where the cursor is, if it has left the field; empty if it has not.

    Returns:
        The number of characters typed, and where the cursor was if that ended it; else empty.
    """
    keyboard = page.keyboard
    text = text if lines else " ".join(text.splitlines())
    if not text:
        keyboard.press("Delete")
        return 0, ""
    first = max(0, len(text) - 1) if len(text) > KEYED else 0
    if first:
        keyboard.insert_text(text[:first])
    for number, character in enumerate(text[first:], first):
        # The selection has just been made: the first key is safe.
        if number and (where := lost()):
            return number, where
        if character == "\n":
            keyboard.insert_text(character)
        else:
            keyboard.type(character)
    return len(text), ""
