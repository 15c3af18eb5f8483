"""Metrics of a judge against labels, with bootstrap confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 2000
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Counts:
    """Opinions against labels; CORRECT is the positive class, as in the paper (table 1)."""

    true_accepts: int = 0
    false_accepts: int = 0
    true_rejects: int = 0
    false_rejects: int = 0
    unscored: int = 0

    @property
    def scored(self) -> int:
        """Number of cases with an opinion."""
        return self.true_accepts + self.false_accepts + self.true_rejects + self.false_rejects


@dataclass(frozen=True)
class Estimate:
    """A metric with its confidence interval; all None where it is undefined because of a division by zero."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Metrics:
    """All metrics of a judge."""

    counts: Counts
    precision: Estimate
    recall: Estimate
    f1: Estimate
    accuracy: Estimate
    kappa: Estimate
    false_accept_rate: Estimate
    """Share of the failed trajectories that the judge accepts."""
    false_reject_rate: Estimate
    """Share of the passed trajectories that the judge rejects."""

    def as_dict(self) -> dict[str, Any]:
        """Return the metrics as JSON data."""
        return asdict(self)


NAMES = ("precision", "recall", "f1", "accuracy", "kappa", "false_accept_rate", "false_reject_rate")


def count(labels: Sequence[bool], opinions: Sequence[bool | None]) -> Counts:
    """Count agreements and errors of opinions against labels (True: the task was done); None is unscored."""
    cells = [_cell(label, opinion) for label, opinion in zip(labels, opinions, strict=True)]
    return Counts(*(cells.count(number) for number in range(5)))


def measure(
    labels: Sequence[bool], opinions: Sequence[bool | None], *, clusters: Sequence[str] = (), seed: int = 0
) -> Metrics:
    """Compute all metrics; unscored cases are counted and left out of the others.

    Args:
        labels: Whether each trajectory did its task.
        opinions: The judge's opinion on each; None where it is unscored.
        clusters: Origin of each trajectory. Trajectories of one origin are not independent, so intervals from
            resampled trajectories alone could be too narrow; with few origins, so could those from resampled
            origins. Both are resampled, and an interval covers both.
        seed: Seed of the resampling.

    Returns:
        The metrics, with percentile intervals of :data:`RESAMPLES` resamples.
    """
    counts = count(labels, opinions)
    if not labels:
        return Metrics(counts, **dict.fromkeys(NAMES, Estimate(None, None, None)))
    cells = [_cell(label, opinion) for label, opinion in zip(labels, opinions, strict=True)]
    totals = np.bincount(cells, minlength=5)
    spreads = [_resampled_alone(totals, seed)]
    if clusters:
        spreads.append(_resampled(_table(cells, clusters), seed))
    found = _figures(totals[np.newaxis].astype(np.float64))
    figures = {name: _figure(found[name][0], [spread[name] for spread in spreads]) for name in NAMES}
    return Metrics(counts, **figures)


def _table(cells: Sequence[int], clusters: Sequence[str]) -> NDArray[np.float64]:
    """Return the counts of the five cells, one row per cluster."""
    order = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    table = np.zeros((len(order), 5))
    for name, cell in zip(clusters, cells, strict=True):
        table[order[name], cell] += 1
    return table


def _resampled_alone(totals: NDArray[np.int64], seed: int) -> dict[str, NDArray[np.float64]]:
    """Resample single cases; cases of a cell are interchangeable, so counts of cells are drawn."""
    runs = int(totals.sum())
    draws = np.random.default_rng(seed).multinomial(runs, totals / runs, size=RESAMPLES)
    return _figures(draws.astype(np.float64))


def _resampled(table: NDArray[np.float64], seed: int) -> dict[str, NDArray[np.float64]]:
    rows = len(table)
    draws = np.random.default_rng(seed).multinomial(rows, np.full(rows, 1 / rows), size=RESAMPLES)
    return _figures(draws @ table)


def _cell(label: bool, opinion: bool | None) -> int:
    if opinion is None:
        return 4
    return (0 if opinion else 3) if label else (1 if opinion else 2)


def _figures(cells: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return every metric per row of cell counts; NaN where it is undefined."""
    ta, fa, tr, fr = cells[:, 0], cells[:, 1], cells[:, 2], cells[:, 3]
    n = ta + fa + tr + fr
    with np.errstate(divide="ignore", invalid="ignore"):
        agreed = (ta + tr) / n
        chance = ((ta + fa) * (ta + fr) + (tr + fr) * (tr + fa)) / n**2
        return {
            "precision": ta / (ta + fa),
            "recall": ta / (ta + fr),
            "f1": 2 * ta / (2 * ta + fa + fr),
            "accuracy": agreed,
            "kappa": (agreed - chance) / (1 - chance),
            "false_accept_rate": fa / (fa + tr),
            "false_reject_rate": fr / (fr + ta),
        }


def _figure(value: float, spreads: Sequence[NDArray[np.float64]]) -> Estimate:
    if not np.isfinite(value):
        return Estimate(None, None, None)
    tail = (1 - CONFIDENCE) / 2 * 100
    ends = [np.percentile(spread[np.isfinite(spread)], [tail, 100 - tail]) for spread in spreads]
    return Estimate(float(value), float(min(low for low, _ in ends)), float(max(high for _, high in ends)))
