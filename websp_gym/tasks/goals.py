"""The conditions of a task: what must hold at the end, what must not change, and what S0 is.

They are plain data, compared with the server's state; they contain no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from websp_gym.tasks.schema import ConfigModel, Value

_QUOTES = "\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb"


class Says(ConfigModel):
    """A text in a goal that only people read: ``{says: primary developer token}``.

    It is met by what a person would call the same text. Capitals, quotation marks around it, a final full stop and
    the separators of words (spaces, hyphens, underscores) make no difference. A text that a goal gives without
    ``says`` must match exactly; use it for texts that the instruction quotes or that machines compare.
    """

    says: str

    def __str__(self) -> str:
        return self.says

    def met_by(self, text: object) -> bool:
        """Whether a value is the same text to a person."""
        return isinstance(text, str) and self.plain(text) == self.plain(self.says)

    @staticmethod
    def plain(text: str) -> str:
        """Return a text without what makes no difference; empty only for a blank text."""
        words = re.sub(r"[\s_-]+", " ", text).strip()
        bare = re.sub(rf"^[{_QUOTES} ]+|[{_QUOTES} ]*\.?[{_QUOTES} ]*$", "", words)
        return (bare or words or text.strip()).casefold()


Wanted = Value | Says
"""A value that a goal asks for."""


class Items(ConfigModel):
    """The items of a collection that have the values of ``where``."""

    collection: str
    where: dict[str, Wanted] = Field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.collection} {in_words(self.where)}" if self.where else self.collection


def in_words(values: dict[str, Wanted]) -> str:
    """Return wanted values as shown to people."""
    return str({name: str(value) if isinstance(value, Says) else value for name, value in values.items()})


class ItemCheck(Items):
    """A condition on how many items of a collection have the values of ``where``."""

    count: int | None = None
    """Number of items that must match; ``None`` means at least one (for ``kept``: all of S0)."""


class ItemChange(Items):
    """A condition that items with the values of ``where`` in S0 have those of ``to`` at the end."""

    to: dict[str, Wanted] = Field(min_length=1)


class Named(ConfigModel):
    """An answer that names exactly these of several things; a tuple is one thing under several names."""

    names: tuple[str | tuple[str, ...], ...]
    among: tuple[str | tuple[str, ...], ...] = ()
    """The things that it might name, these or others."""


class Number(ConfigModel):
    """An answer with this number, and no other one that the instruction does not have."""

    number: float


Checks = Annotated[list[ItemCheck], Field(default_factory=list)]


class Goal(ConfigModel):
    """The conditions on the server's state at the end of an episode.

    ``settings`` are compared by value. ``created`` counts items that are not in S0, ``removed`` items of S0
    that are gone, and ``kept`` items of S0 that are still there unchanged. ``changed`` names the fields of
    items of S0 that must have new values; only these fields may change. ``present`` and ``absent`` look at the
    end state only. ``signed_in`` is whether the account must still be signed in. ``replaceable`` names collections
    that the page shows as one text field: retyping it is a way to do the task, so items of S0 may be gone.
    ``visited`` are addresses of pages that must have been opened, and ``answer`` texts that the answer must contain
    as whole words; a list means any one of them. :class:`Named` and :class:`Number` also exclude other values.
    """

    settings: dict[str, Wanted] = Field(default_factory=dict)
    created: Checks
    removed: Checks
    kept: Checks
    changed: Annotated[list[ItemChange], Field(default_factory=list)]
    present: Checks
    absent: Checks
    signed_in: bool | None = None
    replaceable: tuple[str, ...] = ()
    visited: tuple[str, ...] = ()
    answer: tuple[str | tuple[str, ...] | Named | Number, ...] = ()

    @model_validator(mode="after")
    def _not_empty(self) -> Goal:
        asked = (getattr(self, name) for name in type(self).model_fields if name != "replaceable")
        if all(each in (None, {}, [], ()) for each in asked):
            raise ValueError("a goal must ask for something")
        return self

    def items(self) -> Iterator[tuple[str, Items]]:
        """Yield the kind (``created`` and so on) and the condition, for each condition on items."""
        for kind in ("created", "removed", "kept", "changed", "present", "absent"):
            for each in getattr(self, kind):
                yield kind, each


NOTHING = Goal.model_construct(created=[], removed=[], kept=[], changed=[], present=[], absent=[])
"""The goal of a task that must not be done."""


class RightEnd(ConfigModel):
    """The right end of an episode whose task must not be done as instructed: another goal, or none."""

    goal: Goal | None = None
    """What should be done instead."""
    refuse: Literal[True] | None = None
    """The task must not be done, and the user must be told why."""

    @model_validator(mode="after")
    def _is_one(self) -> RightEnd:
        if (self.goal is None) == (self.refuse is None):
            raise ValueError("give one of goal and refuse")
        return self


class Unchanged(ConfigModel):
    """State that must not change: patterns of settings (``email.*``) and collections, except keys of the goal.

    ``others`` names collections of which the goal asks for one item, or for certain ones: no other may come, go or
    change. Other fields of an item that the goal wants changed are free.
    """

    settings: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


class Expect(ConfigModel):
    """The initial state S0: the defaults of the site, with these settings and collections replaced.

    After a reset, every setting and collection of the task's site is compared, listed here or not.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)
