"""The open tabs of one episode and which of them the agent looks at."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from websp_gym.errors import ActionError, WorldError

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Dialog, Page, Request

_FORGET_REQUEST_AFTER = 2.5
"""Seconds after which an open request is taken for a stream or long poll and no longer waited for."""


class Tabs:
    """Follows a browser context: its current tab, its requests in flight, its dialogs.

    A new tab becomes the current one, as in the paper; when the current tab closes, the one before it does.
    Native dialogs, which no screenshot shows, are answered at once (alerts accepted, the rest dismissed) and
    kept in :attr:`dialogs` so that the agent can be told.

    Args:
        context: A fresh browser context without pages.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.dialogs: list[str] = []
        self._history: list[Page] = []
        self._requests: dict[Request, float] = {}
        self._crashed = False
        self._url_before = ""
        for page in context.pages:
            self._opened(page)
        context.on("page", self._opened)
        context.on("request", self._started)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)
        context.on("dialog", self._dialog)

    @property
    def current(self) -> Page:
        """The tab the agent looks at; a blank one is opened when all were closed."""
        if self._crashed:
            raise WorldError("the page crashed; call reset() to start a new episode")
        while self._history and self._history[-1].is_closed():
            self._history.pop()
        if not self._history:
            self.context.new_page()
        return self._history[-1]

    @property
    def pages(self) -> list[Page]:
        """All open tabs in the order they were opened."""
        return self.context.pages

    @property
    def alive(self) -> bool:
        """Whether browser and page still live."""
        browser = self.context.browser
        return not self._crashed and browser is not None and browser.is_connected()

    def requests_in_flight(self) -> int:
        """How many requests are under way that are worth waiting for."""
        horizon = time.monotonic() - _FORGET_REQUEST_AFTER
        return sum(started > horizon for started in self._requests.values())

    def switch_to(self, url: str) -> None:
        """Makes the tab with this URL the current one.

        Args:
            url: Its URL; a missing slash, fragment or query is forgiven where the tab is still unique.

        Raises:
            ActionError: No tab, or more than one, has this URL.
        """
        for same in (_exact, _without_fragment, _without_query):
            found = [page for page in self.pages if same(page.url) == same(url)]
            if len(found) == 1:
                self.activate(found[0])
                return
        urls = ", ".join(page.url for page in self.pages)
        raise ActionError(f"no single tab has the URL {url}; the open tabs: {urls}", url=url)

    def activate(self, page: Page) -> None:
        """Makes a tab the current one and brings it to the front."""
        if page in self._history:
            self._history.remove(page)
        self._history.append(page)
        page.bring_to_front()

    def went_back(self) -> bool:
        """Whether the current tab's URL changed since :meth:`note_url` (a back within one document)."""
        return self.current.url != self._url_before

    def note_url(self) -> None:
        """Remembers the current URL for :meth:`went_back`, and forgets the dialogs of earlier steps."""
        self._url_before = self.current.url
        self.dialogs.clear()

    def _opened(self, page: Page) -> None:
        self._history.append(page)
        page.on("crash", self._crash)

    def _crash(self, page: Page) -> None:
        self._crashed = True

    def _started(self, request: Request) -> None:
        self._requests[request] = time.monotonic()

    def _ended(self, request: Request) -> None:
        self._requests.pop(request, None)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(f"the page showed a native {dialog.type} dialog: {dialog.message!r}; "
                            f"it was {'accepted' if dialog.type == 'alert' else 'dismissed'}")  # fmt: skip
        if dialog.type in ("alert", "beforeunload"):
            dialog.accept()
        else:
            dialog.dismiss()


def _exact(url: str) -> str:
    return url.rstrip("/")


def _without_fragment(url: str) -> str:
    return url.split("#", 1)[0].rstrip("/")


def _without_query(url: str) -> str:
    return _without_fragment(url).split("?", 1)[0].rstrip("/")
