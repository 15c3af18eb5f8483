"""A person records: the browser is theirs, we watch, and nothing is lost when they just close the window."""

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
"""How often the recorder is asked what it has, in milliseconds."""


def watch(
    studio: RecorderBrowser,
    *,
    on_event: Callable[[int, TraceEvent], None] | None = None,
    on_look: Callable[[Status], None] | None = None,
) -> Trace:
    """Watches a recording until the person stops it in the popup or closes the browser.

    Args:
        studio: Where a recording has been started.
        on_event: Called once with every event that came since the last look, and its number from 1.
        on_look: Called after every look at the recorder.

    Returns:
        What was recorded. After the browser was closed, all that the last look saw; at most
        :data:`LOOK_MS` milliseconds are missing then.

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
    """Waits a moment, or until the browser goes."""
    with contextlib.suppress(PlaywrightTimeoutError):
        try:
            studio.context.wait_for_event("close", timeout=milliseconds)
        except PlaywrightTimeoutError:
            raise
        except PlaywrightError:
            pass  # it closed before the wait began
        return True
    return False
