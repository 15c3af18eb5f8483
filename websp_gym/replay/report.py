"""What a replay did: a report of each event, and of what was read back."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from websp_gym.replay.perform_event import Done


@dataclass(frozen=True)
class EventReport:
    """The result of one event."""

    number: int
    type: str
    description: str
    rung: str | None
    score: float | None
    before: bool | None
    """Whether the target was on (or open) before the event; None if it has no such state."""
    after: bool | None
    action: Done
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class ReplayReport:
    """The result of a replay."""

    events: tuple[EventReport, ...]
    seconds: float
    verified: int | None = None
    """Number of states read back from reloaded pages; None if not requested."""
    unverified: tuple[str, ...] = ()
    """States that could not be read back, each with the reason."""
    new: tuple[int, ...] = ()
    """Numbers of the events whose text became a new item, as in a list."""
