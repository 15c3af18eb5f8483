"""The facts by which policies are judged, from the record of an episode: what happened in which step."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from websp_gym.policies.replayed import Happening, Moment, equal
from websp_gym.policies.undecided import UndecidedError
from websp_gym.records.step_facts import ActionFacts, FaultReport, Source, StepFacts
from websp_gym.world.log import apply, is_of_state
from websp_gym.world.state import Declared, SiteState, same, world_state

if TYPE_CHECKING:
    from websp_gym.policies.knowledge import Knowledge
    from websp_gym.policies.names import Names
    from websp_gym.records.trajectory import Step, Trajectory
    from websp_gym.sandbox.schema.addresses import AddressPattern
    from websp_gym.tasks.goals import Goal
    from websp_gym.tasks.schema import Value


@dataclass(frozen=True)
class GivenConsent:
    """The user's yes to one thing.

    Args:
        step: The step of the question.
        thing: The thing.
        value: The value that it may get; ``None`` for any.
        for_a_step: Whether it covers everything that happens to the thing in one step, as in records without values.
        question: The question.
    """

    step: int
    thing: str
    value: Value | None = None
    for_a_step: bool = False
    question: str = ""

    def covers(self, step: int, thing: str, value: Value | None, before: Value | None = None) -> bool:
        """Whether it covers what happened to a thing in a step, unless it is used up."""
        if self.step >= step or self.thing != thing:
            return False
        if isinstance(self.value, list) and isinstance(before, list):
            # "Assign it to Ada" may leave those assigned who are.
            return same(value, self.value) or same(value, list({*before, *self.value}))
        return self.value is None or same(value, self.value)


class Facts:
    """What happened in one episode.

    Args:
        record: The trajectory, complete or not.
        goals: What the task asks for; first, what it should end in.
        names: The names of the site of the task.
        declared: What the site declares about its state.
        knows: What the user knows.
    """

    def __init__(
        self,
        record: Trajectory,
        *,
        goals: Sequence[Goal],
        names: Names,
        declared: Declared | None = None,
        knows: Sequence[Knowledge] = (),
    ) -> None:
        self.record = record
        self.names = names
        self.knows = knows
        self.slug = names.site.slug
        self.goals = tuple(goals)
        self._declared = declared

    @property
    def has_log(self) -> bool:
        """Whether the world reported what happened on its server."""
        return bool(self.record.s0)

    @property
    def steps(self) -> list[Step]:
        """The steps, in order."""
        return self.record.steps

    def of(self, step: Step) -> StepFacts:
        """Return the facts of a step; empty ones if none were recorded."""
        return step.facts or StepFacts()

    @cached_property
    def log(self) -> tuple[Happening, ...]:
        """The events of the world, in order. Raises UndecidedError if there is no log."""
        if not self.has_log:
            raise UndecidedError("the world has no event log")
        return tuple(
            Happening(
                step := self._step_of(event),
                event["site"],
                event["kind"],
                event["data"],
                event["seq"],
                event.get("request", step),
            )
            for event in self.record.events
            if event["kind"] != "setup"
        )

    @property
    def caused(self) -> Iterator[Happening]:
        """The events since the first action, which the agent brought about."""
        return (event for event in self.log if event.step)

    @property
    def actions(self) -> Iterator[tuple[int, ActionFacts]]:
        """The actions on pages, each with its step."""
        for step in self.steps:
            for action in self.of(step).actions:
                yield step.number, action

    @property
    def operated(self) -> Iterator[tuple[int, str, str]]:
        """The controls that were operated: step, role and name of each.

        Based on the pages' own events; in older records without them, on the element of the action. Raises
        UndecidedError if that could not be read.
        """
        for step in self.steps:
            facts = self.of(step)
            if facts.operated is not None:
                yield from ((step.number, each.role, each.name) for each in facts.operated)
                continue
            for action in facts.actions:
                if action.operates and not action.failed:
                    if not action.role:
                        raise UndecidedError(f"what was operated in step {step.number} could not be read")
                    yield step.number, action.role, action.name

    @property
    def typed(self) -> Iterator[tuple[int, str, Source]]:
        """The texts that were typed: step, text and source of each.

        A text counts as it is in its field when that is left, sent or not touched again; in older records without
        fields, as the action typed it.
        """
        last = {entry.field: entry for step in self.steps for entry in self.of(step).typed}
        told: set[tuple[str, str]] = set()
        for step in self.steps:
            facts = self.of(step)
            for entry in facts.typed:
                if (entry.left or entry is last[entry.field]) and (entry.field, entry.value) not in told:
                    told.add((entry.field, entry.value))
                    yield step.number, entry.value, entry.source
            if facts.operated is None:
                for action in facts.actions:
                    if action.typed and not action.failed:
                        yield step.number, action.value, action.source

    @cached_property
    def states(self) -> list[Moment]:
        """The state of the task's site in S0 and after each request that changed it, by the event log.

        Raises UndecidedError if the log does not lead to the final state that the world reported.
        """
        state = self._state(self.record.s0)
        found = [Moment(0, _copied(state))]
        for _, events in itertools.groupby(self._of_state, key=lambda event: event.request):
            last = 0
            for event in events:
                apply(state, event.kind, event.data)
                last = event.step
            found.append(Moment(last, _copied(state)))
        if self.record.end and not equal(state, self._state(self.record.end)):
            raise UndecidedError("the event log does not lead from S0 to the state at the end")
        return found

    def item_before(self, happening: Happening) -> Sequence[Mapping[str, Any]]:
        """Return an item as it was before it changed or was removed, under each name that it had since S0.

        A renamed item stays the same item. If there was none, it is an empty item.
        """
        return self._items_before.get(happening.seq, [{}])

    def answered_in(self, what: str) -> list[int]:
        """Return the steps in which the user told the agent what it asked for.

        Raises UndecidedError if the user does not know it.
        """
        known = [each.says for each in self.knows if each.is_about(what)]
        if not known:
            raise UndecidedError(f'the user does not know "{what}": "knows" needs an entry about it')
        asked = ((step.number, self.of(step).question) for step in self.steps)
        return [
            number
            for number, question in asked
            if question is not None and any(question.gives(says) for says in known)
        ]

    @cached_property
    def offered(self) -> frozenset[str] | None:
        """Keys of the events that a page in view offered; ``None`` in a record that does not say."""
        if all(self.of(step).operated is None for step in self.steps):
            return None
        return frozenset(key for step in self.steps for key in self.of(step).offered)

    def consents(self, event: str) -> list[GivenConsent]:
        """Return the user's consents to the event with this key, in order."""
        return [
            GivenConsent(
                step.number,
                thing,
                (question.values or {}).get(event, {}).get(thing),
                question.values is None,
                question.text,
            )
            for step in self.steps
            if (question := self.of(step).question) is not None
            for thing in question.covers.get(event, ())
        ]

    def was_asked(self, event: str) -> bool:
        """Whether the user understood a question about the event with this key."""
        questions = (self.of(step).question for step in self.steps)
        return any(question is not None and event in question.covers for question in questions)

    @property
    def told(self) -> Iterator[tuple[int, FaultReport]]:
        """What the agent told the user by REPORT and by its answer, each with its step."""
        for step in self.steps:
            facts = self.of(step)
            if facts.report:
                yield step.number, FaultReport(text=facts.report)
            yield from ((step.number, report) for report in facts.reports)
        if self.record.answer:
            yield len(self.steps), FaultReport(text=self.record.answer)

    def addresses(self, number: int) -> Iterator[str]:
        """Yield the addresses that the browser showed in a step, from the page before it on; 0 for the start page."""
        views = self.record.views
        yield from (view.url for view in views[max(0, number - 1) : number + 1])
        if number:
            for action in self.of(self.steps[number - 1]).actions:
                yield from filter(None, (action.before, action.after))

    def called(self, number: int, pattern: AddressPattern) -> Iterator[str]:
        """Yield the names of a page that matches a pattern and was opened in a step: what opened it, and its
        frame."""
        if number:
            facts = self.of(self.steps[number - 1])
            yield from (each.name for each in facts.operated or facts.actions if each.role in _OPENING)
            yield from (title for address, title in facts.frames.items() if pattern.matches(address))

    @property
    def acts(self) -> Iterator[int]:
        """The steps whose action on a page was carried out."""
        return (step.number for step in self.steps if _acted(step))

    @property
    def first_act(self) -> int | None:
        """The first of these; ``None`` if there was none."""
        return next(self.acts, None)

    @cached_property
    def _items_before(self) -> dict[int, list[Mapping[str, Any]]]:
        """The items as they were before what happened to them, by the number of the event."""
        state = self._state(self.record.s0)
        found: dict[int, list[Mapping[str, Any]]] = {}
        names: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for event in self._of_state:
            if event.kind in ("set", "remove") and (collection := event.data.get("collection")):
                number = event.data["id"] if event.kind == "set" else event.data["item"]["id"]
                here = (each for each in state.collections[collection] if each["id"] == number)
                item = next(here, event.data.get("item", {}))
                key, known = self.names.site.collections[collection].key, names[collection, number]
                if key and item.get(key) not in known:
                    known.append(item.get(key))
                found[event.seq] = [{**item, key: name} for name in known] if key else [dict(item)]
            apply(state, event.kind, event.data)
        return found

    @cached_property
    def _of_state(self) -> tuple[Happening, ...]:
        """The events that change the state of the task's site."""
        return tuple(event for event in self.log if is_of_state(self.slug, event.site, event.kind))

    def _state(self, data: dict[str, Any]) -> SiteState:
        """Return a state of the record."""
        declared = {self.slug: self._declared} if self._declared is not None else None
        return world_state({"sites": {self.slug: data}}, declared=declared).sites[self.slug]

    def _step_of(self, event: Mapping[str, Any]) -> int:
        begun = self.record.policies.begun if self.record.policies is not None else None
        if begun is not None and event["seq"] <= begun:
            return 0
        for step in self.steps:
            last = step.facts.seq if step.facts is not None else None
            if event["seq"] <= last if last is not None else event["time"] <= (step.ended or 0.0):
                return step.number
        # What a page sent after the last observation.
        return self.steps[-1].number if self.steps else 0


def _copied(state: SiteState) -> SiteState:
    """Return a state that stays as it is when events are applied to the other one."""
    return replace(state, settings=dict(state.settings), collections=dict(state.collections))


def carried_out(step: Step) -> int:
    """Return how many actions of a step were carried out, of those that count."""
    if step.facts is not None and step.facts.carried_out is not None:
        return min(step.facts.carried_out, step.counted)  # a drag of a model is one action and several calls
    return step.counted if _acted(step) else 0


def _acted(step: Step) -> bool:
    return step.act is not None and step.act.kind not in _WORDS and not step.error


_OPENING = ("link", "button", "menuitem", "tab")
"""Roles of elements that open a page."""
_WORDS = ("ANSWER", "ASK", "REPORT")
"""Actions that only say something."""
