"""What a recording or an import left out: replay stops there, or uses the value given for it."""

from __future__ import annotations

from collections.abc import Mapping

from websp_gym.errors import ReplayError, SetupError
from websp_gym.replay.trace import CODE, NEW_PASSWORD, Trace, TraceEvent

_WHY = "the recording left this input out, because it is secret"
_WHY_STEP = "the import left this step out, because a trace cannot express it"
NEVER_GIVEN = frozenset({"file", "captcha", "step"})
"""Inputs for which no value can be given."""
_WAYS = {
    "file": "a file cannot be given to a replay",
    "captcha": "replay does not answer captchas",
    "step": "record it with `websp record`, or remove this event from the trace if nothing depends on it",
    "answer": "give the answer to the dialog with --input {number}=TEXT",
}
_WAY = "give the typed text with --input {number}=TEXT"


def check_inputs(trace: Trace, inputs: Mapping[int, str]) -> None:
    """Raise an error if a trace cannot be replayed as a whole, or an input is given for another event.

    Raises:
        ReplayError: Something was left out, and the trace does not say where.
        SetupError: An input is given for an event that was not left out.
    """
    places = places_of(trace)
    for number in inputs:
        if number not in places:
            there = (
                f"left out: event {', '.join(map(str, places))}"
                if places
                else "nothing was left out of this trace"
            )
            raise SetupError(f"event {number} is not an input that was left out ({there})", option="input")
    if trace.omitted > len(places):
        unplaced = trace.omitted - len(places)
        raise ReplayError(
            f"{unplaced} input(s) were left out of this trace because they are secret, and, like other older "
            "traces, it does not say where; nothing was done. Record it again with `websp record`",
            event=0,
            reason="left out",
        )


def places_of(trace: Trace) -> list[int]:
    """Return the numbers of the events that stand for a left-out input."""
    return [number for number, event in enumerate(trace.events, 1) if event.type == "omitted"]


def why_left_out(event: TraceEvent) -> str:
    """Return why the input of an event was left out."""
    return _WHY_STEP if event.what == "step" else _WHY


def way_out(event: TraceEvent, number: int) -> str:
    """Return what to do when replay stops at a left-out input."""
    way = _WAYS.get(event.what or "", _WAY).format(number=number)
    if event.value == NEW_PASSWORD:
        way = f"set WEBSP_ACCOUNT_NEW_PASSWORD, or {way}"
    elif event.value == CODE:
        way = f"the account has no key for one-time codes (`websp accounts add --totp`); {way}"
    elif event.value:
        way = f"the account has no value for {event.value}; {way}"
    return way
