"""Confining browser processes: an environment without secrets, and Chromium's own sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.browser.launch_errors import ended_by_itself
from websp_gym.errors import SetupError

T = TypeVar("T")

NO_PROXY = "--no-proxy-server"
"""Chromium flag for browsers that may only access this machine."""

_NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH"),
        *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
        # Path of Chromium's setuid helper, for machines without user namespaces.
        "CHROME_DEVEL_SANDBOX",
    )
)
_PREFIXES = ("LC_", "XDG_", "FONTCONFIG_")
_PROXIES = frozenset(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "auto_proxy"))


@dataclass
class _Known:
    """Result of the first launch of this process with Chromium's sandbox."""

    failure: str | None = None


_known = _Known()


def browser_environment(args: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment variables of a browser process: those for files, fonts, languages and display.

    API keys and the address of the sandbox's control API are left out. The user's proxy settings may hold a
    password, so they are left out too if ``args``, the browser's command-line flags, contain
    :data:`NO_PROXY`.
    """
    proxied = NO_PROXY not in args

    def wanted(name: str) -> bool:
        return name in _NAMES or name.startswith(_PREFIXES) or (proxied and name.lower() in _PROXIES)

    return {name: value for name, value in os.environ.items() if wanted(name)}


def confined(start: Callable[[bool], T]) -> T:
    """Start a browser with Chromium's own sandbox, or without it if this machine does not allow it.

    The result of the first attempt applies to all later browsers of this process.

    Args:
        start: Starts the browser; called with True for a start with the sandbox.

    Returns:
        Result of ``start``.

    Raises:
        PlaywrightError: The browser starts neither way.
    """
    if unconfined_because() is not None:
        return start(False)
    try:
        return _with_sandbox(start)
    except PlaywrightTimeoutError:
        raise  # slowness is not a sign of a missing sandbox
    except PlaywrightError as error:
        if ended_by_itself(error) is False:
            raise  # nor is a kill
        browser = start(False)
    _known.failure = "this machine allows neither user namespaces nor Chromium's setuid helper"
    return browser


def _with_sandbox(start: Callable[[bool], T]) -> T:
    """Start a browser with the sandbox; once more if the error does not say how the first one ended."""
    try:
        return start(True)
    except PlaywrightError as error:
        if isinstance(error, PlaywrightTimeoutError) or ended_by_itself(error) is not None:
            raise
    return start(True)


def unconfined_because() -> str | None:
    """Return why browsers run without Chromium's sandbox, or None if they run with it (so far)."""
    if os.geteuid() == 0:
        return "Chromium does not allow it for root"
    return _known.failure


def has_display() -> bool:
    """Whether there is a display for a browser window."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def require_display(what: str) -> None:
    """Raise SetupError if there is no display for a browser window.

    ``what``, such as ``headless=False``, is the option that needs the window, for the message.
    """
    if has_display():
        return
    raise SetupError(
        f"{what} needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set: run this on a desktop or over "
        "`ssh -X`, put `xvfb-run` in front of the command, or do without a window",
        variable="DISPLAY",
    )
