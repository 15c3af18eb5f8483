"""From single votes to the ensemble's verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from websp_gym.scoring.judge.opinion import Result

VoteStatus = Literal["scored", "unscored"]


@dataclass(frozen=True, kw_only=True)
class Vote:
    """What one model made of a trajectory.

    Args:
        model: The string that chose it.
        result: Its opinion; None where it gave none that can be read.
        reason: Its reason.
        error: Why there is no opinion.
        cost: US dollars of all its answers, unreadable ones included; None where a price is unknown.
        input_tokens: Tokens it read, over all answers; None where an endpoint does not say.
        output_tokens: Tokens it wrote.
        seconds: Time of all its answers.
        attempts: Requests made.
        cached: Whether the opinion came from the cache; then nothing was spent.
        transcript: The answers that could not be read, with what was wrong with each.
        too_long: Whether the model said that the request was too long for it.
    """

    model: str
    result: Result | None
    reason: str = ""
    error: str = ""
    cost: float | None = 0.0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    seconds: float = 0.0
    attempts: int = 0
    cached: bool = False
    transcript: tuple[Mapping[str, str], ...] = field(default=())
    too_long: bool = False

    @property
    def status(self) -> VoteStatus:
        """Whether it counts."""
        return "unscored" if self.result is None else "scored"

    @property
    def spent(self) -> float | None:
        """US dollars spent now; None where a price is unknown."""
        return 0.0 if self.cached else self.cost

    def as_dict(self) -> dict[str, Any]:
        """The vote as JSON data."""
        data = {**asdict(self), "status": self.status}
        data["transcript"] = [dict(line) for line in self.transcript]
        return data


def majority(results: Sequence[Result | None]) -> Result | None:
    """The result most of those that gave one agree on.

    Args:
        results: One per model; None for a model without an opinion.

    Returns:
        The result; None where there is no majority: nobody voted, or there is a tie.
    """
    correct = sum(result == "CORRECT" for result in results)
    incorrect = sum(result == "INCORRECT" for result in results)
    if correct == incorrect:
        return None
    return "CORRECT" if correct > incorrect else "INCORRECT"
