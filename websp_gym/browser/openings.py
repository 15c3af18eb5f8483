"""Windows that are about to open: a click ends before Playwright knows about the tab it opens."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.patience import slowness

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, CDPSession

PATIENCE = 3.0
"""Seconds after which a window that did not become a tab is forgotten; four times as many on a busy machine."""
_PAGES_ONLY = {"discover": True, "filter": [{"type": "page"}]}


class Openings:
    """Counter of a browser's windows that have not yet become tabs.

    The browser reports a new window before it reports the end of the click that opened it. Playwright reports
    the tab once it controls it, tens of milliseconds later. Windows of all contexts of the browser are
    counted, because the context of a window is unknown until it is a tab.

    Args:
        session: A DevTools session with the browser, or with one of its pages, after which no window is counted.
    """

    def __init__(self, session: CDPSession) -> None:
        self._begun: dict[str, float] = {}
        self._session = session
        self._session.on("Target.targetCreated", self._created)
        self._session.on("Target.targetDestroyed", lambda event: self._begun.pop(event["targetId"], None))
        self._session.send("Target.setDiscoverTargets", _PAGES_ONLY)
        # The browser reports all existing windows first.
        self._begun.clear()

    @property
    def under_way(self) -> bool:
        """Whether a window is opening."""
        horizon = time.monotonic() - PATIENCE * slowness()
        self._begun = {target: begun for target, begun in self._begun.items() if begun > horizon}
        return bool(self._begun)

    def opened(self) -> None:
        """Remove the oldest window that is opening, because a tab has appeared."""
        if self._begun:
            del self._begun[next(iter(self._begun))]

    def answers(self) -> bool:
        """Return True once the browser responds, False if it is gone."""
        try:
            self._session.send("Browser.getVersion")
        except PlaywrightError:
            return False
        return True

    def _created(self, event: dict[str, Any]) -> None:
        # Prerendered pages have a subtype; they do not become tabs.
        if not event["targetInfo"].get("subtype"):
            self._begun[event["targetInfo"]["targetId"]] = time.monotonic()


_OPENINGS = "_websp_openings"
"""Attribute of a browser, or of a context that is one. A weak dictionary would keep it: the session leads to it."""


def openings_of(context: BrowserContext) -> Openings | None:
    """Return the openings of a context's browser, shared by all its contexts.

    None for a persistent context without a page: its browser is reached by its pages only.
    """
    browser = context.browser
    owner = vars(browser or context)
    if _OPENINGS not in owner:
        if browser is None and not context.pages:
            return None
        session = browser.new_browser_cdp_session() if browser else context.new_cdp_session(context.pages[0])
        owner[_OPENINGS] = Openings(session)
    found: Openings = owner[_OPENINGS]
    return found


def known_openings(context: BrowserContext) -> Openings | None:
    """Return the openings of the context's browser if they exist already; does not contact the browser."""
    return vars(context.browser).get(_OPENINGS) if context.browser is not None else None
