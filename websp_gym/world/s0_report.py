"""How S0 was reached, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from websp_gym.replay import EventReport


@dataclass
class S0Report:
    """How S0 was reached (``replay`` or ``snapshot``), the replayed events, and the verified state.

    On the live web the state is empty, and ``read_back`` is the number of states that pages still had when they were
    loaded again.
    """

    how: str
    state: WorldState
    events: list[EventReport] = field(default_factory=list)
    seconds: float = 0.0
    read_back: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return a summary for ``info``, as JSON data."""
        summary = {"how": self.how, "events": len(self.events), "seconds": self.seconds}
        return summary if self.read_back is None else {**summary, "read_back": self.read_back}
