"""Launch Chromium: one browser per process, shared by all its environments; a fresh context per episode."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.confinement import browser_environment, confined, require_display
from websp_gym.browser.driver import browser_in, dead_drivers, discard_dead_driver, playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.launch_errors import launch_error
from websp_gym.browser.owner import adopt, after_fork, on_shut_down
from websp_gym.browser.processes import end_group
from websp_gym.browser.profiles import pack, unpack
from websp_gym.browser.scratch import remove_folder, scratch_folder
from websp_gym.browser.scripts import handler_script
from websp_gym.browser.shared_pipe import SharedPipe

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, BrowserContext, BrowserType, Page

Started = TypeVar("Started")

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


_TO_START_MS = 180_000
"""Time limit for starting a browser; the deadline of a reset comes first. Playwright's own limit of 30 seconds is too
short on a busy machine."""
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
    """Launch options of a browser; environments with equal options share one.

    Args:
        headless: Whether it has no windows.
        args: Command-line flags.
        pipe: Shares its DevTools connection with other clients; ``None`` if only Playwright drives it.
    """

    headless: bool = True
    args: tuple[str, ...] = ()
    pipe: SharedPipe | None = None


_browsers: dict[BrowserOptions, Browser] = {}
"""In order of last use."""
_IDLE = 2
"""Number of unused browsers to keep, including the requested one. Otherwise a program that alternates between sandbox
and plain pages would launch a browser each time. An idle browser takes about 110 MB."""


@dataclass(frozen=True)
class _Profile:
    """The folder of a profile, and the process of the browser that uses it."""

    folder: Path
    process: int | None

    def release(self) -> None:
        """Wait until the closing browser has ended; until then its processes write to the folder."""
        if self.process is not None:
            end_group(self.process)

    def remove(self) -> None:
        self.release()
        remove_folder(self.folder)


_profiles: dict[BrowserContext, _Profile] = {}
"""The open contexts with a browser of their own, and their profiles."""


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


def open_context(
    options: BrowserOptions, *, viewport: tuple[int, int], profile: bytes | None = None, **more: Any
) -> BrowserContext:
    """Open a fresh context in the process's browser for these options.

    Args:
        options: Launch options of the browser.
        viewport: Width and height in CSS pixels.
        profile: The profile to start with (:mod:`websp_gym.browser.profiles`), in a separate browser that ends with
            the context; ``None`` for the shared browser.
        **more: Further options of Playwright's ``new_context``.

    Returns:
        The context; it has no page, or one blank page with a profile (:func:`first_page`).

    Raises:
        BrowserNotFoundError: No browser was found, or it cannot be executed.
        SetupError: The profile cannot be written.
        WorldError: The browser ended while it started (:class:`~websp_gym.browser.launch_errors.LaunchError`),
            or the calling thread is not the browser thread.
    """
    if profile is not None:
        return _open_profile(options, viewport, profile, **more)
    browser = shared_browser(options)
    try:
        return new_context(browser, viewport=viewport, **more)
    except PlaywrightError:
        # Playwright notices that a browser was killed, or its driver has ended, only when it next uses it.
        if browser.is_connected() and not discard_dead_driver():
            raise
    return new_context(shared_browser(options), viewport=viewport, **more)


def new_context(browser: Browser, *, viewport: tuple[int, int], **options: Any) -> BrowserContext:
    """Open a fresh context without pages; by default with the light colour scheme and without service workers.

    Args:
        browser: The browser.
        viewport: Width and height in CSS pixels.
        **options: Further options of Playwright's ``new_context``.
    """
    context = browser.new_context(**{**_settings(viewport), **options})
    context.set_default_timeout(10_000)
    prepare_context(context)
    return context


def first_page(context: BrowserContext) -> Page:
    """Return the page of a fresh context; open it if there is none."""
    return context.pages[0] if context.pages else context.new_page()


def version_of(context: BrowserContext) -> str:
    """Return the version of the browser of a context that has a page, such as ``141.0.7390.65``."""
    if context.browser is not None:
        return context.browser.version
    product: str = context.new_cdp_session(context.pages[0]).send("Browser.getVersion")["product"]
    return product.partition("/")[2]


def close_profile(context: BrowserContext) -> bytes:
    """Close a context that was opened with a profile, and return the profile as it is now."""
    profile = _profiles.pop(context)
    try:
        context.close()
        profile.release()
        return pack(profile.folder)
    finally:
        profile.remove()


def prepare_context(context: BrowserContext) -> None:
    """Add the script that must run in every page of a context, and deny the permissions that a window would ask for.

    Nobody could answer that window, and the page would wait. Call it for contexts created elsewhere, such as by stock
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


def close_browser(options: BrowserOptions) -> None:
    """Close the browser of these options, if there is one."""
    if options in _browsers:
        _close(options)


def close_browsers() -> None:
    """Close all browsers of this process; also done at exit."""
    discard_dead_driver()
    for context in list(_profiles):
        with contextlib.suppress(PlaywrightError):
            context.close()
        _remove_profile(context)  # a driver that is gone tells of no end
    for options in list(_browsers):
        _close(options)


def forget() -> Any:
    """Detach a forked child from its parent's browsers; return the objects that must not be freed."""
    left = (dict(_browsers), dict(_profiles))
    _browsers.clear()
    _profiles.clear()
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


def _settings(viewport: tuple[int, int]) -> dict[str, Any]:
    return {
        "viewport": {"width": viewport[0], "height": viewport[1]},
        "color_scheme": "light",
        # A worker's requests would not carry the episode header.
        "service_workers": "block",
        "accept_downloads": False,
    }


def _launch(options: BrowserOptions) -> Browser:
    return _started(options, lambda chromium, how: chromium.launch(**how))


def _open_profile(
    options: BrowserOptions,
    viewport: tuple[int, int],
    profile: bytes,
    *,
    storage_state: Any = None,
    **more: Any,
) -> BrowserContext:
    """Open a browser with a copy of a profile, and the cookies of a storage state; the profile has the rest."""
    adopt()
    discard_dead_driver()
    folder = Path(tempfile.mkdtemp(prefix="profile-", dir=scratch_folder()))
    try:
        unpack(profile, folder)
        context = _started(
            options,
            lambda chromium, how: chromium.launch_persistent_context(
                folder, **how, **{**_settings(viewport), **more}
            ),
        )
    except BaseException:
        remove_folder(folder)
        raise
    _profiles[context] = _Profile(folder, browser_in(folder))
    context.on("close", _remove_profile)
    try:
        context.set_default_timeout(10_000)
        prepare_context(context)
        if storage_state:
            context.add_cookies(storage_state["cookies"])
    except BaseException:
        with contextlib.suppress(PlaywrightError):
            context.close()
        raise
    return context


def _remove_profile(context: BrowserContext) -> None:
    profile = _profiles.pop(context, None)
    if profile is not None:
        profile.remove()


def _started(options: BrowserOptions, start: Callable[[BrowserType, dict[str, Any]], Started]) -> Started:
    """Start a browser; ``start`` gets Playwright's Chromium and the options of its launch."""
    if not options.headless:
        require_display("headless=False")
    current = playwright()
    current.selectors.set_test_id_attribute("bid")
    executable = find_browser(current, headless=options.headless)
    how = {
        "executable_path": options.pipe.executable(executable) if options.pipe else executable,
        "headless": options.headless,
        "timeout": _TO_START_MS,
        "args": [*_ARGS, *options.args],
        # Keep the flooding protection: a page that calls history.pushState() in a loop would overload browser and
        # driver.
        "ignore_default_args": ["--hide-scrollbars", "--disable-ipc-flooding-protection"],
        "env": {**browser_environment(options.args), "TMPDIR": str(scratch_folder())},
    }
    try:
        return confined(lambda sandbox: start(current.chromium, {**how, "chromium_sandbox": sandbox}))
    except PlaywrightError as error:
        raise launch_error(error, executable) from error


after_fork(forget)
on_shut_down(close_browsers)
