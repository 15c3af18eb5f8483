"""Metrics of a judge against labels, with bootstrap confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from websp_gym.rates import CONFIDENCE, FEW, NONE, Figure, score_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 2000


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
class Metrics:
    """All metrics of a judge."""

    counts: Counts
    precision: Figure
    recall: Figure
    f1: Figure
    accuracy: Figure
    kappa: Figure
    false_accept_rate: Figure
    """Share of the failed trajectories that the judge accepts."""
    false_reject_rate: Figure
    """Share of the passed trajectories that the judge rejects."""

    def as_dict(self) -> dict[str, Any]:
        """Return the metrics as JSON data."""
        return asdict(self)


_CELLS = {
    "precision": (0, 1),
    "recall": (0, 3),
    "f1": (0, 1, 3),
    "accuracy": (0, 1, 2, 3),
    "kappa": (0, 1, 2, 3),
    "false_accept_rate": (1, 2),
    "false_reject_rate": (0, 3),
}
"""The metrics, each with the cells (in the order of :class:`Counts`) that it is computed from."""
NAMES = tuple(_CELLS)


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
        The metrics, with percentile intervals of :data:`RESAMPLES` resamples. Where all resamples are alike (there is
        no error, or nothing but errors), an interval of theirs would have no width, so it is Wilson's, with the
        number of origins if there are fewer of them than cases.
    """
    counts = count(labels, opinions)
    if not labels:
        return Metrics(counts, **dict.fromkeys(NAMES, NONE))
    cells = [_cell(label, opinion) for label, opinion in zip(labels, opinions, strict=True)]
    totals = np.bincount(cells, minlength=5)
    spreads = [_resampled_alone(totals, seed)]
    if clusters:
        spreads.append(_resampled(_table(cells, clusters), seed))
    found = _figures(totals[np.newaxis].astype(np.float64))
    table = _table(cells, clusters or [str(number) for number in range(len(cells))])
    figures = {
        name: _figure(
            name, found[name][0], totals, [spread[name] for spread in spreads], _independent(table, name)
        )
        for name in NAMES
    }
    return Metrics(counts, **figures)


def too_few(labels: Sequence[bool]) -> str:
    """Return a warning if so few cases are labelled that the metrics say little; empty otherwise."""
    passed = sum(labels)
    counts = {"": len(labels), " CORRECT": passed, " INCORRECT": len(labels) - passed}
    few = [f"{number}{name}" for name, number in counts.items() if number < FEW]
    if not few:
        return ""
    return f"Fewer than {FEW} cases ({', '.join(few)}): these figures say little; look at the intervals."


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


def _independent(table: NDArray[np.float64], name: str) -> int:
    """Return the number of independent cases behind a metric: clusters that have one in its cells."""
    return int(np.any(table[:, list(_CELLS[name])] > 0, axis=1).sum())


def _figure(
    name: str,
    value: float,
    totals: NDArray[np.int64],
    spreads: Sequence[NDArray[np.float64]],
    independent: int,
) -> Figure:
    if not np.isfinite(value):
        return NONE
    tail = (1 - CONFIDENCE) / 2 * 100
    ends = [np.percentile(spread[np.isfinite(spread)], [tail, 100 - tail]) for spread in spreads]
    low, high = float(min(low for low, _ in ends)), float(max(high for _, high in ends))
    if low < high:
        return Figure(float(value), low, high)
    return _scored(name, float(value), totals, independent)


def _scored(name: str, value: float, totals: NDArray[np.int64], n: int) -> Figure:
    """Return a metric with Wilson's interval of the rate that it is, or that it is computed from."""
    if name == "f1":  # of the share of the true accepts in all cases that either side accepts
        found = score_interval(value / (2 - value), n)
        low, high = (2 * end / (1 + end) for end in _ends(found))
        return Figure(value, low, high)
    if name == "kappa":  # of the agreement, at the same agreement by chance
        ta, fa, tr, fr = (int(cell) for cell in totals[:4])
        cases = ta + fa + tr + fr
        chance = ((ta + fa) * (ta + fr) + (tr + fr) * (tr + fa)) / cases**2
        low, high = ((end - chance) / (1 - chance) for end in _ends(score_interval((ta + tr) / cases, n)))
        return Figure(value, low, high)
    return score_interval(value, n)


def _ends(found: Figure) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high
