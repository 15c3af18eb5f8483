"""Steps that only open something: a tab, a menu, a page.

They change no state, and the events after them prove whether the right thing was opened. So if the element of such a
step is not found by its own facts, as in another language, it may be identified by its place in an unchanged group,
or by its address.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.replay.expectations import unfolds
from websp_gym.replay.filled import FilledEvent
from websp_gym.replay.locate import Found, frame_of, install, query_of
from websp_gym.replay.trace import TraceEvent
from websp_gym.replay.wait_for_target import same_page

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_OPENING = frozenset({"button", "link", "menuitem", "tab"})
"""Roles of elements that may only open something; a ``summary`` may have any."""
_COUNTED = re.compile(r"(?<![A-Za-z0-9])\d+(?![A-Za-z0-9])")
"""A number in an address that counts its target, as in ``/shelf/2``."""


class Openers:
    """Finds steps that only open something by their place or address, and requires later events to prove them.

    Args:
        tabs: The browser's open tabs.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs
        self.unproved: tuple[int, FilledEvent] | None = None
        """The last step identified by its place, until a later event has proved it."""

    def by_place(self, number: int, event: FilledEvent, following: FilledEvent | None) -> Found | None:
        """Return the element in the recorded place of an unchanged group, if the step only opens something and
        another follows."""
        if not only_opens(event) or following is None or following.target is None:
            return None
        target = event.target
        assert target is not None
        frame = frame_of(self.tabs.current, target.frame_path)
        if frame is None:
            return None
        try:
            install(frame)
            script = "query => __webspReplay.byPlace(query)"
            element = frame.evaluate_handle(script, query_of(target)).as_element()
        except PlaywrightError:
            return None
        if element is None:
            return None
        self.unproved = (number, event)
        return Found(element, frame, "place", 0.0, 1, weak=True)

    def address(self, event: FilledEvent, following: FilledEvent | None) -> str | None:
        """Return the target of a link that was not found, if the page still has it and the recording continued
        there."""
        target = event.target
        if event.type != "click" or following is None or target is None or target.role != "link":
            return None
        here, there = event.url, following.url
        if not target.href or not here or not same_page(urljoin(here, target.href), there):
            return None
        if same_page(here, there):
            return None  # it may have done anything
        parts = urlsplit(target.href)
        if _COUNTED.search(f"{parts.path}?{parts.query}"):
            return None  # without its name, it may belong to another row by now
        frame = frame_of(self.tabs.current, ())
        assert frame is not None
        try:
            install(frame)
            return frame.evaluate("query => __webspReplay.addressOf(query)", query_of(target)) or None
        except PlaywrightError:
            return None

    def prove(self, event: FilledEvent, found: Found) -> bool:
        """Whether a found element proves the step before it; True if no step needs proof."""
        if self.unproved is None:
            return True
        assert event.target is not None
        try:
            script = "(el, query) => __webspReplay.isOwn(query, el)"
            proved = bool(found.handle.evaluate(script, query_of(event.target)))
        except PlaywrightError:
            proved = False
        if proved:
            self.unproved = None
        return proved


def only_opens(event: TraceEvent) -> bool:
    """Whether an event only shows something without changing state: it opened a tab, a menu or a part of the page."""
    target = event.target
    if event.type != "click" or target is None or not target.group:
        return False
    if event.stateful or event.set is not None or event.modal is not None or target.type_attr == "submit":
        return False
    if target.role == "tab":
        return True
    if target.role == "link" and (target.href or "").startswith("#"):
        return True
    opened = unfolds(event) or (event.before is not None and event.before.expanded is False)
    return bool(opened) and (target.role in _OPENING or target.tag == "summary")
