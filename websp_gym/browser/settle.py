"""Wait until a page has settled: no open requests, no DOM changes, next frame drawn. Never a fixed sleep."""

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
"""Seconds after which a page that never settles is observed as it is."""
DOM_PATIENCE = 1.0
"""Seconds after which a DOM that keeps changing while nothing is loading is observed as it is."""
_QUIET_MS = 20
_AFTER_TRAFFIC = 0.03
"""Seconds a page has to react to the response of a request; DOM changes after that are awaited anyway."""
_BETWEEN_LOOKS = 0.003
"""Seconds between two looks at a page that waits for a request."""
_FRAMES = 8
"""Maximum number of child frames to wait for; more are usually advertisements."""


@dataclass(frozen=True)
class _Rest:
    """State of a page's documents: no DOM changes, and fully parsed."""

    quiet: bool
    parsed: bool = True


def settle(
    tabs: Tabs, *, cap: float = SETTLE_CAP, quiet_ms: int = _QUIET_MS, patience: float = DOM_PATIENCE
) -> bool:
    """Wait until the current tab has settled, and return whether it did before the time limit.

    A tab has settled if no tab is about to open, the document is parsed, no request is open (except streams
    and polls), the DOM has not changed for ``quiet_ms`` (except tickers and spinners), two animation frames
    have passed, and none of this changed during the check. A timer of the page that has not fired yet is not
    detected.

    Args:
        tabs: The browser's open tabs.
        cap: Time limit in seconds.
        quiet_ms: Milliseconds without a DOM change that count as quiet.
        patience: Seconds to wait for a DOM that keeps changing while nothing is loading.
    """
    end = time.monotonic() + cap
    tabs.traffic.begin_wait()
    looked_at: Page | None = None
    while (left := end - time.monotonic()) > 0:
        page, traffic = tabs.current, tabs.traffic.changed
        again = page is looked_at
        # The page itself waits, after its reaction to the response where a busy machine did not let it run.
        pause = max(traffic + _AFTER_TRAFFIC - time.monotonic(), _BETWEEN_LOOKS) if again else 0.0
        try:
            rest = _ask_all(page, quiet_ms, min(left, patience), again=again, pause=pause)
        except PlaywrightError:
            # The document was replaced by a navigation: ask the new one.
            if not tabs.alive:
                raise
            looked_at = None
            continue
        looked_at = page
        # Always call requests_in_flight(): it also detects requests not worth waiting for.
        waiting = not rest.parsed or tabs.requests_in_flight() > 0 or tabs.opening
        calm = time.monotonic() - traffic >= _AFTER_TRAFFIC
        if calm and not waiting and page is tabs.current and traffic == tabs.traffic.changed:
            give_documents(page)
            return rest.quiet
    give_documents(tabs.current)
    return False


def _ask_all(page: Page, quiet_ms: int, cap: float, *, again: bool, pause: float) -> _Rest:
    """Return whether the DOM of all frames became quiet within ``cap`` seconds.

    ``again``: this page was checked before, so quiet time before this call counts. The main frame answers after
    ``pause`` seconds at the earliest.
    """
    end = time.monotonic() + cap
    worlds = worlds_of(page)
    rest = _ask(worlds.main, quiet_ms, cap, known=again, pause=pause)
    if not rest.quiet:
        return rest
    for frame in worlds.children()[:_FRAMES]:
        left = max(0.0, end - time.monotonic())
        try:
            if not _ask(frame, quiet_ms, left, known=True).quiet:
                return _Rest(quiet=False)
        except PlaywrightError:
            # Do not wait for a removed or replaced frame: its replacement counts as an open request.
            if page.is_closed():
                raise
    return rest


def _ask(frame: Frame, quiet_ms: int, cap: float, *, known: bool, pause: float = 0.0) -> _Rest:
    try:
        answer = frame.ask("quiet", quiet_ms, cap * 1000, known, pause * 1000)
    except ScriptError:
        return _Rest(quiet=False)  # a document that cannot be read is observed as it is
    return _Rest(quiet=answer["quiet"] is True, parsed=answer["parsed"] is True)
