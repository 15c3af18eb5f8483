"""The record of one step of an agent: the model's reply and what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One step of an agent that asks a model; the runner writes turns to ``agent.json`` and adds up their costs.

    Args:
        reply: The model's last reply, unchanged.
        action: The text given to the environment.
        thought: The thought in the reply, or an empty string.
        attempts: Number of replies: 1 plus one for each repair.
        problems: Why each unusable reply was rejected, including the last one if no repair helped.
        calls: Number of requests, including failed ones that were retried.
        input_tokens: Tokens read for all replies; None if the endpoint does not report them.
        output_tokens: Tokens written, including thinking; None if the endpoint does not report them.
        cached_tokens: Those of the tokens read that came from the provider's cache; None if the endpoint does not
            report any tokens.
        cost: US dollars for all replies; None if a price or the tokens are unknown, never an estimate.
        seconds: Time from the first request to the usable reply.
        checks: The checks of the provider's safety system that were acknowledged, as JSON.
    """

    reply: str
    action: str
    thought: str = ""
    attempts: int = 1
    problems: tuple[str, ...] = ()
    calls: int = 1
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    checks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the turn as JSON data."""
        return {**asdict(self), "problems": list(self.problems), "checks": list(self.checks)}
