"""Reading back, with a second replay, what is in menus and dialogs that only the trace's steps open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from websp_gym.replay.expectations import is_choice
from websp_gym.replay.report import ReplayReport
from websp_gym.replay.trace import Trace


def read_back_again(trace: Trace, first: ReplayReport, again: Callable[[], ReplayReport]) -> ReplayReport:
    """Return the report of a replay, with what only a second replay could read back.

    A trace that types something is not replayed twice: it might add it twice. Choosing from a list again changes
    nothing.

    Args:
        trace: The trace.
        first: The report of its replay, with what could not be read back.
        again: Replays it again, without reading back.

    Raises:
        ReplayError: The second replay did not finish.
    """
    if not first.unverified or any(
        (event.value is not None and not is_choice(event)) or event.type == "omitted"
        for event in trace.events
    ):
        return first
    second = again()
    left_alone = all(
        report.action == "skipped" or (report.before is not None and report.before is report.after)
        for event, report in zip(trace.events, second.events, strict=True)
        if is_choice(event)
    )
    return replace(first, verified=sum(map(is_choice, trace.events)), unverified=()) if left_alone else first
