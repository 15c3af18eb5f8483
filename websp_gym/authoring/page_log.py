"""Log console errors, exceptions and failed requests of a browser context."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, Response

# The browser logs this for every error response; `answers` has the details.
_ECHO = "Failed to load resource"
# The browser aborts the requests of a page that it leaves.
_LEFT = "net::ERR_ABORTED"


class PageLog:
    """A log of console messages, uncaught exceptions and failed requests of a context, from now on."""

    def __init__(self, context: BrowserContext) -> None:
        self.console: list[str] = []
        self.warnings: list[str] = []
        self.answers: list[str] = []
        """Requests with an error response."""
        self.unreachable: list[str] = []
        """Requests without any response."""
        context.on("console", self._said)
        context.on("page", self._opened)
        for page in context.pages:
            self._opened(page)
        context.on("response", self._answered)
        context.on("requestfailed", self._failed)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type not in ("error", "warning") or message.text.startswith(_ECHO):
            return
        place = message.page.url if message.page else "a page"
        kept = self.console if message.type == "error" else self.warnings
        kept.append(f"{_short(place)}: {message.text}")

    def _opened(self, page: Page) -> None:
        def threw(error: Error) -> None:
            # In a tab that has just opened and is still empty, only a script of the driver can fail.
            if page.url not in ("", ":", "about:blank"):
                self.console.append(f"{_short(page.url)}: uncaught {str(error).splitlines()[0]}")

        page.on("pageerror", threw)

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.answers.append(f"{response.status} for {response.request.method} {_short(response.url)}")

    def _failed(self, request: Request) -> None:
        if request.failure != _LEFT:
            self.unreachable.append(f"{_short(request.url)} ({request.failure})")


def _short(url: str) -> str:
    """Return the address without its query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.netloc else url[:120]
