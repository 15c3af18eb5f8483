"""Synonyms and translations of the pages' texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

_ROWS = [line.split("|") for line in (Path(__file__).parent / "words.txt").read_text("utf-8").splitlines()]
_COLUMNS = {name: {row[0]: row[number] for row in _ROWS[1:]} for number, name in enumerate(_ROWS[0])}


def other_words(language: str) -> Callable[[str], str]:
    """Return a function that replaces a text by its ``synonym``, ``de`` or ``fr`` version; others stay."""
    words = _COLUMNS[language]

    def tell(text: str) -> str:
        bare = text.strip()
        return text.replace(bare, words[bare]) if bare in words else text

    return tell
