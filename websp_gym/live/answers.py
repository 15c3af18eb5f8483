"""Whether a live website blocks the browser or cannot be reached, and a picture of what it shows then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import InitialStateError, ReplayError, SetupError, WebspError
from websp_gym.user_folders import state_folder, write_private

if TYPE_CHECKING:
    from playwright.sync_api import Response

    from websp_gym.browser.tabs import Tabs
    from websp_gym.tasks.instances import Site

_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_CALLS = ("xhr", "fetch")
_PICTURE_MS = 5_000
TIMEOUT = 15.0
"""Seconds to wait for a page, or for the target of one event, on a live website."""


class Answers:
    """The answers of a website to one browser context.

    Args:
        tabs: The open tabs.
        site: The website.
        account: Name of the account; empty for none.
    """

    def __init__(self, tabs: Tabs, site: Site, account: str) -> None:
        self._tabs = tabs
        self._site = site
        self._account = account
        self._last: tuple[int, str] | None = None

    def note(self, response: Response) -> None:
        """Record an answer. The last page of a tab counts, and after it, refused requests of that page."""
        try:
            request = response.request
            is_page = request.is_navigation_request() and request.frame.parent_frame is None
        except PlaywrightError:
            return  # a service worker's, or its tab is gone
        if (is_page and not 300 <= response.status < 400) or (
            request.resource_type in _CALLS and response.status in _BUSY
        ):
            self._last = (response.status, response.url)

    def refusal(self) -> SetupError | None:
        """Return an error if the website blocks the browser, else ``None``."""
        if self._last is None:
            return None
        status, url = self._last
        if status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS) and status < 500:
            return None
        return self._error(f"answered with {status}{_phrase(status)} at {_plain(url)}: {_way_out(status)}")

    def load(self, url: str) -> None:
        """Open a page and let it settle. Raise SetupError if it cannot be reached."""
        try:
            self._tabs.load(url, timeout=TIMEOUT)
        except PlaywrightError as error:
            # Its message goes on with the whole address.
            reason = str(error).split("\n", 1)[0].partition(" at http")[0]
            raise self._error(f"cannot be reached at {_plain(url)}: {reason}") from error
        settle(self._tabs)

    def check(self) -> None:
        """Raise SetupError if the website blocks the browser."""
        refusal = self.refusal()
        if refusal is not None:
            raise refusal

    def _error(self, what: str) -> SetupError:
        return page_error(f"{self._site.site} {what}", self._tabs, self._site, self._account)


@contextmanager
def answers(tabs: Tabs, site: Site, account: str) -> Iterator[Answers]:
    """Record the answers of a website in the ``with`` block.

    If it blocked the browser, a replay that fails because of this raises SetupError instead.

    Args:
        tabs: The open tabs.
        site: The website.
        account: Name of the account; empty for none.
    """
    found = Answers(tabs, site, account)
    tabs.context.on("response", found.note)
    try:
        yield found
    except (InitialStateError, ReplayError, SetupError) as error:
        refusal = found.refusal()
        if refusal is None:
            raise
        raise refusal from error
    finally:
        tabs.context.remove_listener("response", found.note)


def page_error(
    message: str, tabs: Tabs, site: Site, account: str, *, option: str | None = None
) -> SetupError:
    """Return an error about a page of a website, with a picture of it that only the user can see.

    Args:
        message: What is wrong.
        tabs: The open tabs; the current one shows the page.
        site: The website.
        account: Name of the account, which names the picture; empty for none.
        option: The option that is wrong.
    """
    try:
        path = state_folder() / "pictures" / f"{account or site.slug}.png"
        # What is typed into password fields shows as dots.
        write_private(path, tabs.current.screenshot(timeout=_PICTURE_MS))
    except (PlaywrightError, WebspError):
        return SetupError(message, option=option, site=site.slug)
    return SetupError(f"{message} ({path} shows the page)", option=option, site=site.slug, path=str(path))


def _plain(url: str) -> str:
    parts = urlsplit(url)  # its query may hold a token
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def _phrase(status: int) -> str:
    try:
        return f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""


def _way_out(status: int) -> str:
    match status:
        case HTTPStatus.TOO_MANY_REQUESTS:
            return "wait before you try again, and give the account a lower `requests_per_minute`"
        case HTTPStatus.FORBIDDEN:
            return "it may be blocking this browser or account; look at it in a window (`headless=False`)"
        case _:
            return "it is down or under maintenance; try again later"
