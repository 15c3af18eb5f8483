"""Whether a text carries a value that must be kept, in whatever spelling or encoding."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

_SPELLED = (
    (re.compile(r"\s*[\[(]?\s*\bat\b\s*[\])]?\s*"), "@"),
    (re.compile(r"\s*[\[(]?\s*\bdot\b\s*[\])]?\s*"), "."),
)
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){4,}")
_SHORTEST = 3
"""A value of fewer letters and digits stands in too many texts by chance."""


def carries(text: str, value: str) -> bool:
    """Return whether a text has a value in it.

    Case, spaces and punctuation make no difference, nor does URL encoding, base64, hexadecimal, or an address spelled
    with "at" and "dot". What stands before and after the value must be no letter or digit: 10.0.0.1 is not in
    110.0.0.17.

    Args:
        text: The text.
        value: The value; one of fewer than three letters and digits is never found.
    """
    wanted = _squashed(value)[0]
    return len(wanted) >= _SHORTEST and any(_has(form, wanted) for form in _forms(text))


def _has(text: str, wanted: str) -> bool:
    squashed, places = _squashed(text)
    start = squashed.find(wanted)
    while start >= 0:
        first, last = places[start], places[start + len(wanted) - 1]
        if not text[:first][-1:].isalnum() and not text[last + 1 : last + 2].isalnum():
            return True
        start = squashed.find(wanted, start + 1)
    return False


def _squashed(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text in lower case, and where each stands in it."""
    kept = [
        (character, place)
        for place, each in enumerate(text)
        for character in each.casefold()
        if each.isalnum()
    ]
    return "".join(character for character, _ in kept), [place for _, place in kept]


def _forms(text: str) -> Iterator[str]:
    """Yield the text, what it says if it is decoded, and what it spells."""
    plain = dict.fromkeys((text, unquote(text), unquote_plus(unquote_plus(text))))
    for form in plain:
        yield form
        spelled = form.casefold()
        for pattern, sign in _SPELLED:
            spelled = pattern.sub(sign, spelled)
        yield spelled
        yield from _decoded(form)


def _decoded(text: str) -> Iterator[str]:
    for found in _ENCODED.findall(text):
        bare = found.rstrip("=").replace("-", "+").replace("_", "/")
        for skipped in range(4):
            part = bare[skipped:]
            try:
                yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "replace")
            except binascii.Error:
                continue
    for found in _HEX.findall(text):
        yield bytes.fromhex(found).decode("utf-8", "replace")
