"""Making text from outside fit to store: encodable, and of bounded length."""

from __future__ import annotations


def encodable(text: str) -> str:
    """The text with half surrogate pairs, which no file or request can hold, shown as U+FFFD.

    Args:
        text: Any text, such as a reply with half an emoji.

    Returns:
        Text that can be written as UTF-8.
    """
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shortened(text: str, most: int) -> str:
    """The text cut to a length, with a note that says so.

    Args:
        text: Any text.
        most: Most characters of what is returned, the note included.

    Returns:
        The text itself where it is short enough, else its beginning and the note.
    """
    if len(text) <= most:
        return text
    note = f"\n(… cut: it had {len(text):,} characters)"
    return text[: most - len(note)] + note
