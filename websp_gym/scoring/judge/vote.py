"""The votes of single models, and their majority."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from websp_gym.scoring.judge.opinion import Result

VoteStatus = Literal["scored", "unscored"]


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The vote of one model on a trajectory.

    Args:
        model: The model string.
        result: Its opinion; None where it gave none that can be read.
        reason: Its reason.
        error: Why there is no opinion.
        cost: US dollars for all its answers, including unreadable ones; None where a price is unknown.
        input_tokens: Tokens read, over all answers; None where an endpoint does not report them.
        output_tokens: Tokens written, likewise.
        seconds: Time for all its answers.
        attempts: Requests made.
        cached: Whether the opinion came from the cache; then nothing was spent.
        transcript: The answers that could not be read, each with the problem.
        too_long: Whether the model rejected the request as too long.
        lasting: Whether the model would fail about every other trajectory too, such as for a wrong key.
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
    lasting: bool = False

    @property
    def status(self) -> VoteStatus:
        """``scored`` where the vote counts, else ``unscored``."""
        return "unscored" if self.result is None else "scored"

    @property
    def spent(self) -> float | None:
        """US dollars spent now; None where a price is unknown."""
        return 0.0 if self.cached else self.cost

    def as_dict(self) -> dict[str, Any]:
        """Return the vote as JSON data."""
        data = {**asdict(self), "status": self.status}
        data["transcript"] = [dict(line) for line in self.transcript]
        return data


def majority(results: Sequence[Result | None]) -> Result | None:
    """Return the result of most models; a None in ``results`` (a model without an opinion) does not count.

    None where there is no majority: no opinion at all, or a tie.
    """
    correct = sum(result == "CORRECT" for result in results)
    incorrect = sum(result == "INCORRECT" for result in results)
    if correct == incorrect:
        return None
    return "CORRECT" if correct > incorrect else "INCORRECT"
