"""Waiting until the target of an event can be located, in the right tab and with enough evidence.

:func:`websp_gym.replay.locate.locate` looks once; this module repeats it until it finds the target or time is
up.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError
from websp_gym.patience import slowness
from websp_gym.replay.filled import FilledEvent
from websp_gym.replay.locate import Found, NotFound, locate
from websp_gym.replay.trace import Fingerprint
from websp_gym.replay.virtual_lists import VirtualLists

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

_CHANGED = """ms => globalThis.__webspReplay?.changed
  ? __webspReplay.changed(ms)
  : new Promise(done => requestAnimationFrame(() => done()))"""
_LOOK_SECONDS = 0.1
"""Longest wait for one change, in seconds: changes in other frames and tabs do not end the wait."""
_REST_MS = 150
"""Milliseconds without a change before an unsure match is accepted."""
_HIDDEN_AFTER = 1.0
"""Seconds after which elements that are not rendered are accepted too (menus that open on hover)."""
_DOUBT_FOR = 4.0
"""Seconds for which a match under another heading or name is rejected, because the page may still be loading."""
_LAZY_AFTER = 1.5
"""Seconds after which to scroll through the page's lists, if one of them renders only a part of its items."""
_SCROLL_AFTER = 0.5
"""Share of the waiting time after which to always scroll; before that, the target may just be late."""
_ELSEWHERE_AFTER = 0.5
"""Share of the waiting time after which other tabs are searched for a popup's target, and vice versa."""
_ELSEWHERE_LOADING = 0.9
"""The same while a page is loading, from which the right tab may still come."""


class TargetWaiter:
    """Waits for the targets of a trace's events.

    Args:
        tabs: The browser's open tabs. The tab in which a target is found becomes the current one.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs

    def wait(
        self, event: FilledEvent, patience: float, *, scroll: bool = False, shown: bool = False
    ) -> Found | NotFound:
        """Wait until the target of an event can be located.

        A certain match is returned at once. A weak match, or one on a different page than recorded, may belong to a
        page that is still loading or about to be left; then the target is located again when the page has settled.

        Args:
            event: An event with a target.
            patience: Seconds to wait; up to four times as many on a busy machine, where pages are slow.
            scroll: Whether to scroll through the page's lists if the target does not appear.
            shown: Whether only elements that are rendered are accepted.

        Returns:
            The element, or the report of the last look.
        """
        wanted = event.target
        assert wanted is not None
        began, pace = time.monotonic(), slowness()
        rested = False
        while True:
            waited = (time.monotonic() - began) / pace
            # Later, not at once: before, what is hidden is usually an old copy of what is about to appear.
            hidden = not shown and waited > min(_HIDDEN_AFTER, patience / 2)
            result = self._look(event, wanted, hidden=hidden, elsewhere=self._elsewhere(waited, patience))
            if isinstance(result, Found):
                # Under another heading, the right row may still be loading; taking the wrong one cannot be undone.
                if result.doubtful and waited < min(_DOUBT_FOR, patience / 2):
                    wait_for_change(self.tabs.current, min(_LOOK_SECONDS, patience - waited))
                    continue
                if rested or (not result.unsure and self._on_its_page(event)):
                    return result
                # Then looked for once more: the element may be of the page that is about to be left.
                settle(self.tabs, cap=max(0.1, min(1.0, patience - waited)), quiet_ms=_REST_MS)
                rested = True
                continue
            if scroll and self._worth_scrolling(waited, patience):
                # Once: scrolling to the end of a long list takes as long as all the patience.
                scroll = False
                in_list = self._scroll_to(event, wanted, patience)
                if in_list is not None:
                    return in_list
            if waited >= patience:
                return result
            # It is gone again, so the next match has to prove itself anew.
            rested = False
            wait_for_change(self.tabs.current, min(_LOOK_SECONDS, patience - waited))
            self._check_alive()

    def focus(self, event: FilledEvent) -> None:
        """Make the tab with the event's page the current one, if there is such a tab."""
        for page in self._pages(event, elsewhere=True)[:1]:
            self._activate(page)

    def why_absent(self, event: FilledEvent) -> str:
        """Return the reason why a target was not found, in a few words."""
        if self._pages(event, elsewhere=True):
            return "not found in time"
        here = _host(self.tabs.current.url) or "no site"
        return f"the page never came to {_host(event.url)}; it is on {here}"

    # ---------------------------------------------------------------- where to look
    def _elsewhere(self, waited: float, patience: float) -> bool:
        if waited <= _ELSEWHERE_AFTER * patience:
            return False
        # A page that loads may still become the right one, or open the popup.
        return waited > _ELSEWHERE_LOADING * patience or not self.tabs.requests_in_flight()

    def _look(
        self, event: FilledEvent, wanted: Fingerprint, *, hidden: bool, elsewhere: bool
    ) -> Found | NotFound:
        result = NotFound()
        for page in self._pages(event, elsewhere=elsewhere):
            found = locate(page, wanted, loose=event.stateful, hidden=hidden)
            if isinstance(found, Found):
                self._activate(page)
                return found
            # Of the most likely tab: its report is the one a person can use.
            result = result if result.rungs else found
        return result

    def _pages(self, event: FilledEvent, *, elsewhere: bool) -> list[Page]:
        """Return the tabs an event may belong to, the most likely first.

        These are the tabs on the event's site: only popups if it was recorded in one, otherwise no popups if
        there is another tab.

        Args:
            event: The event.
            elsewhere: Whether to also return the remaining tabs on the site.
        """
        current = self.tabs.current
        url = event.url
        pages = [current, *(page for page in reversed(self.tabs.pages) if page is not current)]
        if not url:
            return pages[:1]
        popups = [page for page in pages if page.opener() is not None]
        fitting = [page for page in pages if _same_site(page.url, url)]
        exact = [page for page in fitting if same_page(page.url, url)]
        # Prefer a tab with exactly this page, then the current tab.
        ordered = sorted(fitting, key=lambda page: (page not in exact, page is not current))
        alike = [page for page in ordered if (page in popups) is event.popup]
        if not elsewhere and (alike or event.popup):
            return alike
        return [*alike, *(page for page in ordered if page not in alike)]

    def _activate(self, page: Page) -> None:
        if page is not self.tabs.current:
            self.tabs.activate(page)

    def _on_its_page(self, event: FilledEvent) -> bool:
        if not event.url:
            return True
        here, there = urlsplit(self.tabs.current.url), urlsplit(event.url)
        return here.path.rstrip("/") == there.path.rstrip("/")

    # ---------------------------------------------------------------- lists
    def _worth_scrolling(self, waited: float, patience: float) -> bool:
        if waited >= patience * _SCROLL_AFTER:
            return True
        if waited < min(_LAZY_AFTER, patience * _SCROLL_AFTER) or self.tabs.requests_in_flight():
            return False
        return VirtualLists(self.tabs).lazy()

    def _scroll_to(self, event: FilledEvent, wanted: Fingerprint, seconds: float) -> Found | None:
        return VirtualLists(self.tabs).search(
            lambda: self._look(event, wanted, hidden=False, elsewhere=False), seconds
        )

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser was lost during the replay; call reset() to start a new episode")


def wait_for_change(page: Page, seconds: float) -> None:
    """Return at the next change of the page's main document, at a navigation, or after this many seconds."""
    try:
        # A navigation destroys the world in which this waits, which is a change, too.
        page.main_frame.evaluate(_CHANGED, max(1.0, seconds * 1000))
    except PlaywrightError:
        return


def same_page(one: str, other: str) -> bool:
    """Whether the first URL is the page of the second; a second without fragment matches any fragment."""
    a, b = urlsplit(one), urlsplit(other)
    same = (_host(one), a.path.rstrip("/"), a.query) == (_host(other), b.path.rstrip("/"), b.query)
    return same and (not b.fragment or a.fragment == b.fragment)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _same_site(one: str, other: str) -> bool:
    """Whether the last two labels of the hosts are equal; live sites prepend a language or region."""
    a, b = _host(one).split(".")[-2:], _host(other).split(".")[-2:]
    return a == b
