"""Watch a person's recording, and keep it even if they close the browser window."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from websp_gym.recording.recorder_browser import RecorderBrowser, Status
    from websp_gym.replay.trace import Trace, TraceEvent

LOOK_MS = 200
"""Interval between two requests to the recorder, in milliseconds."""


def watch(
    studio: RecorderBrowser,
    *,
    on_event: Callable[[int, TraceEvent], None] | None = None,
    on_look: Callable[[Status], None] | None = None,
) -> Trace:
    """Watch a recording until the person stops it in the popup or closes the browser.

    Args:
        studio: The browser in which the recording is running.
        on_event: Called once for each new event, with its number (from 1) and the event.
        on_look: Called with the recorder's status after each poll.

    Returns:
        The trace. If the browser was closed, the trace at the last poll, so that up to :data:`LOOK_MS`
        milliseconds may be missing.

    Raises:
        SetupError: The person discarded the recording, or closed the browser before anything was recorded.
    """
    last: Trace | None = None
    told = 0
    closed = False
    while not closed:
        try:
            status = studio.status()
            if status.state == "idle":
                raise SetupError("the recording was discarded; nothing has been written")
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
            return last
        if on_look is not None:
            on_look(status)
        closed = _closed_within(studio, LOOK_MS)
    if last is None or not last.events:
        raise SetupError("the browser was closed before anything was recorded; nothing has been written")
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
