"""Signing in to a live website with an account: whether its stored sign-in is still valid, and its login trace."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import session_of
from websp_gym.errors import ReplayError, SetupError
from websp_gym.live.answers import TIMEOUT, Answers, answers, page_error
from websp_gym.replay import Found, Trace, locate, replay
from websp_gym.replay.filled import fill_event
from websp_gym.replay.library import read_trace
from websp_gym.replay.moved import address_on, on_site
from websp_gym.replay.refusals import asks_password

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.live.account import AccountInUse
    from websp_gym.replay import EventReport
    from websp_gym.tasks.instances import Site

_SIGN_IN = re.compile(r"^\s*(log|sign)[ -]?in\b", re.IGNORECASE)
_MOST = 20
"""Maximum number of links of a kind to check."""
_KEPT = "local_storage,indexeddb,cache_storage,service_workers,file_systems"
"""What a site keeps besides its cookies, as DevTools names it."""
_SHORTEST = 5
"""Minimum length of a name that appears on a page only because of the account."""


class _Values(Mapping[str, str]):
    """An account's values. A one-time code is that of the moment in which it is asked for."""

    def __init__(self, episode: AccountInUse) -> None:
        self._episode = episode
        self._lasting = {**episode.account, **episode.credentials()}

    def __getitem__(self, field: str) -> str:
        code = self._episode.code() if field == "code" else None
        return self._lasting[field] if code is None else code

    def __iter__(self) -> Iterator[str]:
        yield from self._lasting
        if self._episode.has_codes:
            yield "code"

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, field: object) -> bool:
        return field in self._lasting or (field == "code" and self._episode.has_codes)


class LiveSignIn:
    """The sign-in of an account to a website.

    Args:
        site: The website.
        episode: The episode, with the account.
    """

    def __init__(self, site: Site, episode: AccountInUse) -> None:
        self._site = site
        self._episode = episode
        self._answered: Answers | None = None

    @property
    def values(self) -> Mapping[str, str]:
        """The account's values for the placeholders of traces, with its password and the current one-time code."""
        return _Values(self._episode)

    def address(self, url: str) -> str:
        """Return an address from the site's tasks, moved to the site's actual address."""
        moved = self._episode.site_url
        own = urlsplit(self._site.start_url)
        is_own = f"{url}/".startswith(f"{own.scheme}://{own.netloc}/")
        return address_on(url, moved) if moved is not None and is_own else url

    def trace(self, name: str) -> Trace:
        """Return a trace with its addresses moved to the site's actual address."""
        return on_site(read_trace(name), self._episode.site_url)

    def is_signed_in(self, tabs: Tabs) -> bool:
        """Whether the browser is signed in: the start page asks for no password and offers no sign-in.

        A menu may contain the link to the sign-in page. Then the start page must name the account, or that page must
        not offer to sign in.

        Raises:
            SetupError: The site cannot be reached, or blocks the browser.
        """
        if self.is_asked(tabs):
            return False
        name = self._episode.login_trace
        if name is None:
            return True
        trace = self.trace(name)
        path = urlsplit(trace.start_url).path.rstrip("/")
        if not path or not tabs.current.locator(f'a[href*="{path}"]').count():
            return True
        html = tabs.current.content()
        if any(len(value) >= _SHORTEST and value in html for value in self._episode.account.values()):
            return True
        self._open(tabs, trace.start_url)
        target = next((fill_event(event, self.values).target for event in trace.events if event.target), None)
        found = target is not None and isinstance(locate(tabs.current, target), Found)
        asked = found or asks_password(tabs.current)
        self._check_answer(asked)
        return not asked

    def is_asked(self, tabs: Tabs) -> bool:
        """Whether the start page asks to sign in, with a password field or a visible link or button.

        Raises:
            SetupError: The site cannot be reached, or blocks the browser.
        """
        self._open(tabs, self.address(self._site.start_url))
        named = (tabs.current.get_by_role(role, name=_SIGN_IN) for role in ("link", "button"))
        asked = asks_password(tabs.current) or any(
            found.is_visible() for each in named for found in each.all()[:_MOST]
        )
        self._check_answer(asked)
        return asked

    def sign_in(self, tabs: Tabs) -> tuple[EventReport, ...]:
        """Replay the login trace.

        Raises:
            SetupError: There is none, or it could not be completed.
        """
        name = self._episode.login_trace
        if name is None:
            raise self.refused(tabs, "the account has no login trace")
        try:
            return self._replay(name, tabs)
        except ReplayError as error:
            # What is left of a session that has ended may spare one a step, such as the code.
            if not (error.rungs and self._episode.has_kept_sign_in):
                raise self.refused(tabs, str(error)) from error
        self._forget(tabs)
        try:
            return self._replay(name, tabs)
        except ReplayError as error:
            raise self.refused(tabs, str(error)) from error

    def _replay(self, name: str, tabs: Tabs) -> tuple[EventReport, ...]:
        with answers(tabs, self._site, self._episode.account_name):
            return replay(
                self.trace(name),
                tabs,
                set="recorded",
                account=self.values,
                class_rules=self._site.replay_rules,
                timeout=TIMEOUT,
            ).events

    def _forget(self, tabs: Tabs) -> None:
        """Forget what the site keeps in this browser; what a provider keeps stays."""
        context = tabs.context
        for page in tabs.pages:
            with contextlib.suppress(PlaywrightError):  # a page without an origin
                page.evaluate("() => sessionStorage.clear()")
            page.goto("about:blank")  # what it still asks for would bring cookies again
        url = self.address(self._site.start_url)
        for cookie in context.cookies(url):
            context.clear_cookies(name=cookie["name"], domain=cookie["domain"], path=cookie["path"])
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        session_of(tabs.current).send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": _KEPT})

    def refused(self, tabs: Tabs, reason: str) -> SetupError:
        """Return the error that the account is not signed in, with a picture of the page and the remedy."""
        account = self._episode.account_name
        return page_error(
            f"account {account} is not signed in to {self._site.site}: {reason}. "
            f"Sign in by hand with `websp login {account} --by-hand`, or record the sign-in again",
            tabs,
            self._site,
            account,
            option="account",
        )

    def _open(self, tabs: Tabs, url: str) -> None:
        with answers(tabs, self._site, self._episode.account_name) as self._answered:
            self._answered.load(url)

    def _check_answer(self, asked: bool) -> None:
        """Raise SetupError where the page that was opened turns the browser away, unless it asks to sign in."""
        if self._answered is not None and not asked:
            self._answered.check()
