"""Texts in data and files, and making outside text fit to store: encodable, and of bounded length."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The byte order mark that editors on Windows write at the beginning of a file."""


def decoded(data: bytes) -> str:
    """Return the text of a file written by a person: UTF-8, or UTF-16 or UTF-32 with a byte order mark.

    Line ends become ``\\n``. Raise UnicodeDecodeError for other data, such as a binary file.
    """
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    text = data.decode(encoding)
    if "\0" in text:
        at = max(data.find(b"\0"), 0)
        raise UnicodeDecodeError(encoding, data, at, at + 1, "a binary file, not text")
    return text.replace("\r\n", "\n")


def encodable(text: str) -> str:
    """Return the text with lone surrogates, which cannot be written as UTF-8, replaced by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shortened(text: str, most: int) -> str:
    """Return the text cut to ``most`` characters, including a note that it was cut."""
    if len(text) <= most:
        return text
    note = f"\n(… cut: it had {len(text):,} characters)"
    return text[: most - len(note)] + note


def map_texts(value: Any, clean: Callable[[str], str]) -> Any:
    """Return a copy of the data with ``clean`` applied to every text, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {map_texts(key, clean): map_texts(item, clean) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(item, clean) for item in value]
    return value


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in data, without keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from texts_in(each)
