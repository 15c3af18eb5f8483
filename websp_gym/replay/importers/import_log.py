"""A log of what an import leaves out, and the errors it raises."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError

MOST_LEFT_OUT = 1_000
"""Number of left-out steps that are listed individually; the others are counted."""
MAX_RAW = 50_000
"""Maximum number of events in a file, including those that replay does not need."""


@dataclass(frozen=True)
class LeftOut:
    """A step of the recording that is not in the trace."""

    place: str
    """Its place in the file."""
    kind: str
    """What it is."""
    why: str
    """Why it was left out; empty if replay does not need it."""
    matters: bool
    """Whether it may have changed the state of the site, so that the trace is incomplete without it."""

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}" + (f" ({self.why})" if self.why else "")


@dataclass
class ImportLog:
    """The log of one file's import: what was left out, and remarks for the user."""

    path: Path
    dropped: Counter[str] = field(default_factory=Counter)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    omitted: int = 0
    secrets: set[str] = field(default_factory=set)
    """Text typed into secret fields, to remove it elsewhere in the trace; never written to a file."""

    def drop(self, kind: str, place: str = "", *, why: str = "", matters: bool = False) -> None:
        """Count an item that is not in the trace.

        Args:
            kind: What it is.
            place: Its place in the file.
            why: The reason, unless it is that replay does not need it.
            matters: Whether it may have changed the state of the site.
        """
        self.dropped[kind[:60]] += 1
        if place and len(self.left_out) < MOST_LEFT_OUT:
            self.left_out.append(LeftOut(place, kind[:60], why, matters))

    def omit(self, place: str, what: str, value: object) -> None:
        """Count an input that is left out because it is secret."""
        self.omitted += 1
        self.hide(value)
        self.note(f"{place}: {what} was left out")

    def hide(self, value: object) -> None:
        """Remember a secret (6 to 200 characters), to remove it from the rest of the trace."""
        if isinstance(value, str) and 6 <= len(value.strip()) <= 200 and len(self.secrets) < 100:
            self.secrets.add(value.strip())

    def note(self, text: str) -> None:
        """Add a remark, unless it is already there."""
        if text not in self.notes:
            self.notes.append(text)

    def bad(self, place: str, found: str, way_out: str) -> SetupError:
        """Return the error for an item that cannot be imported, for the caller to raise."""
        return SetupError(f"{self.path}: {place}: {found}; {way_out}", path=str(self.path), place=place)

    def list_at(self, data: dict[str, Any], key: str, of: str) -> list[Any]:
        """Return the required list at a key of the file. Raise SetupError if it is missing or too long."""
        found = data.get(key)
        if not isinstance(found, list):
            raise self.bad(key, f"expected a list of {of}, but this is {kind_of(found)}", "record it again")
        if len(found) > MAX_RAW:
            raise self.bad(
                key, f"{len(found):,} {of}; at most {MAX_RAW:,} are read", "cut the recording into several"
            )
        return found


def kind_of(found: object) -> str:
    """Return the kind of a JSON value, in words for a message."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
    return names.get(type(found), "a number")
