"""Waiting until the target of an event can be located: in the right tab, on the right site, believably."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError
from websp_gym.replay.locate import Found, NotFound, locate
from websp_gym.replay.trace import TraceEvent, fill, fill_target

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_LOOK_SECONDS = 0.1
"""How long one wait for a change lasts at most: changes in other frames and tabs do not end it."""
_REST_MS = 150
"""How long the page must be at rest before a doubtful match is believed."""
_HIDDEN_AFTER = 1.0
"""Seconds after which an element that is not rendered is taken (menus that open on hover)."""
_CHANGED = """ms => globalThis.__webspReplay?.changed
  ? __webspReplay.changed(ms)
  : new Promise(done => requestAnimationFrame(() => done()))"""


class Finder:
    """Finds the targets of a trace's events.

    Args:
        tabs: The browser's open tabs; the one that shows an event's page becomes the current one.
        account: The account's values for the placeholders.
    """

    def __init__(self, tabs: Tabs, account: Mapping[str, str]) -> None:
        self.tabs = tabs
        self.account = account

    def find(self, event: TraceEvent, patience: float) -> Found | NotFound:
        """Waits until the target of an event can be located.

        A plain match is taken at once. A weak one, or one on another page than the recorded, may belong to a
        page that is still being built or left: it is looked for again once the page is at rest.

        Args:
            event: An event with a target.
            patience: Seconds to wait.

        Returns:
            The element, or what the last look found instead.
        """
        assert event.target is not None
        target = fill_target(event.target, self.account)
        began = time.monotonic()
        rested = False
        while True:
            waited = time.monotonic() - began
            result: Found | NotFound = NotFound()
            if self._on_its_site(event):
                hidden = waited > min(_HIDDEN_AFTER, patience / 2)
                result = locate(self.tabs.current, target, loose=event.stateful, hidden=hidden)
            if isinstance(result, Found):
                if rested or (not result.weak and self._on_its_page(event)):
                    return result
                settle(self.tabs, cap=max(0.1, min(1.0, patience - waited)), quiet_ms=_REST_MS)
                rested = True
                continue
            if waited >= patience:
                return result
            rested = False
            self._wait_for_change(min(_LOOK_SECONDS, patience - waited))

    def why_absent(self, event: TraceEvent) -> str:
        """Says in a few words why a target was not found."""
        if self._on_its_site(event):
            return "not found in time"
        here = _host(self.tabs.current.url) or "no site"
        return f"the page never came to {_host(event.url)}; it is on {here}"

    def _on_its_page(self, event: TraceEvent) -> bool:
        if not event.url:
            return True
        here, there = urlsplit(self.tabs.current.url), urlsplit(fill(event.url, self.account))
        return here.path.rstrip("/") == there.path.rstrip("/")

    def _on_its_site(self, event: TraceEvent) -> bool:
        """Whether a tab shows the site the event was recorded on; that tab becomes the current one."""
        url = fill(event.url, self.account)
        if not url or same_page(self.tabs.current.url, url):
            return True
        others = [page for page in self.tabs.pages if page is not self.tabs.current]
        exact = [page for page in others if same_page(page.url, url)]
        if not exact and _same_site(self.tabs.current.url, url):
            return True
        for page in exact or [page for page in others if _same_site(page.url, url)]:
            self.tabs.activate(page)
            return True
        return False

    def _wait_for_change(self, seconds: float) -> None:
        """Returns with the next change of the page, with its successor's arrival, or after the time given."""
        try:
            self.tabs.current.main_frame.evaluate(_CHANGED, max(1.0, seconds * 1000))
        except PlaywrightError as error:
            if not self.tabs.alive:
                raise WorldError(
                    "the browser went away during the replay; call reset() to start anew"
                ) from error


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
