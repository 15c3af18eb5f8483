"""What a browser process is kept from: our environment's secrets, and the machine, by Chromium's own sandbox."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.errors import SetupError

T = TypeVar("T")

NO_PROXY = "--no-proxy-server"
"""Chromium's flag of every browser that must reach nothing but this machine."""

_NAMES = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "LD_LIBRARY_PATH"),
        *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
        # Where Chromium finds its setuid helper, on machines without user namespaces.
        "CHROME_DEVEL_SANDBOX",
    )
)
_PREFIXES = ("LC_", "XDG_", "FONTCONFIG_")
_PROXIES = frozenset(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "auto_proxy"))


@dataclass
class _Known:
    """What the first browser of this process has shown about Chromium's sandbox."""

    failure: str | None = None


_known = _Known()


def browser_environment(args: Sequence[str] = ()) -> dict[str, str]:
    """The variables a browser process gets: those it needs to find files, fonts, languages and a display.

    API keys and the address of the sandbox's control API are not among them. The user's proxy, whose address may hold
    a password, goes only to a browser that is to use it.

    Args:
        args: The browser's command-line flags.

    Returns:
        Values by name.
    """
    proxied = NO_PROXY not in args

    def wanted(name: str) -> bool:
        return name in _NAMES or name.startswith(_PREFIXES) or (proxied and name.lower() in _PROXIES)

    return {name: value for name, value in os.environ.items() if wanted(name)}


def confined(start: Callable[[bool], T]) -> T:
    """Starts a browser with Chromium's own sandbox, or without it where this machine does not let it have one.

    Args:
        start: Starts the browser; told whether with the sandbox.

    Returns:
        What ``start`` gave. What it learned of the machine holds for all later browsers of this process.

    Raises:
        PlaywrightError: The browser does not start either way.
    """
    if unconfined_because() is not None:
        return start(False)
    try:
        return start(True)
    except PlaywrightTimeoutError:
        raise  # a slow machine says nothing about the sandbox
    except PlaywrightError:
        browser = start(False)
    _known.failure = "this machine allows neither user namespaces nor Chromium's setuid helper"
    return browser


def unconfined_because() -> str | None:
    """Why browsers of this process run without Chromium's sandbox; ``None`` where nothing speaks against it (yet)."""
    if os.geteuid() == 0:
        return "Chromium refuses it to root"
    return _known.failure


def require_display(what: str) -> None:
    """Refuses a window where there is no display to show it on.

    Args:
        what: What asks for one, such as ``headless=False``.

    Raises:
        SetupError: There is no display; the message says how to do without.
    """
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return
    raise SetupError(
        f"{what} needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set: start this on a desktop or over "
        "`ssh -X`, put `xvfb-run` in front of the command, or go without a window",
        variable="DISPLAY",
    )
