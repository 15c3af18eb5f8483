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
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from websp_gym.browser.owner import adopt, after_fork, call, is_adopted, on_overdue
from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, BrowserContext, Playwright

Result = TypeVar("Result")
_KNOWN = "1.44"
"""The Playwright whose inside this module knows; browsergym-core pins it."""


@dataclass
class _Driver:
    """The Playwright of the thread that drives the browser, and the process behind it."""

    playwright: Any = None
    process: int | None = None


_driver = _Driver()


def playwright() -> Playwright:
    """The process's Playwright; a new one when the last one's event loop has ended.

    Only for the thread that drives the browser (:mod:`websp_gym.browser.owner`). Where that is a program's own
    thread, it is the Playwright that BrowserGym keeps as well: a second one in the same thread would not start.

    Returns:
        A Playwright that answers.

    Raises:
        SetupError: The installed one is not the one this module knows.
    """
    # A program that asks for it before it made an environment drives the browser itself.
    adopt()
    discard_dead_driver()
    if _driver.playwright is None:
        require_known(version("playwright"))
        _fail_calls_of_a_dead_driver()
        _driver.playwright = _start()
        _driver.process = _driver.playwright._impl_obj._connection._transport._proc.pid
    current: Playwright = _driver.playwright
    return current


def require_known(installed: str) -> None:
    """Refuse a Playwright whose inside may differ from what this module replaces and reads.

    Args:
        installed: Its version.

    Raises:
        SetupError: It is another than browsergym-core pins.
    """
    if not f"{installed}.".startswith(f"{_KNOWN}."):
        raise SetupError(
            f"Playwright {installed} is installed, and websp-gym works with {_KNOWN} only, for it gets over the end "
            f"of a driver inside it: pip install 'playwright=={_KNOWN}.*'"
        )


def _start() -> Playwright:
    if is_adopted():
        from browsergym.core import _get_global_playwright

        shared: Playwright = _get_global_playwright()
        return shared
    from playwright.sync_api import sync_playwright

    return sync_playwright().start()


def event_loop() -> asyncio.AbstractEventLoop:
    """The event loop that runs while the driving thread waits for the browser."""
    loop: asyncio.AbstractEventLoop = playwright()._loop
    return loop


def call_for(context: BrowserContext, function: Callable[[], Result]) -> Result:
    """Runs a function that uses a browser context on the thread the context belongs to.

    Args:
        context: One of this package's, or one that the calling thread made itself (as stock BrowserGym does).
        function: What to run.

    Returns:
        What the function returned.
    """
    ours = _driver.playwright is not None and context._loop is _driver.playwright._loop
    return call(function) if ours else function()


def driver_process() -> int | None:
    """The process id of the driver; None where none runs."""
    return _driver.process


def kill_browsers() -> None:
    """Kills the browsers of this process's driver; the calls that wait for them fail."""
    if _driver.process is not None:
        for process in _children(_driver.process):
            _kill(process)


def kill_driver() -> None:
    """Kills driver and browsers, from any thread; the calls that wait for them fail."""
    kill_browsers()
    if _driver.process is not None:
        _kill(_driver.process)


def forget() -> Any:
    """In a forked child: leaves the parent's Playwright alone.

    Returns:
        What must not be freed here.
    """
    import sys

    left, _driver.playwright, _driver.process = _driver.playwright, None, None
    if left is None:
        return None
    if "browsergym.core" in sys.modules and sys.modules["browsergym.core"]._PLAYWRIGHT is left:
        sys.modules["browsergym.core"]._set_global_playwright(None)
    process = left._impl_obj._connection._transport._proc
    # The driver ends when nobody holds its standard input any more; this child must not keep it alive.
    os.close(process.stdin.transport.get_extra_info("pipe").fileno())
    return left


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


def discard_dead_driver() -> bool:
    """Makes a Playwright whose event loop has ended fail instead of waiting for ever.

    Returns:
        Whether there was one.
    """
    current: Any = _driver.playwright
    if current is None:
        return False
    transport = current._impl_obj._connection._transport
    driver: int = transport._proc.pid
    if _runs(driver) and not transport.on_error_future.done() and not current._dispatcher_fiber.dead:
        return False
    _driver.playwright = None
    if is_adopted():
        from browsergym.core import _set_global_playwright

        _set_global_playwright(None)
    # Its browsers end with it: they hang on a pipe to the driver. One that was stopped does not notice.
    kill_driver()
    _driver.process = None
    with contextlib.suppress(SystemExit):
        # Out of its event loop, which can be closed only when it does not run.
        current._dispatcher_fiber.throw(SystemExit)
    current._loop.close()
    return True


def dead_drivers(browser: Browser) -> bool:
    """Whether a browser's Playwright was buried, so that it only looks connected."""
    loop: Any = browser._loop
    return bool(loop.is_closed())


def is_answering(context: BrowserContext) -> bool:
    """Whether the driver of a context still talks to us."""
    return not context._impl_obj._connection._transport.on_error_future.done()


def _children(process: int) -> list[int]:
    try:
        words = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except OSError:
        return []
    return [int(word) for word in words]


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


on_overdue(kill_driver)
after_fork(forget)
