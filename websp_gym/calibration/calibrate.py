"""Measure the error of a judge, of each of its models and of every ensemble of them, against known labels."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from websp_gym.calibration.cases import Case
from websp_gym.calibration.metrics import Counts, Metrics, count, measure, too_few
from websp_gym.records.verdict import Verdict
from websp_gym.scoring.judge.batch import Spending
from websp_gym.scoring.judge.judge import Judge
from websp_gym.scoring.judge.opinion import RESULTS, Result
from websp_gym.scoring.judge.tally import Ballot, ModelTally, distinct, tally
from websp_gym.scoring.judge.vote import majority

Groups = dict[tuple[str, str], Counts]
"""Counts by dimension (such as ``category``) and value."""


@dataclass(frozen=True)
class Judged:
    """A case and the judge's verdict on it."""

    case: Case
    verdict: Verdict

    @property
    def votes(self) -> list[dict[str, Any]]:
        """One vote per model; empty where the verdict was reached, or given up, without a model call."""
        return list(self.verdict.details.get("votes", []))

    @property
    def ballot(self) -> Ballot:
        """The votes and the verdict."""
        return Ballot.of({"status": self.verdict.status, "votes": self.votes}) or Ballot(
            self.verdict.status, ()
        )

    @property
    def results(self) -> list[Result | None]:
        """The result of each model's vote."""
        return [vote["result"] for vote in self.votes]

    def as_dict(self) -> dict[str, Any]:
        """Return the case and its votes as JSON data."""
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
class JudgeReport:
    """The result of a calibration.

    Args:
        ensembles: Metrics by the models that vote: single models first, all of them together last.
        by_group: False accepts and rejects of the same ensembles, by dimension and value.
        models: What each model did: opinions, unreadable answers, failures, agreement and cost.
        incomplete: Number of cases without an opinion of each model.
        usage: Tokens, cost and seconds of each model: mean, median and maximum per trajectory; None where one
            amount is unknown.
        cases: Number of cases given to the models.
        without_a_call: Number of cases decided without a model, by a limit; excluded from all metrics.
        not_shown: Number of cases that could not be shown to the models; excluded from all metrics.
        labels: Number of these cases by label, CORRECT and INCORRECT (table 1a of the paper).
        warning: Why the figures say little; empty if there are enough cases.
    """

    ensembles: dict[tuple[str, ...], Metrics]
    by_group: dict[tuple[str, ...], Groups]
    models: tuple[ModelTally, ...]
    incomplete: int
    usage: dict[str, dict[str, float | None]]
    cases: int
    without_a_call: int
    not_shown: int
    labels: tuple[int, int]
    warning: str

    @property
    def groups(self) -> Groups:
        """False accepts and rejects of all models together, by dimension and value."""
        return list(self.by_group.values())[-1]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "cases": self.cases,
            "without_a_call": self.without_a_call,
            "not_shown": self.not_shown,
            "labels": dict(zip(RESULTS, self.labels, strict=True)),
            "warning": self.warning or None,
            "ensembles": [
                {"models": list(models), **metrics.as_dict(), "groups": _rows(self.by_group[models])}
                for models, metrics in self.ensembles.items()
            ],
            "groups": _rows(self.groups),
            "incomplete": self.incomplete,
            "models": [each.as_dict() for each in self.models],
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
    """Judge every case.

    Args:
        judge: The judge.
        cases: The cases.
        jobs: Number of cases judged at the same time; 1 judges them one after another, in order.
        spending: Budget; None means no limit. No further cases are started once the next one could exceed it.
        on_result: Called with each judged case, in order.

    Returns:
        The judged cases; fewer than given where the budget did not suffice.

    Raises:
        SetupError: There is a limit, and a price is unknown.
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
                budget.stop_if_lasting(votes)
    return done


def _judged(judge: Judge, case: Case) -> Judged:
    return Judged(case, judge.verdict(case.trajectory, case.folder))


def evaluate(judge: Judge, judged: Iterable[Judged]) -> JudgeReport:
    """Compare the judge's verdicts with the labels.

    The result of an ensemble is computed from the votes of its models, without further calls. The judge's quorum is
    that of all its models together; in a smaller ensemble, more than half of the models must agree.
    """
    everything = list(judged)
    asked = [each for each in everything if each.votes]
    specs = distinct([model.spec for model in judge.models])
    ballots = [each.ballot for each in asked]
    labels = [each.case.passed for each in asked]
    origins = [each.case.origin for each in asked]
    opinions = {
        tuple(specs[place] for place in places): _opinions(
            asked, places, judge.quorum if size == len(specs) else None
        )
        for size in range(1, len(specs) + 1)
        for places in combinations(range(len(specs)), size)
    }
    unscored = sum(not each.votes and each.verdict.status == "unscored" for each in everything)
    return JudgeReport(
        ensembles={models: measure(labels, said, clusters=origins) for models, said in opinions.items()},
        by_group={models: _groups(asked, said) for models, said in opinions.items()},
        models=tuple(tally(ballots)),
        incomplete=sum(not ballot.complete for ballot in ballots),
        usage={spec: _usage(asked, place) for place, spec in enumerate(specs)},
        cases=len(asked),
        without_a_call=len(everything) - len(asked) - unscored,
        not_shown=unscored,
        labels=(sum(labels), len(labels) - sum(labels)),
        warning=too_few(labels),
    )


def _opinions(judged: Sequence[Judged], places: Sequence[int], quorum: int | None) -> list[bool | None]:
    results = [majority([each.results[place] for place in places], quorum) for each in judged]
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
