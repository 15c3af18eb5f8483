"""Launch Chromium: one browser per process, shared by all its environments; a fresh context per episode."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.confinement import browser_environment, confined, require_display
from websp_gym.browser.driver import dead_drivers, discard_dead_driver, playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.launch_errors import launch_error
from websp_gym.browser.owner import adopt, after_fork, on_shut_down
from websp_gym.browser.scratch import scratch_folder
from websp_gym.browser.scripts import handler_script

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

_ARGS = (
    # Overlay scroll bars are not visible in screenshots.
    "--disable-features=OverlayScrollbars,ExtendedOverlayScrollbars,IsolateOrigins,site-per-process,"
    "Translate,OptimizationHints,MediaRouter,CertificateTransparencyComponentUpdater,AutofillServerCommunication,"
    # The popups of the address bar are pages of their own, loaded for every window although they are never shown.
    # They take half of the CPU time of a new context.
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    # All frames of a tab in one process: saves a renderer per iframe, and scripts reach all frames alike.
    "--disable-site-isolation-trials",
    "--disable-quic",
    "--no-first-run",
)


_UNASKED = (
    "clipboard-write",
    "accelerometer",
    "gyroscope",
    "magnetometer",
    "background-sync",
    "payment-handler",
)
"""Permissions that Chromium grants to every page without asking; all others are denied."""


@dataclass(frozen=True)
class BrowserOptions:
    """Launch options of a browser; environments with equal options share one."""

    headless: bool = True
    args: tuple[str, ...] = ()


_browsers: dict[BrowserOptions, Browser] = {}
"""In order of last use."""
_IDLE = 2
"""Number of unused browsers to keep, including the requested one. Otherwise a program that alternates between sandbox
and plain pages would launch a browser each time. An idle browser takes about 110 MB."""


def shared_browser(options: BrowserOptions) -> Browser:
    """Return the process's connected browser for these options; a crashed one is replaced.

    Only this module closes the browser.

    Raises:
        BrowserNotFoundError: No browser was found, or it cannot be executed.
        WorldError: The browser ended while it started (:class:`~websp_gym.browser.launch_errors.LaunchError`),
            or the calling thread is not the browser thread.
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


def open_context(options: BrowserOptions, *, viewport: tuple[int, int], **more: Any) -> BrowserContext:
    """Open a fresh context without pages in the process's browser for these options.

    Args:
        options: Launch options of the browser.
        viewport: Width and height in CSS pixels.
        **more: Further options of Playwright's ``new_context``.

    Raises:
        BrowserNotFoundError: No browser was found, or it cannot be executed.
        WorldError: The browser ended while it started (:class:`~websp_gym.browser.launch_errors.LaunchError`),
            or the calling thread is not the browser thread.
    """
    browser = shared_browser(options)
    try:
        return new_context(browser, viewport=viewport, **more)
    except PlaywrightError:
        # Playwright notices that a browser was killed, or its driver has ended, only when it next uses it.
        if browser.is_connected() and not discard_dead_driver():
            raise
    return new_context(shared_browser(options), viewport=viewport, **more)


def new_context(browser: Browser, *, viewport: tuple[int, int], **options: Any) -> BrowserContext:
    """Open a fresh context without pages: light colour scheme, no service workers.

    Args:
        browser: The browser.
        viewport: Width and height in CSS pixels.
        **options: Further options of Playwright's ``new_context``.
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
    """Add the script that must run in every page of a context, and deny what a window would ask the user for.

    Nobody could answer that window, and the page would wait. Call it for contexts made elsewhere, such as by stock
    BrowserGym.
    """
    context.add_init_script(handler_script())
    context.grant_permissions([*_UNASKED])


def close_unless_used(browser: Browser) -> None:
    """Close one of this process's browsers if it has no pages.

    A page that did not respond may leave work behind in the browser, such as pictures to draw, which delays every
    later page of that browser; the next context then gets a new one.
    """
    for options, each in list(_browsers.items()):
        if each is browser and not _is_used(browser):
            _close(options)


def close_browsers() -> None:
    """Close all browsers of this process; also done at exit."""
    discard_dead_driver()
    for options in list(_browsers):
        _close(options)


def forget() -> Any:
    """Detach a forked child from its parent's browsers; return the objects that must not be freed."""
    left = dict(_browsers)
    _browsers.clear()
    return left


def _drop_dead() -> None:
    for options, browser in list(_browsers.items()):
        if dead_drivers(browser) or not browser.is_connected():
            _close(options)


def _close_idle() -> None:
    """Close idle browsers to make room for one more."""
    idle = [options for options, browser in _browsers.items() if not _is_used(browser)]
    for options in idle[: len(idle) + 1 - _IDLE]:
        _close(options)


def _is_used(browser: Browser) -> bool:
    return any(context.pages for context in browser.contexts)


def _close(options: BrowserOptions) -> None:
    with contextlib.suppress(PlaywrightError):
        _browsers.pop(options).close()


def _launch(options: BrowserOptions) -> Browser:
    if not options.headless:
        require_display("headless=False")
    current = playwright()
    current.selectors.set_test_id_attribute("bid")
    executable = find_browser(current, headless=options.headless)
    try:
        return confined(
            lambda sandbox: current.chromium.launch(
                executable_path=executable,
                headless=options.headless,
                args=[*_ARGS, *options.args],
                # Keep the flooding protection: a page that calls history.pushState() in a loop would overload
                # browser and driver.
                ignore_default_args=["--hide-scrollbars", "--disable-ipc-flooding-protection"],
                chromium_sandbox=sandbox,
                env={**browser_environment(options.args), "TMPDIR": str(scratch_folder())},
            )
        )
    except PlaywrightError as error:
        raise launch_error(error, executable) from error


after_fork(forget)
on_shut_down(close_browsers)
