"""Judgements of an episode, during it and afterwards, and causes of failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.records.load import digest_of
from websp_gym.scoring.judge.judgements import read_judgements


@dataclass(frozen=True)
class Causes:
    """Why a run failed.

    Args:
        by: Source of the analysis.
        kinds: Kinds of failure.
        elements: Types of the UI elements that caused it.
        error: Why the causes are unknown.
    """

    by: str
    kinds: tuple[str, ...]
    elements: tuple[str, ...]
    error: str = ""


@dataclass(frozen=True)
class ShownVote:
    """One model's vote, formatted for display.

    Args:
        model: String of the model.
        result: ``CORRECT``, ``INCORRECT`` or empty.
        reason: Reason of the vote, or why there is no result.
        tokens: Tokens read and written.
        cost: Cost of the vote.
        seconds: Duration.
        attempts: Number of requests.
        cached: Whether the vote came from the cache and cost nothing.
        unreadable: Pairs of problem and text, one for each answer that could not be parsed.
    """

    model: str
    result: str
    reason: str
    tokens: str
    cost: str
    seconds: str
    attempts: str
    cached: bool
    unreadable: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Judging:
    """One verdict of a judge.

    Args:
        title: When the episode was judged.
        status: ``pass``, ``fail``, ``unscored``, or empty.
        reason: Reason of the verdict.
        cost: Cost of all votes.
        votes: The votes.
        causes: Causes of the failure, if a judge was asked for them.
        outdated: Whether the record has changed since.
    """

    title: str
    status: str
    reason: str
    cost: str
    votes: tuple[ShownVote, ...]
    causes: Causes | None = None
    outdated: bool = False


def causes_of(verdict: Mapping[str, Any]) -> Causes | None:
    """Return the causes of a failure from a recorded verdict; None if it has none."""
    return _causes(verdict.get("failure"), "rules")


def judgings(folder: Path, verdict: Mapping[str, Any]) -> list[Judging]:
    """Return all verdicts of judges on an episode.

    Args:
        folder: The episode's folder.
        verdict: The verdict recorded at the end of the episode.

    Returns:
        The judge's verdict at the end, if a judge was asked then, and the verdicts that ``websp judge`` added.
    """
    details = verdict.get("details")
    found = []
    if isinstance(details, Mapping) and _list(details.get("votes")):
        found.append(_judging("At the end of the episode", {**verdict, **details}))
    later = read_judgements(folder)
    digest = digest_of(folder) if later else ""
    found += [_judging("Judged later", each.__dict__, outdated=each.record != digest) for each in later]
    return found


def _judging(title: str, data: Mapping[str, Any], *, outdated: bool = False) -> Judging:
    votes = tuple(_vote(vote) for vote in _list(data.get("votes")) if isinstance(vote, Mapping))
    why = data.get("why")
    return Judging(
        title=title,
        status=str(data.get("status") or ""),
        reason=str(data.get("reason") or ""),
        cost=_dollars(data.get("cost")),
        votes=votes,
        causes=_causes(why, str(why.get("model") or "a judge") if isinstance(why, Mapping) else ""),
        outdated=outdated,
    )


def _vote(vote: Mapping[str, Any]) -> ShownVote:
    result = vote.get("result")
    transcript = [line for line in _list(vote.get("transcript")) if isinstance(line, Mapping)]
    seconds = vote.get("seconds")
    return ShownVote(
        model=str(vote.get("model") or "?"),
        result=str(result) if result in ("CORRECT", "INCORRECT") else "",
        reason=str((vote.get("reason") if result else vote.get("error")) or ""),
        tokens=f"{_count(vote.get('input_tokens'))} + {_count(vote.get('output_tokens'))}",
        cost=_dollars(vote.get("cost")),
        seconds=f"{seconds:.1f} s" if isinstance(seconds, int | float) else "?",
        attempts=_count(vote.get("attempts")),
        cached=vote.get("cached") is True,
        unreadable=tuple((str(line.get("problem", "")), str(line.get("answer", ""))) for line in transcript),
    )


def _causes(data: object, by: str) -> Causes | None:
    if not isinstance(data, Mapping):
        return None
    kinds, elements = (tuple(map(str, _list(data.get(name)))) for name in ("kinds", "elements"))
    return Causes(by, kinds, elements, str(data.get("error") or ""))


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _count(value: object) -> str:
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else "?"


def _dollars(value: object) -> str:
    """Return the cost as text, or `unknown`."""
    return f"${value:.4f}" if isinstance(value, int | float) else "unknown"
