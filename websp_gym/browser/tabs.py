"""The open tabs of an episode: current tab, open requests, and what the browser shows in windows of its own."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.dialogs import Dialogs
from websp_gym.browser.driver import is_answering
from websp_gym.browser.isolated import session_of, target_of
from websp_gym.browser.notices import ASKED, Notices
from websp_gym.browser.openings import openings_of
from websp_gym.browser.timers import watch_timers
from websp_gym.browser.traffic import Traffic
from websp_gym.errors import ActionError, WorldError
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Download, FileChooser, Page

    from websp_gym.browser.isolated import Frame

_LONGEST_NAME = 200
"""Maximum number of characters of a file's name in a notice."""
_LONGEST_TITLE = 300
_OF_THE_BROWSER = frozenset(
    [
        "http",
        "https",
        "about",
        "blob",
        "data",
        "javascript",
        "file",
        "filesystem",
        "view-source",
        "chrome",
        "chrome-error",
    ]
)
"""Schemes of addresses that the browser opens itself; others belong to programs of the system."""
_BY_A_PERSON = ("anchorClick", "formSubmissionGet", "formSubmissionPost", "other")
"""Reasons for which a page in the background is loaded because of a press elsewhere; "other" is ``window.open``."""


class Tabs:
    """Tabs of a fresh browser context, with the current tab, its open requests and its native dialogs.

    A new tab becomes the current one, as in the paper; if the current tab closes, the previous one does.
    What the browser would show in windows of its own is answered at once and kept in :attr:`notices`, so that
    the agent can be informed.

    Args:
        context: The browser context.
        reacts_at_once: Whether its pages react to a response at once, so that they settle sooner.
    """

    def __init__(self, context: BrowserContext, *, reacts_at_once: bool = False) -> None:
        self.context = context
        self.reacts_at_once = reacts_at_once
        self.notices = Notices()
        """Notices since the last observation."""
        self.dialogs = Dialogs(self.notices)
        self.clipboard = ""
        """Text that the agent copied last in this episode."""
        self.left: Frame | None = None
        """Frame in which the last action left the field that it had typed into."""
        self.traffic = Traffic(context)
        self._openings = openings_of(context)
        self._history: list[Page] = []
        self._numbers: dict[Page, int] = {}
        self.crashed = False
        """Whether a page has crashed, which ends the episode."""
        self._closed = self._stays_empty = False
        self._heard: dict[Page, list[tuple[str, Callable[[dict[str, Any]], None]]]] = {}
        self._requested = ""
        self._shown_again: Page | None = None
        """A window that a press in the current tab loads by its name: the browser brings it to the front."""
        if not reacts_at_once:
            watch_timers(context)
        for page in context.pages:
            self._follow(page)
        self._listeners = {
            "page": self._opened,
            "dialog": self.dialogs.answer,
            "close": self._context_closed,
        }
        for event, listener in self._listeners.items():
            context.on(event, listener)  # type: ignore[call-overload]

    def leave(self) -> None:
        """Stop listening to the context, which others continue to use."""
        for event, listener in self._listeners.items():
            self.context.remove_listener(event, listener)
        for page, heard in self._heard.items():
            for event, listener in heard:
                session_of(page).remove_listener(event, listener)
        self._heard.clear()

    @property
    def current(self) -> Page:
        """The current tab; a blank one is opened if all were closed. Raises WorldError if a page crashed."""
        if self.crashed:
            raise WorldError("the page crashed; call reset() to start a new episode")
        closed = False
        if self._shown_again is not None:
            page, self._shown_again = self._shown_again, None
            if not page.is_closed():
                self.activate(page)
        while self._history and self._history[-1].is_closed():
            self._history.pop()
            closed = True
        if not self._history:
            self.context.new_page()
        elif closed:
            with contextlib.suppress(PlaywrightError):  # it is closing too
                self._history[-1].bring_to_front()
        page = self._history[-1]
        if page not in self._heard:
            self._watch_requests(page)
        return page

    @property
    def pages(self) -> list[Page]:
        """All open tabs in the order of opening."""
        return self.context.pages

    @property
    def alive(self) -> bool:
        """Whether page, browser and driver are running and the context is open."""
        browser = self.context.browser  # None for a persistent context
        return (
            not (self.crashed or self._closed)
            and is_answering(self.context)
            and (browser is None or browser.is_connected())
        )

    @property
    def opening(self) -> bool:
        """Whether a tab is about to open."""
        return self._openings is not None and self._openings.under_way

    def close_empty(self) -> bool:
        """Close the current tab if it has no page, like one opened for a download; return whether it was closed.

        Chromium with windows does so by itself. Call it when no request of the tab is open.
        """
        page = self.current
        if not self._stays_empty or page.url or len(self.pages) < 2:
            return False
        page.close()
        return True

    def requests_in_flight(self) -> int:
        """Return the number of open requests that the current tab should wait for."""
        return self.traffic.in_flight(self.current)

    def switch_to(self, url: str) -> None:
        """Make the tab with this URL the current one.

        A missing slash, fragment or query is tolerated if only one tab matches. Raises ActionError if none or
        several match.
        """
        pages = self.pages
        for same in (_as_it_is, _without_slash, _without_fragment, _without_query):
            found = [page for page in pages if same(page.url) == same(url)]
            if len(found) == 1:
                self.activate(found[0])
                return
            if found:
                raise ActionError(f"{len(found)} open tabs have the URL {url}: {_list(found)}", url=url)
        raise ActionError(f"no open tab has the URL {url}; the open tabs: {_list(pages)}", url=url)

    def load(self, url: str, *, timeout: float = 30.0) -> None:
        """Load a page in the current tab, even if its URL differs from the current one only in the fragment.

        Playwright's ``goto`` would scroll there and leave the old page as it is.

        Args:
            url: What to load.
            timeout: Seconds within which it must answer.

        Raises:
            playwright.sync_api.Error: It does not answer.
        """
        page = self.current
        if "#" in url and urldefrag(page.url).url == urldefrag(url).url:
            page.goto("about:blank")
        page.goto(url, wait_until="commit", timeout=timeout * 1000)

    def number_of(self, page: Page) -> int:
        """Return the number of a tab, from 1 in the order of opening; no other tab of the episode ever has it."""
        return self._numbers.setdefault(page, len(self._numbers) + 1)

    def title_of(self, page: Page) -> str:
        """Return the title of a tab from the browser's history, since a page in the background may not answer."""
        history = session_of(page).send("Page.getNavigationHistory")
        shown = history["entries"][: history["currentIndex"] + 1]
        return str(shown[-1]["title"])[:_LONGEST_TITLE] if shown else ""

    def of_target(self, target: str) -> Page | None:
        """Return the tab with a DevTools id; None if there is none."""
        return next((page for page in self.pages if target_of(page) == target), None)

    def activate(self, page: Page) -> None:
        """Make a tab the current one and bring it to the front."""
        if page in self._history:
            self._history.remove(page)
        self._history.append(page)
        page.bring_to_front()

    def previous_url(self) -> str | None:
        """Return the URL that "back" in the current tab leads to, or None on its first page."""
        history = session_of(self.current).send("Page.getNavigationHistory")
        index = history["currentIndex"]
        url = str(history["entries"][index - 1]["url"]) if index > 0 else None
        # A user cannot go back to the blank page that a tab shows before its first page.
        return None if url == "about:blank" and index == 1 else url

    @property
    def has_next(self) -> bool:
        """Whether "forward" in the current tab leads to a page."""
        history = session_of(self.current).send("Page.getNavigationHistory")
        return bool(history["currentIndex"] + 1 < len(history["entries"]))

    def forget_history(self) -> None:
        """Clear the history of the current tab, so that its page becomes the first entry."""
        session_of(self.current).send("Page.resetNavigationHistory")

    def begin_step(self) -> None:
        """Clear the notices of earlier steps, which have been reported."""
        self.dialogs.noted()
        self.notices.clear()
        self._stays_empty = False

    def _opened(self, page: Page) -> None:
        if self._openings is not None:
            self._openings.opened()
        self._follow(page)

    def _follow(self, page: Page) -> None:
        self._history.append(page)
        self.number_of(page)
        page.on("crash", self._crash)
        page.on("download", self._download)
        # Without a listener, a file chooser would be a window of the system.
        page.on("filechooser", self._file_chooser)

    def _watch_requests(self, page: Page) -> None:
        """Listen to what a tab loads, once it is looked at: a session begun by an event would be one of two."""
        self._heard[page] = [
            ("Page.frameRequestedNavigation", partial(self._requests, page)),
            ("Page.frameStartedNavigating", partial(self._begins, page)),
            ("Page.windowOpen", lambda event: self._leaves(event["url"])),
        ]
        with contextlib.suppress(PlaywrightError):  # it is closing
            for event, listener in self._heard[page]:
                session_of(page).on(event, listener)

    def _requests(self, page: Page, event: dict[str, Any]) -> None:
        self._leaves(event["url"])
        if page is self._history[-1]:
            self._requested = event["url"]
        elif event["reason"] in _BY_A_PERSON:
            self._shown_again = page

    def _begins(self, page: Page, event: dict[str, Any]) -> None:
        """Note a window that a form of the current tab is sent to by its name: only that tab tells why."""
        if page is not self._history[-1] and event["url"] == self._requested:
            self._shown_again = page

    def _leaves(self, url: str) -> None:
        """Tell of an address for a program of the system, such as one for mail."""
        scheme = url.partition(":")[0].lower()
        if scheme in _OF_THE_BROWSER or not scheme:
            return
        self._stays_empty = True
        self.notices.add(
            f"the page asked the system to open {shortened(url, _LONGEST_NAME)!r}; there is no program for it here"
        )

    def _crash(self, page: Page) -> None:
        self.crashed = True
        # A call made before the crash would wait forever.
        with contextlib.suppress(PlaywrightError):
            page.close()

    def _download(self, download: Download) -> None:
        self._stays_empty = True
        name = shortened(download.suggested_filename, _LONGEST_NAME)
        self.notices.add(
            f"the page started a download of {name!r}; it was cancelled, because no file can be saved here"
        )

    def _file_chooser(self, chooser: FileChooser) -> None:
        self.notices.add(ASKED["file"])

    def _context_closed(self, context: BrowserContext) -> None:
        self._closed = True


def _as_it_is(url: str) -> str:
    return url


def _without_slash(url: str) -> str:
    return url.rstrip("/")


def _without_fragment(url: str) -> str:
    return url.split("#", 1)[0].rstrip("/")


def _without_query(url: str) -> str:
    return _without_fragment(url).split("?", 1)[0].rstrip("/")


def _list(pages: list[Page]) -> str:
    return ", ".join(page.url for page in pages)
