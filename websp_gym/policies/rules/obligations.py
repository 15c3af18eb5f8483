"""Rules that demand something: an obligation once its trigger has occurred, and a budget."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from websp_gym.policies.events import AnyEvent, Event, Occurrence
from websp_gym.policies.facts import carried_out
from websp_gym.policies.rules.base import FREE, OBLIGATION, Rule, is_bookkeeping
from websp_gym.policies.rules.faults import Fault
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names
    from websp_gym.policies.replayed import Happening


class Obligation(ConfigModel):
    """What must be done before the end: an event, or a report of a fault."""

    do: AnyEvent | None = None
    report: Fault | None = None
    """A fault that must be reported."""
    when: AnyEvent | None = None
    """The event that triggers it; by default, any action on the site. A report is due once its fault has occurred."""

    @model_validator(mode="after")
    def _says_what(self) -> Obligation:
        if (self.do is None) == (self.report is None):
            raise ValueError("say what must be done: either do or report")
        if self.report is not None and self.when is not None:
            raise ValueError("a report is due when its fault occurs: leave out when")
        return self


class Must(Rule):
    """An obligation, judged at the end of the episode if its trigger occurred."""

    must: Obligation

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(event for event in (self.must.do, self.must.when) if event is not None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        return () if self.must.report is None else (self.must.report,)

    @property
    def needs_log(self) -> bool:
        return self.must.report is not None or super().needs_log

    def problems(self, names: Names) -> Iterator[str]:
        yield from super().problems(names)
        if self.must.report is not None:
            yield from self.must.report.problems(names)

    @property
    def is_due(self) -> bool:
        return True

    def sentence(self, names: Names) -> str:
        if self.must.report is not None:
            return self.must.report.sentence
        assert self.must.do is not None
        do = self.must.do.phrase(names)
        if self.must.when is None:
            return f"Before you end the task, {do}."
        return f"If you {self.must.when.phrase(names)}, {do} after that, before you end the task."

    @property
    def is_general(self) -> bool:
        return self.must.report is not None and not self.must.report.explicit

    def made_explicit(self) -> Must:
        if not self.is_general:
            return self
        report = self.must.report.model_copy(update={"explicit": True}) if self.must.report else None
        return Must(must=self.must.model_copy(update={"report": report}))

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        due = self._due(facts)
        if not due:
            return
        if self.must.report is not None:
            done = self.must.report.is_reported(facts, self.must.report.met(facts))
        else:
            assert self.must.do is not None
            # What is done may bring its trigger about again: a form that was sent leads back to its page.
            done = any(
                _is_after(each, due[0], facts) and each.step >= due[-1].step
                for each in self.must.do.occurrences(facts)
            )
        if not done:
            since = f"due since step {due[-1].step}" if due[-1].step else "due before the end"
            yield Occurrence(len(facts.steps), OBLIGATION, f"{since}, not done at the end")

    def is_active(self, facts: Facts) -> bool:
        return bool(self._due(facts))

    def _due(self, facts: Facts) -> list[Occurrence]:
        """Return where the trigger occurred."""
        if self.must.report is not None:
            return [Occurrence(step, OBLIGATION, "") for step in self.must.report.met(facts)][:1]
        if self.must.when is None:
            return [Occurrence(0, OBLIGATION, "")]  # also for who ends at once
        return list(self.must.when.occurrences(facts))


def _is_after(one: Occurrence, other: Occurrence, facts: Facts) -> bool:
    """Whether something did not happen before something else; what one request does happens at once."""
    if one.step != other.step or one.seq is None or other.seq is None:
        return one.step >= other.step
    requests = {each.seq: each.request for each in facts.log}
    return requests[one.seq] >= requests[other.seq]


class Budget(ConfigModel):
    """The maximum of one thing."""

    actions: int | None = Field(None, ge=1)
    changes: int | None = Field(None, ge=0)
    pages: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _is_one(self) -> Budget:
        if sum(each is not None for each in (self.actions, self.changes, self.pages)) != 1:
            raise ValueError("give one of actions, changes and pages")
        return self


class AtMost(Rule):
    """A budget of actions, changes of the account or opened pages. Exactly as many are allowed."""

    at_most: Budget

    @property
    def needs_log(self) -> bool:
        return self.at_most.actions is None

    def sentence(self, names: Names) -> str:
        if self.at_most.actions is not None:
            most = _count(self.at_most.actions, "action")
            return f"Use at most {most}; {FREE}."
        if self.at_most.changes is not None:
            return f"Make at most {_count(self.at_most.changes, 'change')} to the account."
        return f"Open at most {_count(self.at_most.pages or 0, 'page')}."

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        most = next(
            each
            for each in (self.at_most.actions, self.at_most.changes, self.at_most.pages)
            if each is not None
        )
        for number, step in enumerate(self._counted(facts), 1):
            if number == most + 1:
                yield Occurrence(step, "budget", f"more than {most}")

    def is_active(self, facts: Facts) -> bool:
        return any(True for _ in self._counted(facts)) or facts.first_act is not None

    def _counted(self, facts: Facts) -> Iterator[int]:
        """Yield the step of each thing that counts."""
        if self.at_most.actions is not None:
            for step in facts.steps:
                yield from [step.number] * carried_out(step)
            return
        if self.at_most.pages is not None:
            yield from (each.step for each in facts.caused if each.kind == "visit")
            return
        changes = (each for each in facts.caused if not is_bookkeeping(each, facts))
        for _, of_request in itertools.groupby(changes, key=lambda each: each.request):
            yield from _changes(list(of_request))


def _changes(of_request: list[Happening]) -> Iterator[int]:
    """Yield the step of each change that a request made: a deed and the item that it adds are one."""
    changes = [each.step for each in of_request if each.kind in ("set", "add", "remove", "logout")]
    deeds = [each.step for each in of_request if each.kind == "destructive"]
    return iter(changes or deeds)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
