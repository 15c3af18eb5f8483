"""The events of a trace with the placeholders replaced by the account's values.

A trace is filled once, before it is replayed. The values may be passwords, so messages and reports show events as
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.replay.trace import CODE, End, Fingerprint, Trace, TraceEvent, fill, types_password


class FilledEvent(TraceEvent):
    """An event with the account's values; its description and its ``repr`` are those of the written form."""

    written: TraceEvent
    """The event as the trace has it, with placeholders."""
    menus: tuple[FilledEvent, ...] = ()
    """Instead of ``hover``: the same event on each element to hover over first, outermost first."""

    @property
    def secret(self) -> bool:
        """Whether its value must not be shown by any page or message: a password, or an input that was left out."""
        return self.type == "omitted" or types_password(self.written.value) or self.types_code

    @property
    def types_code(self) -> bool:
        """Whether it types the account's one-time code, which soon changes."""
        return self.written.value == CODE

    def describe(self) -> str:
        """Return a short description of the event for messages and reports, with placeholders."""
        return self.written.describe()

    def describe_target(self) -> str | None:
        """Return a short description of the target, with placeholders; None if there is no target."""
        return self.written.target.short() if self.written.target else None

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return self.written.__repr_args__()


class NamedAfterAccount(Fingerprint):
    """A fingerprint with the account's values; it matches only an element with those in its name.

    Two accounts in a chooser differ in nothing else.
    """

    named_after: tuple[str, ...] = ()
    """The values."""


@dataclass(frozen=True)
class FilledTrace:
    """A trace as it is replayed with one account."""

    start: FilledEvent
    """Opening the start URL."""
    events: tuple[FilledEvent, ...]
    end: End | None
    """Where the last event led in the recording, with placeholders."""
    end_url: str
    """The same address with the account's values; empty if the trace does not have it."""


def fill_trace(
    trace: Trace, account: Mapping[str, str], inputs: Mapping[int, str] | None = None
) -> FilledTrace:
    """Fill in the placeholders of a trace.

    Args:
        trace: The trace.
        account: The account's values by field: ``email``, ``username``, ``name``, ``password``, ``new_password``.
        inputs: The values given for ``omitted`` events, by number, from 1.

    Returns:
        The trace with the values. An ``omitted`` event without a value has None.

    Raises:
        SetupError: The account has no value for a placeholder.
    """
    given = inputs or {}
    return FilledTrace(
        fill_event(TraceEvent(type="navigate", url=trace.start_url), account),
        tuple(fill_event(event, account, given.get(number)) for number, event in enumerate(trace.events, 1)),
        trace.end,
        fill(trace.end.url, account) if trace.end else "",
    )


def fill_event(event: TraceEvent, account: Mapping[str, str], given: str | None = None) -> FilledEvent:
    """Fill in the placeholders of an event, as :func:`fill_trace` does; ``given`` replaces its value."""
    own = event.model_copy(update={"hover": ()})
    filled = {
        "url": fill(event.url, account),
        "target": event.target and _fill_target(event.target, account),
        "value": given if given is not None else _fill_value(event, account),
        "modal_text": event.modal_text and fill(event.modal_text, account),
        "written": event,
        "menus": tuple(
            fill_event(own.model_copy(update={"target": target}), account) for target in event.hover
        ),
    }
    return FilledEvent.model_construct(**{**dict(own), **filled})


def _fill_value(event: TraceEvent, account: Mapping[str, str]) -> str | None:
    try:
        return event.value and fill(event.value, account)
    except SetupError:
        if event.type == "omitted":
            return None  # replay stops there, and says how to give it
        raise


def _fill_target(target: Fingerprint, account: Mapping[str, str]) -> Fingerprint:
    """Fill the placeholders in a fingerprint, as an element may be named after the account."""
    filled: dict[str, str | tuple[str, ...]] = {
        key: fill(value, account)
        for key, value in target.model_dump(exclude_none=True).items()
        if isinstance(value, str) and "{{account." in value
    }
    if any("{{account." in name for name in target.group):
        filled["group"] = tuple(fill(name, account) for name in target.group)
    named_after = tuple(
        value for field, value in account.items() if f"{{{{account.{field}}}}}" in (target.name or "")
    )
    if named_after:
        return NamedAfterAccount.model_construct(**{**dict(target), **filled, "named_after": named_after})
    return target.model_copy(update=filled) if filled else target
