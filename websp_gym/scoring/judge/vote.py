"""The votes of single models, and the verdict that a quorum of them reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from websp_gym.errors import SetupError
from websp_gym.models.usage import sum_known
from websp_gym.scoring.judge.opinion import Result

VoteStatus = Literal["scored", "unscored"]


@dataclass(frozen=True, kw_only=True)
class Vote:
    """The vote of one model on a trajectory.

    Args:
        model: The model string.
        result: Its opinion; None if it gave none that can be read.
        reason: Its reason.
        error: Why there is no opinion.
        failed: Kind of the error if the last request failed (:data:`~websp_gym.errors.ModelErrorKind`); empty if
            the model answered.
        unreadable: Number of its answers that could not be read, including those before an opinion.
        cost: US dollars for all its answers, including unreadable ones; None if a price is unknown.
        input_tokens: Tokens read, over all answers; None if an endpoint does not report them.
        output_tokens: Tokens written, likewise.
        seconds: Time for all its answers.
        attempts: Requests made.
        cached: Whether the opinion came from the cache; then nothing was spent.
        transcript: The answers that could not be read, and failed requests, each with the problem.
        too_long: Whether the model rejected the request as too long.
        lasting: Whether the model would fail about every other trajectory too, such as for a wrong key.
    """

    model: str
    result: Result | None
    reason: str = ""
    error: str = ""
    failed: str = ""
    unreadable: int = 0
    cost: float | None = 0.0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    seconds: float = 0.0
    attempts: int = 0
    cached: bool = False
    transcript: tuple[Mapping[str, str], ...] = field(default=())
    too_long: bool = False
    lasting: bool = False

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Vote:
        """Return the vote from JSON data made by :meth:`as_dict`, including an older version's.

        Raises:
            ValueError: It is not a vote.
        """
        vote = _reader().validate_python(data)
        if "unreadable" in data:
            return vote
        # Older data do not tell the two apart. The message of a failed request begins with the model.
        problems = [str(line.get("problem", "")) for line in vote.transcript]
        failures = sum(problem.startswith(f"{vote.model}: ") for problem in problems)
        failed = "unknown" if vote.result is None and failures else ""
        return replace(vote, failed=failed, unreadable=len(problems) - failures)

    @property
    def status(self) -> VoteStatus:
        """``scored`` if the vote counts, else ``unscored``."""
        return "unscored" if self.result is None else "scored"

    @property
    def spent(self) -> float | None:
        """US dollars spent now; None if a price is unknown."""
        return 0.0 if self.cached else self.cost

    def then(self, later: Vote) -> Vote:
        """Return the vote after the model was asked again, with the cost and time of both requests."""
        return replace(
            later,
            unreadable=self.unreadable + later.unreadable,
            cost=sum_known([self.cost, later.cost]),
            input_tokens=sum_known([self.input_tokens, later.input_tokens]),
            output_tokens=sum_known([self.output_tokens, later.output_tokens]),
            seconds=self.seconds + later.seconds,
            attempts=self.attempts + later.attempts,
            transcript=(*self.transcript, *later.transcript),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the vote as JSON data."""
        data = {**asdict(self), "status": self.status}
        data["transcript"] = [dict(line) for line in self.transcript]
        return data


def check_quorum(quorum: int | None, models: int) -> int:
    """Return the quorum of a judge: by default more than half of its models.

    Args:
        quorum: Number of models that must agree; None for the default.
        models: Number of models.

    Raises:
        SetupError: The quorum is not between 1 and the number of models.
    """
    if quorum is None:
        return models // 2 + 1
    if not 1 <= quorum <= models:
        raise SetupError(
            f"quorum={quorum}: give a number from 1 to {models}, the number of models of this judge",
            option="quorum",
        )
    return quorum


def majority(results: Sequence[Result | None], quorum: int | None = None) -> Result | None:
    """Return the result that a quorum of the models agrees on.

    Args:
        results: One result per model; None for a model without an opinion.
        quorum: Number of models that must agree; None for more than half of all of them, with or without an
            opinion.

    Returns:
        The result that more models gave, if they are at least the quorum; else None.
    """
    needed = check_quorum(quorum, len(results)) if results else 1
    correct, incorrect = (results.count(name) for name in ("CORRECT", "INCORRECT"))
    if correct == incorrect or max(correct, incorrect) < needed:
        return None
    return "CORRECT" if correct > incorrect else "INCORRECT"


@cache
def _reader() -> TypeAdapter[Vote]:
    return TypeAdapter(Vote)
