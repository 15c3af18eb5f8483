"""Scrolling through lists that render only the visible items; the page's side is ``virtual_lists.js``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.patience import slowness
from websp_gym.replay.locate import Found, NotFound, install

if TYPE_CHECKING:
    from playwright.sync_api import Frame

    from websp_gym.browser.tabs import Tabs

_STEP = 0.85
"""Part of the visible height to scroll at a time; less than 1, so that views overlap."""
_MOST_STEPS = 120
_REST_SECONDS = 0.6
_GROWTH_SECONDS = 1.0
"""Seconds a list has to load more items after its end was reached."""


class VirtualLists:
    """Scrolls a page's lists to find elements that are rendered only when they are scrolled into view.

    Args:
        tabs: The browser's open tabs; the current one is searched.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs

    def lazy(self) -> bool:
        """Whether a list on the page renders only a part of its items."""
        return any(each["lazy"] for frame in self._frames() for each in self._lists(frame))

    def search(self, look: Callable[[], Found | NotFound], seconds: float) -> Found | None:
        """Scroll each list from top to end until a look succeeds; otherwise restore its position.

        Args:
            look: Looks once; a weak match does not stop the search.
            seconds: Longest time for the search.

        Returns:
            The element, scrolled to where it is rendered; None if it was not found.
        """
        end = time.monotonic() + seconds
        for frame in self._frames():
            for number, before in enumerate(self._lists(frame)):
                found = self._through(frame, number, look, end)
                if found is not None:
                    return found
                self._roll(frame, number, before["top"])
        return None

    def _through(
        self, frame: Frame, number: int, look: Callable[[], Found | NotFound], end: float
    ) -> Found | None:
        top = 0.0
        for _ in range(_MOST_STEPS):
            place = self._roll(frame, number, top)
            if place is None or time.monotonic() > end:
                return None
            settle(self.tabs, cap=_REST_SECONDS)
            result = look()
            if isinstance(result, Found) and not result.weak:
                return result
            place = self._roll(frame, number, place["top"])
            if place is not None and place["top"] >= place["max"] - 1:
                place = self._grown(frame, number, place)
            if place is None:
                return None
            top = place["top"] + place["view"] * _STEP
        return None

    def _grown(self, frame: Frame, number: int, place: dict[str, Any]) -> dict[str, Any] | None:
        """Wait at the end of a list for more items; return the new place, or None if there are no more."""
        top, longest = place["top"], place["max"]
        try:
            frame.wait_for_function(
                "([i, top, longest]) => __webspReplay.roll(i, top)?.max > longest",
                arg=[number, top, longest],
                timeout=_GROWTH_SECONDS * 1000 * slowness(),
            )
        except PlaywrightError:
            return None
        return self._roll(frame, number, top)

    def _frames(self) -> list[Frame]:
        return [frame for frame in self.tabs.current.frames if frame.url]

    def _lists(self, frame: Frame) -> list[dict[str, Any]]:
        try:
            install(frame)
            return list(frame.evaluate("() => __webspReplay.lists()"))
        except PlaywrightError:
            return []  # the frame is being replaced

    def _roll(self, frame: Frame, number: int, top: float) -> dict[str, Any] | None:
        try:
            reply: dict[str, Any] | None = frame.evaluate(
                "([i, top]) => __webspReplay.roll(i, top)", [number, top]
            )
        except PlaywrightError:
            return None
        return reply
