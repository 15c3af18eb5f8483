"""A word of a clause with its context, and what such words can say about a failure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from websp_gym.policies.reports.words import FIRST_PERSON, PEOPLE, word_set

Weight = Literal["exact", "plain", "bare"]
"""How much it says by itself: ``exact`` for what a site says about a fault, such as a status or "not saved";
``plain`` for something that did not work; ``bare`` for a mere error, which needs something that had it."""
BE = word_set("is are was were be been being am")
_PLACED = word_set("page site website form settings preferences section")
_AUXILIARIES = word_set("have had also then just even")
_OBJECTS = word_set("the all your my any it them their its")


@dataclass(frozen=True)
class FailureSpot:
    """Words of a clause that say that something did not work.

    Args:
        start: The first of them.
        end: The position after the last of them.
        weight: How much they say by themselves.
        of_page: Whether they say that a page was missing, rather than that something was not done.
    """

    start: int
    end: int
    weight: Weight = "plain"
    of_page: bool = False


@dataclass(frozen=True)
class Spot:
    """A word of a clause.

    Args:
        words: The words of the clause.
        at: Its position.
    """

    words: tuple[str, ...]
    at: int

    @property
    def word(self) -> str:
        """The word itself."""
        return self.words[self.at]

    @cached_property
    def before(self) -> tuple[str, ...]:
        """The words before it."""
        return self.words[: self.at]

    @cached_property
    def after(self) -> tuple[str, ...]:
        """The words after it."""
        return self.words[self.at + 1 :]

    @property
    def last(self) -> str:
        """The word before it; empty if it is the first."""
        return self.before[-1] if self.before else ""

    @property
    def following(self) -> str:
        """The word after it; empty if it is the last."""
        return self.after[0] if self.after else ""

    def has_before(self, words: Collection[str], most: int) -> bool:
        """Whether one of some words is among those just before it."""
        return not set(words).isdisjoint(self.before[-most:])

    def has_after(self, words: Collection[str], most: int) -> bool:
        """Whether one of some words is among those just after it."""
        return not set(words).isdisjoint(self.after[:most])

    def failure(
        self, *, back: int = 0, on: int = 0, weight: Weight = "plain", of_page: bool = False
    ) -> FailureSpot:
        """Return the word as a failure, with some words before and after it."""
        return FailureSpot(self.at - back, self.at + 1 + on, weight, of_page)

    @property
    def is_ones_own(self) -> bool:
        """Whether the agent did it itself: "I refused the cookies", "I failed my exam", "refused by me"."""
        if not self.before:
            return self.following in _OBJECTS
        subject = next((word for word in reversed(self.before[-3:]) if word not in _AUXILIARIES), "")
        return (subject in FIRST_PERSON and self.following != "to") or self.after[:2] == ("by", "me")

    @property
    def is_kept_from(self) -> bool:
        """Whether it is the effect of a setting: others, or everybody, can no longer find something."""
        if self.following == "you":
            return self.word != "logout"
        if not {"anymore", "longer"}.isdisjoint(self.words):
            return _PLACED.isdisjoint(self.before) or self.has_after(("by",), 4)
        return self.has_after(PEOPLE | {"search", "public"}, 4) and self.has_after(("by", "to", "for"), 4)
