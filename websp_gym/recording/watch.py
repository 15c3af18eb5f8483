"""Watching a person's recording, and keeping it however it ends: by the popup, the window, Ctrl-C or SIGTERM."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from threading import Event
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.browser.driver import kill_driver
from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from websp_gym.recording.recorder_browser import RecorderBrowser, Status
    from websp_gym.replay.trace import Trace, TraceEvent

LOOK_MS = 200
"""Interval between two requests to the recorder, in milliseconds."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def stop_signals() -> Iterator[Event]:
    """Yield an event that is set by Ctrl-C, SIGTERM and SIGHUP, instead of their usual effect.

    A second signal kills the browser, so that every call into it fails. Use it in the main thread.
    """
    asked = Event()

    def stop(number: int, frame: Any) -> None:
        if asked.is_set():
            kill_driver()
        asked.set()

    before = {each: signal.signal(each, stop) for each in _SIGNALS}
    try:
        yield asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def watch(
    studio: RecorderBrowser,
    *,
    on_event: Callable[[int, TraceEvent], None] | None = None,
    on_look: Callable[[Status], None] | None = None,
    stop: Event | None = None,
) -> Trace:
    """Watch a recording until the person stops it in the popup, closes the browser, or ``stop`` is set.

    Args:
        studio: The browser in which the recording is running.
        on_event: Called once for each new event, with its number (from 1) and the event.
        on_look: Called with the recorder's status after each poll.
        stop: Ends the recording when it is set (:func:`stop_signals`).

    Returns:
        The trace. If the browser was closed, the trace at the last poll, so that up to :data:`LOOK_MS`
        milliseconds may be missing.

    Raises:
        SetupError: The person discarded the recording, or nothing was recorded.
    """
    last: Trace | None = None
    told = 0
    closed = False
    while not closed:
        try:
            status = studio.status()
            if stop is not None and stop.is_set() and status.state in ("recording", "paused"):
                studio.call("stop")
                status = studio.status()
            if status.state == "idle":
                raise SetupError("the recording was discarded; nothing was written")
            if last is None or len(last.events) != status.events or status.state == "stopped":
                last = studio.trace()
        except (SetupError, PlaywrightError):
            if studio.open:
                raise
            break
        for event in last.events[told:]:
            told += 1
            if on_event is not None:
                on_event(told, event)
        if status.state == "stopped":
            break
        if on_look is not None:
            on_look(status)
        closed = _closed_within(studio, LOOK_MS)
    if last is None or not last.events:
        raise SetupError("nothing was recorded, and nothing was written")
    return last


def _closed_within(studio: RecorderBrowser, milliseconds: float) -> bool:
    """Wait until the browser closes or the time is over, and return whether it closed."""
    with contextlib.suppress(PlaywrightTimeoutError):
        try:
            studio.context.wait_for_event("close", timeout=milliseconds)
        except PlaywrightTimeoutError:
            raise
        except PlaywrightError:
            pass  # it closed before the wait started
        return True
    return False
