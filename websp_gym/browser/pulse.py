"""Signs that a page keeps its browser busy, so that a slow browser is not taken for a stuck one.

With navigations, requests, windows, frames or console messages, a page can delay every answer of browser, driver and
server. While these are asked, messages about the page and the CPU time of driver and browser are counted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from websp_gym.browser.internals import count_messages, implementation_of
from websp_gym.patience import status_of

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_SHORTEST = 0.25
_LONGEST = 2.0
"""Seconds to look back: on a busy machine, a short time gives no reliable rate."""
_MESSAGES = 100.0
"""Messages per second about a page that floods the browser. A loading page causes as many for a moment only."""
_SHARE = 0.1
"""Share of a CPU that driver and browser use for a page that floods them; an answer takes a millisecond."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Busy:
    """A process that a page keeps busy.

    Args:
        flooded: The browser keeps sending messages about it, including those caused by the server's responses.
        works: Driver and browser are busy with it all the time.
    """

    flooded: bool = False
    works: bool = False


class Pulse:
    """Counter of messages about a context, its pages and its requests, and of CPU time.

    Args:
        context: The browser context.
        processes: Driver and browsers, if they work for this context only.
    """

    def __init__(self, context: BrowserContext, processes: Iterable[int] = ()) -> None:
        self.messages = 0
        self._context = implementation_of(context)
        self._processes = tuple(processes)
        self._since = (0.0, 0, 0.0)

    def start(self) -> None:
        """Start counting."""
        _counting[self._context] = self
        self._since = (time.monotonic(), self.messages, self._used())

    def stop(self) -> None:
        """Stop counting."""
        _counting.pop(self._context, None)

    def look(self) -> Busy:
        """Return what the page has kept busy since the last look that found something, or for two seconds."""
        now = time.monotonic()
        began, counted, used_before = self._since
        elapsed = now - began
        # Too short for a rate: a single page load would look like a flood.
        if elapsed < _SHORTEST:
            return Busy()
        used = self._used()
        found = Busy(
            flooded=self.messages - counted >= _MESSAGES * elapsed,
            works=used - used_before >= _SHARE * elapsed,
        )
        # Otherwise the stretch grows, up to two seconds, until it is long enough to tell a flood from a burst.
        if elapsed >= _LONGEST or found != Busy():
            self._since = (now, self.messages, used)
        return found

    def _used(self) -> float:
        return sum(_cpu_seconds(process) for process in self._processes)


_counting: dict[Any, Pulse] = {}


def install() -> None:
    """Make all future connections of Playwright report each message."""
    count_messages(_count)


def _count(about: Any) -> None:
    # A message is about a request or a frame; the context that is counted is one of its parents.
    # This runs for every message of every page, so it does nothing where nobody counts.
    while _counting and about is not None:
        pulse = _counting.get(about)
        if pulse is not None:
            pulse.messages += 1
            return
        about = about._parent


def _cpu_seconds(process: int) -> float:
    """Return the CPU seconds of a process and all its threads; 0.0 if it is gone."""
    try:
        fields = status_of(process)
    except OSError:
        return 0.0
    # utime and stime of /proc/PID/stat, without those of children.
    return (int(fields[11]) + int(fields[12])) / _TICKS
