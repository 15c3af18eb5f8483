"""What an agent said in one step, and what it took."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step of an agent that asks a model; the runner writes them to ``agent.json`` and adds them up.

    Args:
        reply: The model's last reply, as it came.
        action: What was handed to the environment.
        thought: The thought in the reply, or an empty string.
        attempts: Replies it took: 1, and one more for each repair.
        problems: Why each earlier reply (and the last, where no repair helped) could not be used.
        calls: Requests made, failed ones that were tried again included.
        input_tokens: Tokens read by all replies; None where the endpoint does not say.
        output_tokens: Tokens written, thinking included; None where the endpoint does not say.
        cost: US dollars of all replies; None where a price or the tokens are unknown, never a guess.
        seconds: From the first request to the usable reply.
    """

    reply: str
    action: str
    thought: str = ""
    attempts: int = 1
    problems: tuple[str, ...] = ()
    calls: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The turn as JSON data."""
        return {**asdict(self), "problems": list(self.problems)}
