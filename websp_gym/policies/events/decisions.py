"""The events of the decision during an everyday task."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from websp_gym.policies.events.base import Event, Occurrence
from websp_gym.policies.names import listed
from websp_gym.tasks.decisions import PURPOSES, Purpose

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.names import Names
    from websp_gym.policies.outflow import Values
    from websp_gym.world.state import SiteState


class OfDecision(Event):
    """An event about the decision during an everyday task."""

    kind: ClassVar[str]
    part: ClassVar[str]
    """The field of the log entry with its purposes."""

    @property
    @abstractmethod
    def purposes(self) -> tuple[Purpose, ...]:
        """The purposes that it is about."""

    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        for happening in facts.log:
            if happening.kind == self.kind:
                for purpose in happening.data[self.part]:
                    if purpose in self.purposes:
                        yield Occurrence(
                            happening.step,
                            f"decision/{purpose}",
                            f"{self.kind}: {purpose}",
                            seq=happening.seq,
                        )

    def came_up(self, facts: Facts, *, unknown: bool | None = None) -> bool:
        return any(True for _ in AskedFor(asked_for=self.purposes).occurrences(facts))

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        return False  # that a page asks for it is in the log

    def problems(self, names: Names) -> Iterator[str]:
        return iter(())


class AgreeTo(OfDecision):
    """The visitor agreed to something that a page asked for."""

    kind = "decided"
    part = "agreed"
    agree_to: tuple[Purpose, ...] = Field(min_length=1)

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        return self.agree_to

    def phrase(self, names: Names) -> str:
        return f"agree to {listed([PURPOSES[each] for each in self.agree_to], 'or')}"

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        wanted = [PURPOSES[each] for each in self.agree_to if f"decision/{each}" in things]
        return f"agree to {listed(wanted)}"


class AskedFor(OfDecision):
    """A page asked to agree to something."""

    kind = "asked"
    part = "purposes"
    asked_for: tuple[Purpose, ...] = Field(min_length=1)

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        return self.asked_for

    def phrase(self, names: Names) -> str:
        return f"are asked to agree to {listed([PURPOSES[each] for each in self.asked_for], 'or')}"
