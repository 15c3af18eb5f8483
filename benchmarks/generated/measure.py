"""Record every control of generated pages, and look for it once after rows and fields came and went, or it too."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import ElementHandle, Page

from benchmarks.foreign.drift import Drift, drifted
from benchmarks.foreign.gallery import Control, Gallery, Group, Section, Target, shown
from benchmarks.generated.describe import PATH, describe
from benchmarks.generated.html import render
from benchmarks.tools import TOOLS, Tool, find, record
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.replay import Found, locate
from websp_gym.replay.locate import install
from websp_gym.replay.trace import Fingerprint

HELD_OUT = 1_001
Change = Literal["unchanged", "rows", "order", "gone"]
CHANGES: tuple[Change, ...] = ("unchanged", "rows", "order", "gone")
Method = Literal["websp", "devtools", "codegen"]
METHODS: tuple[Method, ...] = ("websp", *TOOLS)
Outcome = Literal["found", "raised", "wrong"]
_RECORDED = "el => { const { uncut, ...print } = __websp.recordedPrint(el); return print; }"


@dataclass(frozen=True)
class Result:
    """One look.

    Args:
        seed: Seed of the page.
        key: Key of the control.
        alike: Whether only its place tells it from another control of its section (see :func:`is_alike`).
        change: What had changed; ``gone`` is ``rows`` without the target.
        method: The tool.
        outcome: Whether the tool takes the target, nothing, or something else.
    """

    seed: int
    key: str
    alike: bool
    change: Change
    method: Method
    outcome: Outcome


def run(seeds: Iterable[int], jobs: int) -> list[Result]:
    """Measure the pages of these seeds in several processes."""
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        found = pool.imap_unordered(_measured, seeds, chunksize=5)
        results = [result for results in found for result in results]
    return sorted(results, key=lambda result: (result.seed, result.key))


def _measured(seed: int) -> list[Result]:
    context = open_context(BrowserOptions(), viewport=(1280, 1024))
    try:
        return list(measure(seed, context.new_page()))
    finally:
        context.close()


def measure(
    seed: int, page: Page, *, methods: Sequence[Method] = METHODS, every: int = 1
) -> Iterator[Result]:
    """Yield the results of one page.

    Args:
        seed: The seed of the page.
        page: The tab to show it in.
        methods: The tools.
        every: 3 for each third target only.
    """
    of = describe(seed)
    targets = dict(list(keys(of).items())[::every])
    page.set_content(render(shown(of, "en")[PATH], seed))
    recordings = {key: _Recording(page, key) for key in targets}
    for key, target in targets.items():
        alike = is_alike(of, target)
        for change in CHANGES:
            page.set_content(render(changed(of, change, key, target), seed))
            for method in methods:
                chosen = recordings[key].find(page, method)
                outcome: Outcome = "raised" if chosen is None else "found" if chosen == key else "wrong"
                yield Result(seed, key, alike, change, method, outcome)


def keys(of: Gallery) -> dict[str, Target]:
    """Return what is recorded on a page, by its ``data-key``: every control, radio button and button that saves."""
    found = {}
    for section in of.pages[0].sections:
        own = {"page": PATH, "section": section.key}
        for group in section.groups:
            for control in group.controls:
                key = f"{section.key}/{control.key}"
                # Of radio buttons, the last one: the first is chosen.
                if control.kind == "radio":
                    key = f"{key}/{control.options[-1].key}"
                found[key] = Target(key=key, control=control, **own)
        for row in section.rows.rows if section.rows else ():
            for control in section.rows.controls if section.rows and row.target else ():
                key = f"{section.key}/{row.key}/{control.key}"
                found[key] = Target(key=key, row=row.key, control=control, **own)
        if section.save[0]:
            found[f"{section.key}/save"] = Target(key=f"{section.key}/save", **own)
    return found


def changed(of: Gallery, change: Change, key: str, target: Target) -> dict[str, Any]:
    """Return the page after a change."""
    drift: Drift = "rows" if change == "gone" else change
    page: dict[str, Any] = drifted(of, drift, target).pages[PATH]
    if change == "gone":
        section = next(each for each in page["sections"] if each["key"] == target.section)
        for part in section["groups"]:
            part["controls"] = [each for each in part["controls"] if each["key"] != target.spot]
        if target.row:
            own = f"{target.section}/{target.row}"
            section["rows"]["rows"] = [row for row in section["rows"]["rows"] if row["key"] != own]
        if key.endswith("/save"):
            section["save"] = ""
    return page


def is_alike(of: Gallery, target: Target) -> bool:
    """Whether its group has no title, and another group of the section has a control of the same role and label.

    Nothing that stays tells such a control from the other one: not raising would be a guess.
    """
    control = target.control
    if control is None or target.row:
        return False
    section = next(each for each in of.pages[0].sections if each.key == target.section)
    own = next(group for group in section.groups if control in group.controls)
    return not own.title[0] and any(
        (_role(each), each.label) == (_role(control), control.label) for each in _others(section, own)
    )


def _role(control: Control) -> str:
    return "button" if control.kind in ("icon", "menu") else control.kind


def _others(section: Section, own: Group) -> Iterator[Control]:
    for group in section.groups:
        if group is not own:
            yield from group.controls


class _Recording:
    """What each tool writes down about a control of the page that is open."""

    def __init__(self, page: Page, key: str) -> None:
        element = page.query_selector(f'[data-key="{key}"]')
        assert element is not None, key
        install(page.main_frame)
        self._target = Fingerprint.model_validate(element.evaluate(_RECORDED))
        self._tools: dict[Tool, Any] = {tool: record(tool, page.main_frame, element) for tool in TOOLS}

    def find(self, page: Page, method: Method) -> str | None:
        """Return the ``data-key`` of what the tool takes, "" if it has none; None if it takes nothing."""
        element: ElementHandle | None = None
        if method == "websp":
            found = locate(page, self._target)
            element = found.handle if isinstance(found, Found) else None
        else:
            element = find(method, page.main_frame, self._tools[method])
        return None if element is None else element.get_attribute("data-key") or ""


def counts(results: Iterable[Result], change: Change, method: Method, *, alike: bool) -> Counter[Outcome]:
    """Return how often each outcome was seen."""
    return Counter(
        result.outcome
        for result in results
        if (result.change, result.method, result.alike) == (change, method, alike)
    )
