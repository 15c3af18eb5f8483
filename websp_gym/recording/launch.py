"""Launching the browser for recording, with the recorder extension and a separate profile."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.confinement import browser_environment, confined, require_display
from websp_gym.browser.driver import playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.launch_errors import launch_error
from websp_gym.browser.scratch import scratch_folder

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_FLAGS = (
    # Branded builds ignore --load-extension unless this feature is disabled.
    "--disable-features=DisableLoadExtensionCommandLineSwitch,OverlayScrollbars,Translate,MediaRouter,OptimizationHints,"
    "CertificateTransparencyComponentUpdater,SegmentationPlatform",
    "--disable-quic",
    "--no-first-run",
    # Typed text must not be written to disk, so the system's key ring is not used.
    "--password-store=basic",
    f"--disk-cache-dir={os.devnull}",
)


def launch(
    profile: Path, extension: Path, args: tuple[str, ...], *, headless: bool, viewport: tuple[int, int]
) -> BrowserContext:
    """Launch the browser and return its context.

    Args:
        profile: Folder of its profile.
        extension: Folder of the recorder extension.
        args: Further command-line flags.
        headless: Whether to run without a window (Chromium's new headless mode, which supports extensions).
        viewport: Width and height of the pages in CSS pixels.

    Raises:
        SetupError: No browser was found, it does not start, or there is no display for its window.
    """
    if not headless:
        require_display("recording with a window")
    current = playwright()
    executable = find_browser(current)
    flags = [f"--load-extension={extension}", f"--disable-extensions-except={extension}", *_FLAGS, *args]
    try:
        context = confined(
            lambda sandbox: current.chromium.launch_persistent_context(
                str(profile),
                executable_path=executable,
                # Playwright's headless option uses the old mode, which does not support extensions.
                headless=False,
                args=[*(["--headless=new"] if headless else []), *flags],
                ignore_default_args=["--hide-scrollbars"],
                viewport={"width": viewport[0], "height": viewport[1]},
                color_scheme="light",
                chromium_sandbox=sandbox,
                # A recording is saved before its browser closes.
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
                env={**browser_environment(flags), "TMPDIR": str(scratch_folder())},
            )
        )
    except PlaywrightError as error:
        raise launch_error(error, executable) from error
    context.set_default_timeout(10_000)
    if not headless:
        # Without a listener Playwright closes native dialogs; the person should answer them.
        context.on("dialog", lambda dialog: None)
    return context
