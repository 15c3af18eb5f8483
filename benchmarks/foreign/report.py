"""Run the benchmark of third-party applications over several processes, and write its tables."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, get_args

from benchmarks.foreign.app import App, Half
from benchmarks.foreign.build import CACHE, build
from benchmarks.foreign.drift import DRIFTS, REFUSALS, Change
from benchmarks.foreign.measure import METHODS, Method, Result, measure
from benchmarks.tables import Outcome, counted, plot, table

HALVES: tuple[Half, ...] = get_args(Half)
PLOT = Path(__file__).resolve().parents[1] / "replay_foreign.svg"
RAW = CACHE / "results.json"
"""The results of the latest run, one by one."""
_PARTS = 2
_QUICK = 10


def run(
    apps: Sequence[App],
    jobs: int,
    *,
    quick: bool = False,
    changes: Collection[Change] = (*DRIFTS, *REFUSALS),
    methods: Collection[Method] = tuple(METHODS),
) -> list[Result]:
    """Build applications, and measure them in several processes.

    Args:
        apps: The applications.
        jobs: Number of processes, each with its own browsers.
        quick: Whether to take only every tenth target.
        changes: The drifts and refusals to replay after.
        methods: The tools.
    """
    for app in apps:
        build(app)
    # The slowest first, so that no process is left with one of them at the end.
    order = sorted(apps, key=lambda app: app.kind == "gallery")
    parts = [(0, _QUICK)] if quick else [(number, _PARTS) for number in range(_PARTS)]
    todo = [(app, part) for app in order for part in parts]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.imap_unordered(partial(_measured, changes=changes, methods=methods), todo)
        results = [result for results in found for result in results]
    results.sort(key=lambda result: (result.app, result.target))
    RAW.write_text(json.dumps([asdict(result) for result in results], indent=1), "utf-8")
    return results


def _measured(todo: tuple[App, tuple[int, int]], **options: Any) -> list[Result]:
    app, part = todo
    return measure(app, part=part, **options)


def blocks(results: Sequence[Result], apps: Sequence[App], minutes: float) -> dict[str, str]:
    """Return the parts of the page of results."""
    targets = {(result.app, result.target) for result in results}
    tables = {
        f"foreign-{half}": _half([app for app in apps if app.half == half], results)
        for half in HALVES
        if any(app.half == half for app in apps)
    }
    measured = (
        f"{len(targets)} targets in {len(apps)} applications, {len(results)} replays, measured in {minutes:.0f} "
        f"minutes on {os.cpu_count()} cores."
    )
    return {"foreign": measured, **tables, "foreign-refused": refused(apps, results)}


def refused(apps: Sequence[App], results: Sequence[Result]) -> str:
    """Return the table of replays that the server refuses."""

    def cell(own: Sequence[Result]) -> str:
        if not own:
            return "–"
        count = Counter(
            "raised" if each.outcome == "raised" else "ok" if each.ok and not each.changed else "else"
            for each in own
        )
        return f"{count['raised']} / {count['ok']} / {count['else']}"

    rows = []
    for app in apps:
        own = [result for result in results if result.app == app.name and result.drift in REFUSALS]
        if own:
            cells = [cell([each for each in own if each.drift == refusal]) for refusal in REFUSALS]
            rows.append((f"{app.about} ({app.half})", *cells, cell(own)))
    return table(["application", *REFUSALS.values(), "all"], rows)


def _half(apps: Sequence[App], results: Iterable[Result]) -> str:
    names = {app.name for app in apps}
    own = [result for result in results if result.app in names and result.drift in DRIFTS]
    drifts = table(["drift", *METHODS.values()], _drift_rows(own))
    by_app = [f"{name} by application:\n\n{_by_app(apps, own, method)}" for method, name in METHODS.items()]
    wrong = "\n".join(_wrong(own)) or "None."
    return "\n\n".join([drifts, *by_app, "Wrong ones of websp replay:", wrong])


def _drift_rows(results: Sequence[Result]) -> Iterator[list[str]]:
    def row(name: str, own: Sequence[Result]) -> list[str]:
        return [name, *(counted(_of(method, own), share=True) for method in METHODS)]

    for drift in DRIFTS:
        own = [result for result in results if result.drift == drift]
        yield row(drift, own)
        if drift == "language":
            yield row("language, stable", [result for result in own if result.stable])
    yield row("all", results)


def _of(method: Method, results: Iterable[Result]) -> list[Outcome]:
    return [result.outcome for result in results if result.method == method]


def _by_app(apps: Sequence[App], results: Sequence[Result], method: Method) -> str:
    def rows() -> Iterator[list[str]]:
        for app in apps:
            own = [result for result in results if (result.app, result.method) == (app.name, method)]
            targets = {result.target for result in own}
            cells = (counted(each.outcome for each in own if each.drift == drift) for drift in DRIFTS)
            yield [app.about, str(len(targets)), *cells]

    return table(["application", "targets", *DRIFTS], rows())


def _wrong(results: Iterable[Result]) -> Iterator[str]:
    for each in results:
        if each.method == "websp" and each.outcome == "wrong":
            said = "ok" if each.ok else "an error"
            yield f"- {each.app}, {each.drift}, `{each.target}`: reported {said}; changed {_values(each.changed)}"


def _values(effects: dict[str, Any]) -> str:
    return ", ".join(f"`{key}` to {json.dumps(value)}" for key, value in effects.items()) or "nothing"


def failures(results: Iterable[Result]) -> Iterator[str]:
    """Yield lines on each replay of websp that did not find its target, the wrong ones first."""
    bad = [each for each in results if each.method == "websp" and each.outcome != "found"]
    for each in sorted(bad, key=lambda each: (each.outcome != "wrong", each.app, each.target)):
        yield f"{each.outcome.upper()} {each.app} {each.drift} {each.target}"
        yield from (f"    {step}" for step in each.steps)
        yield f"    {each.problem or 'reported ok'}"
        yield f"    changed {_values(each.changed)}; recorded {_values(each.expected)}"


def draw(results: Sequence[Result], apps: Sequence[App]) -> None:
    """Plot each tool's shares of found, raised and wrong in both halves."""
    outcomes: dict[str, list[Outcome]] = {}
    for half in HALVES:
        names = {app.name for app in apps if app.half == half}
        own = [result for result in results if result.app in names and result.drift in DRIFTS]
        outcomes |= {f"{name}, {half}": _of(method, own) for method, name in METHODS.items()}
    plot(outcomes, PLOT, label="% of the targets, all drifts")
