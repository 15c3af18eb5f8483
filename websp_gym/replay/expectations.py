"""What a recorded event should lead to when it is replayed."""

from __future__ import annotations

from typing import Literal

from websp_gym.errors import SetupError
from websp_gym.replay.located_element import CannotActError, Look
from websp_gym.replay.trace import Trace, TraceEvent

Set = Literal["on", "off", "recorded"]

MAY_BE_MISSING = (
    'if it appears only after a change, like Save in a bar, write "follows_change": true in the event'
)

UNKNOWN_STATE = (
    "the recording does not say whether it was turned on or off; use set on or off, or write "
    '"set": "on" or "set": "off" in the event'
)

_RADIOS = frozenset({"radio", "menuitemradio"})
_CHECKABLE = frozenset({"checkbox", "switch", "menuitemcheckbox"})


def wanted_state(event: TraceEvent, seen: Look, set: Set) -> bool | None:
    """Return the state that the target should have after the event; None if it is just clicked.

    Args:
        event: The event.
        seen: The target on the page.
        set: The final state of stateful targets.

    Raises:
        CannotActError: The recording does not say in which state to leave the target.
    """
    if seen.on is None:
        return None
    role = event.target.role if event.target else None
    if (seen.turns == "choose" and not event.stateful) or role in _RADIOS:
        return True
    if event.set is not None:
        return event.set == "on"
    if not event.stateful and (not seen.turns or seen.inner or _left_it_alone(event)):
        return None
    if set != "recorded":
        return set == "on"
    known = recorded_state(event)
    if known is None:
        raise CannotActError(UNKNOWN_STATE)
    return known


def recorded_state(event: TraceEvent) -> bool | None:
    """Return the state in which the recorded event left its target; None if the recording does not say."""
    if event.after is not None and event.after.on is not None:
        return event.after.on
    before = event.before.on if event.before else None
    return None if before is None else not before


def _left_it_alone(event: TraceEvent) -> bool:
    """Whether the recorder saw that the click did not turn the target, as with a toggle button that is not one."""
    known = event.before is not None and event.before.on is not None and event.after is not None
    return event.type == "click" and known and event.after == event.before


def presses(key: str | None, seen: Look) -> bool:
    """Whether a key turns the two-state control that has the focus, as a click does."""
    native = seen.kind in ("checkbox", "radio")
    return seen.turns == "toggle" and (key in (" ", "Space") or (key == "Enter" and not native))


def unfolds(event: TraceEvent) -> bool | None:
    """Return whether the recorded click opened (True) or closed (False) something; None for neither."""
    if event.before is None or event.after is None or event.after.expanded is event.before.expanded:
        return None
    return event.after.expanded


def is_choice(event: TraceEvent) -> bool:
    """Whether an event sets a check box, a switch, a radio button, a field or a list."""
    role = event.target.role if event.target else None
    return event.type == "change" or event.stateful or role in _CHECKABLE or role in _RADIOS


def sets_something(event: TraceEvent) -> bool:
    """Whether an event sets a state, a choice or a text, also an empty one."""
    return is_choice(event) or event.value is not None or event.type == "omitted"


def comes_with_change(event: TraceEvent) -> bool:
    """Whether an event's target exists only after a change, so that it may be missing if nothing changed."""
    if event.type != "click" or event.stateful:
        return False
    if event.follows_change is None and event.target:  # an older or imported recording
        return event.target.type_attr == "submit"
    return bool(event.follows_change)


def check_turns(trace: Trace, wanted: Set) -> None:
    """Raise SetupError if a trace is to set something on or off, and has no switch to turn."""
    is_imported = not trace.recorded_with.startswith("websp-recorder")
    if wanted != "recorded" and not any(_may_turn(event, is_imported) for event in trace.events):
        raise SetupError(nothing_to_turn(trace, wanted))


def nothing_to_turn(trace: Trace, wanted: Set) -> str:
    """Return what is wrong with setting a trace on or off that turns nothing."""
    return (
        f'the trace "{trace.name}" is to be set {wanted}, and has no switch or check box to turn: what it chooses '
        "stays as recorded. Leave out `set`, and record one trace for each choice"
    )


def _may_turn(event: TraceEvent, is_imported: bool) -> bool:
    """Whether an event turns a switch; of an imported one, which has no states, only the page can tell."""
    role = event.target.role if event.target else None
    may = is_imported and event.type in ("click", "key") and role not in (*_RADIOS, "link", "option")
    return event.stateful or event.set is not None or may
