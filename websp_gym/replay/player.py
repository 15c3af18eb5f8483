"""Replay a recorded trace: reach the same page in the same state, or report which event failed and why.

There are no fixed sleeps. Before an event the player waits until its target can be located, and looks again
after every change of the page. After an event it waits until the page has settled.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError, SetupError, WorldError
from websp_gym.replay.act import Actor
from websp_gym.replay.evidence import Candidate
from websp_gym.replay.expectations import (
    MAY_BE_MISSING,
    Set,
    comes_with_change,
    is_choice,
    unfolds,
    wanted_state,
)
from websp_gym.replay.fields import Field
from websp_gym.replay.locate import Found, RungReport, explain
from websp_gym.replay.located_element import CannotActError, ClassRules, LocatedElement, Look
from websp_gym.replay.openers import Openers
from websp_gym.replay.read_back import Kept, kept_state, last_states, read_back
from websp_gym.replay.trace import Trace, TraceEvent, fill, fill_target
from websp_gym.replay.wait_for_target import TargetWaiter, same_page

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

Done = Literal["clicked", "skipped", "typed", "navigated", "pressed", "chosen"]

_NEEDLESS_PATIENCE = 2.0
"""Seconds to look for a control that may be missing because nothing was changed, such as *Save* in a bar."""
_OPTIONAL_PATIENCE = 3.0
"""Seconds to look for the target of an optional event, such as a consent banner."""
_HOVER_PATIENCE = 3.0
"""Seconds to look for the menu a target was in; the menu may now be always open."""
_DIALOG_MS = 1_000
"""Milliseconds to wait for a recorded native dialog to open."""


@dataclass(frozen=True)
class EventReport:
    """The result of one event."""

    number: int
    type: str
    description: str
    rung: str | None
    score: float | None
    before: bool | None
    """Whether the target was on (or open) before the event; None where it has no such state."""
    after: bool | None
    action: Done
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class ReplayReport:
    """The result of a replay."""

    events: tuple[EventReport, ...]
    seconds: float
    unverified: tuple[str, ...] = ()
    """States that could not be read back, because their targets are not on the page when it is loaded anew."""


def replay(
    trace: Trace,
    tabs: Tabs,
    *,
    set: Set,
    account: Mapping[str, str],
    timeout: float = 10.0,
    class_rules: ClassRules = (),
    start: bool = True,
    verify: bool = False,
    on_event: Callable[[EventReport], None] | None = None,
    on_candidates: Callable[[int, list[Candidate]], None] | None = None,
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
        verify: Whether to load the pages once more at the end, and to read all switches, radio buttons and
            lists that were set.
        on_event: Called with the report of each completed event, also of those before a failure.
        on_candidates: Called with the number of each event that has a target, and the elements that may be its
            target, before it is carried out or given up. For explanations; it makes replay slower.

    Returns:
        One report per event.

    Raises:
        ReplayError: A target was not found or did not reach its state, or the page did not keep it; details are
            in the error's attributes.
        SetupError: The account has no value for a placeholder, or a class rule is not a valid CSS selector.
    """
    began = time.monotonic()
    player = _Player(tabs, set, account, timeout, class_rules, on_candidates)
    player.check_rules()
    if start:
        player.go(fill(trace.start_url, account), TraceEvent(type="navigate", url=trace.start_url), 0)
    events = []
    for number, event in enumerate(trace.events, 1):
        player.following = trace.events[number] if number < len(trace.events) else None
        events.append(player.play(number, event))
        if on_event is not None:
            on_event(events[-1])
    player.check_proved(len(trace.events))
    unverified = player.verify() if verify else ()
    return ReplayReport(tuple(events), time.monotonic() - began, unverified)


class _Player:
    def __init__(
        self,
        tabs: Tabs,
        set_: Set,
        account: Mapping[str, str],
        timeout: float,
        rules: ClassRules,
        on_candidates: Callable[[int, list[Candidate]], None] | None,
    ) -> None:
        self.tabs = tabs
        self.set = set_
        self.account = account
        self.timeout = timeout
        self.rules = rules
        self.targets = TargetWaiter(tabs, account)
        self.openers = Openers(tabs, account)
        self.following: TraceEvent | None = None
        # True where every switch and choice since the last action with an effect already was as wanted.
        self.nothing_changed = False
        self.on_candidates = on_candidates
        self.kept: list[Kept] = []

    def verify(self) -> tuple[str, ...]:
        """Load the pages once more and compare all states that were set; return those that are not there."""

        def locate(state: Kept, patience: float) -> LocatedElement:
            found = self._find_again(state.event, state.number, patience)
            return self._located(found, state.event, state.number)

        return read_back(last_states(self.kept), self.tabs, locate, timeout=self.timeout)

    def check_proved(self, number: int) -> None:
        """Raise ReplayError where no event until this one has proved a step that was taken by its place."""
        if self.openers.unproved is not None:
            raise self._unproved(number)

    def check_rules(self) -> None:
        """Raise SetupError where a class rule is not a valid CSS selector."""
        selectors = [css for rule in self.rules for css in rule.values()]
        if not selectors:
            return
        wrong = self.tabs.current.evaluate(
            "list => list.find(css => !CSS.supports(`selector(${css})`))", selectors
        )
        if wrong is not None:
            raise SetupError(f"class rule {wrong!r} is not a CSS selector")

    def play(self, number: int, event: TraceEvent) -> EventReport:
        """Perform one event, and answer the native dialog that was recorded after it."""
        if event.modal is None:
            return self._play(number, event)
        asked = self.tabs.dialogs.seen
        with self.tabs.dialogs.answering(
            accept=event.modal == "accept", text=fill(event.modal_text or "", self.account)
        ):
            report = self._play(number, event)
            if report.action != "skipped" and self.tabs.dialogs.seen == asked:
                with contextlib.suppress(PlaywrightError):
                    self.tabs.context.wait_for_event("dialog", timeout=_DIALOG_MS)
            settle(self.tabs)
        return report

    def _play(self, number: int, event: TraceEvent) -> EventReport:
        began = time.monotonic()
        found: Found | None = None
        before: bool | None = None
        after: bool | None = None
        action: Done
        if event.type == "navigate":
            action = self.go(fill(event.url, self.account), event, number)
        elif event.target is None:
            action = self._key(event, number)
        else:
            self._open_menus(event)
            address = None
            try:
                found = self._find(event, number)
            except ReplayError:
                found = self.openers.by_place(number, event, self.following)
                address = None if found else self.openers.address(event, self.following)
                if found is None and address is None:
                    raise
            if address is not None:
                action = self.go(address, event, number)
            elif found is None:
                action = "skipped"
            else:
                element = self._located(found, event, number)
                url = self.tabs.current.url
                action, before, after = self._act(element, event, number)
                self.kept += kept_state(number, event, url, after, self.account)
        self._note(event, action, before)
        return EventReport(
            number=number,
            type=event.type,
            description=event.describe(),
            rung=found.rung if found else None,
            score=found.score if found else None,
            before=before,
            after=after,
            action=action,
            seconds=time.monotonic() - began,
        )

    def go(self, url: str, event: TraceEvent, number: int) -> Done:
        """Open a URL, unless the current page is already there. Event number 0 always opens it."""
        if number and same_page(self.tabs.current.url, url):
            return "skipped"
        try:
            self.tabs.current.goto(url, wait_until="commit", timeout=self.timeout * 1000)
        except PlaywrightError as error:
            self._check_alive()
            reason = str(error).split("\n", 1)[0]
            raise self._error(event, number, f"the page did not open: {reason}", ()) from error
        settle(self.tabs, cap=self.timeout)
        return "navigated"

    # ---------------------------------------------------------------- acting
    def _located(self, found: Found, event: TraceEvent, number: int) -> LocatedElement:
        def again(within: float | None) -> Found:
            return self._find_again(event, number, within)

        return LocatedElement(found, self.tabs, self.rules, again, self.timeout)

    def _open_menus(self, event: TraceEvent) -> None:
        """Hover over the elements that open the target's menu; skip those that are not found."""
        for target in event.hover:
            patience = min(self.timeout, _HOVER_PATIENCE)
            found = self.targets.wait(event, patience, target=target)
            if isinstance(found, Found):
                menu = event.model_copy(update={"target": target, "hover": ()})
                with contextlib.suppress(CannotActError):
                    Actor(self._located(found, menu, 0)).hover()

    def _act(
        self, element: LocatedElement, event: TraceEvent, number: int
    ) -> tuple[Done, bool | None, bool | None]:
        try:
            if event.type == "type":
                Field(element).fill(
                    fill(event.value or "", self.account), secret="account.password" in (event.value or "")
                )
                return "typed", None, None
            if event.type == "key":
                Field(element).press_key(event.key or "")
                return "pressed", None, None
            if event.type == "change" and event.value is not None:
                done = self._change(Field(element), event.value)
                if done:
                    return done, None, None
            return self._click(element, event)
        except (CannotActError, PlaywrightError) as error:
            self._check_alive()
            reason = str(error).split("\n", 1)[0]
            raise self._error(event, number, reason, (), element.found) from error

    def _change(self, field: Field, value: str) -> Done | None:
        """Set the value of a field; return None for checkboxes, radio buttons and switches."""
        kind = field.kind()
        text = fill(value, self.account)
        if kind == "select":
            return "chosen" if field.choose(text) else "skipped"
        if kind in ("checkbox", "radio", "switch"):
            return None
        field.fill(text, secret="account.password" in value)
        return "typed"

    def _click(self, element: LocatedElement, event: TraceEvent) -> tuple[Done, bool | None, bool | None]:
        seen = element.look()
        actor, field = Actor(element), Field(element)
        if seen.kind == "option" and event.target and field.kind() == "select":
            chosen = field.choose(event.target.name or event.target.text or "")
            return "chosen" if chosen else "skipped", None, None
        wanted = wanted_state(event, seen, self.set)
        if wanted is not None:
            return self._turn(actor, seen, wanted)
        if event.set is not None or (event.stateful and self.set != "recorded"):
            raise CannotActError("its state cannot be read; add a class rule to the site")
        opens = unfolds(event)
        if opens is not None and seen.expanded is opens:
            return "skipped", seen.expanded, seen.expanded
        if seen.disabled and self.nothing_changed and event.follows_change is not False:
            return "skipped", None, None
        if seen.disabled and not actor.enabled():
            raise CannotActError("it is disabled")
        if opens is not None and seen.expanded is not None:
            return "clicked", seen.expanded, actor.unfold(opens)
        actor.click()
        return "clicked", seen.on, None

    def _turn(self, actor: Actor, seen: Look, wanted: bool) -> tuple[Done, bool | None, bool | None]:
        # Click a menu's radio item even if it is on: the menu would stay open and cover the next target.
        if seen.is_(wanted) and seen.kind != "menuitemradio":
            return "skipped", seen.on, seen.on
        if seen.disabled and not actor.enabled():
            raise CannotActError(f"it is disabled, and {'off' if wanted else 'on'}")
        return "clicked", seen.on, actor.turn(wanted, may_go=seen.kind.startswith("menuitem"))

    def _key(self, event: TraceEvent, number: int) -> Done:
        self.targets.focus(event)
        try:
            self.tabs.current.keyboard.press(event.key or "")
        except PlaywrightError as error:
            self._check_alive()
            raise self._error(event, number, str(error).split("\n", 1)[0], ()) from error
        settle(self.tabs)
        return "pressed"

    def _note(self, event: TraceEvent, action: Done, was_on: bool | None) -> None:
        chosen_again = event.target is not None and event.target.role == "option" and was_on
        as_wanted = action == "skipped" and event.type in ("click", "change") and is_choice(event)
        if as_wanted or chosen_again:
            self.nothing_changed = True
        elif action != "skipped" and unfolds(event) is None:
            self.nothing_changed = False

    # ---------------------------------------------------------------- finding
    def _find_again(self, event: TraceEvent, number: int, within: float | None) -> Found:
        found = self._find(event, number, within=within or self.timeout)
        assert found is not None
        return found

    def _find(self, event: TraceEvent, number: int, *, within: float | None = None) -> Found | None:
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
            target = fill_target(event.target, self.account)
            self.on_candidates(number, explain(self.tabs.current, target, loose=event.stateful))
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
        event: TraceEvent,
        number: int,
        reason: str,
        rungs: tuple[RungReport, ...],
        found: Found | None = None,
    ) -> ReplayError:
        # The query may contain a session or sign-in token.
        url = self.tabs.current.url.split("?", 1)[0].split("#", 1)[0]
        tried = "; ".join(str(rung) for rung in rungs)
        parts = [
            f"event {number} ({event.describe()}) failed on {url}: {reason}",
            f"it was found by {found.rung} with score {found.score:.2f}" if found else "",
            f"looked for by {tried}" if tried else "",
            "record the trace again with `websp record`, or see whether the site has changed",
        ]
        return ReplayError(
            ". ".join(part for part in parts if part),
            event=number,
            type=event.type,
            fingerprint=event.target.short() if event.target else None,
            rungs=[asdict(rung) for rung in rungs],
            url=url,
            reason=reason,
        )

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser went away during the replay; call reset() to start a new episode")
