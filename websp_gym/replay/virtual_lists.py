"""Scrolling through lists that render only what is scrolled to; ``virtual_lists.js`` is the other half."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.replay.locate import Found, NotFound, install

if TYPE_CHECKING:
    from playwright.sync_api import Frame

    from websp_gym.browser.tabs import Tabs

_STEP = 0.85
"""Share of a window scrolled at a time: rows of one look are seen again in the next."""
_MOST_STEPS = 120
_REST_SECONDS = 0.6


class VirtualLists:
    """Scrolls through what can be scrolled on a page, for elements that are rendered only where one looks.

    Args:
        tabs: The browser's open tabs; the current one is searched.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs

    def lazy(self) -> bool:
        """Whether something on the page renders only a part of what it holds."""
        return any(each["lazy"] for frame in self._frames() for each in self._lists(frame))

    def search(self, look: Callable[[], Found | NotFound], seconds: float) -> Found | None:
        """Scroll each list from its top to its end until a look succeeds; else puts all back where they were.

        Args:
            look: Looks once; a weak match is no reason to stop.
            seconds: How long at most.

        Returns:
            What was found, scrolled to where it is rendered.
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
            # A list that loads more at its end has grown meanwhile.
            place = self._roll(frame, number, place["top"])
            if place is None or place["top"] >= place["max"] - 1:
                return None
            top = place["top"] + place["view"] * _STEP
        return None

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
