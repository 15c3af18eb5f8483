"""The report on our own changing pages: tables and a plot."""

from __future__ import annotations

import os
import platform
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path

from benchmarks.hostile.measure import HELD_OUT, REPLAY, Outcome, Result
from benchmarks.hostile.mutate import MUTATIONS, TIMINGS
from benchmarks.hostile.pages import PAGES, TARGETS
from benchmarks.hostile.stage import stage
from benchmarks.plot import bars

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


def page(results: list[Result], milliseconds: tuple[float, float], seconds: float) -> str:
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

Switching a check box of a page with 40 takes replay a median of {ours:.0f} ms, with finding the element, reading its
state, seeing that nothing covers it, and verifying. Playwright takes {bare:.0f} ms to click a box whose selector it
is told, followed by the same waiting for the page to rest.
"""


def plot(results: list[Result], path: Path) -> None:
    """Write an SVG plot of each method's shares of found, raised and wrong, for identifiable targets."""
    can = [result for result in results if result.identifiable]
    counts = {name: Counter[str](tally(can, method)) for method, name in NAMES.items()}
    bars(counts, path, label="% of the identifiable targets on changed pages")
