"""Record every target of our own changing pages with each tool, and look for it after the pages have changed."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from benchmarks.hostile.mutate import MUTATIONS, TIMINGS, Timing, combination, mutated
from benchmarks.hostile.pages import PAGES, TARGETS
from benchmarks.hostile.stage import METHODS, Recording, Stage, stage
from benchmarks.hostile.tree import Node, facts, identifiable, kind_of
from websp_gym.errors import ReplayError
from websp_gym.replay import Trace, replay
from websp_gym.replay.locate import install

HELD_OUT = 1_001
LONG_LIST = ("block-5", "mute-31", "block-47")
"""Targets in the list that may be rendered in part."""
Outcome = Literal["found", "wrong", "raised"]
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
    seconds: float


def cases(seeds: int, *, first: int = HELD_OUT) -> Iterator[Case]:
    """Yield all cases: every target under each single mutation, and under `seeds` combinations.

    Args:
        seeds: Number of combinations per target; the first two are replayed in full.
        first: The first seed.
    """
    for page, keys in TARGETS.items():
        for key in keys:
            for name in (*MUTATIONS, *TIMINGS):
                if name != "virtual" or key in LONG_LIST:
                    yield Case(page, key, (name,), first, full=True)
            for seed in range(first, first + seeds):
                names = combination(Random(f"{seed}{key}{page}"))
                yield Case(page, key, names, seed, full=seed < first + 2)


def measure(page: str, cases: Iterable[Case]) -> list[Result]:
    """Run the cases of one page in a browser of this process."""
    tree = PAGES[page]()
    known = facts(tree)
    results = []
    with stage() as on:
        on.show(tree)
        recordings = {key: Recording(on, key) for key in TARGETS[page]}
        for case in cases:
            changed, timing = mutated(tree, case.key, case.mutations, case.seed)
            recording = recordings[case.key]
            outcomes = _looks(on, recording, case, changed, timing)
            began = time.monotonic()
            if case.full:
                on.show(changed, timing, key=case.key)
                outcomes[REPLAY] = _replayed(on, recording, case, tree)
            can = identifiable(known[case.key], changed, case.key)
            results.append(Result(case, can, outcomes, time.monotonic() - began))
    return results


def _looks(on: Stage, recording: Recording, case: Case, page: Node, timing: Timing) -> dict[str, Outcome]:
    """Let each method search once; if a part of the page is late, search again for what was not found."""
    on.show(page, timing, key=case.key, hold=True)
    if timing.rerender:
        on.again()
    answers: dict[str, str | None] = {}
    for late in (False, True):
        for method in METHODS:
            if answers.get(method) is None:
                answers[method] = recording.find(method, on, rested=late or not timing.late_ms)
        if not timing.late_ms or late:
            break
        on.arrive()
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


# ---------------------------------------------------------------- cost of an event


def cost(boxes: int = 40, rounds: int = 5) -> tuple[float, float]:
    """Measure the time of a replayed event.

    Args:
        boxes: Number of check boxes on the page; each is switched once per round.
        rounds: Number of rounds.

    Returns:
        Median milliseconds per event of the replay, and of Playwright clicking the box by a given selector,
        followed by the same wait for the page to settle.
    """
    from websp_gym.browser.settle import settle

    rows = [f"<div><label><input type=checkbox id=box-{n}> Setting {n}</label></div>" for n in range(boxes)]
    ours: list[float] = []
    bare: list[float] = []
    with stage() as on:
        on.page.goto("https://hostile.example/empty/0")
        on.page.set_content("".join(rows))
        install(on.page.main_frame)
        prints = on.page.evaluate("() => [...document.querySelectorAll('input')].map(__websp.fingerprint)")
        events = [{"type": "change", "stateful": True, "url": on.page.url, "target": each} for each in prints]
        trace = Trace.model_validate(
            {
                "schema": "websp-trace/2",
                "name": "cost",
                "site": "hostile",
                "start_url": on.page.url,
                "events": events,
            }
        )
        for turn in range(rounds):
            report = replay(trace, on.tabs, set="off" if turn % 2 else "on", account={}, start=False)
            ours += [event.seconds * 1000 for event in report.events]
            for number in range(boxes):
                began = time.perf_counter()
                on.page.click(f"#box-{number}")
                settle(on.tabs)
                bare.append((time.perf_counter() - began) * 1000)
            on.page.evaluate(
                "on => document.querySelectorAll('input').forEach((box) => { box.checked = on; })",
                turn % 2 == 0,
            )
    return statistics.median(ours), statistics.median(bare)


def run(todo: list[Case], jobs: int) -> list[Result]:
    """Run cases in several processes."""
    portions = [(page, [case for case in todo if case.page == page]) for page in PAGES]
    portions = [portion for portion in portions if portion[1]]
    portions.sort(key=lambda portion: -len(portion[1]))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.starmap(measure, portions, chunksize=1)
    return [result for results in found for result in results]
