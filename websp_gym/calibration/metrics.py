"""How good a judge is against labels, with bootstrap intervals."""

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
    """Labels against opinions; CORRECT is the positive class, as in the paper (table 1)."""

    true_accepts: int = 0
    false_accepts: int = 0
    true_rejects: int = 0
    false_rejects: int = 0
    unscored: int = 0

    @property
    def scored(self) -> int:
        """Cases with an opinion."""
        return self.true_accepts + self.false_accepts + self.true_rejects + self.false_rejects


@dataclass(frozen=True)
class Figure:
    """One figure with its interval; all None where it is not defined (nothing to divide by)."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Metrics:
    """All figures of one judge."""

    counts: Counts
    precision: Figure
    recall: Figure
    f1: Figure
    accuracy: Figure
    kappa: Figure
    false_accept_rate: Figure
    """Of the runs that failed, how many it takes for successes."""
    false_reject_rate: Figure
    """Of the runs that passed, how many it takes for failures."""

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON data."""
        return asdict(self)


NAMES = ("precision", "recall", "f1", "accuracy", "kappa", "false_accept_rate", "false_reject_rate")


def count(labels: Sequence[bool], opinions: Sequence[bool | None]) -> Counts:
    """Counts agreements and errors.

    Args:
        labels: Whether each run did its task.
        opinions: What the judge said; None where it is unscored.

    Returns:
        The counts.
    """
    cells = [_cell(label, opinion) for label, opinion in zip(labels, opinions, strict=True)]
    return Counts(*(cells.count(number) for number in range(5)))


def measure(
    labels: Sequence[bool], opinions: Sequence[bool | None], *, clusters: Sequence[str] = (), seed: int = 0
) -> Metrics:
    """Computes all figures; unscored cases are left out of them and counted.

    Args:
        labels: Whether each run did its task.
        opinions: What the judge said; None where it is unscored.
        clusters: What each run comes from. Runs of one origin share its difficulties: intervals that took them for
            independent would be too narrow. So origins are resampled as well as runs, and an interval spans what
            both give (few origins alone would give too narrow ones again).
        seed: Of the resampling.

    Returns:
        The figures, with percentile intervals of :data:`RESAMPLES` resamples.
    """
    counts = count(labels, opinions)
    if not labels:
        return Metrics(counts, **dict.fromkeys(NAMES, Figure(None, None, None)))
    cells = [_cell(label, opinion) for label, opinion in zip(labels, opinions, strict=True)]
    totals = np.bincount(cells, minlength=5)
    spreads = [_resampled_alone(totals, seed)]
    if clusters:
        spreads.append(_resampled(_table(cells, clusters), seed))
    found = _figures(totals[np.newaxis].astype(np.float64))
    figures = {name: _figure(found[name][0], [spread[name] for spread in spreads]) for name in NAMES}
    return Metrics(counts, **figures)


def _table(cells: Sequence[int], clusters: Sequence[str]) -> NDArray[np.float64]:
    """Counts of the five cells, one row per cluster."""
    order = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    table = np.zeros((len(order), 5))
    for name, cell in zip(clusters, cells, strict=True):
        table[order[name], cell] += 1
    return table


def _resampled_alone(totals: NDArray[np.int64], seed: int) -> dict[str, NDArray[np.float64]]:
    """Resamples single cases: which of a cell's is drawn makes no difference, so cells are drawn."""
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
    """Every figure of rows of cells; not a number where it is not defined."""
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


def _figure(value: float, spreads: Sequence[NDArray[np.float64]]) -> Figure:
    if not np.isfinite(value):
        return Figure(None, None, None)
    tail = (1 - CONFIDENCE) / 2 * 100
    ends = [np.percentile(spread[np.isfinite(spread)], [tail, 100 - tail]) for spread in spreads]
    return Figure(float(value), float(min(low for low, _ in ends)), float(max(high for _, high in ends)))
