"""Round trips: random use of a changing page, recorded by the extension and replayed on a changed version.

The outcome of a replay is read from the pages' server, which keeps the state of every control.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from benchmarks.hostile.mutate import mutated
from benchmarks.hostile.pages import read_page
from benchmarks.hostile.stage import HOME, Stage
from benchmarks.hostile.tree import facts, identifiable
from tests.recording.page_use import Step, carry_out, sequence
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, replay

PLACES = ("shadow", "frame", "far-frame")
SAME_WORDS = ("ids", "classes", "shuffle", "wrap", "duplicates", "late", "rerender")
OTHER_WORDS = ("relabel", "reword", "translate", "gone")
Outcome = Literal["same", "wrong", "raised"]


@dataclass(frozen=True)
class Plan:
    """One round trip.

    Args:
        page: The kind of page.
        seed: Seed of all random choices.
        steps: Steps to record.
        recorded: Mutations of the page that is recorded.
        replayed: Mutations of the page for the replay.
        aim: The control whose section is moved, late or duplicated in the replay.
        sure: Whether every target is identifiable in the replay, by ``identifiable``.
    """

    page: str
    seed: int
    steps: tuple[Step, ...]
    recorded: tuple[str, ...]
    replayed: tuple[str, ...]
    aim: str
    sure: bool


@dataclass(frozen=True)
class Trip:
    """The outcome of a round trip.

    ``same``: the server ended in the same state. ``raised``: the replay stopped, and its actions until then
    equal the recorded ones. ``wrong``: anything else.
    """

    plan: Plan
    outcome: Outcome
    detail: str
    trace: Trace


def plan(page: str, seed: int, *, words: bool = False) -> Plan:
    """Return a random round trip.

    Args:
        page: The kind of page.
        seed: Seed of all random choices.
        words: Whether to change texts or remove an element too; a target may then be gone.
    """
    random = Random(f"{page} {seed}")
    tree = read_page(page)
    steps = sequence(tree, random)
    first, aim = steps[0].key, random.choice(steps).key
    recorded = _changes(random, page, words=False)
    known = facts(mutated(tree, first, recorded, seed)[0])
    for _ in range(9):
        replayed = _changes(random, page, words=words)
        changed, _timing = mutated(tree, aim, replayed, seed)
        if all(identifiable(known[step.key], changed, step.key) for step in steps):
            return Plan(page, seed, steps, recorded, replayed, aim, sure=True)
    if words:
        return Plan(page, seed, steps, recorded, replayed, aim, sure=False)
    # Only an unchanged page keeps all targets identifiable.
    return Plan(page, seed, steps, recorded, recorded, first, sure=True)


def _changes(random: Random, page: str, *, words: bool) -> tuple[str, ...]:
    names = random.sample(SAME_WORDS, random.randint(0, 3))
    if random.random() < 0.5:
        names.append(random.choice(PLACES))
    if page == "people" and random.random() < 0.5:
        names.append("virtual")
    if words:
        names.append(random.choice(OTHER_WORDS))
    return tuple(sorted(names))


class Traveller:
    """Two browsers that make round trips: one records, the other replays."""

    def __init__(self, studio: RecorderBrowser, there: Stage) -> None:
        self.studio = studio
        self.here = Stage(Tabs(studio.context))
        self.there = there

    def go(self, plan: Plan) -> Trip:
        """Make one round trip."""
        trace, history = self.record(plan)
        detail, memory = self.replay(plan, trace)
        if not detail:
            same = memory == history[-1]
            detail = "" if same else f"the server knows {_difference(memory, history[-1])}"
            return Trip(plan, "same" if same else "wrong", detail, trace)
        outcome: Outcome = "raised" if memory in history else "wrong"
        return Trip(plan, outcome, detail, trace)

    def record(self, plan: Plan) -> tuple[Trace, list[dict[str, Any]]]:
        """Use the page while the extension records; return the trace and the server's state after every change."""
        on = self.here
        self.studio.discard()
        on.forget()
        self._offer(on, plan, plan.recorded, plan.steps[0].key)
        on.page.goto(f"{HOME}page/{plan.seed}", wait_until="load")
        self.studio.start(f"{plan.page} {plan.seed}", "hostile")
        for step in plan.steps:
            carry_out(on, step)
        trace = self.studio.stop()
        on.remember()
        return trace, on.history

    def replay(self, plan: Plan, trace: Trace) -> tuple[str, dict[str, dict[str, str]]]:
        """Replay a trace on the changed page.

        Returns:
            Why it stopped (``""`` if it did not), and the server's state.
        """
        on = self.there
        on.forget()
        self._offer(on, plan, plan.replayed, plan.aim)
        slow = {"late", "virtual"} & set(plan.replayed)
        problem = ""
        try:
            replay(trace, on.tabs, set="recorded", account={}, timeout=8.0 if slow else 4.0)
        except ReplayError as error:
            problem = str(error)
        settle(on.tabs)
        return problem, on.remember()

    def _offer(self, on: Stage, plan: Plan, changes: tuple[str, ...], aim: str) -> None:
        page, timing = mutated(read_page(plan.page), aim, changes, plan.seed)
        on.offer(page, timing, key=aim)


def _difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return "; ".join(f"{key}: {one.get(key)} instead of {other.get(key)}" for key in sorted(keys))
