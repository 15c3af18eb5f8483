"""The process-wide Playwright, and recovery when its driver dies.

An exception inside Playwright's event loop (Ctrl-C, a test's timeout) ends the loop, and the driver process
may die. Every later call would then wait forever at full CPU load. This module discards such a Playwright:
its calls fail at once, its driver and browsers are killed, and the next request starts a new one. A call
during which the driver dies fails.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from websp_gym.browser import light_playwright, pulse
from websp_gym.browser.launch_errors import LaunchError
from websp_gym.browser.owner import adopt, after_fork, call, is_adopted, on_overdue
from websp_gym.browser.scratch import scratch_folder
from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, BrowserContext, Playwright

Result = TypeVar("Result")
_KNOWN = "1.44"
"""The Playwright version whose private parts this module uses; browsergym-core pins it."""
_PRELUDE = Path(__file__).with_name("driver.cjs")
"""Run by Node before the driver."""


@dataclass
class _Driver:
    """The Playwright of the browser thread, and its driver process."""

    playwright: Any = None
    process: int | None = None


_driver = _Driver()


def playwright() -> Playwright:
    """Return the process's Playwright, or a new one if the event loop of the last one has ended.

    Call it only on the browser thread (:mod:`websp_gym.browser.owner`). If that is a thread of the program
    itself, this is the same Playwright that BrowserGym keeps: a second one cannot start in the same thread.

    Raises:
        SetupError: The installed version is not the one this module supports.
        WorldError: The driver ended while it started.
    """
    # A program that calls this before it makes an environment drives the browser from its own thread.
    adopt()
    discard_dead_driver()
    if _driver.playwright is None:
        require_known(version("playwright"))
        _fail_calls_of_a_dead_driver()
        scratch_folder()  # raises here what can be wrong with it
        _set_variables()
        light_playwright.install()
        pulse.install()
        try:
            _driver.playwright = _start()
        except (AttributeError, OSError) as error:
            # Playwright looks for an attribute that the driver's first message would have set.
            raise LaunchError(
                f"the browser's driver ended while it started ({error}); call reset() to try again"
            ) from error
        _driver.process = _driver.playwright._impl_obj._connection._transport._proc.pid
    current: Playwright = _driver.playwright
    return current


def require_known(installed: str) -> None:
    """Raise SetupError unless ``installed`` is the Playwright version that browsergym-core pins.

    This module replaces and reads private parts of Playwright, which may differ in other versions.
    """
    if not f"{installed}.".startswith(f"{_KNOWN}."):
        raise SetupError(
            f"Playwright {installed} is installed, and websp-gym works with {_KNOWN} only, because it depends on "
            f"internals of that version: pip install 'playwright=={_KNOWN}.*'"
        )


def _start() -> Playwright:
    if is_adopted():
        from browsergym.core import _get_global_playwright

        shared: Playwright = _get_global_playwright()
        return shared
    from playwright.sync_api import sync_playwright

    return sync_playwright().start()


def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs while the browser thread waits for the browser."""
    loop: asyncio.AbstractEventLoop = playwright()._loop
    return loop


def call_for(context: BrowserContext, function: Callable[[], Result]) -> Result:
    """Run a function that uses a browser context on the context's thread, and return its result.

    The context may belong to this package or to the calling thread, as with stock BrowserGym.
    """
    ours = _driver.playwright is not None and context._loop is _driver.playwright._loop
    return call(function) if ours else function()


def driver_process() -> int | None:
    """Return the process id of the driver, or None if none runs."""
    return _driver.process


def processes_of(context: BrowserContext) -> list[int]:
    """Return the driver and its browsers if the context is the only open one, else nothing."""
    browser = context.browser
    if _driver.process is None or browser is None or len(browser.contexts) > 1:
        return []
    return [_driver.process, *_children(_driver.process)]


def kill_browsers() -> None:
    """Kill the browsers of this process's driver; calls that wait for them fail."""
    if _driver.process is not None:
        for process in _children(_driver.process):
            _kill(process)


def kill_driver() -> None:
    """Kill the driver and its browsers, from any thread; calls that wait for them fail."""
    kill_browsers()
    if _driver.process is not None:
        _kill(_driver.process)


def forget() -> Any:
    """Detach a forked child from its parent's Playwright; return the object that must not be freed."""
    import sys

    left, _driver.playwright, _driver.process = _driver.playwright, None, None
    if left is None:
        return None
    if "browsergym.core" in sys.modules and sys.modules["browsergym.core"]._PLAYWRIGHT is left:
        sys.modules["browsergym.core"]._set_global_playwright(None)
    process = left._impl_obj._connection._transport._proc
    # The driver ends when its standard input is closed everywhere; this child must not keep it open.
    os.close(process.stdin.transport.get_extra_info("pipe").fileno())
    return left


class _Gone(asyncio.Future[None]):
    """Future that every pending call watches; fails with Playwright's own type of error."""

    def set_exception(self, exception: Any, /) -> None:
        from playwright._impl._errors import TargetClosedError

        super().set_exception(TargetClosedError(f"the browser's driver has ended: {exception}"))


@cache
def _fail_calls_of_a_dead_driver() -> None:
    """Keep Playwright's event loop running after its driver dies, until all pending calls have failed.

    Playwright 1.44 (which browsergym-core pins) ends the loop at once, so the current call waits forever.
    """
    from playwright._impl._transport import PipeTransport

    connect, run = PipeTransport.connect, PipeTransport.run

    async def connected(self: Any) -> None:
        self.on_error_future = _Gone(loop=self._loop)
        await connect(self)

    async def running(self: Any) -> None:
        await run(self)
        # Nothing waits for a call before Playwright has started.
        while not self._stopped and _driver.playwright is not None:
            await asyncio.sleep(0.02)  # runs only during a call: nothing else runs the loop

    transport: Any = PipeTransport
    transport.connect, transport.run = connected, running


@cache
def _set_variables() -> None:
    """Give the driver a folder for its temporary files, and let it end neither early nor with an error's trace.

    If a window closes before Playwright 1.44 has attached to it, it rejects a promise that nobody waits for,
    which ends the driver: any page could do that. What is done about a killed reader is in ``driver.cjs``.
    """
    from playwright._impl import _transport

    names: Any = vars(_transport)
    environment = names["get_driver_env"]

    def with_ours() -> dict[str, str]:
        found: dict[str, str] = environment()
        options = [
            found.get("NODE_OPTIONS", ""),
            "--unhandled-rejections=none",
            f"--require {_quoted(_PRELUDE)}",
        ]
        return {**found, "NODE_OPTIONS": " ".join(options).strip(), "TMPDIR": str(scratch_folder())}

    names["get_driver_env"] = with_ours


def _quoted(path: Path) -> str:
    """Return a path as Node reads it in its options: quoted, with its quotes and backslashes escaped."""
    return json.dumps(str(path), ensure_ascii=False)


def discard_dead_driver() -> bool:
    """Discard a Playwright whose driver or event loop has ended, so that its calls fail instead of waiting forever.

    Returns whether there was one.
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
    # Browsers normally end with their driver's pipe, but a stopped process does not notice: kill them too.
    kill_driver()
    _driver.process = None
    with contextlib.suppress(SystemExit):
        # Leave the event loop: it can be closed only when it does not run.
        current._dispatcher_fiber.throw(SystemExit)
    current._loop.close()
    return True


def dead_drivers(browser: Browser) -> bool:
    """Whether a browser's Playwright was discarded; such a browser still looks connected."""
    loop: Any = browser._loop
    return bool(loop.is_closed())


def is_answering(context: BrowserContext) -> bool:
    """Whether the connection to the context's driver is still open."""
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
