"""What a replay checks besides its events: whether anything was refused, what the pages kept, and where it ended."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import LATE_TIMERS, settle
from websp_gym.errors import ReplayError
from websp_gym.patience import slowness
from websp_gym.replay.filled import FilledEvent, FilledTrace
from websp_gym.replay.located_element import CannotActError, ClassRules, LocatedElement
from websp_gym.replay.perform_event import Performed
from websp_gym.replay.read_back import Kept, ReadBack, Setting, last_states, look, read_back
from websp_gym.replay.refusals import Pressed, Refusals
from websp_gym.replay.sign_in import why_not_at_end, without_sign_in
from websp_gym.replay.trace import End
from websp_gym.replay.wait_for_target import same_page

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs


Outside = Callable[[], AbstractContextManager["Tabs"]]
_LATE = LATE_TIMERS / 1000
"""Seconds to wait for what a page sends after a while."""
_LATE_MS = 50


class Checks:
    """The checks of one replay.

    Args:
        tabs: The browser's open tabs.
        rules: The site's class rules.
        timeout: Seconds to wait for a page.
        end: Where the recording ended, if it says so.
        error: Creates the error for an event, from the event, its number, the reason, what was looked for, and the
            remedy.
        watch: Whether to notice what is refused.
        verify: Whether the states are read back at the end.
        outside: Opens another browser with the sign-in and nothing else of this one, in which they are read back;
            None for this one.
        on_set: Called with each state that was set.
    """

    def __init__(
        self,
        tabs: Tabs,
        rules: ClassRules,
        timeout: float,
        end: End | None,
        error: Callable[..., ReplayError],
        *,
        watch: bool,
        verify: bool,
        outside: Outside | None = None,
        on_set: Callable[[Kept], None] | None = None,
    ) -> None:
        self.tabs = tabs
        self.rules = rules
        self.timeout = timeout
        self.end = end
        self.error = error
        self.verify = verify
        self.outside = outside
        self.refusals = Refusals(tabs.context) if watch else None
        self.kept: list[Kept] = []
        self.on_set = on_set
        self.last_press = 0
        """Number of the last event that pressed something without setting anything."""
        self.suspicion: ReplayError | None = None
        """What may have been refused; reading back decides."""
        self.left = ""
        """The page on which the last event was carried out."""

    def close(self) -> None:
        """Stop listening to the browser."""
        if self.refusals is not None:
            self.refusals.close()

    def read_back(self) -> ReadBack:
        """Reload the pages and compare all states that were set."""
        try:
            back = self._read_back()
        except ReplayError as error:
            if self.suspicion is None:
                raise
            raise self.suspicion from error  # what the page said is the better reason
        if self.suspicion is not None and (back.unverified or not back.verified):
            raise self.suspicion
        return back

    def _read_back(self) -> ReadBack:
        refusals = self.refusals
        assert refusals is not None  # whoever reads back also watches
        kept = [replace(one, led_on=one.led_on or one.number < self.last_press) for one in self.kept]
        if any(one.event.sent is None for one in kept):
            # The recording does not say what is sent: a page may collect changes for a while.
            settle(self.tabs, cap=_LATE, patience=_LATE, timers=LATE_TIMERS)
        with self.outside() if self.outside else nullcontext() as outside:
            return read_back(
                without_sign_in(last_states(kept)),
                self.tabs,
                self.rules,
                timeout=self.timeout,
                sent_since=lambda one: refusals.traffic.since(one.since, one.url),
                outside=outside,
            )

    def check_end(self, trace: FilledTrace) -> None:
        """Raise ReplayError if the last event did not lead where it led when it was recorded."""
        why = why_not_at_end(trace, self.tabs, self.left, self.timeout)
        if why is not None:
            raise self.error(trace.events[-1], len(trace.events), why, ())

    def leave(self) -> None:
        """Remember the page on which an event is about to be carried out."""
        self.left = self.tabs.current.url

    def act(
        self, event: FilledEvent, number: int, element: LocatedElement, perform: Callable[[], Performed]
    ) -> Performed:
        """Carry out an event on its target, and remember the state that it set."""
        self.leave()
        before = self._setting(element) if self.verify else None
        if self.refusals is None:
            return perform()
        since = len(self.refusals.traffic.replies)
        did = self.watch(event, number, Pressed(element.found.handle), perform)
        if did.is_set or did.text is not None:
            sent = tuple(self.refusals.traffic.since(since, self.left))
            on = did.after if did.is_set else None
            moved = not same_page(self.tabs.current.url, self.left)
            self.kept.append(Kept(number, event, self.left, on, did.text, before, sent, since, moved))
            if self.on_set is not None:
                self.on_set(self.kept[-1])
        elif did.done in ("clicked", "pressed"):
            self.last_press = number
        if self.verify and event.sent and did.done != "skipped":
            self._await_sending(since)
        return did

    def _await_sending(self, since: int) -> None:
        """Wait for the request that followed when it was recorded; a page may send it after a while."""
        assert self.refusals is not None
        end = time.monotonic() + _LATE * slowness()
        while not self.refusals.traffic.since(since, self.left) and time.monotonic() < end:
            with contextlib.suppress(PlaywrightError):  # the tab has closed
                self.tabs.current.wait_for_timeout(_LATE_MS)

    def watch(
        self,
        event: FilledEvent,
        number: int,
        pressed: Pressed,
        perform: Callable[[], Performed],
        *,
        leaves: bool = False,
    ) -> Performed:
        """Carry out an event, or leave its field; raise ReplayError if what that sent was refused."""
        if self.refusals is None or (event.type in ("type", "omitted") and not leaves):
            return perform()
        before = self.refusals.before(self.tabs.current)
        did = perform()
        sets = did.is_set or did.text is not None
        refusal = (
            None
            if did.done == "skipped"
            else self.refusals.after(before, self.tabs.current, pressed, sets=sets)
        )
        if refusal is not None:
            way = "check what the page says, and whether the account may do this"
            error = self.error(event, number, refusal.why, (), way=way)
            if refusal.certain:
                raise error
            self._suspect(error, loaded=refusal.loaded)
        return did

    def _suspect(self, error: ReplayError, *, loaded: bool) -> None:
        """Raise an error, unless the recording, or the states that were set, can say that nothing was refused."""
        if self.end and self.end.shows_error:
            return
        if self.verify:
            self.suspicion = self.suspicion or error
            return
        here = self.tabs.current.url.split("?", 1)[0].rstrip("/")
        states = [
            one
            for one in without_sign_in(last_states(self.kept))
            if one.url.split("?", 1)[0].rstrip("/") == here and not one.event.secret
        ]
        readings = look(states, self.tabs, self.rules) if loaded else []
        if not readings or not all(reading.same for reading in readings):
            raise error

    @staticmethod
    def _setting(element: LocatedElement) -> Setting | None:
        try:
            return Setting.of(element)
        except (CannotActError, PlaywrightError, ReplayError):
            return None
