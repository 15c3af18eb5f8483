"""Replaying a recorded trace: reach the same page in the same state, or report which event failed and why.

There are no fixed sleeps. Before an event, the player waits until its target can be located, and looks again after
every change of the page. After an event, it waits until the page has settled.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError, WorldError
from websp_gym.patience import slowness
from websp_gym.replay.act import Actor
from websp_gym.replay.checks import Checks, Outside
from websp_gym.replay.evidence import Candidate
from websp_gym.replay.expectations import (
    MAY_BE_MISSING,
    Set,
    comes_with_change,
    is_choice,
    presses,
    unfolds,
    wanted_state,
)
from websp_gym.replay.fields import Field
from websp_gym.replay.filled import FilledEvent, fill_event, fill_trace
from websp_gym.replay.left_out import NEVER_GIVEN, check_inputs, way_out, why_left_out
from websp_gym.replay.locate import Found, RungReport, explain
from websp_gym.replay.located_element import (
    CannotActError,
    ClassRules,
    LocatedElement,
    check_class_rules,
    focused,
)
from websp_gym.replay.openers import Openers
from websp_gym.replay.perform_event import Done, Performed, Performer
from websp_gym.replay.read_back import Kept
from websp_gym.replay.refusals import Pressed
from websp_gym.replay.report import EventReport, ReplayReport
from websp_gym.replay.trace import End, Trace
from websp_gym.replay.wait_for_target import TargetWaiter, same_page

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_NEEDLESS_PATIENCE = 2.0
"""Seconds to look for a control that may be missing because nothing was changed, such as *Save* in a bar."""
_OPTIONAL_PATIENCE = 3.0
"""Seconds to look for the target of an optional event, such as a consent banner."""
_HOVER_PATIENCE = 3.0
"""Seconds to look for the menu that a target was in; the menu may now always be open."""
_DIALOG_MS = 1_000
"""Milliseconds to wait for a recorded native dialog to open."""


def replay(
    trace: Trace,
    tabs: Tabs,
    *,
    set: Set,
    account: Mapping[str, str],
    timeout: float = 10.0,
    class_rules: ClassRules = (),
    start: bool = True,
    watch: bool = True,
    verify: bool = False,
    outside: Outside | None = None,
    inputs: Mapping[int, str] | None = None,
    on_event: Callable[[EventReport], None] | None = None,
    on_candidates: Callable[[int, list[Candidate]], None] | None = None,
    on_set: Callable[[Kept], None] | None = None,
) -> ReplayReport:
    """Replay a trace in the current tab.

    Args:
        trace: The trace.
        tabs: The browser's open tabs.
        set: The final state of stateful targets: all ``on``, all ``off``, or as ``recorded``. Radio buttons
            are always chosen as recorded, because they cannot be turned off.
        account: The account's values for the placeholders, by field (``email``, ``username``, …).
        timeout: Seconds to wait for the target of one event.
        class_rules: The site's rules ``[{"on": css, "off": css}]`` for controls that show their state
            only by a class.
        start: Whether to open the trace's start URL first.
        watch: Whether to notice what the server or the page refuses. Turn it off only if the resulting state is
            verified by other means, as in the environment.
        verify: Whether to reload the pages at the end, and to read back all switches, lists and fields that were set.
        outside: With ``verify``: opens another browser with the sign-in and nothing else of this one, in which the
            states are read back; None reads them back in this browser, which may only show its own copy of them.
        inputs: What to type if the recording left out an input, by number of the ``omitted`` event. If its value is a
            placeholder (``{{account.new_password}}``), the account's value will do.
        on_event: Called with the report of each completed event, including those before a failure.
        on_candidates: Called with the number of each event that has a target, and the elements that may be its
            target, before it is carried out or given up. For explanations; it slows down replay.
        on_set: Called with each state that an event set, and what was there before, which is known with ``verify``.

    Returns:
        One report per event.

    Raises:
        ReplayError: A target was not found or did not reach its state, the page did not keep it, or a left-out input
            was not given; details are in the error's attributes.
        SetupError: An input is given for another event, the account has no value for a placeholder, or a class
            rule is not a valid CSS selector; nothing was done.
    """
    began = time.monotonic()
    check_inputs(trace, inputs or {})
    check_class_rules(class_rules, tabs.current)
    filled = fill_trace(trace, account, inputs)
    player = _Player(
        tabs, set, timeout, class_rules, watch or verify, verify, outside, trace.end, on_candidates, on_set
    )
    try:
        if start:
            player.go(filled.start.url, filled.start, 0)
        events = []
        for number, event in enumerate(filled.events, 1):
            player.following = filled.events[number] if number < len(filled.events) else None
            if event.types_code and number not in (inputs or {}):
                event = fill_event(event.written, account)  # that of this moment
            events.append(player.play(number, event))
            if on_event is not None:
                on_event(events[-1])
        player.leave_field()
        player.check_proved(len(filled.events))
        if events and events[-1].action != "skipped":
            player.checks.check_end(filled)
        back = player.checks.read_back() if verify else None
    finally:
        player.checks.close()
    seconds = time.monotonic() - began
    if back is None:
        return ReplayReport(tuple(events), seconds)
    return ReplayReport(tuple(events), seconds, back.verified, back.unverified, back.new)


class _Player:
    def __init__(
        self,
        tabs: Tabs,
        set_: Set,
        timeout: float,
        rules: ClassRules,
        watch: bool,
        verify: bool,
        outside: Outside | None,
        end: End | None,
        on_candidates: Callable[[int, list[Candidate]], None] | None,
        on_set: Callable[[Kept], None] | None,
    ) -> None:
        self.tabs = tabs
        self.set = set_
        self.timeout = timeout
        self.rules = rules
        self.performer = Performer(set_)
        self.targets = TargetWaiter(tabs)
        self.openers = Openers(tabs)
        self.following: FilledEvent | None = None
        # True where every switch and choice since the last action with an effect already was as wanted.
        self.nothing_changed = False
        self.on_candidates = on_candidates
        self.field: tuple[FilledEvent, int, LocatedElement] | None = None
        """What was last filled, if the recording has left that field."""
        self.answer: str | None = None
        """Given for the dialog of the next event."""
        self.checks = Checks(
            tabs, rules, timeout, end, self._error, watch=watch, verify=verify, outside=outside, on_set=on_set
        )

    def check_proved(self, number: int) -> None:
        """Raise ReplayError if no event so far has proved a step that was identified by its place."""
        if self.openers.unproved is not None:
            raise self._unproved(number)

    def leave_field(self) -> None:
        """Leave the field that the recording has left, unless it is left: many a page saves its text only then."""
        if self.field is None:
            return
        event, number, element = self.field
        self.field = None

        def leave() -> Performed:
            Field(element).leave()
            return Performed("typed")

        self.checks.watch(event, number, Pressed(element.found.handle), leave, leaves=True)

    def play(self, number: int, event: FilledEvent) -> EventReport:
        """Perform one event, and answer the native dialog that was recorded after it."""
        # A press or a key leaves it by itself; before those, a list of suggestions would close.
        if self.field and (event.type == "navigate" or not same_page(event.url, self.field[0].url)):
            self.leave_field()
        if event.modal is None:
            return self._play(number, event)
        asked = self.tabs.dialogs.seen
        answer = self.answer if self.answer is not None else event.modal_text or ""
        self.answer = None
        with self.tabs.dialogs.answering(accept=event.modal == "accept", text=answer):
            report = self._play(number, event)
            if self.tabs.dialogs.seen == asked:
                self.leave_field()
            if report.action != "skipped" and self.tabs.dialogs.seen == asked:
                with contextlib.suppress(PlaywrightError):
                    self.tabs.context.wait_for_event("dialog", timeout=_DIALOG_MS * slowness())
            settle(self.tabs)
        return report

    def _play(self, number: int, event: FilledEvent) -> EventReport:
        began = time.monotonic()
        found: Found | None = None
        self.checks.leave()
        if event.type == "navigate":
            did = Performed(self.go(event.url, event, number))
        elif event.type == "omitted" and (done := self._left_out(event, number)) is not None:
            did = Performed(done)
        elif event.target is None:
            did = self.checks.watch(event, number, Pressed(), lambda: Performed(self._key(event, number)))
        else:
            self._open_menus(event)
            target = self._find_or_open(event, number)
            if isinstance(target, str):
                did = Performed(self.go(target, event, number))
                self.checks.last_press = number
            else:
                found = target
                did = Performed("skipped") if found is None else self._act(found, event, number)
        self._note(event, did)
        return EventReport(
            number=number,
            type=event.type,
            description=event.describe(),
            rung=found.rung if found else None,
            score=found.score if found else None,
            before=did.before,
            after=did.after,
            action=did.done,
            seconds=time.monotonic() - began,
        )

    def _left_out(self, event: FilledEvent, number: int) -> Done | None:
        """Return what was done about an input that was left out; None where it is to be typed into its target.

        Raise ReplayError where it is not given.
        """
        if event.value is None or event.what in NEVER_GIVEN:
            absent = event.optional and (event.target is None or self._find(event, number) is None)
            if absent:
                return "skipped"
            raise self._error(event, number, why_left_out(event), (), way=way_out(event.written, number))
        if event.what == "answer":
            self.answer = event.value
            return "typed"
        if event.target is None:
            raise self._error(event, number, "the recording does not say which field it was typed into", ())
        return None

    def go(self, url: str, event: FilledEvent, number: int) -> Done:
        """Open a URL, unless the current page is already there. Event number 0 always loads it."""
        if number and same_page(self.tabs.current.url, url):
            return "skipped"
        try:
            if number:
                self.tabs.current.goto(url, wait_until="commit", timeout=self.timeout * 1000)
            else:
                self.tabs.load(url, timeout=self.timeout)
        except PlaywrightError as error:
            self._check_alive()
            reason = str(error).split("\n", 1)[0]
            raise self._error(event, number, f"the page did not open: {reason}", ()) from error
        settle(self.tabs, cap=self.timeout)
        return "navigated"

    # ---------------------------------------------------------------- acting
    def _located(self, found: Found, event: FilledEvent, number: int) -> LocatedElement:
        def again(within: float | None) -> Found:
            return self._find_again(event, number, within)

        return LocatedElement(found, self.tabs, self.rules, again, self.timeout)

    def _open_menus(self, event: FilledEvent) -> None:
        """Hover over the elements that open the target's menu; skip those that are not found."""
        for menu in event.menus:
            found = self.targets.wait(menu, min(self.timeout, _HOVER_PATIENCE))
            if isinstance(found, Found):
                with contextlib.suppress(CannotActError):
                    Actor(self._located(found, menu, 0)).hover()

    def _act(self, found: Found, event: FilledEvent, number: int) -> Performed:
        element = self._located(found, event, number)

        def perform() -> Performed:
            try:
                return self.performer.perform(element, event, nothing_changed=self.nothing_changed)
            except (CannotActError, PlaywrightError) as error:
                self._check_alive()
                reason = str(error).split("\n", 1)[0]
                # Playwright's log has the text that was typed.
                cause = None if event.secret else error
                raise self._error(event, number, reason, (), element.found) from cause

        did = self.checks.act(event, number, element, perform)
        if did.text is not None:
            self.field = (event, number, element) if event.left else None
        return did

    def _key(self, event: FilledEvent, number: int) -> Done:
        self.targets.focus(event)
        try:
            seen = focused(self.tabs.current)
            if seen is not None and presses(event.key, seen):
                wanted = wanted_state(event, seen, self.set)
                if wanted is not None and seen.is_(wanted):
                    return "skipped"
            self.tabs.current.keyboard.press(event.key or "")
        except (CannotActError, PlaywrightError) as error:
            self._check_alive()
            raise self._error(event, number, str(error).split("\n", 1)[0], ()) from error
        settle(self.tabs)
        return "pressed"

    def _note(self, event: FilledEvent, did: Performed) -> None:
        chosen_again = event.target is not None and event.target.role == "option" and did.before
        is_set = is_choice(event) or did.is_set
        as_wanted = did.done == "skipped" and event.type in ("click", "change") and is_set
        if as_wanted or chosen_again:
            self.nothing_changed = True
        elif did.done != "skipped" and unfolds(event) is None:
            self.nothing_changed = False

    # ---------------------------------------------------------------- finding
    def _find_again(self, event: FilledEvent, number: int, within: float | None) -> Found:
        found = self._find(event, number, within=within or self.timeout)
        assert found is not None
        return found

    def _find_or_open(self, event: FilledEvent, number: int) -> Found | str | None:
        """Return the target; of a step that only opens something also what is in its place, or its address."""
        try:
            return self._find(event, number)
        except ReplayError:  # nothing was done yet, so no server can have refused it
            found = self.openers.by_place(number, event, self.following)
            way = found or self.openers.address(event, self.following)
            if way is None:
                raise
            return way

    def _find(self, event: FilledEvent, number: int, *, within: float | None = None) -> Found | None:
        """Wait until the target can be located, and return it.

        Return None for a target that may be missing (nothing was changed, or the event is optional), unless a time
        is given to wait. Raise ReplayError where it must be there and was not located in time.
        """
        first = within is None
        unproved = self.openers.unproved if first else None
        needless = first and not unproved and self.nothing_changed and comes_with_change(event)
        patience = within or self.timeout
        if needless:
            patience = min(patience, _NEEDLESS_PATIENCE)
        elif first and event.optional:
            patience = min(patience, _OPTIONAL_PATIENCE)
        passable = needless or (first and event.optional and not unproved)
        result = self.targets.wait(event, patience, scroll=not passable, shown=unproved is not None)
        if first and self.on_candidates is not None and event.target is not None:
            self.on_candidates(number, explain(self.tabs.current, event.target, loose=event.stateful))
        if isinstance(result, Found):
            if first and not self.openers.prove(event, result):
                raise self._unproved(number)
            return result
        if passable:
            return None
        reason = self.targets.why_absent(event)
        if first and self.nothing_changed and event.type == "click" and event.follows_change is None:
            reason += f", and nothing had to be changed before; {MAY_BE_MISSING}"
        raise self._error(event, number, reason, result.rungs)

    # ---------------------------------------------------------------- errors
    def _unproved(self, number: int) -> ReplayError:
        assert self.openers.unproved is not None
        opened, event = self.openers.unproved
        reason = (
            f"it was found by its place only, and event {number} does not prove that it is the recorded one"
        )
        return self._error(event, opened, reason, ())

    def _error(
        self,
        event: FilledEvent,
        number: int,
        reason: str,
        rungs: tuple[RungReport, ...],
        found: Found | None = None,
        *,
        way: str = "record the trace again with `websp record`, or check whether the site has changed",
    ) -> ReplayError:
        # The query may contain a session or sign-in token.
        url = self.tabs.current.url.split("?", 1)[0].split("#", 1)[0]
        tried = "; ".join(str(rung) for rung in rungs)
        parts = [
            f"event {number} ({event.describe()}) failed on {url}: {reason}",
            f"it was found by {found.rung} with score {found.score:.2f}" if found else "",
            f"looked for by {tried}" if tried else "",
            way,
        ]
        return ReplayError(
            ". ".join(part for part in parts if part),
            event=number,
            type=event.type,
            fingerprint=event.describe_target(),
            rungs=[asdict(rung) for rung in rungs],
            url=url,
            reason=reason,
        )

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser was lost during the replay; call reset() to start a new episode")
