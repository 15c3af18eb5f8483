"""Measuring a judge: each of its models and every ensemble of them, against known labels."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from websp_gym.calibration.cases import Case
from websp_gym.calibration.metrics import Counts, Metrics, count, measure
from websp_gym.records.verdict import Verdict
from websp_gym.scoring.judge.batch import Spending
from websp_gym.scoring.judge.judge import Judge
from websp_gym.scoring.judge.opinion import Result
from websp_gym.scoring.judge.vote import majority

Groups = dict[tuple[str, str], Counts]
"""Counts by dimension and value."""


@dataclass(frozen=True)
class Judged:
    """A case and what the judge made of it."""

    case: Case
    verdict: Verdict

    @property
    def votes(self) -> list[dict[str, Any]]:
        """One per model; none where it was decided, or given up, without a call."""
        return list(self.verdict.details.get("votes", []))

    @property
    def results(self) -> list[Result | None]:
        """What each model said."""
        return [vote["result"] for vote in self.votes]

    def as_dict(self) -> dict[str, Any]:
        """The case and its votes as JSON data."""
        return {
            "case": self.case.name,
            "instance": self.case.trajectory.instance,
            "label": "CORRECT" if self.case.passed else "INCORRECT",
            "status": self.verdict.status,
            "reason": self.verdict.reason,
            "groups": [list(group) for group in self.case.groups],
            "votes": self.votes,
        }


@dataclass(frozen=True)
class Report:
    """What a calibration found.

    Args:
        ensembles: Figures by the models that vote, single ones first, all of them last.
        by_group: False accepts and rejects of the same, by dimension and value.
        usage: Tokens and cost for each model: mean, median and greatest per trajectory.
        cases: How many were given to the models.
        without_a_call: How many were decided without them, by a limit; they are in no figure.
        not_shown: How many could not be shown to the models; in no figure either.
    """

    ensembles: dict[tuple[str, ...], Metrics]
    by_group: dict[tuple[str, ...], Groups]
    usage: dict[str, dict[str, float | None]]
    cases: int
    without_a_call: int
    not_shown: int

    @property
    def groups(self) -> Groups:
        """False accepts and rejects of all models together, by dimension and value."""
        return list(self.by_group.values())[-1]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {
            "cases": self.cases,
            "without_a_call": self.without_a_call,
            "not_shown": self.not_shown,
            "ensembles": [
                {"models": list(models), **metrics.as_dict(), "groups": _rows(self.by_group[models])}
                for models, metrics in self.ensembles.items()
            ],
            "groups": _rows(self.groups),
            "usage": self.usage,
        }


def judge_cases(
    judge: Judge,
    cases: Sequence[Case],
    *,
    jobs: int = 4,
    spending: Spending | None = None,
    on_result: Callable[[Judged], None] = lambda judged: None,
) -> list[Judged]:
    """Has every case judged.

    Args:
        judge: The judge.
        cases: The cases.
        jobs: How many at a time; 1 keeps their order.
        spending: What may be spent; no further cases are begun once the next could go beyond it.
        on_result: Called with each as it comes, in order.

    Returns:
        What it made of them; fewer than cases where the money did not last.

    Raises:
        SetupError: A price is unknown while there is a limit.
    """
    budget = spending or Spending()
    done: list[Judged] = []
    with ThreadPoolExecutor(jobs) as pool:
        while len(done) < len(cases):
            size = jobs * 4 if budget.limit is None or done else 1
            batch = cases[len(done) : len(done) + size]
            if not budget.allows(len(batch) - 1):
                batch = batch[: 1 if budget.allows(0) else 0]
            if not batch:
                break
            for judged in pool.map(lambda case: _judged(judge, case), batch):
                done.append(judged)
                on_result(judged)
                votes = judged.votes
                budget.add(judged.verdict.details.get("spent", 0.0), [vote["model"] for vote in votes])
    return done


def _judged(judge: Judge, case: Case) -> Judged:
    return Judged(case, judge.verdict(case.trajectory, case.folder))


def evaluate(judge: Judge, judged: Iterable[Judged]) -> Report:
    """Compares what was judged with the labels.

    Args:
        judge: The judge.
        judged: Its verdicts on cases.

    Returns:
        The report. An ensemble's opinion on a case follows from its models' votes: nothing is asked again.
    """
    everything = list(judged)
    asked = [each for each in everything if each.votes]
    specs = _distinct([model.spec for model in judge.models])
    labels = [each.case.passed for each in asked]
    origins = [each.case.origin for each in asked]
    opinions = {
        tuple(specs[place] for place in places): _opinions(asked, places)
        for size in range(1, len(specs) + 1)
        for places in combinations(range(len(specs)), size)
    }
    unscored = sum(not each.votes and each.verdict.status == "unscored" for each in everything)
    return Report(
        ensembles={models: measure(labels, said, clusters=origins) for models, said in opinions.items()},
        by_group={models: _groups(asked, said) for models, said in opinions.items()},
        usage={spec: _usage(asked, place) for place, spec in enumerate(specs)},
        cases=len(asked),
        without_a_call=len(everything) - len(asked) - unscored,
        not_shown=unscored,
    )


def _distinct(specs: Sequence[str]) -> list[str]:
    """The models' strings; a model that votes twice is told apart."""
    return [
        spec if spec not in specs[:place] else f"{spec} ({specs[:place].count(spec) + 1})"
        for place, spec in enumerate(specs)
    ]


def _opinions(judged: Sequence[Judged], places: Iterable[int]) -> list[bool | None]:
    chosen = list(places)
    results = [majority([each.results[place] for place in chosen]) for each in judged]
    return [None if result is None else result == "CORRECT" for result in results]


def _rows(groups: Groups) -> list[dict[str, Any]]:
    return [
        {"dimension": dimension, "value": value, **asdict(counts)}
        for (dimension, value), counts in groups.items()
    ]


def _groups(judged: Sequence[Judged], opinions: Sequence[bool | None]) -> Groups:
    members: dict[tuple[str, str], list[tuple[bool, bool | None]]] = defaultdict(list)
    for each, opinion in zip(judged, opinions, strict=True):
        for group in each.case.groups:
            members[group].append((each.case.passed, opinion))
    return {group: count(*zip(*members[group], strict=True)) for group in sorted(members)}


def _usage(judged: Sequence[Judged], place: int) -> dict[str, float | None]:
    votes = [each.votes[place] for each in judged]
    found: dict[str, float | None] = {}
    for name in ("input_tokens", "output_tokens", "cost", "seconds"):
        known = [vote[name] for vote in votes if vote[name] is not None]
        whole = len(known) == len(votes) > 0
        found[f"{name}_mean"] = statistics.fmean(known) if whole else None
        found[f"{name}_median"] = statistics.median(known) if whole else None
        found[f"{name}_max"] = max(known) if whole else None
    return found
