"""Whether a live website turns the browser away, known by the HTTP status of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.errors import InitialStateError, ReplayError, SetupError

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Response

_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_CALLS = ("xhr", "fetch")


class Answers:
    """The answers of a website to one browser context.

    Args:
        site: Name of the website, for messages.
        slug: Its slug.
    """

    def __init__(self, site: str, slug: str) -> None:
        self._site = site
        self._slug = slug
        self._last: tuple[int, str] | None = None

    def note(self, response: Response) -> None:
        """Take an answer. The last page of a tab counts, and after it what it called and was refused for now."""
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
        """Return the error that the website turns the browser away; ``None`` if it does not."""
        if self._last is None:
            return None
        status, url = self._last
        if status not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS) and status < 500:
            return None
        parts = urlsplit(url)  # its query may hold a token
        return SetupError(
            f"{self._site} answered with {status}{_phrase(status)} at {parts.scheme}://{parts.netloc}{parts.path}: "
            f"{_way_out(status)}",
            site=self._slug,
        )

    def check(self) -> None:
        """Raise SetupError where the website turns the browser away."""
        refusal = self.refusal()
        if refusal is not None:
            raise refusal


@contextmanager
def answers(context: BrowserContext, site: str, slug: str) -> Iterator[Answers]:
    """Take the answers of a website in the block.

    Where it turned the browser away, a replay that fails for it raises SetupError instead.

    Args:
        context: The browser context.
        site: Name of the website, for messages.
        slug: Its slug.
    """
    found = Answers(site, slug)
    context.on("response", found.note)
    try:
        yield found
    except (InitialStateError, ReplayError, SetupError) as error:
        refusal = found.refusal()
        if refusal is None:
            raise
        raise refusal from error
    finally:
        context.remove_listener("response", found.note)


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
            return "it may not want this browser or account there; see what it shows in a window (`headless=False`)"
        case _:
            return "it is down or being maintained; try again later"
