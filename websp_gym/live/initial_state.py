"""Reaching the initial state S0 of an instance on a live website, and verifying it.

The state of the server cannot be read there. What a trace set is read back from pages that are loaded again, and what
an API call set is read back from the API. If anything cannot be read back, S0 is not verified, and no agent starts.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import InitialStateError, ReplayError, SetupError
from websp_gym.live.answers import TIMEOUT, Answers, answers
from websp_gym.live.apis import ApiRequest
from websp_gym.live.restore import FoundState, controls_of, switches_of
from websp_gym.live.sign_in import LiveSignIn
from websp_gym.replay import Found as Located
from websp_gym.replay import fill, locate, replay
from websp_gym.replay.expectations import check_turns, nothing_to_turn, sets_something, unfolds
from websp_gym.replay.filled import fill_event
from websp_gym.replay.library import read_trace
from websp_gym.replay.look_back import states_of
from websp_gym.replay.read_back import Kept, Setting, last_states, look
from websp_gym.replay.second_replay import read_back_again
from websp_gym.tasks.initial_steps import ApiStep, PrepareStep, ReplayStep, SignInStep, VisitStep
from websp_gym.tasks.sites import site_schema
from websp_gym.world.initial_state import filled_call
from websp_gym.world.s0_report import S0Report
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Request

    from websp_gym.live.account import AccountInUse
    from websp_gym.live.browsers import LiveBrowsers
    from websp_gym.replay import ReplayReport, Trace
    from websp_gym.replay.checks import Outside
    from websp_gym.replay.expectations import Set
    from websp_gym.replay.trace import TraceEvent
    from websp_gym.tasks.instances import Instance

_PATIENCE = 3.0
"""Seconds to look for a control where a step of the trace has opened what it is in."""
_IS_OPENER = """el => el.closest('a, button, [role], summary')?.matches(
  'summary, [role=tab], [aria-expanded], [aria-haspopup]:not([aria-haspopup=false]), [popovertarget]') ?? false"""


def reach_live(
    instance: Instance,
    episode: AccountInUse,
    tabs: Tabs,
    *,
    browsers: LiveBrowsers,
    found: FoundState | None = None,
) -> S0Report:
    """Bring the account to S0 and verify it.

    Args:
        instance: The instance.
        episode: A new episode, attached to the browser context of ``tabs``.
        tabs: The open tabs; replay uses the current one.
        browsers: Opens other browsers of the account: what is set is read back in one that has only the sign-in.
        found: Gets how the account was found, even if S0 is not reached; None puts nothing back.

    Returns:
        What was done.

    Raises:
        InitialStateError: The site does not have what was set, or it could not be read back.
        SetupError: A trace is to set something on or off and has nothing to turn, the account is not signed in and a
            replay cannot sign it in, or the site blocks the browser.
        WorldError: The site refused a request.
    """
    began = time.monotonic()
    for step in instance.config.initial_state:
        if isinstance(step, ReplayStep):
            check_turns(read_trace(step.replay), step.set)
    reacher = _Reacher(instance, episode, tabs, browsers, found)
    if instance.site.account != "none":
        reacher.sign_in()
    for step in instance.config.initial_state:
        match step:
            case ReplayStep():
                reacher.replay(step.replay, step.set)
            case VisitStep():
                reacher.visit(step.visit)
            case ApiStep():
                body, url = filled_call(step.api, episode.account)
                reacher.call(ApiRequest(step.api.method, url, body, step.api.missing), step.api.token)
            case SignInStep():
                for _ in step.sign_in:
                    reacher.sign_in_elsewhere()
            case PrepareStep() if instance.task.published is not None:
                pass  # the user's own installation has what the tasks of the benchmark name
            case PrepareStep():
                raise SetupError(
                    f"{instance.id}: its initial state is prepared on the server, which is impossible on the "
                    "live web; write a step that replays a trace or calls the API",
                    site=instance.site.site,
                )
    episode.learn(tabs.context.storage_state())
    report = reacher.report
    report.seconds = time.monotonic() - began
    return report


class _Reacher:
    def __init__(
        self,
        instance: Instance,
        episode: AccountInUse,
        tabs: Tabs,
        browsers: LiveBrowsers,
        found: FoundState | None,
    ) -> None:
        self.report = S0Report("replay", WorldState(), read_back=0)
        self._instance = instance
        self._account = LiveSignIn(instance.site, episode)
        self._tabs = tabs
        self._browsers = browsers
        self._outside: Outside | None = None
        self._episode = episode
        self._found = found
        self._states: list[Kept] = []

    def replay(self, name: str, wanted: Set) -> None:
        """Replay a trace and read back what it set."""
        trace = self._account.trace(name)
        try:
            with self._answers() as answered:
                done, doubts = self._set(trace, wanted, answered)
        except ReplayError as error:
            raise InitialStateError(
                f"{self._instance.id}: S0 was not reached on the live website by {name}: {error}",
                instance=self._instance.id,
            ) from error
        if doubts:
            raise InitialStateError(
                f"{self._instance.id}: S0 was set by {name} and could not be read back:\n"
                + "\n".join(f"  {line}" for line in doubts),
                instance=self._instance.id,
            )
        self.report.events.extend(done.events)
        self.report.read_back = (self.report.read_back or 0) + (done.verified or 0)

    def _set(self, trace: Trace, wanted: Set, answered: Answers) -> tuple[ReplayReport, list[str]]:
        """Replay a trace; return the report, and what could not be read back."""
        values = self._account.values
        presses = (
            _Presses(trace, self._tabs, answered, values, self._instance) if _only_presses(trace) else None
        )
        with sent(self._tabs.context) as requests:
            done = self._play_first(trace, wanted, answered)
            if done.unverified:
                with self._outside() if self._outside else nullcontext(self._tabs) as tabs:
                    done = self._read_on_its_way(trace, wanted, done, tabs)
        doubts = list(done.unverified)
        turned = any(one.on is not None and not one.is_radio for one in self._states)
        if wanted != "recorded" and not turned:
            doubts.append(nothing_to_turn(trace, wanted))
        if presses is not None:
            answered.check()
            doubts += presses.doubts(sent=bool(requests))
            answered.check()  # where nothing is shown, what was pressed is gone too
        return done, doubts

    def _play_first(self, trace: Trace, wanted: Set, answered: Answers) -> ReplayReport:
        """Replay a trace, and keep how to put back what it has set, also where it fails on the way."""
        self._states.clear()
        new: tuple[int, ...] = ()
        is_done = False
        found, pages = self._as_found(trace, answered) if self._found is not None else ({}, {})
        try:
            done = self._play(trace, wanted, verify=True)
            new, is_done = done.new, not done.unverified
            return done
        finally:
            if self._found is not None:
                states = [replace(one, before=found.get(one.number) or one.before) for one in self._states]
                self._found.note_trace(trace, states, new, pages, done=is_done)

    def _as_found(self, trace: Trace, answered: Answers) -> tuple[dict[int, Setting], dict[str, list[Any]]]:
        """Return what the controls of a trace hold before it, by number of the event, and all those of its pages.

        An event may turn the control of a later one, and others that no event names.
        """
        values = self._account.values
        states = list(states_of(trace, values))
        found: dict[int, Setting] = {}
        pages: dict[str, list[Any]] = {}
        for url in dict.fromkeys(fill(event.url, values) for event in trace.events if event.url):
            answered.load(url)
            pages[url] = controls_of(self._tabs.current)
            here = [one for one in states if one.url == url and not one.event.secret]
            for reading in look(here, self._tabs, self._instance.site.replay_rules):
                if reading.now is not None:
                    found[reading.kept.number] = reading.now
        return found, pages

    def call(self, request: ApiRequest, token: str) -> None:
        """Send a request to the site's API, and read back what it set."""
        if self._found is not None:
            self._found.note_request(request, self._episode.undo_of(request, token), token)
        self._episode.send(request, token)

    def _play(
        self,
        trace: Trace,
        wanted: Set,
        *,
        verify: bool = False,
        tabs: Tabs | None = None,
        start: bool = True,
    ) -> ReplayReport:
        return replay(
            trace,
            tabs or self._tabs,
            set=wanted,
            account=self._account.values,
            class_rules=self._instance.site.replay_rules,
            timeout=TIMEOUT,
            start=start,
            verify=verify,
            outside=self._outside if verify else None,
            on_set=self._states.append if verify else None,
        )

    def _read_on_its_way(self, trace: Trace, wanted: Set, done: ReplayReport, tabs: Tabs) -> ReplayReport:
        """Return the report with what only the steps of the trace lead to: in a dialog, a menu, a tab or a frame.

        Only presses of which nothing was sent are replayed, so that nothing is turned, typed or saved again. Where
        that is not enough, a trace that only turns and chooses is replayed as a whole: it must change nothing.
        """
        states = [one for one in last_states(self._states) if not one.event.secret]
        with contextlib.suppress(ReplayError):
            if len(states) == len(last_states(self._states)) and self._are_there(trace, wanted, states, tabs):
                return replace(done, verified=len(states), unverified=())
        return read_back_again(trace, done, lambda: self._play(trace, wanted, tabs=tabs))

    def _are_there(self, trace: Trace, wanted: Set, states: list[Kept], tabs: Tabs) -> bool:
        """Whether all states are found on the way of a trace, each before the next press."""
        set_by = {one.number: one for one in states}
        first = next(number for number, event in enumerate(trace.events, 1) if sets_something(event))
        here: list[Kept] = []
        self._open(trace.events[0], trace, tabs)
        moved = False
        for number, event in enumerate(trace.events, 1):
            if number in set_by:
                here.append(set_by[number])
            if sets_something(event):
                continue
            if not self._are_shown(here, tabs):
                return False
            here.clear()
            if event.sent or (event.sent is None and number > first):
                moved = True  # what it closes stays open here, so the next step begins with its page
                continue
            if moved:
                self._open(event, trace, tabs)
            moved = False
            step = trace.model_copy(update={"events": (event,), "end": None})
            self._play(step, wanted, tabs=tabs, start=False)
        return self._are_shown(here, tabs)

    def _open(self, event: TraceEvent, trace: Trace, tabs: Tabs) -> None:
        tabs.load(fill(event.url or trace.start_url, self._account.values), timeout=TIMEOUT)
        settle(tabs)

    def _are_shown(self, states: list[Kept], tabs: Tabs) -> bool:
        readings = look(states, tabs, self._instance.site.replay_rules, patience=_PATIENCE)
        return all(reading.same for reading in readings)

    def visit(self, urls: tuple[str, ...]) -> None:
        """Visit pages."""
        for url in urls:
            with self._answers() as answered:
                answered.load(self._account.address(url))
                answered.check()

    def _answers(self) -> AbstractContextManager[Answers]:
        return answers(self._tabs, self._instance.site, self._episode.account_name)

    def sign_in(self) -> None:
        """Sign in, unless the stored sign-in is still valid."""
        if not self._account.is_signed_in(self._tabs):
            self.report.events.extend(self._account.sign_in(self._tabs))
        self._outside = self._browsers.signed_in(self._tabs.context.storage_state())

    def sign_in_elsewhere(self) -> None:
        """Sign in from another browser, which is closed without signing out: its session stays."""
        context = self._browsers.unknown()
        try:
            tabs = Tabs(context)
            context.new_page()
            self._account.sign_in(tabs)
        finally:
            context.close()


class _Presses:
    """What a trace of presses alone does to the switches of the page it presses on.

    What was pressed is gone where it took effect, as on a banner. Where it stays, as *Accept all* does beside the
    switches that it turns, those tell: they have turned, and are so when the page is loaded anew. Where they were as
    wanted before, there are as many of them as the instance expects.

    Where nothing but pages was asked for, the presses may have set something all the same, by the address of a link
    or in the browser itself, or have set nothing: those that only lead to a page or open a part of one need not show
    an effect, unless nothing else can have made S0 other than a new account.
    """

    def __init__(
        self,
        trace: Trace,
        tabs: Tabs,
        answered: Answers,
        values: Mapping[str, str],
        instance: Instance,
    ) -> None:
        self._trace = trace
        self._tabs = tabs
        self._answered = answered
        self._values = values
        self._instance = instance
        self._wanted = [
            value for value in instance.config.expect.settings.values() if isinstance(value, bool)
        ]
        self._pressed = [event for event in trace.events if event.target is not None][-2:]
        self._open(self._pressed[-1])
        self._before = self._switches()

    def doubts(self, *, sent: bool) -> list[str]:
        """Return which of the last two presses may not have taken effect, after the replay; reload their pages.

        Args:
            sent: Whether the replay sent a request whose method may change something on a server.
        """
        after = self._switches()
        first, last = self._pressed[0], self._pressed[-1]
        there, opening = [], []
        for number, event in enumerate(self._pressed):
            if not number or event.url != self._pressed[0].url:
                self._open(event)
            target = fill_event(event, self._values).target
            found = locate(self._tabs.current, target) if target is not None else None
            led_on = event is not last and event.url != last.url and _opens(event)
            if isinstance(found, Located) and not led_on:
                there.append(event)
            if _opens(event) or (isinstance(found, Located) and found.handle.evaluate(_IS_OPENER)):
                opening.append(event)
        # What is not there without the press before it was opened by that one.
        opened = first in opening or first not in there or last not in there
        if not sent and last in opening and opened and not _must_show(self._instance):
            return []
        kept = self._switches()
        if kept == after and (after != self._before or self._as_expected(kept)):
            return []
        return [f"{event.describe()} is still there after reloading the page" for event in there]

    def _as_expected(self, switches: list[bool]) -> bool:
        wanted = set(self._wanted)
        return len(wanted) == 1 and switches.count(wanted.pop()) >= len(self._wanted)

    def _open(self, event: TraceEvent) -> None:
        self._answered.load(fill(event.url or self._trace.start_url, self._values))

    def _switches(self) -> list[bool]:
        return switches_of(self._tabs.current)


def _opens(event: TraceEvent) -> bool:
    """Whether a press, as it was recorded, led to a page, or opened or closed a part of one."""
    target = event.target
    href = (target.href if target is not None and target.tag == "a" else None) or "#"
    return not href.startswith(("#", "javascript:")) or unfolds(event) is not None


def _must_show(instance: Instance) -> bool:
    """Whether the only step to S0 must have set something: nobody knows that a new account is as expected."""
    try:
        known = site_schema(instance.site.slug).settings
    except SetupError:  # a website without a replica
        known = {}
    config = instance.config
    differs = (
        key not in known or known[key].default != value for key, value in config.expect.settings.items()
    )
    return len(config.initial_state) == 1 and (bool(config.expect.collections) or any(differs))


@contextmanager
def sent(context: BrowserContext) -> Iterator[list[str]]:
    """Yield a list that gets the address of each request with which a page may have changed something."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            found.append(request.url)

    context.on("request", note)
    try:
        yield found
    finally:
        context.remove_listener("request", note)


def _only_presses(trace: Trace) -> bool:
    """Whether a trace neither types nor chooses anything, so that nothing it sets can be read back."""
    return any(event.target is not None for event in trace.events) and not any(
        map(sets_something, trace.events)
    )
