"""How an episode ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EndReason = Literal[
    "answer",
    "infeasible",
    "exit",
    "action_limit",
    "time_limit",
    "unresponsive",
    "stopped",
    "error",
    "abandoned",
]
EndCause = Literal["agent", "world", "caller"]


@dataclass(frozen=True)
class Ending:
    """How an episode ended. It is fixed before the reward is computed.

    Args:
        reason: ``answer`` and ``infeasible`` come from the agent; ``exit``: its program ended without an answer, with
            an error or without having come; ``action_limit`` and ``time_limit`` are
            limits; ``unresponsive``: the page did not respond to the agent's action in time; ``stopped``: the harm
            guard held its action back; ``error``: the world failed; ``abandoned``: the caller reset or closed the
            environment.
        answer: The agent's final message, empty if there is none.
        detail: A sentence that explains the reason, where the agent gave no message.
    """

    reason: EndReason
    answer: str = ""
    detail: str = ""

    @property
    def cause(self) -> EndCause:
        """The cause of the end. The agent is responsible for its actions and for how a page responds to them."""
        match self.reason:
            case "error":
                return "world"
            case "abandoned":
                return "caller"
            case _:
                return "agent"

    @property
    def is_limit(self) -> bool:
        """Whether the episode was cut off before the agent declared that it was done."""
        return self.reason in LIMITS


LIMITS: frozenset[EndReason] = frozenset({"action_limit", "time_limit", "unresponsive"})
