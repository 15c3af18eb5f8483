"""The process's Playwright, and getting over the end of one.

An exception that strikes inside Playwright's event loop (Ctrl-C, a test's time-out) ends the loop; its driver process
may die. Every later call would then wait for ever, at full load. Here such a Playwright is buried: its calls fail at
once, its driver and browsers end, and the next one asked for is new. (A call during which the driver dies is beyond
help.)
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright


def playwright() -> Playwright:
    """The process's Playwright; a new one when the last one's event loop has ended.

    BrowserGym keeps one per process, and a second one in the same thread would not start.

    Returns:
        A Playwright that answers.
    """
    from browsergym.core import _get_global_playwright

    bury_dead()
    current: Playwright = _get_global_playwright()
    return current


def bury_dead() -> bool:
    """Makes a Playwright whose event loop has ended fail instead of waiting for ever.

    Returns:
        Whether there was one.
    """
    import browsergym.core

    current: Any = browsergym.core._PLAYWRIGHT
    if current is None:
        return False
    driver: int = current._impl_obj._connection._transport._proc.pid
    if _runs(driver) and not current._dispatcher_fiber.dead:
        return False
    browsergym.core._set_global_playwright(None)
    with contextlib.suppress(ProcessLookupError):
        # Its browsers end with it: they hang on a pipe to the driver.
        os.kill(driver, signal.SIGKILL)
    with contextlib.suppress(SystemExit):
        # Out of its event loop, which can be closed only when it does not run.
        current._dispatcher_fiber.throw(SystemExit)
    current._loop.close()
    return True


def buried(browser: Browser) -> bool:
    """Whether a browser's Playwright was buried, so that it only looks connected."""
    loop: Any = browser._loop
    return bool(loop.is_closed())


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
