"""Benchmark of finding recorded elements on changed pages, compared with other tools.

    python -m benchmarks.replay [--seeds N] [--jobs N] [--quick]

Writes ``benchmarks/replay_results.md`` and ``benchmarks/replay_results.svg``. Seeds from 1 on are for tuning; the
results use seeds from 1001 on, for which no weight was ever changed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, Literal

from benchmarks.hostile.mutate import MUTATIONS, TIMINGS, Timing, combination, mutated
from benchmarks.hostile.pages import PAGES, TARGETS
from benchmarks.hostile.stage import METHODS, Recording, Stage, stage
from benchmarks.hostile.tree import Node, facts, identifiable, kind_of
from websp_gym.errors import ReplayError
from websp_gym.replay import Trace, replay
from websp_gym.replay.locate import install

RESULTS = Path(__file__).resolve().parent / "replay_results.md"
PLOT = RESULTS.with_suffix(".svg")
HELD_OUT = 1_001
LONG_LIST = ("block-5", "mute-31", "block-47")
"""Targets in the list that may be rendered in part."""
Outcome = Literal["found", "wrong", "raised"]
REPLAY = "replay"
"""The whole replay, with waiting, scrolling and clicking; the outcome comes from the page's log."""
NAMES = {
    REPLAY: "websp replay",
    "cascade": "websp cascade, one look",
    "attributes": "rung: attributes",
    "role+name": "rung: role+name",
    "label": "rung: label",
    "text": "rung: text",
    "css": "rung: CSS path",
    "xpath": "rung: XPath",
    "index": "rung: index",
    "devtools": "Chrome DevTools Recorder",
    "codegen": "Playwright codegen",
}


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
            "schema": "websp-trace/1",
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
                "schema": "websp-trace/1",
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


# ---------------------------------------------------------------- report


def main() -> None:
    """Measure everything and write the table and the plot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=6, help="combinations per target (default 6)")
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes, each with its own browser (default 2)"
    )
    parser.add_argument("--quick", action="store_true", help="one combination, nothing written")
    options = parser.parse_args()
    began = time.monotonic()
    results = run(list(cases(1 if options.quick else options.seeds)), options.jobs)
    milliseconds = cost()
    text = _page(results, milliseconds, time.monotonic() - began)
    sys.stdout.write(text)
    if not options.quick:
        RESULTS.write_text(text, "utf-8")
        plot(results, PLOT)


def run(todo: list[Case], jobs: int) -> list[Result]:
    """Run cases in several processes."""
    portions = [(page, [case for case in todo if case.page == page]) for page in PAGES]
    portions = [portion for portion in portions if portion[1]]
    portions.sort(key=lambda portion: -len(portion[1]))
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.starmap(measure, portions, chunksize=1)
    return [result for results in found for result in results]


def tally(results: Iterable[Result], method: str) -> Counter[Outcome]:
    """Count a method's outcomes."""
    return Counter(result.outcomes[method] for result in results if method in result.outcomes)


def _cell(results: list[Result], method: str) -> str:
    count = tally(results, method)
    return f"{count['found']} / {count['wrong']} / {count['raised']}" if count else "–"


def _summary(results: list[Result]) -> Iterator[str]:
    can = [result for result in results if result.identifiable]
    cannot = [result for result in results if not result.identifiable]
    for method, name in NAMES.items():
        count = tally(can, method)
        total = sum(count.values())
        wrong = tally(cannot, method)
        share = 100 * count["found"] / total
        yield (
            f"| {name} | {total} | {count['found']} ({share:.1f} %) | {count['wrong']} | {count['raised']} "
            f"| {sum(wrong.values())} | {wrong['wrong']} |"
        )


def _rows(results: list[Result], methods: tuple[str, ...]) -> Iterator[str]:
    for group in (*MUTATIONS, *TIMINGS, "combination"):
        rows = [result for result in results if result.case.group == group]
        can = [result for result in rows if result.identifiable]
        cells = " | ".join(_cell(can, method) for method in methods)
        yield f"| {group} | {len(can)} of {len(rows)} | {cells} |"


def _page(results: list[Result], milliseconds: tuple[float, float], seconds: float) -> str:
    methods = (REPLAY, "cascade", "devtools", "codegen")
    rungs = tuple(name for name in NAMES if NAMES[name].startswith("rung"))
    full = sum(REPLAY in result.outcomes for result in results)
    ours, bare = milliseconds
    with stage() as on:
        browser = on.tabs.context.browser
        chromium = browser.version if browser else "?"
    machine = (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.system()}, "
        f"Python {platform.python_version()}, Chromium {chromium}, Playwright {version('playwright')}; "
        f"{time.strftime('%Y-%m-%d')}"
    )

    def table(names: tuple[str, ...]) -> str:
        head = " | ".join(NAMES[name] for name in names)
        lines = [f"| mutation | identifiable | {head} |", "|---|---|" + "---|" * len(names)]
        return "\n".join([*lines, *_rows(results, names)])

    summary = "\n".join(_summary(results))
    targets = sum(map(len, TARGETS.values()))
    minutes = f"{seconds / 60:.0f}"
    return f"""# Finding recorded elements again on pages that change

Measured by `make bench-replay` in {minutes} minutes: {len(results)} changed pages,
{full} of them replayed in full. Machine: {machine}.

{targets} targets on {len(PAGES)} kinds of pages (`benchmarks/hostile/pages.py`: switches in
sections, a consent dialog, tables with the same button in every row, a form, menus, a long list) were recorded once
by each tool on the untouched page and looked for on changed ones (`mutate.py`). Each page keeps its own account of
which element is which and of what was operated, in a closure that no locator can see, so right and wrong are facts.

- **websp replay** is the whole engine, in full: it waits, scrolls, hovers, clicks, and the page's own log says what
  was operated. It is run for every mutation alone and for two combinations of each target. It is given 2.5 s to find
  a target (in life 10 s), 5 s in a list rendered in part, 8 s where something is late.
- All others take **one look** (where something is late: one before and one after it has come): the element the tool
  would operate. They can neither scroll nor be surprised by a page that changes under the pointer.
- **A rung alone** takes its candidate where it has exactly one.
- **Chrome DevTools Recorder**: its selectors (aria, css, xpath, pierce, text) after its published sources, in its
  order, first match.
- **Playwright codegen**: the selector that Playwright's own generator writes, in strict mode: several matches are an
  error.
- Tuned on seeds from 1 on; measured on seeds from {HELD_OUT} on. That holds out what is random, not the kinds of
  pages and changes: see *Pages it had never seen* below.

**Identifiable** is a rule that was fixed before anything was measured (`identifiable` in `tree.py`): of the facts
recorded about the target (test id, id, name, link, placeholder, label, note, row, heading; never the position) those
that still hold word for word must not all hold of another element of the same kind too. Where they do, where none is
left (the page is translated and the control never had an id), or where the target is gone, a position would be the
only guide, and it belongs to somebody else as soon as a row above is gone: raising is the right answer there.

## Summary

| method | identifiable | found | wrong element | raised | not identifiable | wrong element there |
|---|---|---|---|---|---|---|
{summary}

![Found, raised and wrong by method](replay_results.svg)

## By mutation

Found / wrong / raised, of the identifiable ones.

{table(methods)}

{table(rungs)}

## Pages it had never seen

The first six kinds of pages were there while the weights were set. Three more were written afterwards, one by one,
and every one showed faults, which were then corrected (the surroundings of a control are now read past its
neighbours' labels; a row that has lost a control no longer passes for one whose control was renamed). So none of
them is unseen any more, and the summary above is what it is *after* that. What full replay did on first contact is
the better guess for a page of a new kind:

| page | identifiable | found / wrong / raised | not identifiable | wrong element there |
|---|---|---|---|---|
| feed (cards with the same actions, nameless icons) | 71 | 50 / 2 / 19 | 25 | 3 |
| inbox (list items with headings) | 83 | 80 / 0 / 3 | 29 | 2 |
| team (a matrix of check boxes, members) | 73 | 69 / 0 / 4 | 23 | 1 |

The wrong ones on inbox and team were targets that were gone.

## Cost of an event

Switching a check box of a page with 40 takes replay a median of {ours:.0f} ms. {bare:.0f} ms of this is what
Playwright takes to click a box whose selector it is told, followed by the same waiting for the page to rest;
**{max(0.0, ours - bare):.0f} ms** is replay's own: finding the element, reading its state, seeing that nothing covers
it, verifying.
"""


COLOURS: dict[Outcome, str] = {"found": "#3f7f5f", "raised": "#d9d4c7", "wrong": "#b3261e"}


def plot(results: list[Result], path: Path) -> None:
    """Write an SVG plot of each method's shares of found, raised and wrong, for identifiable targets."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    matplotlib.rcParams["svg.hashsalt"] = "websp"
    can = [result for result in results if result.identifiable]
    names = list(reversed(NAMES))
    figure, axes = pyplot.subplots(figsize=(9, 4.6), layout="constrained")
    left = [0.0] * len(names)
    for outcome, colour in COLOURS.items():
        shares = []
        for name in names:
            count = tally(can, name)
            shares.append(100 * count[outcome] / max(1, sum(count.values())))
        axes.barh(
            [NAMES[name] for name in names], shares, left=left, color=colour, label=outcome, height=0.72
        )
        for number, share in enumerate(shares):
            if share >= 1.5:
                ink = "#222222" if outcome == "raised" else "white"
                axes.text(
                    left[number] + share / 2,
                    number,
                    f"{share:.0f}",
                    ha="center",
                    va="center",
                    color=ink,
                    fontsize=9,
                )
        left = [a + b for a, b in zip(left, shares, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the identifiable targets on changed pages")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(loc="outside upper right", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    main()
