"""Whether a record has every step of a single episode: the steps' numbers, and the times of steps and events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise

from websp_gym.records.trajectory import Trajectory

_CHANGES = frozenset({"set", "add", "remove", "destructive", "submit"})
"""Kinds of events that an action causes and a page does not by itself."""
_EARLY, _LATE = 2.0, 20.0
"""Seconds that an event may be earlier or later than the step that caused it: a busy server answers late."""


def fingerprint(record: Trajectory) -> str:
    """Return a digest of when its steps ended and what the world logged, which no two episodes have in common.

    It is empty for a record of an earlier version, without times.
    """
    times = [step.ended for step in record.steps]
    if not times or None in times:
        return ""
    return hashlib.sha256(json.dumps([times, record.events], sort_keys=True).encode()).hexdigest()


def out_of_time(record: Trajectory) -> Iterator[str]:
    """Yield what shows that an episode was not played once and recorded in full."""
    numbers = [step.number for step in record.steps]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "its steps are not numbered from 1 without a gap"
    ends = [step.ended for step in record.steps if step.ended is not None]
    if len(ends) < len(record.steps):
        return
    if any(later < earlier for earlier, later in pairwise(ends)):
        yield "its steps are not in the order of their times"
    spans, before = [], 0.0
    for step, end in zip(record.steps, ends, strict=True):
        # What a script did is noted as a step after it has happened.
        begin = before if step.action.startswith("script:") else end - step.seconds
        spans.append((begin - _EARLY, end + _LATE))
        before = end
    strays = [
        event
        for event in record.events
        if event["kind"] in _CHANGES and not any(first <= event["time"] <= last for first, last in spans)
    ]
    if strays:
        yield f"its log has changes that none of its steps can have caused, the first one a {strays[0]['kind']!r}"
