"""How each model of a judge did over many runs: opinions, unreadable answers, failures, agreement and cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from websp_gym.models.usage import sum_known
from websp_gym.records.verdict import Status
from websp_gym.scoring.judge.opinion import Result
from websp_gym.scoring.judge.vote import Vote

_RESULT_OF: dict[Status, Result] = {"pass": "CORRECT", "fail": "INCORRECT"}


@dataclass(frozen=True)
class Ballot:
    """The votes on one run, one per model, and the verdict that they led to."""

    status: Status
    votes: tuple[Vote, ...]

    @property
    def complete(self) -> bool:
        """Whether every model gave an opinion."""
        return all(vote.result is not None for vote in self.votes)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Ballot | None:
        """Return the ballot in JSON data with ``status`` and ``votes``; None if there is no valid one."""
        votes = data.get("votes")
        if not isinstance(votes, list | tuple) or data.get("status") not in ("pass", "fail", "unscored"):
            return None
        try:
            return cls(data["status"], tuple(Vote.of(vote) for vote in votes))
        except (ValueError, TypeError, AttributeError):
            return None


@dataclass(frozen=True, kw_only=True)
class ModelTally:
    """Statistics of one model of a judge over many runs.

    Args:
        model: The model string, with a number if the judge has it several times.
        asked: Number of runs it was asked about.
        opinions: Number of runs it gave an opinion on.
        unreadable: Number of its answers that could not be read; each was paid for.
        gave_none: Number of runs without an opinion because no answer could be read.
        failed: Number of runs without an opinion because a request failed.
        failures: Number of these by kind of error (:data:`~websp_gym.errors.ModelErrorKind`).
        error: The first reason for a missing opinion; empty if none is missing.
        judged: Number of its opinions on runs with a verdict.
        agreed: Number of these that agree with the verdict.
        cost: US dollars for all its answers when they were given; None if a price is unknown.
        spent: US dollars spent now, without opinions from the cache.
    """

    model: str
    asked: int
    opinions: int
    unreadable: int
    gave_none: int
    failed: int
    failures: Mapping[str, int]
    error: str
    judged: int
    agreed: int
    cost: float | None
    spent: float | None

    @property
    def missing(self) -> str:
        """Why opinions are missing, such as ``failed 2 (server), unreadable 1``; empty if none is."""
        kinds = ", ".join(kind.replace("_", " ") for kind in self.failures)
        parts = (
            f"failed {self.failed} ({kinds})" if self.failed else "",
            f"unreadable {self.gave_none}" if self.gave_none else "",
        )
        return ", ".join(filter(None, parts))

    def as_dict(self) -> dict[str, Any]:
        """Return the tally as JSON data."""
        return asdict(self)


def tally(ballots: Iterable[Ballot]) -> list[ModelTally]:
    """Return what each model did, in the order of the models; ballots without votes do not count."""
    found: dict[str, list[tuple[Ballot, Vote]]] = {}
    for ballot in ballots:
        for name, vote in zip(distinct([vote.model for vote in ballot.votes]), ballot.votes, strict=True):
            found.setdefault(name, []).append((ballot, vote))
    return [_tally(name, pairs) for name, pairs in found.items()]


def distinct(specs: Sequence[str]) -> list[str]:
    """Return the models' strings, with a number added to repeated ones."""
    return [
        spec if spec not in specs[:place] else f"{spec} ({specs[:place].count(spec) + 1})"
        for place, spec in enumerate(specs)
    ]


def outage(ballots: Sequence[Ballot]) -> str:
    """Return which opinions are missing, in one sentence; empty if none is."""
    asked = [ballot for ballot in ballots if ballot.votes]
    lacking = sum(not ballot.complete for ballot in asked)
    if not lacking:
        return ""
    models = "; ".join(f"{each.model} {each.missing}" for each in tally(asked) if each.missing)
    unscored = sum(not ballot.complete and ballot.status == "unscored" for ballot in asked)
    left = f", {unscored} of them left unscored" if unscored else ""
    runs = "1 run" if len(asked) == 1 else f"{len(asked)} runs"
    return f"{lacking} of {runs} had missing opinions{left}: {models}"


def _tally(name: str, pairs: Sequence[tuple[Ballot, Vote]]) -> ModelTally:
    votes = [vote for _, vote in pairs]
    silent = [vote for vote in votes if vote.result is None]
    failed = [vote for vote in silent if vote.failed]
    agreed = list(_agreements(pairs))
    return ModelTally(
        model=name,
        asked=len(votes),
        opinions=len(votes) - len(silent),
        unreadable=sum(vote.unreadable for vote in votes),
        gave_none=len(silent) - len(failed),
        failed=len(failed),
        failures=dict(Counter(vote.failed for vote in failed).most_common()),
        error=silent[0].error if silent else "",
        judged=len(agreed),
        agreed=sum(agreed),
        cost=sum_known([vote.cost for vote in votes]),
        spent=sum_known([vote.spent for vote in votes]),
    )


def _agreements(pairs: Iterable[tuple[Ballot, Vote]]) -> Iterator[bool]:
    for ballot, vote in pairs:
        if vote.result is not None and ballot.status != "unscored":
            yield vote.result == _RESULT_OF[ballot.status]
