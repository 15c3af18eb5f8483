"""Open requests of a browser context that a page is waiting for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.patience import slowness

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request, ResourceTiming

PATIENCE = 2.5
"""Seconds after which an open request counts as a stream or a long poll; four times as many on a busy machine. A
navigation never does."""
_POLLS = 5
"""Number of times the same request is made in one wait, one after another, before it counts as a poll."""
_NEVER_AWAITED = frozenset(
    {"eventsource", "websocket", "media", "texttrack", "manifest", "ping", "cspviolationreport"}
)
_Endpoint = tuple[str, str, bytes | None]


class Traffic:
    """Counter of the open requests of a browser context.

    Streams and polls do not delay an observation: a user would not wait for them either. They are recognised
    by their type, by staying open, or by being repeated. Once recognised, they are ignored until the tab
    loads another page.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.changed = 0.0
        """Time of the last start or end of an awaited request, on the monotonic clock."""
        self._open: dict[Request, _Open] = {}
        self._background: set[_Endpoint] = set()
        self._waits = False
        self._repeats: Counter[_Endpoint] = Counter()
        self._ended_urls: set[str] = set()
        self._last: dict[_Endpoint, tuple[float, float]] = {}
        context.on("request", self._started)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    @contextmanager
    def wait(self) -> Iterator[None]:
        """Count repeated requests from here on.

        Only during a wait, because a user may save the same form often, and each key typed may ask for suggestions.
        """
        self._repeats.clear()
        self._ended_urls.clear()
        self._last.clear()
        self._waits = True
        try:
            yield
        finally:
            self._waits = False

    def in_flight(self, page: Page) -> int:
        """Return the number of awaited requests of this tab or of a tab that is just opening."""
        horizon = time.monotonic() - PATIENCE * slowness()
        for open_ in self._open.values():
            if open_.endpoint is not None and open_.started < horizon:
                self._background.add(open_.endpoint)
        # If the page does not read the replies of a poll, its later requests stay open too.
        self._open = {
            request: open_ for request, open_ in self._open.items() if open_.endpoint not in self._background
        }
        return sum(_belongs(request, page) for request in self._open)

    def _started(self, request: Request) -> None:
        if request.resource_type in _NEVER_AWAITED:
            return
        endpoint, again = None, False
        if not request.is_navigation_request():
            endpoint = _endpoint(request)
            if endpoint in self._background:
                return
            again = request.url in self._ended_urls
            if again:
                self._repeats[endpoint] += 1
                self._ended_urls.discard(request.url)
            if self._waits and self._repeats[endpoint] + (not again) >= _POLLS:
                self._background.add(endpoint)
                return
        elif _opens_page(request):
            self._background.clear()
        self.changed = time.monotonic()
        self._open[request] = _Open(self.changed, endpoint, again)

    def _ended(self, request: Request) -> None:
        open_ = self._open.pop(request, None)
        if open_ is None:
            return
        self.changed = time.monotonic()
        self._ended_urls.add(request.url)
        if open_.endpoint is not None and not open_.again:
            self._count(open_.endpoint, request.timing)

    def _count(self, endpoint: _Endpoint, timing: ResourceTiming) -> None:
        """Count a repetition. Requests of one endpoint that wait for an answer at once are a queue, not a poll.

        By the browser's clock: on a busy machine those that followed each other seem to be open at once, and those
        that were open at once to follow each other. One that failed has no times.
        """
        began = timing["startTime"]
        answered = began + timing["responseStart"]
        last_began, last_answered = self._last.get(endpoint, (0.0, 0.0))
        at_once = began < last_answered and last_began < answered
        self._repeats[endpoint] = 0 if at_once else self._repeats[endpoint] + 1
        self._last[endpoint] = began, answered


@dataclass(frozen=True)
class _Open:
    """An awaited request: its start time, its endpoint (None for a navigation), and whether it repeats a URL."""

    started: float
    endpoint: _Endpoint | None
    again: bool


def _endpoint(request: Request) -> _Endpoint:
    return request.method, request.url.split("#", 1)[0].split("?", 1)[0], request.post_data_buffer


def _opens_page(request: Request) -> bool:
    try:
        return request.frame.parent_frame is None
    except PlaywrightError:
        return False  # the tab does not exist yet


def _belongs(request: Request, page: Page) -> bool:
    try:
        owner = request.frame.page
    except PlaywrightError:
        return True  # the first request of a tab that does not exist yet
    return owner is page and not owner.is_closed()
