"""Other browsers of an account on a live website, which share nothing with the episode's but the sign-in.

A page may keep a copy of its settings in the browser, show that, and send it later or never. So what is set in one
browser is read back in another, which can know it only from the server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from websp_gym.browser import VIEWPORT
from websp_gym.browser.launch import BrowserOptions, first_page, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.live.sign_in import LiveSignIn
from websp_gym.live.sign_ins import kept_profile

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.live.account import AccountInUse
    from websp_gym.replay.checks import Outside
    from websp_gym.tasks.instances import Site

_TOKEN = re.compile(r"(?=[A-Za-z0-9+/=_.-]*\d)(?=[A-Za-z0-9+/=_.-]*[A-Za-z])[A-Za-z0-9+/=_.-]{20,}")


class LiveBrowsers:
    """Opens browsers with the options of an account.

    Args:
        site: The website.
        episode: An episode of the account.
        headless: Whether to open no window.
        viewport: Width and height in CSS pixels.
    """

    def __init__(
        self,
        site: Site,
        episode: AccountInUse,
        *,
        headless: bool = True,
        viewport: tuple[int, int] = VIEWPORT,
    ) -> None:
        self._episode = episode
        self._sign_in = LiveSignIn(site, episode)
        self._flags = BrowserOptions(headless, episode.world.browser_args())
        self._viewport = viewport

    @property
    def values(self) -> Mapping[str, str]:
        """The account's values for the placeholders of traces."""
        return self._sign_in.values

    def unknown(self) -> BrowserContext:
        """Open a browser that is signed in nowhere."""
        return self._open({})

    def signed_in(self, state: Mapping[str, Any]) -> Outside:
        """Return what opens a browser with what signs the account in, and as little else as possible.

        Args:
            state: Storage state of a signed-in browser, from before anything was set.

        Returns:
            A function that opens the browser; its context manager yields the tabs. If no page says that a part of the
            state signs the account in, it is opened with all of it: what is read there tells.
        """
        found: dict[str, Any] | None = None

        @contextmanager
        def outside() -> Iterator[Tabs]:
            nonlocal found
            if found is None:
                found = self._enough(state)
            with self._tabs(found) as tabs:
                yield tabs

        return outside

    def _enough(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a context with the smallest part of a storage state that signs the account in."""
        parts = list(self._parts(state))
        for options in parts[:-1]:
            with self._tabs(options) as tabs:
                if self._sign_in.is_signed_in(tabs):
                    return options
        return parts[-1]

    @contextmanager
    def to_act(self) -> Iterator[Tabs]:
        """Open a browser that is signed in by the kept sign-in, or else by the login trace; yield its tabs.

        Raises:
            SetupError: The account cannot be signed in.
        """
        state = self._episode.world.stored()
        options = self._enough(state) if state else {}
        with self._tabs(options) as tabs:
            if not self._sign_in.is_signed_in(tabs):
                self._sign_in.sign_in(tabs)
            yield tabs

    def _parts(self, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield options of contexts that have more and more of a storage state: cookies, tokens, all, the profile."""
        cookies, origins = state.get("cookies", []), state.get("origins", [])
        tokens = [{**origin, "localStorage": _tokens(origin)} for origin in origins]
        yield {"storage_state": {"cookies": cookies, "origins": []}}
        for items in ([origin for origin in tokens if origin["localStorage"]], origins):
            if items:
                yield {"storage_state": {"cookies": cookies, "origins": items}}
        if self._episode.world.account.profile:
            yield {"profile": kept_profile(self._episode.account_name)}

    def _open(self, options: Mapping[str, Any]) -> BrowserContext:
        world = self._episode.world
        return open_context(self._flags, viewport=self._viewport, **{**world.fresh_options(), **options})

    @contextmanager
    def _tabs(self, options: Mapping[str, Any]) -> Iterator[Tabs]:
        context = self._open(options)
        try:
            tabs = Tabs(context)
            first_page(context)
            yield tabs
        finally:
            context.close()


def _tokens(origin: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the stored items of an origin that hold a token: a long word of letters and digits."""
    return [item for item in origin["localStorage"] if _TOKEN.search(item["value"])]
