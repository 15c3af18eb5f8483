"""A limit of requests per host, so that nobody floods a website."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Request

_MINUTE = 60.0


class Pace:
    """Counts the requests of a browser context by host.

    Args:
        most: Maximum number of requests to one host per minute.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._sent: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=most))

    def attach(self, context: BrowserContext) -> None:
        """Count the requests of a context from now on."""
        context.on("request", self._note)

    def to_wait(self) -> float:
        """Return the seconds until the next request is within the limit; 0 if it already is. From any thread."""
        now = time.monotonic()
        # A full queue has as many requests as a minute may have; its oldest must be older than that.
        full = (sent[0] + _MINUTE - now for sent in list(self._sent.values()) if len(sent) == self._most)
        return max(0.0, *full, 0.0)

    def _note(self, request: Request) -> None:
        host = urlsplit(request.url).hostname
        if host:
            self._sent[host].append(time.monotonic())
