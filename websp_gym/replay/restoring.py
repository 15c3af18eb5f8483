"""The trace that restores what a replay has set to what was there before."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from websp_gym.replay.expectations import is_choice
from websp_gym.replay.read_back import Kept, identity
from websp_gym.replay.trace import Fingerprint, Trace, TraceEvent


@dataclass(frozen=True)
class Restoring:
    """How to restore what a replay has set.

    Args:
        trace: The trace that does it, replayed as ``recorded``; ``None`` if nothing can be restored.
        lost: What it does not restore, each with the reason.
    """

    trace: Trace | None
    lost: tuple[str, ...] = ()


def restoring(
    trace: Trace, kept: Iterable[Kept], new: Collection[int] = (), *, done: bool = True
) -> Restoring:
    """Return how to restore what a replay has set.

    Args:
        trace: The trace that was replayed.
        kept: The states that it set, with what was there before.
        new: Numbers of its events whose text became something new.
        done: Whether all of it was read back, so that what is not new is a setting.

    Returns:
        The same trace with the states as they were; none for a trace that added something, because it would add it
        again.
    """
    first: dict[tuple[object, ...], Kept] = {}
    where: dict[int, tuple[object, ...]] = {}
    for one in kept:
        where[one.number] = _control(trace, one)
        first.setdefault(where[one.number], one)
    if not first:
        return Restoring(None, (f"{trace.name}: what it pressed cannot be restored",))
    events, lost = list(trace.events), []
    for one in first.values():
        numbers = [number for number, key in where.items() if key == where[one.number]]
        back = [_as_before(events[number - 1], one) for number in numbers]
        what = f"{trace.name}: event {one.number} ({one.event.describe_target() or one.event.type})"
        if any(number in new for number in numbers):
            return Restoring(None, (f"{what} added something, which stays",))
        if not done and _may_add(one):
            return Restoring(None, (f"{what} may have added something, and may add it again",))
        if None in back:
            lost.append(f"{what}: the previous value is unknown")
        for number, event in zip(numbers, back, strict=True):
            if event is not None:
                events[number - 1] = event
    if len(lost) == len(first):
        return Restoring(None, tuple(lost))
    return Restoring(trace.model_copy(update={"events": tuple(events)}), tuple(lost))


def _may_add(kept: Kept) -> bool:
    """Whether a text may be that of something new: it went into an empty field and may not have stayed there."""
    is_text = kept.text is not None and (kept.event.target is None or kept.event.target.tag != "select")
    was_empty = kept.before is None or not kept.before.value
    return is_text and was_empty and not kept.event.kept


def _control(trace: Trace, kept: Kept) -> tuple[object, ...]:
    """Return what is the same for all states of one control.

    Two dialogs of a page may name their radio buttons alike, so those after another press are others.
    """
    target = kept.event.target
    if target is None or (target.type_attr != "radio" and target.role not in ("radio", "menuitemradio")):
        return identity(kept)
    presses = sum(event.type == "click" and not is_choice(event) for event in trace.events[: kept.number])
    return (*identity(kept), presses)


def _as_before(event: TraceEvent, kept: Kept) -> TraceEvent | None:
    """Return the event with the state before it; None where that is not known."""
    before = kept.before
    if before is None or kept.event.secret or event.target is None:
        return None
    change: dict[str, Any] = {"kept": None}
    if kept.on is None:
        if before.value is None or "{{" in before.value:
            return None
        change["value"] = before.value
    elif before.chosen is not None:
        frame = event.target.model_dump()["frame_path"]
        change["target"] = Fingerprint.model_validate({**before.chosen, "framePath": frame})
    elif before.on is None or (event.target.role in ("radio", "menuitemradio") and not before.on):
        return None  # a radio button cannot be turned off
    else:
        change["set"] = "on" if before.on else "off"
    return event.model_copy(update=change)
