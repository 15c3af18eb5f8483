"""The judgements of a recorded run: stored next to its record, and read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.records.load import digest_of, read_header
from websp_gym.records.runs import append_line
from websp_gym.records.verdict import Status
from websp_gym.scoring.judge.judge import SOURCE, Judge
from websp_gym.scoring.judge.tally import Ballot
from websp_gym.scoring.judge.vote import majority
from websp_gym.texts import encodable

JUDGEMENTS = "judgements.jsonl"
"""Name of the file with judgements, in the folder of a recorded run."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A judge's verdict on one recorded run: one line of ``judgements.jsonl`` in the folder of the run.

    Args:
        run: The run's folder, relative to the folder that was judged.
        record: Digest of the record; a run recorded again has another one.
        instance: Id of the instance.
        judge: Identity of the judge: its models, settings and rules.
        status: ``pass``, ``fail`` or ``unscored``.
        source: ``judge``, or ``limit`` for a run stopped by a limit.
        reason: The reason.
        state: Status by the state reward when the run was recorded; empty if another reward was used.
        cost: US dollars paid for the opinions when they were given; None if a price is unknown.
        spent: US dollars spent now, without opinions from the cache.
        votes: The votes.
        quorum: Number of models that had to agree; None for more than half of them.
        why: Kinds of failure and elements that caused it, if a model was asked and answered.
    """

    run: str
    record: str
    instance: str
    judge: str
    status: Status
    source: str
    reason: str
    state: str = ""
    cost: float | None = 0.0
    spent: float | None = 0.0
    votes: list[dict[str, Any]] = field(default_factory=list)
    why: dict[str, Any] | None = None
    quorum: int | None = None

    @property
    def ballot(self) -> Ballot:
        """The votes and their verdict; no votes if those of a line from elsewhere are invalid."""
        return Ballot.of(asdict(self)) or Ballot(self.status, ())

    @property
    def complete(self) -> bool:
        """Whether no opinion of a model is missing."""
        ballot = Ballot.of(asdict(self))
        return ballot is not None and ballot.complete

    def line(self) -> str:
        """Return the judgement as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))


def keep_judgement(folder: Path, judgement: Judgement) -> None:
    """Append a judgement to ``judgements.jsonl`` of a recorded run.

    Raises:
        SetupError: The folder cannot be written to.
    """
    append_line(folder / JUDGEMENTS, judgement.line())


def read_judgements(folder: Path) -> list[Judgement]:
    """Return the judgements of a recorded run, oldest first; lines that cannot be read are skipped.

    A verdict without a quorum of models, as older versions gave, is unscored.
    """
    try:
        text = read_file(folder / JUDGEMENTS, MAX_RECORD).decode("utf-8", "replace")
    except OSError:
        return []
    found = []
    for line in text.split("\n"):
        try:
            found.append(_by_quorum(Judgement(**json.loads(line))))
        except (ValueError, TypeError, RecursionError, SetupError):
            continue
    return found


def _by_quorum(judgement: Judgement) -> Judgement:
    results = [vote.result for vote in judgement.ballot.votes]
    if judgement.status == "unscored" or not results or majority(results, judgement.quorum) is not None:
        return judgement
    return replace(judgement, status="unscored", reason=f"too few models agreed. {judgement.reason}")


def judgements_of(folder: Path) -> list[Judgement]:
    """Return the judgements of a run's record as it is now, oldest first.

    The first is that of the judge that was the reward of the episode, if one was. Judgements of an earlier record in
    the same folder are left out.
    """
    later = read_judgements(folder)
    digest = digest_of(folder) if later else ""
    at_the_end = _at_the_end(read_header(folder))
    return [*([at_the_end] if at_the_end else []), *(each for each in later if each.record == digest)]


def latest_by(judge: Judge, folder: Path) -> Judgement | None:
    """Return the newest judgement of a run's record by this judge; None if there is none."""
    return next((each for each in reversed(judgements_of(folder)) if each.judge == judge.identity), None)


def already_judged(judge: Judge, runs: Iterable[Path]) -> set[Path]:
    """Return the runs that need not be judged again.

    They have a verdict of this judge on the record as it is now, with an opinion from each of its models. Others are
    judged again; with a cache, models that gave an opinion are not asked again.
    """
    return {
        run
        for run in runs
        if any(
            known.judge == judge.identity and known.status != "unscored" and known.complete
            for known in judgements_of(run)
        )
    }


def _at_the_end(header: Mapping[str, Any]) -> Judgement | None:
    """Return the judgement that was the reward of an episode; None if its reward was another one."""
    verdict = header.get("verdict")
    details = verdict.get("details") if isinstance(verdict, Mapping) else None
    if not isinstance(verdict, Mapping) or not isinstance(details, Mapping):
        return None
    ballot = Ballot.of({**verdict, **details})
    if ballot is None or verdict.get("source") != SOURCE or "judge" not in details:
        return None
    return Judgement(
        run="",
        record="",
        instance=str(header.get("instance", "")),
        judge=str(details["judge"]),
        status=ballot.status,
        source=SOURCE,
        reason=str(verdict.get("reason", "")),
        cost=details.get("cost"),
        spent=details.get("spent"),
        votes=[vote.as_dict() for vote in ballot.votes],
    )
