"""Waiting until the target of an event can be located: in the right tab, on the right site, with enough evidence.

:func:`websp_gym.replay.locate.locate` looks once; here it is asked again until it has found the target or time is up.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError
from websp_gym.replay.locate import Found, NotFound, locate
from websp_gym.replay.trace import Fingerprint, TraceEvent, fill, fill_target
from websp_gym.replay.virtual_lists import VirtualLists

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

_CHANGED = """ms => globalThis.__webspReplay?.changed
  ? __webspReplay.changed(ms)
  : new Promise(done => requestAnimationFrame(() => done()))"""
_LOOK_SECONDS = 0.1
"""How long one wait for a change lasts at most: changes in other frames and tabs do not end it."""
_REST_MS = 150
"""How long the page must be at rest before a doubtful match is believed."""
_HIDDEN_AFTER = 1.0
"""Seconds after which an element that is not rendered is taken (menus that open on hover)."""
_DOUBT_FOR = 4.0
"""Seconds for which a match under another heading or name is doubted: the right one may still be to come."""
_LAZY_AFTER = 1.5
"""Seconds after which lists that render only a part of themselves are scrolled through …"""
_SCROLL_AFTER = 0.5
"""… and the share of the patience after which all others are: a target that is just late is left to come."""
_ELSEWHERE_AFTER = 0.5
"""Share of the patience after which a target recorded in a popup is looked for outside of popups."""


class TargetWaiter:
    """Waits for the targets of a trace's events.

    Args:
        tabs: The browser's open tabs; the one that shows an event's page becomes the current one.
        account: The account's values for the placeholders.
    """

    def __init__(self, tabs: Tabs, account: Mapping[str, str]) -> None:
        self.tabs = tabs
        self.account = account

    def wait(
        self,
        event: TraceEvent,
        patience: float,
        *,
        target: Fingerprint | None = None,
        scroll: bool = False,
    ) -> Found | NotFound:
        """Wait until the target of an event can be located.

        A plain match is taken at once. A weak one, or one on another page than the recorded, may belong to a
        page that is still being built or left: it is looked for again once the page is at rest.

        Args:
            event: An event with a target.
            patience: Seconds to wait.
            target: What to look for instead of the event's own target.
            scroll: Scroll through the page's lists where it does not come.

        Returns:
            The element, or what the last look found instead.
        """
        wanted = target or event.target
        assert wanted is not None
        wanted = fill_target(wanted, self.account)
        began = time.monotonic()
        rested = False
        while True:
            waited = time.monotonic() - began
            hidden = waited > min(_HIDDEN_AFTER, patience / 2)
            result = self._look(event, wanted, hidden=hidden, elsewhere=waited > _ELSEWHERE_AFTER * patience)
            if isinstance(result, Found):
                if result.doubtful and waited < min(_DOUBT_FOR, patience / 2):
                    wait_for_change(self.tabs.current, min(_LOOK_SECONDS, patience - waited))
                    continue
                if rested or (not result.unsure and self._on_its_page(event)):
                    return result
                settle(self.tabs, cap=max(0.1, min(1.0, patience - waited)), quiet_ms=_REST_MS)
                rested = True
                continue
            if scroll and self._worth_scrolling(waited, patience):
                scroll = False
                in_list = self._scroll_to(event, wanted, patience)
                if in_list is not None:
                    return in_list
            if waited >= patience:
                return result
            rested = False
            wait_for_change(self.tabs.current, min(_LOOK_SECONDS, patience - waited))
            self._check_alive()

    def focus(self, event: TraceEvent) -> None:
        """Makes the tab that shows an event's page the current one, where there is one."""
        for page in self._pages(event, elsewhere=True)[:1]:
            self._activate(page)

    def why_absent(self, event: TraceEvent) -> str:
        """Says in a few words why a target was not found."""
        if self._pages(event, elsewhere=True):
            return "not found in time"
        here = _host(self.tabs.current.url) or "no site"
        return f"the page never came to {_host(event.url)}; it is on {here}"

    # ---------------------------------------------------------------- where to look
    def _look(
        self, event: TraceEvent, wanted: Fingerprint, *, hidden: bool, elsewhere: bool
    ) -> Found | NotFound:
        result = NotFound()
        for page in self._pages(event, elsewhere=elsewhere):
            found = locate(page, wanted, loose=event.stateful, hidden=hidden)
            if isinstance(found, Found):
                self._activate(page)
                return found
            result = result if result.rungs else found
        return result

    def _pages(self, event: TraceEvent, *, elsewhere: bool) -> list[Page]:
        """The tabs an event may belong to, likeliest first: those on its site, popups for what was in one.

        Args:
            event: The event.
            elsewhere: Also popups for what was in none, and the other way round.
        """
        current = self.tabs.current
        url = fill(event.url, self.account)
        pages = [current, *(page for page in reversed(self.tabs.pages) if page is not current)]
        if not url:
            return pages[:1]
        popups = [page for page in pages if page.opener() is not None]
        fitting = [page for page in pages if _same_site(page.url, url)]
        exact = [page for page in fitting if same_page(page.url, url)]
        # The tab at hand is the one unless another shows the very page.
        ordered = sorted(fitting, key=lambda page: (page not in exact, page is not current))
        alike = [page for page in ordered if (page in popups) is event.popup]
        if not elsewhere and (alike or event.popup):
            return alike
        return [*alike, *(page for page in ordered if page not in alike)]

    def _activate(self, page: Page) -> None:
        if page is not self.tabs.current:
            self.tabs.activate(page)

    def _on_its_page(self, event: TraceEvent) -> bool:
        if not event.url:
            return True
        here, there = urlsplit(self.tabs.current.url), urlsplit(fill(event.url, self.account))
        return here.path.rstrip("/") == there.path.rstrip("/")

    # ---------------------------------------------------------------- lists
    def _worth_scrolling(self, waited: float, patience: float) -> bool:
        if waited >= patience * _SCROLL_AFTER:
            return True
        if waited < min(_LAZY_AFTER, patience * _SCROLL_AFTER) or self.tabs.requests_in_flight():
            return False
        return VirtualLists(self.tabs).lazy()

    def _scroll_to(self, event: TraceEvent, wanted: Fingerprint, seconds: float) -> Found | None:
        return VirtualLists(self.tabs).search(
            lambda: self._look(event, wanted, hidden=False, elsewhere=False), seconds
        )

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser went away during the replay; call reset() to start a new episode")


def wait_for_change(page: Page, seconds: float) -> None:
    """Return with the next change of the page's main document, or after the time given.

    Args:
        page: The tab.
        seconds: How long at most; one that navigates or closes ends the wait at once.
    """
    try:
        page.main_frame.evaluate(_CHANGED, max(1.0, seconds * 1000))
    except PlaywrightError:
        return


def same_page(one: str, other: str) -> bool:
    """Whether a page with the first URL is already where the second leads.

    Args:
        one: URL of the page.
        other: URL to go to; without a fragment any will do.

    Returns:
        Whether there is nothing to go to.
    """
    a, b = urlsplit(one), urlsplit(other)
    same = (_host(one), a.path.rstrip("/"), a.query) == (_host(other), b.path.rstrip("/"), b.query)
    return same and (not b.fragment or a.fragment == b.fragment)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _same_site(one: str, other: str) -> bool:
    """Same registrable domain, near enough: live sites add languages and regions in front."""
    a, b = _host(one).split(".")[-2:], _host(other).split(".")[-2:]
    return a == b
