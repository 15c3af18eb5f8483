"""The process-wide Playwright, and recovery when its driver dies.

An exception inside Playwright's event loop (Ctrl-C, a test's timeout) ends the loop, and the driver process
may die. Every later call would then wait forever at full CPU load. This module discards such a Playwright:
its calls fail at once, its driver and browsers are killed, and the next request starts a new one. A call
during which the driver dies fails.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from websp_gym import browsergym
from websp_gym.browser import pulse
from websp_gym.browser.internals import (
    fail_calls_of_a_dead_driver,
    is_ended,
    leave,
    lighten,
    loop_of,
    pipe_of,
    process_of,
)
from websp_gym.browser.launch_errors import LaunchError
from websp_gym.browser.owner import adopt, after_fork, call, is_adopted, on_overdue
from websp_gym.browser.processes import command_of, kill, kill_group, runs
from websp_gym.browser.scratch import scratch_folder
from websp_gym.patience import children_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Playwright

Returned = TypeVar("Returned")
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

    Call it on the browser thread only (:mod:`websp_gym.browser.owner`). If that is one of the program's own threads,
    this is the same Playwright that BrowserGym keeps: a second one cannot start in the same thread.

    Raises:
        WorldError: The driver ended while it started.
    """
    # A program that calls this before it makes an environment drives the browser from its own thread.
    adopt()
    discard_dead_driver()
    if _driver.playwright is None:
        fail_calls_of_a_dead_driver(_has_started)
        scratch_folder()  # raises here what can be wrong with it
        lighten()
        pulse.install()
        try:
            with _variables():
                _driver.playwright = _start()
        except Exception as error:
            # Each version fails in its own way, such as with an AttributeError: no first message has set it.
            raise LaunchError(
                f"the browser's driver ended while it started ({error}); call reset() to try again"
            ) from error
        _driver.process = process_of(_driver.playwright) or _latest_driver()
    current: Playwright = _driver.playwright
    return current


def _has_started() -> bool:
    return _driver.playwright is not None


def _start() -> Playwright:
    if is_adopted():
        shared: Playwright | None = browsergym.playwright()
        if shared is not None:
            return shared
    from playwright.sync_api import sync_playwright

    return sync_playwright().start()


def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that runs while the browser thread waits for the browser."""
    return loop_of(playwright())


def call_for(context: BrowserContext, function: Callable[[], Returned]) -> Returned:
    """Run a function that uses a browser context on the context's thread, and return its result.

    The context may belong to this package or to the calling thread, as with stock BrowserGym.
    """
    return call(function) if _is_ours(context) else function()


def processes_of(context: BrowserContext) -> list[int]:
    """Return the driver and its browsers if the context is the only open one, else nothing."""
    browser = context.browser
    if _driver.process is None or browser is None or len(browser.contexts) > 1:
        return []
    return [_driver.process, *children_of(_driver.process)]


def browser_in(folder: Path) -> int | None:
    """Return the process of the browser whose profile is in a folder; None if the system has no ``/proc``."""
    wanted = f"--user-data-dir={folder}"
    for process in children_of(_driver.process) if _driver.process is not None else ():
        if wanted in command_of(process):
            return process
    return None


def kill_browsers() -> None:
    """Kill the browsers of this process's driver with all their processes; calls that wait for them fail."""
    if _driver.process is not None:
        for process in children_of(_driver.process):
            kill_group(process)


def kill_driver() -> None:
    """Kill the driver and its browsers, from any thread; calls that wait for them fail."""
    kill_browsers()
    if _driver.process is not None:
        kill(_driver.process)


def forget() -> Any:
    """Detach a forked child from its parent's Playwright; return the object that must not be freed."""
    left, _driver.playwright, _driver.process = _driver.playwright, None, None
    if left is None:
        return None
    browsergym.forget_playwright(left)
    # The driver ends when its standard input is closed everywhere; this child must not keep it open.
    pipe = pipe_of(left)
    if pipe is not None:
        os.close(pipe)
    return left


@contextlib.contextmanager
def _variables() -> Iterator[None]:
    """Give the driver a folder for its temporary files, and let it end neither early nor with an error's trace.

    If a window closes before Playwright 1.44 has attached to it, it rejects a promise that nobody waits for,
    which ends the driver: any page could do that. ``driver.cjs`` handles a killed reader.
    """
    options = [
        os.environ.get("NODE_OPTIONS", ""),
        "--unhandled-rejections=none",
        f"--require {_quoted(_PRELUDE)}",
    ]
    ours = {
        "NODE_OPTIONS": " ".join(options).strip(),
        "TMPDIR": str(scratch_folder()),
    }
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
    if _answers(current):
        return False
    _driver.playwright = None
    try:
        if is_adopted():
            browsergym.forget_playwright(current)
        # Browsers normally end with their driver's pipe, but a stopped process does not notice: kill them too.
        kill_driver()
    finally:
        _driver.process = None
        leave(current)  # no Playwright starts in a thread that has not left the loop of the last one
    return True


def dead_drivers(browser: Browser) -> bool:
    """Whether a browser's Playwright was discarded; such a browser still looks connected."""
    return loop_of(browser).is_closed()


def is_answering(context: BrowserContext) -> bool:
    """Whether the connection to the context's driver is still open."""
    return _answers(_driver.playwright) if _is_ours(context) else not loop_of(context).is_closed()


def _latest_driver() -> int | None:
    """Return the Playwright driver that this process started last; None where the system has no ``/proc``."""
    for child in reversed(children_of(os.getpid())):
        if "run-driver" in command_of(child):
            return child
    return None


def _is_ours(context: BrowserContext) -> bool:
    return _driver.playwright is not None and loop_of(context) is loop_of(_driver.playwright)


def _answers(current: Playwright) -> bool:
    """Whether driver and event loop of a Playwright still run."""
    return not is_ended(current) and (_driver.process is None or runs(_driver.process))


on_overdue(kill_driver)
after_fork(forget)
