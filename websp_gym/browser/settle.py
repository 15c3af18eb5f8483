"""Waiting for a page to come to rest: no request in flight, DOM quiet, next frame. Never a fixed sleep."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.frames import give_documents
from websp_gym.browser.isolated import ScriptError, worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame
    from websp_gym.browser.tabs import Tabs

SETTLE_CAP = 5.0
"""Seconds after which a page that never rests is taken as it is."""
DOM_PATIENCE = 1.0
"""Seconds after which a DOM that keeps changing while nothing is loading is taken as it is."""
_QUIET_MS = 20
_AFTER_TRAFFIC = 0.03
"""Seconds a page has to show what a request brought; what it shows is then a change of its DOM."""
_FRAMES = 8
"""Child frames looked at; a page has more only for advertisements."""


@dataclass(frozen=True)
class _Rest:
    """What the documents of a page answer."""

    quiet: bool
    parsed: bool = True


def settle(
    tabs: Tabs, *, cap: float = SETTLE_CAP, quiet_ms: int = _QUIET_MS, patience: float = DOM_PATIENCE
) -> bool:
    """Waits until the current tab is at rest.

    At rest means: no tab is about to open, the document is parsed, no request is in flight (streams and polls
    excepted), the DOM has not changed for ``quiet_ms`` (tickers and spinners excepted), two animation frames have
    passed, and nothing of this changed between the first look and the last. A timer of the page that has done
    nothing yet is not seen.

    Args:
        tabs: The browser's open tabs.
        cap: Seconds to wait at most.
        quiet_ms: Milliseconds without a DOM change that count as quiet.
        patience: Seconds to wait for a DOM that keeps changing while nothing is loading.

    Returns:
        Whether the page came to rest; ``False`` when it was given up on.
    """
    end = time.monotonic() + cap
    tabs.traffic.begin_wait()
    looked_at: Page | None = None
    while (left := end - time.monotonic()) > 0:
        page = tabs.current
        try:
            rest = _ask_all(page, quiet_ms, min(left, patience), again=page is looked_at)
        except PlaywrightError:
            # The document was replaced under the question: a navigation is under way, ask its successor.
            if not tabs.alive:
                raise
            looked_at = None
            continue
        looked_at = page
        # Asked first: which requests are not worth waiting for is found out by asking.
        waiting = not rest.parsed or tabs.requests_in_flight() > 0 or tabs.opening
        calm = time.monotonic() - tabs.traffic.changed >= _AFTER_TRAFFIC
        if calm and not waiting and page is tabs.current:
            give_documents(page)
            return rest.quiet
    give_documents(tabs.current)
    return False


def _ask_all(page: Page, quiet_ms: int, cap: float, *, again: bool) -> _Rest:
    """Whether the DOM of all frames came to rest within ``cap`` seconds; ``again`` knows of the look before."""
    end = time.monotonic() + cap
    worlds = worlds_of(page)
    rest = _ask(worlds.main, quiet_ms, cap, known=again)
    if not rest.quiet:
        return rest
    for frame in worlds.children()[:_FRAMES]:
        left = max(0.0, end - time.monotonic())
        try:
            if not _ask(frame, quiet_ms, left, known=True).quiet:
                return _Rest(quiet=False)
        except PlaywrightError:
            # A frame that goes or is replaced keeps nobody waiting: what replaces it is a request in flight.
            if page.is_closed():
                raise
    return rest


def _ask(frame: Frame, quiet_ms: int, cap: float, *, known: bool) -> _Rest:
    try:
        answer = frame.ask("quiet", quiet_ms, cap * 1000, known)
    except ScriptError:
        return _Rest(quiet=False)  # a document that cannot be read is taken as it is
    return _Rest(quiet=answer["quiet"] is True, parsed=answer["parsed"] is True)
