"""The requests of a browser context that a page is waiting for."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request

PATIENCE = 2.5
"""Seconds after which an open request is taken for a stream or a long poll; a page being opened is not."""
_POLLS = 5
"""The same request so many times in one wait, one after the other, is a poll."""
_NEVER_AWAITED = frozenset(
    {"eventsource", "websocket", "media", "texttrack", "manifest", "ping", "cspviolationreport"}
)
_Endpoint = tuple[str, str, bytes | None]


class Traffic:
    """Counts the requests of a browser context.

    Streams and polls show nothing a person would wait for. They are known by their kind, by staying open, or
    by coming again and again; once known they are left out from their start until the tab goes to another page.

    Args:
        context: The context.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.changed = 0.0
        """When an awaited request last started or ended, on the monotonic clock."""
        self._open: dict[Request, _Open] = {}
        self._background: set[_Endpoint] = set()
        self._repeats: Counter[_Endpoint] = Counter()
        self._ended_urls: set[str] = set()
        context.on("request", self._started)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)

    def begin_wait(self) -> None:
        """Starts counting repeated requests anew: a person may save the same form often."""
        self._repeats.clear()
        self._ended_urls.clear()

    def in_flight(self, page: Page) -> int:
        """How many awaited requests of this tab, or of a tab that is just opening, are under way."""
        horizon = time.monotonic() - PATIENCE
        for open_ in self._open.values():
            if open_.endpoint is not None and open_.started < horizon:
                self._background.add(open_.endpoint)
        # Of a poll whose replies nobody reads, the later ones are open as well.
        self._open = {
            request: open_ for request, open_ in self._open.items() if open_.endpoint not in self._background
        }
        return sum(_belongs(request, page) for request in self._open)

    def _started(self, request: Request) -> None:
        if request.resource_type in _NEVER_AWAITED:
            return
        endpoint = None
        if not request.is_navigation_request():
            endpoint = _endpoint(request)
            if endpoint in self._background:
                return
            # A poll begins again when its answer begins, and so before it is reported to have ended; a quick one
            # before several are. Then it is told from a queue of requests by their being the very same.
            others = sum(open_.endpoint == endpoint for open_ in self._open.values())
            if others <= 1 or request.url in self._ended_urls:
                self._repeats[endpoint] += 1
                self._ended_urls.discard(request.url)
            if self._repeats[endpoint] >= _POLLS:
                self._background.add(endpoint)
                return
        elif _opens_page(request):
            self._background.clear()
        self.changed = time.monotonic()
        self._open[request] = _Open(self.changed, endpoint)

    def _ended(self, request: Request) -> None:
        if self._open.pop(request, None) is not None:
            self.changed = time.monotonic()
            self._ended_urls.add(request.url)


@dataclass(frozen=True)
class _Open:
    """An awaited request: when it started, and what it asks for; None for one that opens a page."""

    started: float
    endpoint: _Endpoint | None


def _endpoint(request: Request) -> _Endpoint:
    return request.method, request.url.split("#", 1)[0].split("?", 1)[0], request.post_data_buffer


def _opens_page(request: Request) -> bool:
    try:
        return request.frame.parent_frame is None
    except PlaywrightError:
        return False  # of a tab that is not there yet


def _belongs(request: Request, page: Page) -> bool:
    try:
        owner = request.frame.page
    except PlaywrightError:
        return True  # the first request of a tab that is not there yet
    return owner is page and not owner.is_closed()
