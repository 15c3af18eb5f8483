"""Forms of speech as patterns of words, and finding them in a clause.

A form is a line of words. A word in capitals is a class of words; ``(a|b c)`` is one of several, ``[a|b c]`` any
number of several. Adverbs may stand anywhere between two words. ``^`` holds at the beginning of a clause only,
``?`` in a clause with a question mark only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_MOST = 7
"""Words of one option."""
Options = frozenset[tuple[str, ...]]
_PIECE = re.compile(r"\([^)]*\)|\[[^\]]*\]|\S+")


@dataclass(frozen=True)
class Form:
    """One form.

    Args:
        pieces: What follows one another: whether it may be left out or repeated, and the words that it may be.
        first: Whether it stands at the beginning of a clause only.
        asked: Whether it counts only in a clause with a question mark.
        adverbs: What may stand between two pieces.
    """

    pieces: tuple[tuple[bool, Options], ...]
    first: bool
    asked: bool
    adverbs: Options

    def end(self, words: Sequence[str], start: int) -> int | None:
        """Return where the longest match from a word on ends; ``None`` if there is none. It takes linear time."""
        known: dict[tuple[int, int], int | None] = {}

        def longest(piece: int, at: int) -> int | None:
            if piece == len(self.pieces):
                return at
            if (piece, at) not in known:
                known[piece, at] = None  # a piece without words leads nowhere
                free, options = self.pieces[piece]
                ends = [longest(piece, to) for to in _after(words, at, self.adverbs)] if piece else []
                ends += [longest(piece + (not free), to) for to in _after(words, at, options)]
                ends += [longest(piece + 1, at)] if free else []
                known[piece, at] = max((end for end in ends if end is not None), default=None)
            return known[piece, at]

        return longest(0, start)


def _after(words: Sequence[str], at: int, options: Options) -> Iterable[int]:
    """Yield where each of several options ends that stands at a place."""
    for length in range(1, _MOST + 1):
        if tuple(words[at : at + length]) in options and at + length <= len(words):
            yield at + length


def read_forms(lines: str, classes: Mapping[str, str], adverbs: str) -> tuple[Form, ...]:
    """Return the forms of a table, one a line."""
    between = _options(adverbs, classes)
    return tuple(_form(line.strip(), classes, between) for line in lines.strip().split("\n"))


def _form(line: str, classes: Mapping[str, str], adverbs: Options) -> Form:
    first, asked = "^" in line, line.startswith("?")
    pieces = [
        (piece.startswith("["), _options(piece.strip("()[]"), classes))
        for piece in _PIECE.findall(line.lstrip("?^ "))
    ]
    return Form(tuple(pieces), first, asked, adverbs)


def _options(text: str, classes: Mapping[str, str]) -> Options:
    found: set[tuple[str, ...]] = set()
    for option in text.split("|"):
        name = next((word for word in option.split() if word in classes), "")
        if not name:
            found.add(tuple(option.split()))
            continue
        for each in _options(classes[name], classes):
            before, _, after = option.partition(name)
            found |= _options(f"{before} {' '.join(each)} {after}".strip(), classes)
    return frozenset(found)
