"""The open tabs of one episode and which of them the agent looks at."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.driver import is_answering
from websp_gym.browser.isolated import session_of
from websp_gym.browser.openings import openings_of
from websp_gym.browser.traffic import Traffic
from websp_gym.errors import ActionError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Dialog, Page


class Tabs:
    """Follows a browser context: its current tab, its requests in flight, its dialogs.

    A new tab becomes the current one, as in the paper; when the current tab closes, the one before it does.
    Native dialogs, which no screenshot shows, are answered at once (see :data:`ANSWERS`) and kept in
    :attr:`dialogs` so that the agent can be told.

    Args:
        context: A fresh browser context.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.dialogs: list[str] = []
        self.clipboard = ""
        """What the agent copied last in this episode."""
        self.traffic = Traffic(context)
        self._openings = openings_of(context)
        self._history: list[Page] = []
        self._crashed = self._closed = False
        self._reply: _Reply | None = None
        for page in context.pages:
            self._follow(page)
        context.on("page", self._opened)
        context.on("dialog", self._dialog)
        context.on("close", self._context_closed)

    @property
    def current(self) -> Page:
        """The tab the agent looks at; a blank one is opened when all were closed.

        Raises:
            WorldError: A page crashed.
        """
        if self._crashed:
            raise WorldError("the page crashed; call reset() to start a new episode")
        closed = False
        while self._history and self._history[-1].is_closed():
            self._history.pop()
            closed = True
        if not self._history:
            self.context.new_page()
        elif closed:
            self._history[-1].bring_to_front()
        return self._history[-1]

    @property
    def pages(self) -> list[Page]:
        """All open tabs in the order they were opened."""
        return self.context.pages

    @property
    def alive(self) -> bool:
        """Whether page, browser and driver still live and the context is open."""
        browser = self.context.browser  # None for a persistent context, which has no browser of its own
        return (
            not (self._crashed or self._closed)
            and is_answering(self.context)
            and (browser is None or browser.is_connected())
        )

    @property
    def opening(self) -> bool:
        """Whether a tab is about to open."""
        return self._openings is not None and self._openings.under_way

    def requests_in_flight(self) -> int:
        """How many requests are under way that the current tab is worth waiting for."""
        return self.traffic.in_flight(self.current)

    def switch_to(self, url: str) -> None:
        """Makes the tab with this URL the current one.

        Args:
            url: Its URL; a missing slash, fragment or query is forgiven where the tab is still unique.

        Raises:
            ActionError: No tab, or more than one, has this URL.
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

    def activate(self, page: Page) -> None:
        """Makes a tab the current one and brings it to the front."""
        if page in self._history:
            self._history.remove(page)
        self._history.append(page)
        page.bring_to_front()

    def previous_url(self) -> str | None:
        """The URL the current tab would go back to; ``None`` when it shows the first page of its history."""
        history = session_of(self.current).send("Page.getNavigationHistory")
        index = history["currentIndex"]
        url = str(history["entries"][index - 1]["url"]) if index > 0 else None
        # What a tab shows before its first page is nothing a person could go back to.
        return None if url == "about:blank" and index == 1 else url

    def forget_history(self) -> None:
        """Makes the page the current tab shows the first of its history."""
        session_of(self.current).send("Page.resetNavigationHistory")

    def begin_step(self) -> None:
        """Forgets the dialogs of the steps before."""
        self.dialogs.clear()

    @contextlib.contextmanager
    def answering(self, *, accept: bool, text: str = "") -> Iterator[None]:
        """Answers the native alerts, confirms and prompts that come meanwhile as a person once did.

        Args:
            accept: OK or Cancel.
            text: What to write into a prompt that is accepted.
        """
        before, self._reply = self._reply, _Reply(accept, text)
        try:
            yield
        finally:
            self._reply = before

    def _opened(self, page: Page) -> None:
        if self._openings is not None:
            self._openings.opened()
        self._follow(page)

    def _follow(self, page: Page) -> None:
        self._history.append(page)
        page.on("crash", self._crash)

    def _crash(self, page: Page) -> None:
        self._crashed = True
        # A question put to the page before it crashed would wait for its answer forever.
        with contextlib.suppress(PlaywrightError):
            page.close()

    def _context_closed(self, context: BrowserContext) -> None:
        self._closed = True

    def _dialog(self, dialog: Dialog) -> None:
        answer, text = ANSWERS[dialog.type], ""
        if self._reply is not None and dialog.type != "beforeunload":
            answer = _OK if self._reply.accept else _CANCEL
            text = self._reply.text
        shown = f": {dialog.message!r}" if dialog.message else ""
        self.dialogs.append(f"the page showed a native {dialog.type} dialog{shown}; it was {answer.told}")
        # The page may have gone while it was asking.
        with contextlib.suppress(PlaywrightError):
            if answer.accept:
                dialog.accept(text or dialog.default_value)
            else:
                dialog.dismiss()


@dataclass(frozen=True)
class _Reply:
    accept: bool
    text: str


@dataclass(frozen=True)
class _Answer:
    accept: bool
    told: str


_OK = _Answer(True, "answered with OK")
_CANCEL = _Answer(False, "answered with Cancel")
ANSWERS = {
    "alert": _Answer(True, "closed"),
    "beforeunload": _Answer(True, "answered with Leave"),
    "confirm": _CANCEL,
    "prompt": _CANCEL,
}
"""What becomes of a native dialog: nothing is agreed to that the agent could not read before."""


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
