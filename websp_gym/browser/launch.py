"""One Chromium per process, shared by all its environments; a fresh context per episode."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.confinement import browser_environment, confined, require_display
from websp_gym.browser.driver import dead_drivers, discard_dead_driver, playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.owner import adopt, after_fork, on_shut_down
from websp_gym.browser.scripts import handler_script
from websp_gym.errors import BrowserNotFoundError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

_ARGS = (
    # Overlay scroll bars do not show in screenshots.
    "--disable-features=OverlayScrollbars,ExtendedOverlayScrollbars,IsolateOrigins,site-per-process,"
    "Translate,OptimizationHints,MediaRouter,CertificateTransparencyComponentUpdater,AutofillServerCommunication,"
    # The address bar's popups are pages of their own, loaded for every window though nobody sees it: half of the
    # processor time a new context costs.
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    # Frames of one tab in one process: a renderer fewer per iframe, and one script reaches each of them alike.
    "--disable-site-isolation-trials",
    "--disable-quic",
    "--no-first-run",
)


@dataclass(frozen=True)
class BrowserOptions:
    """What makes two environments share a browser: the same options."""

    headless: bool = True
    args: tuple[str, ...] = ()


_browsers: dict[BrowserOptions, Browser] = {}
"""The one used last is the last."""
_IDLE = 2
"""Browsers kept although no environment uses them, the one at hand included: one that sandbox and plain pages take
turns with would otherwise be launched again each time. An idle one takes about 110 MB."""


def shared_browser(options: BrowserOptions) -> Browser:
    """The process's browser for these options; a crashed one is replaced by a new one.

    Args:
        options: Headless or not, and the world's command-line flags.

    Returns:
        A connected browser. Nobody but this module closes it.

    Raises:
        BrowserNotFoundError: No browser found, or it does not start.
        WorldError: Called from another thread than the one that drives the browser.
    """
    adopt()
    discard_dead_driver()
    _drop_dead()
    browser = _browsers.pop(options, None)
    if browser is None:
        _close_idle()
        browser = _launch(options)
    _browsers[options] = browser
    return browser


def open_context(options: BrowserOptions, *, viewport: tuple[int, int]) -> BrowserContext:
    """Opens a fresh context in the process's browser for these options.

    Args:
        options: Headless or not, and the world's command-line flags.
        viewport: Width and height in CSS pixels.

    Returns:
        The context, without pages.

    Raises:
        BrowserNotFoundError: No browser found, or it does not start.
        WorldError: Called from another thread than the one that drives the browser.
    """
    browser = shared_browser(options)
    try:
        return new_context(browser, viewport=viewport)
    except PlaywrightError:
        # Playwright learns that a browser was killed only when it next talks to it.
        if browser.is_connected():
            raise
    return new_context(shared_browser(options), viewport=viewport)


def new_context(browser: Browser, *, viewport: tuple[int, int], **options: Any) -> BrowserContext:
    """Opens a fresh context: light colour scheme, no service workers.

    Args:
        browser: The browser.
        viewport: Width and height in CSS pixels.
        **options: More options of Playwright's ``new_context``.

    Returns:
        The context, without pages.
    """
    context = browser.new_context(
        viewport={"width": viewport[0], "height": viewport[1]},
        color_scheme="light",
        # A worker's requests would not carry the episode header.
        service_workers="block",
        accept_downloads=False,
        **options,
    )
    context.set_default_timeout(10_000)
    prepare_context(context)
    return context


def prepare_context(context: BrowserContext) -> None:
    """Adds to every frame the context will open what must run in the page itself.

    Args:
        context: A context made by somebody else, such as stock BrowserGym.
    """
    context.add_init_script(handler_script())


def close_browsers() -> None:
    """Closes every browser of this process (also done at exit)."""
    discard_dead_driver()
    for options in list(_browsers):
        _close(options)


def forget() -> Any:
    """In a forked child: leaves the parent's browsers alone.

    Returns:
        What must not be freed here.
    """
    left = dict(_browsers)
    _browsers.clear()
    return left


def _drop_dead() -> None:
    for options, browser in list(_browsers.items()):
        if dead_drivers(browser) or not browser.is_connected():
            _close(options)


def _close_idle() -> None:
    """Make room for one more browser."""
    idle = [
        options
        for options, browser in _browsers.items()
        if not any(context.pages for context in browser.contexts)
    ]
    for options in idle[: len(idle) + 1 - _IDLE]:
        _close(options)


def _close(options: BrowserOptions) -> None:
    with contextlib.suppress(PlaywrightError):
        _browsers.pop(options).close()


def _launch(options: BrowserOptions) -> Browser:
    if not options.headless:
        require_display("headless=False")
    current = playwright()
    current.selectors.set_test_id_attribute("bid")
    executable = find_browser(current)
    try:
        return confined(
            lambda sandbox: current.chromium.launch(
                executable_path=executable,
                headless=options.headless,
                args=[*_ARGS, *options.args],
                # Without its protection a page that calls history.pushState() in a loop floods browser and driver.
                ignore_default_args=["--hide-scrollbars", "--disable-ipc-flooding-protection"],
                chromium_sandbox=sandbox,
                env={**browser_environment(options.args)},
            )
        )
    except PlaywrightError as error:
        raise BrowserNotFoundError(
            f"{executable} does not start: {str(error).splitlines()[0]} (`websp doctor` looks closer)",
            executable=executable,
        ) from error


after_fork(forget)
on_shut_down(close_browsers)
