"""The conditions of a task: what must hold at the end, what must not change, and what S0 is.

They are plain data that is compared with the server's state; there is no code in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from websp_gym.tasks.schema import ConfigModel, Value


class Items(ConfigModel):
    """The items of a collection that have the values of ``where``."""

    collection: str
    where: dict[str, Value] = Field(default_factory=dict)


class ItemCheck(Items):
    """A condition on how many items of a collection have the values of ``where``."""

    count: int | None = None
    """Number of items that must match; ``None`` means at least one (for ``kept``: all of S0)."""


class ItemChange(Items):
    """A condition that the items which have the values of ``where`` in S0 have those of ``to`` at the end."""

    to: dict[str, Value] = Field(min_length=1)


Checks = Annotated[list[ItemCheck], Field(default_factory=list)]


class Goal(ConfigModel):
    """The conditions on the server's state at the end of an episode.

    ``settings`` are compared by value. ``created`` counts items that are not in S0, ``removed`` items of S0
    that are gone, and ``kept`` items of S0 that are still there unchanged. ``changed`` names the fields of
    items of S0 that must have new values; only these fields may change. ``present`` and ``absent`` look at the
    end state only. ``signed_in`` is whether the account must still be signed in.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    created: Checks
    removed: Checks
    kept: Checks
    changed: Annotated[list[ItemChange], Field(default_factory=list)]
    present: Checks
    absent: Checks
    signed_in: bool | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> Goal:
        if not any(getattr(self, name) not in (None, {}, []) for name in type(self).model_fields):
            raise ValueError("a goal must ask for something")
        return self

    def items(self) -> Iterator[tuple[str, Items]]:
        """Yield the kind (``created`` and so on) and the condition, for each condition on items."""
        for kind in ("created", "removed", "kept", "changed", "present", "absent"):
            for each in getattr(self, kind):
                yield kind, each


class Unchanged(ConfigModel):
    """What must not change: patterns of settings (``email.*``) and collections, except keys of the goal."""

    settings: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Expect(ConfigModel):
    """The initial state S0: the defaults of the site, with these settings and collections replaced.

    After a reset, every setting and collection of the task's site is compared, listed here or not.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)
