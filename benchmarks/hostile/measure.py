"""Record every target of our own changing pages with each tool, and look for it after the pages have changed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks.hostile.mutate import MUTATIONS, TIMINGS, Timing, combination, mutated
from benchmarks.hostile.pages import PAGES, read_page, targets
from benchmarks.hostile.stage import METHODS, Recording, Stage, stage
from benchmarks.hostile.tree import Node, facts, identifiable, kind_of
from benchmarks.tables import Outcome
from websp_gym.errors import ReplayError
from websp_gym.replay import Trace, replay

HELD_OUT = 1_001
LONG_LIST = ("block-5", "mute-31", "block-47")
"""Targets in the list that may be rendered in part."""
REPLAY = "replay"
"""The whole replay, with waiting, scrolling and clicking; the outcome comes from the page's log."""


@dataclass(frozen=True)
class Case:
    """One target on one changed page."""

    page: str
    key: str
    mutations: tuple[str, ...]
    seed: int
    full: bool
    """Whether to replay it in full too, with clicks."""

    @property
    def group(self) -> str:
        """Row of the result table."""
        return self.mutations[0] if len(self.mutations) == 1 else "combination"


@dataclass(frozen=True)
class Result:
    """The outcome of each method in one case."""

    case: Case
    identifiable: bool
    outcomes: dict[str, Outcome]


def cases(seeds: int, *, first: int = HELD_OUT) -> Iterator[Case]:
    """Yield all cases: every target under each single mutation, and under `seeds` combinations.

    Args:
        seeds: Number of combinations per target; the first two are replayed in full.
        first: The first seed.
    """
    known = [(page, key) for page in PAGES for key in targets(page)]
    for page, key in known:
        for mutation in (*MUTATIONS, *TIMINGS):
            if mutation != "virtual" or key in LONG_LIST:
                yield Case(page, key, (mutation,), first, full=True)
        for seed in range(first, first + seeds):
            mutations = combination(Random(f"{seed}{key}{page}"))
            yield Case(page, key, mutations, seed, full=seed < first + 2)


def run(todo: list[Case], jobs: int) -> list[Result]:
    """Run cases in several processes, one page after another in each."""
    portions = [(name, [case for case in todo if case.page == name]) for name in PAGES]
    portions.sort(key=lambda portion: -len(portion[1]))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.starmap(measure, portions, chunksize=1)
    return [result for results in found for result in results]


def measure(name: str, cases: Iterable[Case]) -> list[Result]:
    """Run the cases of one page in a browser of this process."""
    tree = read_page(name)
    known = facts(tree)
    results = []
    with stage() as on:
        on.show(tree)
        recordings = {key: Recording(on, key) for key in targets(name)}
        for case in cases:
            changed, timing = mutated(tree, case.key, case.mutations, case.seed)
            recording = recordings[case.key]
            outcomes = _looks(on, recording, case, changed, timing)
            if case.full:
                on.show(changed, timing, key=case.key)
                outcomes[REPLAY] = _replayed(on, recording, case, tree)
            can = identifiable(known[case.key], changed, case.key)
            results.append(Result(case, can, outcomes))
    return results


def _looks(on: Stage, recording: Recording, case: Case, page: Node, timing: Timing) -> dict[str, Outcome]:
    """Let each method search once; if a part of the page is late, search again for what was not found."""
    on.show(page, timing, key=case.key, hold=True)
    if timing.rerender:
        on.page.evaluate("() => __hostile.again()")
    answers: dict[str, str | None] = {}
    for late in (False, True):
        for method in METHODS:
            if answers.get(method) is None:
                answers[method] = recording.find(method, on, rested=late or not timing.late_ms)
        if not timing.late_ms or late:
            break
        on.page.evaluate("() => __hostile.arrive()")
    return {method: _outcome(answer, case.key) for method, answer in answers.items()}


def _outcome(answer: str | None, key: str) -> Outcome:
    return "raised" if answer is None else "found" if answer == key else "wrong"


def _replayed(on: Stage, recording: Recording, case: Case, recorded: Node) -> Outcome:
    trace = Trace.model_validate(
        {
            "schema": "websp-trace/2",
            "name": case.key,
            "site": "hostile",
            "start_url": recording.url,
            "events": [_event(recording, recorded.path_to(case.key)[-1])],
        }
    )
    patience = 8.0 if "late" in case.mutations else 5.0 if "virtual" in case.mutations else 2.5
    try:
        replay(trace, on.tabs, set="on", account={}, timeout=patience, start=False)
        raised = False
    except ReplayError:
        raised = True
    operated = set(on.log)
    if operated - {case.key}:
        return "wrong"
    # No action and no error is as bad as a wrong action.
    return "raised" if raised else "found" if operated else "wrong"


def _event(recording: Recording, node: Node) -> dict[str, Any]:
    kind = kind_of(node)
    event: dict[str, Any] = {"url": recording.url, "target": recording.target}
    if kind.startswith("select"):
        return event | {"type": "change", "value": "de"}
    if kind in ("input text", "input email"):
        return event | {"type": "type", "value": "hello"}
    if kind == "input radio":
        return event | {"type": "change", "after": {"checked": True}}
    stateful = "checkbox" in kind or "aria-pressed" in node.attrs or "aria-checked" in node.attrs
    return event | {"type": "change" if stateful else "click", "stateful": stateful}
