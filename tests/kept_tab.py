"""Tabs that a test worker keeps: a new one costs 100 ms of CPU time, a blank page in a kept one 40.

A test borrows a tab (the fixtures ``blank_page``, ``hands``, ``bench`` and others do), finds it blank, and gives it back.
Then it is made as good as new: page, history, storage, listeners, pressed keys. If the test did what cannot be undone, such
as adding a script for every page, the tab is closed and the next test gets a new one. So no test has to say that
it soils a tab, and none depends on another. ``tests/test_kept_tab.py`` proves it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.driver import is_answering
from websp_gym.browser.isolated import session_of
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.openings import known_openings
from websp_gym.browser.tabs import Tabs
from websp_gym.browser.timers import watch_timers

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Frame, Page

STAYS = (
    *("add_init_script", "add_locator_handler", "expose_binding", "expose_function", "once"),
    *("route", "route_from_har", "unroute", "unroute_all", "new_cdp_session"),
    *("set_default_timeout", "set_default_navigation_timeout", "set_extra_http_headers", "set_geolocation"),
    *("set_offline", "set_viewport_size", "emulate_media", "grant_permissions", "clear_permissions"),
)
"""Methods of a context or a page whose effect outlasts the page that is shown. What the package calls does not count:
it must undo it itself, or do it once per tab."""
SETS = ("Browser.set", "Debugger.", "Emulation.", "Fetch.", "Network.", "Page.add", "Page.set", "Security.")
"""Commands of the DevTools protocol with such an effect."""
MOST = 6
"""Number of tabs to keep. Each is of another kind, and keeps its browser."""
_APART = "--kept-tabs"
"""A flag that Chromium does not know. It gives kept tabs browsers of their own: environments close, blame and count one
that only they use otherwise than a shared one."""
_kept: dict[tuple[object, ...], KeptTab] = {}
"""In order of last use."""


class KeptTab:
    """A tab of a context of its own, used by one test after another.

    Args:
        context: A fresh context without pages.
        with_tabs: Whether dialogs, requests and new tabs are looked after, as in an episode.
    """

    def __init__(self, context: BrowserContext, *, with_tabs: bool) -> None:
        self.context = context
        if with_tabs:
            watch_timers(context)
        self.page = context.new_page()
        if openings := known_openings(context):
            openings.opened()  # nobody else takes note of it, and pages of this browser would wait for it
        self._with_tabs = with_tabs
        self._tabs: Tabs | None = None
        self._soiled = self._joined = False
        self._origins: set[str] = set()
        self._held: set[str] = set()
        self._listeners: list[tuple[Any, str, Any]] = []
        context.on("page", self._opened)
        self.page.on("framenavigated", self._navigated)
        self._session = context.new_cdp_session(self.page)
        self._session.on("DOMStorage.domStorageItemAdded", self._stored)
        self._session.send("DOMStorage.enable")
        for owner in (context, self.page):
            self._watch(owner)
        for pressed in (self.page.keyboard, self.page.mouse):
            self._watch_presses(pressed)
        ours: Any = session_of(self.page)
        ours.send = self._noting(ours.send, lambda method, *_: method.startswith(SETS))

    @property
    def tabs(self) -> Tabs:
        """The tabs of the context, where the borrower asked for them."""
        assert self._tabs is not None
        return self._tabs

    @property
    def usable(self) -> bool:
        """Whether driver, browser, context and page are there."""
        browser = self.context.browser
        return (
            browser is not None
            and is_answering(self.context)
            and browser.is_connected()
            and not self.page.is_closed()
        )

    def begin(self) -> None:
        """Begin to look after the tab for a borrower."""
        if self._with_tabs:
            self._tabs = Tabs(self.context)

    def join(self, headers: dict[str, str], cookies: list[Any]) -> None:
        """Send headers and cookies with the requests of this borrower, as somebody in an episode of the sandbox."""
        self.context.set_extra_http_headers.__wrapped__(headers)  # type: ignore[attr-defined]
        if cookies:
            self.context.add_cookies(cookies)
        self._joined = True

    def clear(self) -> bool:
        """Make the tab as good as new; return whether that was possible."""
        with suppress(PlaywrightError):
            if self._soiled or not self.usable:
                return False
            # First of all: what a page does by itself ends with it.
            self.page.goto("about:blank", timeout=5_000)
            self.page.evaluate("window.name = ''")
            others = [page for page in self.context.pages if page != self.page]
            for page in others:
                page.close()
            if others:
                self.page.bring_to_front()
            self._let_go()
            self._forget()
            opening = self._tabs is not None and self._tabs.opening
            return self.usable and not opening and not self._soiled and self.context.pages == [self.page]
        return False

    def close(self) -> None:
        """Close the tab and its context."""
        with suppress(PlaywrightError):
            self.context.close()

    def _let_go(self) -> None:
        for owner, event, listener in self._listeners:
            type(owner).remove_listener(owner, event, listener)
        self._listeners.clear()
        self._tabs = None
        for key in list(self._held):
            if key in ("left", "middle", "right"):
                self.page.mouse.up(button=key)  # type: ignore[arg-type]
            else:
                self.page.keyboard.up(key)
        self.page.mouse.move(-1, -1)

    def _forget(self) -> None:
        if self._joined:
            self.context.set_extra_http_headers.__wrapped__({})  # type: ignore[attr-defined]
            self._joined = False
        self.context.clear_cookies()
        self._session.send("Page.resetNavigationHistory")
        for origin in self._origins:
            self._session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self._origins.clear()

    def _opened(self, page: Page) -> None:
        self._navigated(page.main_frame)
        page.on("framenavigated", self._navigated)

    def _navigated(self, frame: Frame) -> None:
        url = urlsplit(frame.url)
        if url.scheme in ("http", "https"):
            self._origins.add(f"{url.scheme}://{url.netloc}")

    def _stored(self, event: dict[str, Any]) -> None:
        # Nothing clears the storage of a session but its end.
        self._soiled |= not event["storageId"]["isLocalStorage"]

    def _watch(self, owner: Any) -> None:
        listen, stop = owner.on, owner.remove_listener

        def on(event: str, listener: Any) -> None:
            listen(event, listener)
            self._listeners.append((owner, event, listener))

        def remove_listener(event: str, listener: Any) -> None:
            stop(event, listener)
            self._listeners.remove((owner, event, listener))

        owner.on, owner.remove_listener = on, remove_listener
        for name in STAYS:
            if hasattr(owner, name):
                setattr(owner, name, self._noting(getattr(owner, name)))

    def _watch_presses(self, owner: Any) -> None:
        down, up = owner.down, owner.up

        def held(key: str = "", *, button: str = "left", **_: Any) -> str:
            return key or button

        def pressed(*given: Any, **named: Any) -> None:
            self._held.add(held(*given, **named))
            down(*given, **named)

        def released(*given: Any, **named: Any) -> None:
            self._held.discard(held(*given, **named))
            up(*given, **named)

        owner.down, owner.up = pressed, released

    def _noting(
        self, method: Callable[..., Any], counts: Callable[..., bool] = lambda *_: True
    ) -> Callable[..., Any]:
        @wraps(method)
        def noted(*given: Any, **named: Any) -> Any:
            by_a_test = sys._getframe(1).f_globals["__name__"].startswith("tests.")
            self._soiled |= by_a_test and counts(*given)
            return method(*given, **named)

        return noted


@contextmanager
def borrowed_tab(
    *,
    viewport: tuple[int, int] = (1280, 1024),
    args: tuple[str, ...] = (),
    prepare: Callable[[BrowserContext], None] | None = None,
    with_tabs: bool = False,
) -> Iterator[KeptTab]:
    """Lend a blank tab: one that an earlier test used in the same way, or a new one.

    Args:
        viewport: Width and height in CSS pixels.
        args: Command-line flags of the browser.
        prepare: Gets the fresh context, once. It must be a function of a module.
        with_tabs: Whether dialogs, requests and new tabs are looked after, as in an episode.
    """
    key = (viewport, args, prepare, with_tabs)
    tab = _kept.pop(key, None)
    if tab is not None and not tab.usable:
        tab.close()
        tab = None
    if tab is None:
        context = new_context(shared_browser(BrowserOptions(args=(*args, _APART))), viewport=viewport)
        if prepare is not None:
            prepare(context)
        tab = KeptTab(context, with_tabs=with_tabs)
    tab.begin()
    try:
        yield tab
    finally:
        good = False
        try:
            good = key not in _kept and tab.clear()
        finally:
            if good:
                _kept[key] = tab
            else:
                tab.close()
        while len(_kept) > MOST:
            _kept.pop(next(iter(_kept))).close()


def close_kept_tabs() -> None:
    """Close the tabs that are kept: for tests that count browsers or close all of them."""
    while _kept:
        _kept.popitem()[1].close()
