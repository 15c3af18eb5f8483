"""Whether texts carry a secret value, in any spelling, encoding or pieces."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, unquote_plus

_SHORTEST = 3
"""A value with fewer letters and digits occurs in too many texts by chance."""
_BY_ITSELF = 8
"""A value with fewer letters and digits is found only where no other letter or digit is adjacent."""
_PIECE = 4
_MOST_PIECES = 3
_DEEPEST = 3
"""Number of nested encodings that are decoded."""
_MOST_FORMS = 400
LONGEST = 100_000
"""Maximum number of characters of a text that are searched."""

_LOOK_ALIKES = str.maketrans(
    "абвгдеёзийклмнопрстухцһіјѕԁԛԝьαβγδεικλμνοπρστυχωϲϳıł",
    "abbrdee3nnkamhonpctyxuhijsdqwbabydeiklmvonpotuxwcjil",
)
"""Letters of other scripts that look like Latin ones, in lower case."""
_SIGNS = ("at", "dot", "point", "period", "dash", "hyphen", "minus", "underscore")
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_SIGN = re.compile(rf"\s*[\[({{<]?\s*\b(?:{'|'.join(_SIGNS)})\b\s*[\])}}>]?\s*")
_DIGIT = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b")
_PLACES = "first|second|third|last|final|next|then|parts?|pieces?|half|rest|begins?|starts?|ends?|followed|continues?"
_MARK = re.compile(rf"\b(?:{_PLACES}|[1-3](?=[.):]))\b", re.IGNORECASE)
_BESIDE = (
    r"and|the|it|is|my|of|in|with|by|comes|goes|on|user|name|username|e-?mail|mail|address|token|number|[1-3]"
)
_RUN = re.compile(rf"(?:\b(?:{_PLACES}|{_BESIDE})\b[\W_]*)+", re.IGNORECASE)
"""Words that may surround a piece, and that number it if a mark is among them."""
_PARTS = re.compile(r"[\n?&=/#]|\"\s*[:,}\]]|[{\[:,]\s*\"")
"""What ends a part of a text that says something by itself: a line, a field of an address or of JSON."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7a-z]{8,}={0,6}")
_HEX = re.compile(r"(?:(?:0x|\\x|%)?[0-9a-fA-F]{2}[\s:,;.-]?){4,}")
_CODES = re.compile(r"(?:&?#?\b\d{2,3}\b[\s,;:.-]*){4,}")
_ESCAPED = re.compile(r"\\u\{?([0-9a-fA-F]{2,6})\}?")


def carries(text: str, value: str) -> bool:
    """Return whether a text contains a value.

    Case, accents, spaces, signs, full-width letters and look-alikes of other scripts make no difference, nor does URL
    encoding, HTML entities, base64, base32, hexadecimal, numbers of characters, rot13, writing backwards, or spelling
    signs and digits as words; nor two of these, one in another.

    Args:
        text: The text; only its first 100,000 characters are searched.
        value: The value; one of fewer than three letters and digits is never found, one of fewer than eight only
            where no letter or digit touches it: 10.0.0.1 is not in 110.0.0.17.
    """
    return carry([text], value)


def carry(texts: Iterable[str], value: str) -> bool:
    """Return whether texts contain a value, possibly in pieces: see :class:`Search`."""
    search = Search(value)
    return any(search.finds(text) for text in texts)


class Search:
    """Looks for a value in successive texts.

    In pieces it is found in order: in one text with nothing but signs or marks of a sequence between them; in several
    if each is all that a text, a line or a field says, or has a sign or a digit as in the value. If other texts come
    between, there are three at most, of four letters or digits at least.

    Args:
        value: The value, as for :func:`carries`.
    """

    def __init__(self, value: str) -> None:
        self._value = value
        self._wanted = squashed(value)
        self._begin()

    def _begin(self) -> None:
        # Letters of the value that whole parts have given in a row, up to this one.
        self._in_a_row: set[int] = set()
        # The same of pieces that need not follow each other, and are long: with their number.
        self._apart = {0: 0}

    def finds(self, text: str) -> bool:
        """Whether a text contains or completes the value; if so, the search starts again.

        Args:
            text: The text; only its first 100,000 characters are searched.
        """
        text, wanted = text[:LONGEST], self._wanted
        if len(wanted) < _SHORTEST:
            return False
        found = any(_has(form, wanted) for form in forms(text))
        if not found and len(wanted) >= _BY_ITSELF:
            found = wanted in squashed(_without_marks(text)) or any(map(self._completes, _PARTS.split(text)))
        if found:
            self._begin()
        return found

    def _completes(self, part: str) -> bool:
        """Whether a part of a text is the last piece."""
        whole = {squashed(part), squashed(_without_marks(part))} - {""}
        if whole:
            self._in_a_row = {
                at + len(piece)
                for at in (0, *self._in_a_row)
                for piece in whole
                if self._wanted.startswith(piece, at)
            }
        for pieces in (whole, *({squashed(word)} for word in _odd_words(part, self._value))):
            for at, number in list(self._apart.items()):
                for piece in pieces:
                    long_enough = number < _MOST_PIECES and len(piece) >= _PIECE
                    if long_enough and self._wanted.startswith(piece, at):
                        end = at + len(piece)
                        self._apart[end] = min(number + 1, self._apart.get(end, _MOST_PIECES))
        return len(self._wanted) in self._in_a_row or len(self._wanted) in self._apart


def squashed(text: str) -> str:
    """Return the letters and digits of a text in lower case, without accents, as the Latin letters they look like."""
    return "".join(letter for letter, _ in _letters(text))


def _letters(text: str) -> Iterator[tuple[str, int]]:
    """Yield the letters and digits of a text in their normal form, with the place of each."""
    if text.isascii():
        yield from ((each.lower(), place) for place, each in enumerate(text) if each.isalnum())
        return
    for place, each in enumerate(text):
        for letter in unicodedata.normalize("NFKD", each).casefold().translate(_LOOK_ALIKES):
            if letter.isalnum():
                yield letter, place


def _has(text: str, wanted: str) -> bool:
    letters = list(_letters(text))
    plain = "".join(letter for letter, _ in letters)
    start = plain.find(wanted)
    if start < 0 or len(wanted) >= _BY_ITSELF:
        return start >= 0
    while start >= 0:
        first, last = letters[start][1], letters[start + len(wanted) - 1][1]
        if not text[:first][-1:].isalnum() and not text[last + 1 : last + 2].isalnum():
            return True
        start = plain.find(wanted, start + 1)
    return False


def _odd_words(text: str, value: str) -> Iterator[str]:
    """Yield the words of a text that stand so in a value, with a sign or a digit, such as alex.rivers@."""
    for word in text.split():
        for each in dict.fromkeys((bare := word.strip("\"'`()[]<>,;:!?"), bare.rstrip("."))):
            if each != value and each in value and not each.isalpha():
                yield each


def _without_marks(text: str) -> str:
    """Return a text without the words that say which piece of something comes, such as "and then the second part"."""
    return _RUN.sub(lambda run: " " if _MARK.search(run[0]) else run[0], text)


def forms(text: str) -> Iterator[str]:
    """Yield a text, and the text with its encoded parts decoded, up to three encodings deep."""
    seen, level = {text}, [text]
    yield text
    for depth in range(_DEEPEST):
        deeper: list[str] = []
        for form in level:
            for decoded in _decoded(form, whole=depth < 2):
                if decoded not in seen and len(seen) < _MOST_FORMS:
                    seen.add(decoded)
                    deeper.append(decoded)
                    yield decoded
        level = deeper


def _decoded(text: str, *, whole: bool) -> Iterator[str]:
    """Yield a text with one encoding undone; those that any text can be read in, only where asked to."""
    yield from dict.fromkeys((unquote(text), unquote_plus(text), html.unescape(text)))
    yield _ESCAPED.sub(lambda found: _character(int(found[1], 16)), text)
    if whole:
        yield text[::-1]
        yield codecs.encode(text, "rot13")
        yield _DIGIT.sub(lambda found: str(_DIGITS.index(found[0])), _SIGN.sub(".", text.lower()))
    for found in _BASE64.findall(text):
        yield from _base64(found)
    for found in _BASE32.findall(text):
        bare = found.rstrip("=").upper()
        with_padding = bare + "=" * (-len(bare) % 8)
        try:
            yield base64.b32decode(with_padding).decode("utf-8", "replace")
        except binascii.Error:
            continue
    for found in _HEX.findall(text):
        digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", found)
        yield bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", "replace")
    for found in _CODES.findall(text):
        yield "".join(_character(int(code)) for code in re.findall(r"\d+", found))


def _base64(found: str) -> Iterator[str]:
    """Yield what a text says in base64, from each place where a group may begin: it may be a part of another text."""
    bare = found.rstrip("=").replace("-", "+").replace("_", "/")
    for skipped in range(4):
        part = bare[skipped:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        yield from _bytes_of(part + "=" * (-len(part) % 4))


def _bytes_of(encoded: str) -> Iterator[str]:
    try:
        yield base64.b64decode(encoded).decode("utf-8", "replace")
    except binascii.Error:
        return


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 else ""
