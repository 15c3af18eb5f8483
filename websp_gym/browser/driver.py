"""The process's Playwright, and getting over the end of one.

An exception that strikes inside Playwright's event loop (Ctrl-C, a test's time-out) ends the loop; its driver process
may die. Every later call would then wait for ever, at full load. Here such a Playwright is buried: its calls fail at
once, its driver and browsers end, and the next one asked for is new. A call during which the driver dies fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from functools import cache
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
    _fail_calls_of_a_dead_driver()
    current: Playwright = _get_global_playwright()
    return current


class _Gone(asyncio.Future[None]):
    """What all calls look at beside their reply; fails with an error of Playwright's own kind."""

    def set_exception(self, exception: Any, /) -> None:
        from playwright._impl._errors import TargetClosedError

        super().set_exception(TargetClosedError(f"the browser's driver has ended: {exception}"))


@cache
def _fail_calls_of_a_dead_driver() -> None:
    """Keeps Playwright's event loop running after the death of its driver until all calls have heard of it.

    Playwright 1.44 (which browsergym-core pins) ends the loop at once, so that the call at hand waits for ever.
    """
    from playwright._impl._transport import PipeTransport

    connect, run = PipeTransport.connect, PipeTransport.run

    async def connected(self: Any) -> None:
        self.on_error_future = _Gone(loop=self._loop)
        await connect(self)

    async def running(self: Any) -> None:
        await run(self)
        while not self._stopped:
            await asyncio.sleep(0.02)  # only while a call is at hand: nothing runs the loop otherwise

    transport: Any = PipeTransport
    transport.connect, transport.run = connected, running


def bury_dead() -> bool:
    """Makes a Playwright whose event loop has ended fail instead of waiting for ever.

    Returns:
        Whether there was one.
    """
    import browsergym.core

    current: Any = browsergym.core._PLAYWRIGHT
    if current is None:
        return False
    transport = current._impl_obj._connection._transport
    driver: int = transport._proc.pid
    if _runs(driver) and not transport.on_error_future.done() and not current._dispatcher_fiber.dead:
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
