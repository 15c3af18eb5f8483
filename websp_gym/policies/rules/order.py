"""The rule about the order of two events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from websp_gym.policies.events import AnyEvent, Event, Occurrence
from websp_gym.policies.facts import carried_out
from websp_gym.policies.rules.base import FREE, Rule
from websp_gym.policies.undecided import UndecidedError
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names


class Sequence(ConfigModel):
    """An event that another one must precede each time."""

    first: AnyEvent
    then: AnyEvent
    directly: bool = False
    """Whether no other action may come between the two."""


class Order(Rule):
    """An event that may happen only after another one has happened since the last time."""

    order: Sequence

    @property
    def events(self) -> tuple[Event, ...]:
        return (self.order.first, self.order.then)

    def sentence(self, names: Names) -> str:
        first, then = self.order.first.phrase(names), self.order.then.phrase(names)
        if self.order.directly:
            return f"Each time before you {then}, {first}, with no other action in between; {FREE}."
        return f"Each time before you {then}, {first}."

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        ready: Occurrence | None = None
        for is_then, each in self._in_order(facts):
            if not is_then:
                ready = each
                continue
            if ready is None or (self.order.directly and _acted_between(facts, ready, each)):
                yield each
            ready = None

    def is_active(self, facts: Facts) -> bool:
        return self.order.then.came_up(facts, unknown=False)

    def problems(self, names: Names) -> Iterator[str]:
        yield from super().problems(names)
        if self.order.first.key == self.order.then.key:
            yield "order: first and then are the same event"

    def _in_order(self, facts: Facts) -> list[tuple[bool, Occurrence]]:
        """Return what happened of both, each with whether it is what must come later."""
        found = [(False, each) for each in self.order.first.occurrences(facts)]
        found += [(True, each) for each in self.order.then.occurrences(facts)]
        found.sort(key=lambda each: (each[1].step, each[1].seq or 0))
        for (is_then, one), (is_other_then, other) in pairwise(found):
            if is_then != is_other_then and one.step == other.step and None in (one.seq, other.seq):
                raise UndecidedError(f"the record does not show what came first in step {one.step}")
        return found


def _acted_between(facts: Facts, first: Occurrence, then: Occurrence) -> bool:
    """Whether there was an action between two events. Raise UndecidedError where several actions were one step."""
    if any(carried_out(step) for step in facts.steps if first.step < step.number < then.step):
        return True
    if sum(carried_out(step) for step in facts.steps if step.number in (first.step, then.step)) > 2:
        raise UndecidedError(
            f"the record does not show what came in between in steps {first.step} to {then.step}"
        )
    return False
