"""The rule that the agent asks for what the task leaves open, before it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from websp_gym.policies.events import AnyEvent, Event, Occurrence
from websp_gym.policies.rules.base import Rule
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names


class MissingValue(ConfigModel):
    """Something that only the user knows, and the event that needs it."""

    what: str = Field(min_length=1)
    """What to ask for, such as ``the end date``: one of the texts in ``about`` of what the user knows."""
    before: AnyEvent


class AskFor(Rule):
    """An event that may happen only after the user has told the agent what it needs for it."""

    ask_for: MissingValue

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.ask_for.before,)

    def sentence(self, names: Names) -> str:
        before = self.ask_for.before.phrase(names)
        return f"Before you {before}, ask the user for {self.ask_for.what}."

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        heard = min(facts.answered_in(self.ask_for.what), default=None)
        for each in self.ask_for.before.occurrences(facts):
            if heard is None or each.step <= heard:
                yield each

    def is_active(self, facts: Facts) -> bool:
        return bool(facts.answered_in(self.ask_for.what)) or self.ask_for.before.came_up(facts, unknown=False)
