"""The rule about how often an event happens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from websp_gym.policies.events import AnyEvent, Event, Occurrence
from websp_gym.policies.rules.base import OBLIGATION, Rule
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names


class Count(ConfigModel):
    """How often an event may or must happen."""

    of: AnyEvent
    exactly: int | None = Field(None, ge=1)
    at_most: int | None = Field(None, ge=1)
    at_least: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _is_one(self) -> Count:
        if sum(each is not None for each in (self.exactly, self.at_most, self.at_least)) != 1:
            raise ValueError("give one of exactly, at_most and at_least")
        return self

    @property
    def most(self) -> int | None:
        """The maximum; ``None`` for any number."""
        return self.exactly or self.at_most

    @property
    def least(self) -> int:
        """The minimum."""
        return self.exactly or self.at_least or 0


class Times(Rule):
    """How often an event happens, counted for each thing that it happens to."""

    times: Count

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.times.of,)

    @property
    def is_due(self) -> bool:
        return self.times.least > 0

    def sentence(self, names: Names) -> str:
        phrase = self.times.of.phrase(names)
        if self.times.at_most is not None:
            return f"Do not {phrase} more than {_often(self.times.at_most)} in all."
        word = "exactly" if self.times.exactly is not None else "at least"
        return f"Before you end the task, {phrase} {word} {_often(self.times.least)} in all."

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        found = list(self.times.of.occurrences(facts))
        if self.times.most is not None:
            yield from found[self.times.most :]
        if len(found) < self.times.least and facts.first_act is not None:
            yield Occurrence(len(facts.steps), OBLIGATION, f"done {_often(len(found))} at the end")

    def is_active(self, facts: Facts) -> bool:
        if self.times.least:
            return super().is_active(facts)
        return self.times.of.came_up(facts, unknown=False)


def _often(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
