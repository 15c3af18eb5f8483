"""Fences that separate evidence (text of the page and of the agent) from instructions in a prompt.

A fence is a random word drawn after the evidence was written, so nothing in the evidence can close it.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Fence:
    """The fence of one prompt.

    Args:
        word: The word that opens and closes it; it occurs nowhere in the evidence.
    """

    word: str

    @classmethod
    def around(cls, evidence: Iterable[str]) -> Fence:
        """Return a fence of 128 random bits that none of the texts contains; give every text to be fenced."""
        texts = list(evidence)
        while True:
            word = secrets.token_hex(16)
            if not any(word in text for text in texts):
                return cls(word)

    def wrap(self, kind: str, text: str) -> str:
        """Return the evidence ``text`` inside the fence, whose first line also states its ``kind`` in our words.

        Raises:
            ValueError: The evidence contains the fence.
        """
        if self.word in text:
            raise ValueError("the text contains the fence that is to enclose it")
        return f"[[{self.word} {kind}\n{visible(text)}\n{self.word}]]"


_BLANK = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # combining grapheme joiner
        (0x115F, 0x1160), (0x3164, 0x3164), (0xFFA0, 0xFFA0),  # Hangul fillers
        (0x17B4, 0x17B5),  # Khmer inherent vowels
        (0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF),  # variation selectors
        (0x2800, 0x2800),  # the Braille pattern without dots
        (0x16FE4, 0x16FE4), (0x1D159, 0x1D159),  # Khitan filler, musical null note head
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Letters, marks and symbols without a visible form; Unicode counts all other invisible ones as not printable."""


def visible(text: str) -> str:
    """Escape characters that a reader cannot see: controls, direction marks, zero-width and blank ones.

    Line ends and tabs stay; other kinds of space become a space.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) for character in text)


def _escape(character: str) -> str:
    if character in "\n\t" or (character.isprintable() and character not in _BLANK):
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return f"\\u{{{ord(character):x}}}"
