"""What an import leaves out, and what it complains of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError

MAX_RAW = 50_000
"""Most events a file may have before what replay does not need is left out."""


@dataclass
class Book:
    """What was left out of a file and what its reader should know."""

    path: Path
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    omitted: int = 0
    secrets: set[str] = field(default_factory=set)
    """What was typed into secret fields, to be looked for elsewhere; it never leaves this object."""

    def drop(self, kind: str) -> None:
        """Counts something that has no counterpart in a trace."""
        self.dropped[kind[:60]] += 1

    def omit(self, place: str, what: str, value: object) -> None:
        """Counts an input that is left out because it is secret."""
        self.omitted += 1
        self.hide(value)
        self.note(f"{place}: {what} was left out")

    def hide(self, value: object) -> None:
        """Remembers a secret, so that it is taken out wherever else the file has it."""
        if isinstance(value, str) and 6 <= len(value.strip()) <= 200 and len(self.secrets) < 100:
            self.secrets.add(value.strip())

    def note(self, text: str) -> None:
        """Adds a remark, once."""
        if text not in self.notes:
            self.notes.append(text)

    def bad(self, place: str, found: str, way_out: str) -> SetupError:
        """The error for something that cannot be imported; to be raised."""
        return SetupError(f"{self.path}: {place}: {found}; {way_out}", path=str(self.path), place=place)

    def list_at(self, data: dict[str, Any], key: str, of: str) -> list[Any]:
        """A list that must be there, of a size that can be.

        Args:
            data: The file.
            key: Where the list is.
            of: What it is a list of, in words.

        Returns:
            The list.
        """
        found = data.get(key)
        if not isinstance(found, list):
            raise self.bad(key, f"a list of {of} is expected, this is {kind_of(found)}", "record it again")
        if len(found) > MAX_RAW:
            raise self.bad(
                key, f"{len(found):,} {of}; at most {MAX_RAW:,} are read", "cut the recording into several"
            )
        return found


def kind_of(found: object) -> str:
    """What a value is, as JSON calls it."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return names.get(type(found), "a number")
