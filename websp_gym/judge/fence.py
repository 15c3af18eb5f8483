"""Telling evidence from instructions: text of the page and of the agent stands between fences.

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
        word: What opens and closes it; occurs in none of the evidence.
    """

    word: str

    @classmethod
    def around(cls, evidence: Iterable[str]) -> Fence:
        """Draws a fence.

        Args:
            evidence: Every text that will stand inside.

        Returns:
            A fence of 128 random bits that none of them contains.
        """
        texts = list(evidence)
        while True:
            word = secrets.token_hex(16)
            if not any(word in text for text in texts):
                return cls(word)

    def wrap(self, kind: str, text: str) -> str:
        """Puts evidence inside.

        Args:
            kind: What it is, in our own words.
            text: The evidence.

        Returns:
            Three or more lines, the evidence between the first and the last.

        Raises:
            ValueError: The evidence contains the fence.
        """
        if self.word in text:
            raise ValueError("this text contains the fence it is to stand in")
        return f"[[{self.word} {kind}\n{visible(text)}\n{self.word}]]"


def visible(text: str) -> str:
    """Makes characters visible that a reader could not see: controls, direction marks, zero-width ones.

    Args:
        text: Any text.

    Returns:
        The same with each of them as its escape, but for line ends and tabs.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(character) for character in text)


def _escape(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    if unicodedata.category(character) == "Zs":
        return " "
    return f"\\u{{{ord(character):x}}}"
