"""Windows a browser has begun to open: a click is over before Playwright knows of the tab it opens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

PATIENCE = 3.0
"""Seconds after which a window that did not become a tab is forgotten."""
_PAGES_ONLY = {"discover": True, "filter": [{"type": "page"}]}


class Openings:
    """Counts the windows of a browser that are on their way to becoming tabs.

    The browser tells of a new window before it says that the click which opened it is over; Playwright tells of the
    tab once it has taken control of it, tens of milliseconds later. All contexts of the browser count: which one a
    window belongs to is not known before it is a tab.

    Args:
        browser: The browser.
    """

    def __init__(self, browser: Browser) -> None:
        self._begun: dict[str, float] = {}
        self._session = browser.new_browser_cdp_session()
        self._session.on("Target.targetCreated", self._created)
        self._session.on("Target.targetDestroyed", lambda event: self._begun.pop(event["targetId"], None))
        self._session.send("Target.setDiscoverTargets", _PAGES_ONLY)
        # It tells of all there are first.
        self._begun.clear()

    @property
    def under_way(self) -> bool:
        """Whether a window is being opened."""
        horizon = time.monotonic() - PATIENCE
        self._begun = {target: begun for target, begun in self._begun.items() if begun > horizon}
        return bool(self._begun)

    def opened(self) -> None:
        """A window has become a tab: the one that was begun first."""
        if self._begun:
            del self._begun[next(iter(self._begun))]

    async def answers(self) -> bool:
        """Whether the browser answers; waits for as long as it does not. Runs on Playwright's event loop."""
        await self._session._impl_obj.send("Browser.getVersion")
        return True

    def _created(self, event: dict[str, Any]) -> None:
        # What is rendered ahead has a subtype; it becomes no tab of its own.
        if not event["targetInfo"].get("subtype"):
            self._begun[event["targetInfo"]["targetId"]] = time.monotonic()


_known: WeakKeyDictionary[Browser, Openings] = WeakKeyDictionary()


def openings_of(context: BrowserContext) -> Openings | None:
    """The openings of a context's browser.

    Args:
        context: The context.

    Returns:
        The same for all contexts of a browser; None where the context has no browser of its own (a persistent one).
    """
    browser = context.browser
    if browser is None:
        return None
    found = _known.get(browser)
    if found is None:
        found = _known[browser] = Openings(browser)
    return found


def known_openings(context: BrowserContext) -> Openings | None:
    """The same, where somebody has asked for them before; asks the browser nothing."""
    return _known.get(context.browser) if context.browser is not None else None
