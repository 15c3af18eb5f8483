"""What must hold at the end, what must not move, and what S0 is: plain data over server state, no code."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from websp_gym.tasks.schema import Model, Value


class ItemCheck(Model):
    """A condition on the items of one collection."""

    collection: str
    where: dict[str, Value] = Field(default_factory=dict)
    count: int | None = None
    """How many items must match; ``None`` means at least one (for ``kept``: all there were)."""


Checks = Annotated[list[ItemCheck], Field(default_factory=list)]


class Goal(Model):
    """What must hold at the end, over server state (plain data, no code).

    ``settings`` are compared by value. ``created`` counts items that S0 did not have, ``removed`` items S0 had
    and the end state has not, ``kept`` items S0 had and the end state still has unchanged, ``present`` and
    ``absent`` look at the end state alone. ``signed_in`` asks whether the account is still signed in.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    created: Checks
    removed: Checks
    kept: Checks
    present: Checks
    absent: Checks
    signed_in: bool | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> Goal:
        if not any(getattr(self, name) not in (None, {}, []) for name in type(self).model_fields):
            raise ValueError("a goal must ask for something")
        return self


class Unchanged(Model):
    """What must not move: setting patterns (``email.*``) and collections. Goal keys are never counted."""

    settings: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Expect(Model):
    """What S0 *is*: the site's defaults, overlaid with these settings and these collection contents.

    Every setting and every collection of the task's own site is compared after a reset, named here or not.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)
