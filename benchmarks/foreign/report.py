"""Run the benchmark of third-party applications over several processes, and write its section of the results."""

from __future__ import annotations

import json
import multiprocessing
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, get_args

from benchmarks.foreign.app import App, Half
from benchmarks.foreign.build import CACHE, build
from benchmarks.foreign.drift import DRIFTS, REFUSALS, Change, Refusal
from benchmarks.foreign.measure import METHODS, OTHERS_EVERY, PATIENCE, Method, Result, measure
from benchmarks.plot import bars

TITLE = "# Applications that are not ours"
NAMES: dict[Method, str] = {
    "websp": "websp replay",
    "devtools": "Chrome DevTools Recorder",
    "codegen": "Playwright codegen",
}
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
    methods: Sequence[Method] = METHODS,
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
    of = _QUICK if quick else _PARTS
    # The slowest first, so that no process is left with one of them at the end.
    order = sorted(apps, key=lambda app: app.kind == "gallery")
    todo = [
        _Todo(app, (number, of), changes, methods) for app in order for number in range(1 if quick else of)
    ]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.imap_unordered(_measured, todo)
        results = [result for results in found for result in results]
    results.sort(key=lambda result: (result.app, result.target))
    RAW.write_text(json.dumps([asdict(result) for result in results], indent=1), "utf-8")
    return results


class _Todo(NamedTuple):
    app: App
    part: tuple[int, int]
    changes: Collection[Change]
    methods: Sequence[Method]


def _measured(todo: _Todo) -> list[Result]:
    return measure(todo.app, part=todo.part, changes=todo.changes, methods=todo.methods)


def section(results: Sequence[Result], apps: Sequence[App], seconds: float) -> str:
    """Return the section of the results."""
    targets = {(result.app, result.target) for result in results}
    drifted = [result for result in results if result.drift in DRIFTS]
    halves = {half: [app for app in apps if app.half == half] for half in HALVES}
    tables = "\n\n".join(
        _half(half, members, [each for each in drifted if each.app in {app.name for app in members}])
        for half, members in halves.items()
        if members
    )
    return f"""{TITLE}

{len(targets)} targets in {len(apps)} applications, {len(results)} replays, measured in {seconds / 60:.0f} minutes by
`make bench-replay` on {os.cpu_count()} cores. The applications are third-party component libraries and
server-rendered applications in two versions each, fetched from npm and PyPI (`benchmarks/foreign/README.md`). A
scripted person used each target with mouse and keyboard while the extension recorded; the recording was then replayed
on a fresh page

- **unchanged**;
- **theme**: with another theme of the same library or application (dark, dense, other class names and variants);
- **version**: with another version of the library or application;
- **language**: in German;
- **rows**: with rows and fields inserted before the target and others removed, on an account with other values;
- **order**: with sections and rows in another order.

A flow in another language can only be found if all its elements carry a mark that is no text. Many flows have a step
that carries none (a tab before the control, the entry of a menu, a button *Save*); the row **language, stable** has
the flows of one press on a control with a name attribute, an id or a test id that its author gave it.

The truth is the application's own: what its components report, or what its database holds. *Found*: exactly the
recorded changes were made. *Raised*: the tool stopped, and nothing else was changed. *Wrong*: anything else was
changed, or nothing was though the tool reported success. websp replay is given {PATIENCE} s to find a target (in life
10 s). Steps of the other tools are looked up by their own selectors on the settled page and carried out by
Playwright; they replay every {OTHERS_EVERY}th target.

![Found, raised and wrong by tool and half]({PLOT.name})

{tables}

{_refused(apps, results)}
"""


REASONS: dict[Refusal, str] = {
    "taken": "the value is taken by now",
    "invalid": "the value is none",
    "password": "the password is another one",
    "expired": "the session ends before the last step",
}


def _refused(apps: Sequence[App], results: Sequence[Result]) -> str:
    """Return the table of replays that the server refuses."""
    rows = []
    for app in apps:
        own = [result for result in results if result.app == app.name and result.drift in REFUSALS]
        if own:
            cells = [_refusal_cell([each for each in own if each.drift == refusal]) for refusal in REFUSALS]
            rows.append(f"| {app.about} ({app.half}) | " + " | ".join([*cells, _refusal_cell(own)]) + " |")
    return f"""## Servers that say no

The server is right to refuse these replays: nothing is stored. Raising is the only right answer. Raised / reported ok
though nothing was stored / anything else.

| application | {" | ".join(REASONS[refusal] for refusal in REFUSALS)} | all |
|---|{"---|" * (len(REFUSALS) + 1)}
{chr(10).join(rows)}"""


def _refusal_cell(results: Sequence[Result]) -> str:
    if not results:
        return "–"
    count = Counter(
        "raised" if each.outcome == "raised" else "ok" if each.ok and not each.changed else "else"
        for each in results
    )
    return f"{count['raised']} / {count['ok']} / {count['else']}"


def _half(half: Half, apps: Sequence[App], results: Sequence[Result]) -> str:
    intro = {
        "tuned": "These were looked at while the engine was changed.",
        "held-out": "These were never looked at while the engine was changed.",
    }[half]
    head = " | ".join(NAMES[method] for method in METHODS)
    drifts = "\n".join(_drift_rows(results))
    own = "\n\n".join(_by_app(apps, results, method) for method in METHODS)
    wrong = "\n".join(_wrong(results)) or "None."
    return f"""## {half.capitalize()} half

{intro} Found / raised / wrong.

| drift | {head} |
|---|{"---|" * len(METHODS)}
{drifts}

{own}

Wrong ones of websp replay:

{wrong}"""


def _drift_rows(results: Sequence[Result]) -> Iterator[str]:
    for drift in DRIFTS:
        rows = [result for result in results if result.drift == drift]
        yield f"| {drift} | " + " | ".join(_cell(rows, method) for method in METHODS) + " |"
        if drift == "language":
            stable = [result for result in rows if result.stable]
            yield f"| {drift}, stable | " + " | ".join(_cell(stable, method) for method in METHODS) + " |"
    yield "| all | " + " | ".join(_cell(results, method) for method in METHODS) + " |"


def _by_app(apps: Sequence[App], results: Sequence[Result], method: Method) -> str:
    rows = "\n".join(
        _app_row(app, [each for each in results if each.app == app.name], method) for app in apps
    )
    return f"""{NAMES[method]} by application:

| application | targets | {" | ".join(DRIFTS)} |
|---|---|{"---|" * len(DRIFTS)}
{rows}"""


def _app_row(app: App, results: Sequence[Result], method: Method) -> str:
    targets = {result.target for result in results if result.method == method}
    cells = [
        _cell([each for each in results if each.drift == drift], method, share=False) for drift in DRIFTS
    ]
    return f"| {app.about} | {len(targets)} | " + " | ".join(cells) + " |"


def _cell(results: Iterable[Result], method: Method, *, share: bool = True) -> str:
    count = tally(results, method)
    total = sum(count.values())
    if not total:
        return "–"
    part = f" ({100 * count['found'] / total:.1f} %)" if share else ""
    return f"{count['found']} / {count['raised']} / {count['wrong']}{part}"


def tally(results: Iterable[Result], method: Method) -> Counter[str]:
    """Count a method's outcomes."""
    return Counter(result.outcome for result in results if result.method == method)


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


def plot(results: Sequence[Result], apps: Sequence[App], path: Path) -> None:
    """Write an SVG plot of each tool's shares of found, raised and wrong in both halves."""
    counts: dict[str, Counter[str]] = {}
    for half in HALVES:
        names = {app.name for app in apps if app.half == half}
        own = [result for result in results if result.app in names and result.drift in DRIFTS]
        counts |= {f"{NAMES[method]}, {half}": tally(own, method) for method in METHODS if own}
    bars(counts, path, label="% of the targets, all drifts")
