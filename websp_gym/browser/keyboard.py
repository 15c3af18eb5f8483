"""Typing as a person does: a key press per character, so that a page that listens to keys hears all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEYED = 100
"""Longest text in characters that is typed key by key, at about 2 ms each. Of a longer text, only the last character
is."""


def type_over(page: Page, text: str, *, lines: bool) -> None:
    """Type a text over the selection. Enter is not pressed, because it would submit the form of some fields.

    Args:
        page: The page; the cursor is in the field.
        text: The text. Empty text deletes the selection.
        lines: Whether the field has lines. In others a line end becomes a space, as if the text were pasted.
    """
    keyboard = page.keyboard
    text = text if lines else " ".join(text.splitlines())
    if not text:
        keyboard.press("Delete")
        return
    if len(text) > KEYED:
        keyboard.insert_text(text[:-1])
        text = text[-1]
    for number, line in enumerate(text.split("\n")):
        if number:
            keyboard.insert_text("\n")
        if line:
            keyboard.type(line)
