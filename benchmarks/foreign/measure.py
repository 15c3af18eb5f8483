"""Record every target of an application, replay it after every drift, and compare with the application's report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from benchmarks.foreign.app import App, Drift
from benchmarks.foreign.application import Aim, Application, running
from benchmarks.foreign.behind import PASSWORD, ServerAim
from benchmarks.foreign.drift import DRIFTS, REFUSALS, Change, Refusal
from benchmarks.foreign.person import Gesture, do, see
from benchmarks.tables import Outcome
from benchmarks.tools import TOOLS, Tool, find, record
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import EventReport, Trace, replay

Method = str
"""``websp``, or one of the tools."""
METHODS: dict[Method, str] = {"websp": "websp replay", **TOOLS}
PATIENCE = 2.0
"""Seconds that a replay may look for a target (in life 10)."""
_SECOND_LOOK_MS = 300
ACCOUNT = {"password": PASSWORD}
"""Inputs that a recording leaves out and replay is given."""
OTHERS_EVERY = 4
"""The other tools replay every fourth target only: they are not what is tuned."""


@dataclass(frozen=True)
class Recorded:
    """The recording of a person who used a target, and what changed in the application."""

    aim: Aim
    trace: Trace
    steps: tuple[tuple[Gesture, dict[Tool, Any]], ...]
    """What the person did, with the selectors that each other tool keeps for it."""
    effects: dict[str, Any]

    @property
    def stable(self) -> bool:
        """Whether all that was pressed carries a name attribute, an id or a test id of its author.

        What else a person presses (a tab before it, the entry of a list, a button to save) carries none.
        """
        return self.aim.stable and len(self.steps) == 1


@dataclass(frozen=True)
class Result:
    """One replay: after which drift or refusal, by which method, and what that changed beside what was recorded."""

    app: str
    target: str
    stable: bool
    drift: Change
    method: Method
    outcome: Outcome
    steps: tuple[str, ...]
    """The events that were replayed, with the rung and the score of what was chosen; only of websp."""
    expected: dict[str, Any]
    changed: dict[str, Any]
    problem: str
    """Why the tool stopped; empty if it reported success."""

    @property
    def ok(self) -> bool:
        """Whether the tool reported success."""
        return not self.problem


def outcome(effects: dict[str, Any], expected: dict[str, Any], *, ok: bool) -> Outcome:
    """Compare what a replay changed with what was recorded; `ok`: whether the tool reported success."""
    if ok and effects == expected:
        return "found"
    # A tool that stops half-way may have done a part of what was recorded, but nothing else.
    if not ok and all(key in expected and _begins(expected[key], done) for key, done in effects.items()):
        return "raised"
    return "wrong"


def _begins(whole: Any, part: Any) -> bool:
    return bool(whole == part or (isinstance(part, list) and whole[: len(part)] == part))


def measure(
    app: App,
    *,
    changes: Collection[Change] = (*DRIFTS, *REFUSALS),
    methods: Collection[Method] = tuple(METHODS),
    part: tuple[int, int] = (0, 1),
) -> list[Result]:
    """Record and replay targets of an application in browsers of this process.

    Args:
        app: The application, built.
        changes: The drifts and refusals to replay after.
        methods: The tools; those of others replay every fourth target.
        part: Which part of the targets, and of how many.
    """
    number, of = part
    drifts: list[Drift] = [drift for drift in app.drifts or DRIFTS if drift in changes]
    with running(app) as application:
        aims: list[Aim] = [*application.targets()]
        sampled = {aim.key for aim in aims[::OTHERS_EVERY]}
        recorded = list(recordings(application, aims[number::of]))
        with closing(open_context(BrowserOptions(), viewport=(1280, 1024))) as context:
            tabs = Tabs(context)
            context.new_page()
            drifted = [
                _replayed(app, application, tabs, each, drift, method)
                for each in recorded
                for drift in drifts
                for method in methods
                if method == "websp" or each.aim.key in sampled
            ]
            # The other tools never look whether a server agreed.
            refused = [
                _replayed(app, application, tabs, refused_trace(each, refusal), refusal, "websp")
                for each in recorded
                for refusal in each.aim.refusals
                if "websp" in methods and refusal in changes
            ]
            return [*drifted, *refused]


def refused_trace(recorded: Recorded, refusal: Refusal) -> Recorded:
    """Return a recording to be refused: for an invalid value, with that in place of the one typed, else as it is."""
    if refusal != "invalid" or not isinstance(recorded.aim, ServerAim):
        return recorded
    typed = {gesture.write for gesture, _ in recorded.steps if gesture.write}
    events = [
        event.model_copy(update={"value": recorded.aim.invalid}) if event.value in typed else event
        for event in recorded.trace.events
    ]
    if events == list(recorded.trace.events):
        raise RuntimeError(f"{recorded.aim.key}: nothing was typed that could be invalid")
    return replace(recorded, trace=recorded.trace.model_copy(update={"events": tuple(events)}))


def recordings(application: Application, aims: Iterable[Aim]) -> Iterator[Recorded]:
    """Yield the recordings of targets, made on the undrifted pages with the extension.

    Raises:
        TimeoutError: The person does not find something; the application or its ``parts`` are wrong.
        RuntimeError: The application reports no change.
    """
    with RecorderBrowser() as studio:
        tabs = Tabs(studio.context)
        for aim in aims:
            start = application.offer("unchanged", aim)
            studio.discard()
            studio.page.goto(start, wait_until="load")
            settle(tabs)
            studio.start(aim.key, "foreign")
            steps = []
            for gesture in application.gestures(aim):
                element = see(studio.page, gesture)
                frame = element.owner_frame() or studio.page.main_frame
                steps.append((gesture, {tool: record(tool, frame, element) for tool in TOOLS}))
                do(studio.page, gesture, element)
                settle(tabs)
            trace = studio.stop()
            effects = application.effects(studio.page, aim)
            if not effects:
                raise RuntimeError(f"{aim.key}: the application tells of no change")
            yield Recorded(aim, trace, tuple(steps), effects)


def _replayed(
    app: App, application: Application, tabs: Tabs, recorded: Recorded, drift: Change, method: Method
) -> Result:
    start = application.offer(drift, recorded.aim)
    steps: list[str] = []
    is_ours = method == "websp"
    problem = _websp(tabs, recorded.trace, steps) if is_ours else _tool(tabs, start, recorded, method)
    settle(tabs)
    effects = application.effects(tabs.current, recorded.aim)
    return Result(
        app=app.name,
        target=recorded.aim.key,
        stable=recorded.stable,
        drift=drift,
        method=method,
        outcome=outcome(effects, recorded.effects, ok=not problem),
        steps=tuple(steps),
        expected=recorded.effects,
        changed=effects,
        problem=problem,
    )


def _websp(tabs: Tabs, trace: Trace, steps: list[str]) -> str:
    """Replay a trace and add each event to `steps`; return why it stopped, or ""."""

    def note(event: EventReport) -> None:
        score = "" if event.score is None else f" {event.score:.2f}"
        steps.append(f"{event.description}: {event.action}, found by {event.rung}{score}")

    try:
        replay(trace, tabs, set="recorded", account=ACCOUNT, timeout=PATIENCE, on_event=note)
    except ReplayError as error:
        return str(error)
    return ""


def _tool(tabs: Tabs, start: str, recorded: Recorded, tool: Tool) -> str:
    """Look every step up by a tool's selectors and carry it out; return why it stopped, or ""."""
    tabs.current.goto(start, wait_until="load")
    settle(tabs)
    for gesture, selectors in recorded.steps:
        frame = tabs.current.main_frame
        if (element := find(tool, frame, selectors[tool])) is None:
            tabs.current.wait_for_timeout(_SECOND_LOOK_MS)
            element = find(tool, frame, selectors[tool])
        if element is None:
            return f"{selectors[tool]} finds none or several"
        try:
            if gesture.hover:
                element.hover(timeout=1_000)
            elif gesture.write is None:
                element.click(timeout=1_000)
            else:
                element.fill(gesture.write, timeout=1_000)
        except PlaywrightError as error:
            return error.message.splitlines()[0]
        settle(tabs)
    return ""
