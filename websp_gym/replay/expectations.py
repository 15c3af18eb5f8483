"""What a recorded event should lead to when it is replayed."""

from __future__ import annotations

from typing import Literal

from websp_gym.replay.located_element import CannotActError, Look
from websp_gym.replay.trace import TraceEvent

Set = Literal["on", "off", "recorded"]

MAY_BE_MISSING = 'if it comes only with a change, as Save in a bar, write "follows_change": true in the event'

_RADIOS = frozenset({"radio", "menuitemradio"})
_CHECKABLE = frozenset({"checkbox", "switch", "menuitemcheckbox"})


def wanted_state(event: TraceEvent, seen: Look, set: Set) -> bool | None:
    """Return the state that the target should have after the event; None where it is just clicked.

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
    after = event.after.on if event.after else None
    if seen.kind == "radio" or role in _RADIOS:
        return True
    if event.set is not None:
        return event.set == "on"
    if event.stateful and set != "recorded":
        return set == "on"
    if event.stateful:
        before = event.before.on if event.before else None
        if after is None and before is None:
            raise CannotActError(
                "the recording does not say whether it was turned on or off; use set on or off"
            )
        return after if after is not None else not before
    return after if seen.kind == "checkbox" or role in _CHECKABLE else None


def unfolds(event: TraceEvent) -> bool | None:
    """Return whether the recorded click opened (True) or closed (False) something; None for neither."""
    if event.before is None or event.after is None or event.after.expanded is event.before.expanded:
        return None
    return event.after.expanded


def is_choice(event: TraceEvent) -> bool:
    """Whether an event sets a check box, a switch, a radio button, a field or a list."""
    role = event.target.role if event.target else None
    return event.type == "change" or event.stateful or role in _CHECKABLE or role in _RADIOS


def comes_with_change(event: TraceEvent) -> bool:
    """Whether an event's target is there only after a change, so that it may be missing where nothing changed."""
    if event.type != "click" or event.stateful:
        return False
    if event.follows_change is None and event.target:  # an older or imported recording
        return event.target.type_attr == "submit"
    return bool(event.follows_change)
