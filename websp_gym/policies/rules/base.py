"""The interface of rules: their sentences, their violations, and what makes them active."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.events import Event, Occurrence
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names
    from websp_gym.policies.replayed import Happening
    from websp_gym.policies.rules.faults import Fault
    from websp_gym.policies.rules.injection import Injection
    from websp_gym.records.policy_verdict import PolicyStatus

FREE = "scrolling, waiting, asking, reporting and the answer do not count"
"""What sentences say about the actions that :func:`~websp_gym.policies.facts.carried_out` leaves out."""
OBLIGATION = "obligation"
"""The thing of a violation that consists in leaving something out."""


@dataclass(frozen=True)
class Ruling:
    """Whether a rule was kept.

    Args:
        status: ``ok``, ``violated``, ``dormant`` (what the rule is about never came up) or ``error`` (the record does
            not decide it).
        step: The first step that violates it, from 1; ``None`` unless it is violated.
        evidence: What happened there, or why the record does not decide it.
        violations: How often it was violated.
        attempts: How often a violation was tried without success; a failed action violates nothing.
    """

    status: PolicyStatus
    step: int | None = None
    evidence: str = ""
    violations: int = 0
    attempts: int = 0


class Rule(ConfigModel):
    """One rule of one temporal class."""

    @property
    def events(self) -> tuple[Event, ...]:
        """The events that it names."""
        return ()

    @property
    def injections(self) -> tuple[Injection, ...]:
        """The texts that it needs on pages of the site."""
        return ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that it needs of the site."""
        return ()

    @property
    def needs_log(self) -> bool:
        """Whether it can be decided only with a server's event log."""
        return any(event.needs_log for event in self.events)

    @property
    def is_due(self) -> bool:
        """Whether it demands something, and is violated at the end if that was left out."""
        return False

    @property
    def is_general(self) -> bool:
        """Whether its sentence says less than what is checked, leaving out which fault or effect it is about."""
        return False

    def made_explicit(self) -> Rule:
        """Return the same rule with a sentence that states everything that is checked."""
        return self

    @abstractmethod
    def sentence(self, names: Names) -> str:
        """Return what the agent is told. It is made from what is checked, so the two cannot differ."""

    @abstractmethod
    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        """Yield what violates the rule, in order."""

    def problems(self, names: Names) -> Iterator[str]:
        """Yield what the rule names that the site does not have."""
        for event in self.events:
            yield from event.problems(names)

    def is_active(self, facts: Facts) -> bool:
        """Whether what it is about came up: by default, whether the agent did anything on a page."""
        return facts.first_act is not None

    def attempts(self, facts: Facts) -> int:
        """Return how often a violation was tried without success."""
        return 0


def is_bookkeeping(happening: Happening, facts: Facts) -> bool:
    """Whether what happened is only a site's bookkeeping, such as its history of visits, or on a site other than the
    task's."""
    what = happening.data.get("collection") or happening.data.get("key")
    return happening.site != facts.slug or what in facts.names.site.bookkeeping
