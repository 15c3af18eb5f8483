"""Texts in data, and making text from outside fit to store: encodable, and of bounded length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


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
