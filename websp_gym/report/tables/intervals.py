"""Confidence intervals and tests for the report.

Rates have Wilson's score interval (:mod:`websp_gym.rates`), differences between two outcomes of the same instances
Newcombe's interval for paired proportions [1] and McNemar's exact test [2], means over instances a percentile
bootstrap. All use :data:`~websp_gym.rates.CONFIDENCE` and assume independent instances. Instances of one site are not
quite independent, so treat the intervals as a lower bound of the uncertainty.

[1] R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
data", Statistics in Medicine 17 (1998), method 10.
[2] Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
Psychometrika 12 (1947); exact: binomial with one half.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from websp_gym.rates import CONFIDENCE, NONE, Figure, score_interval

RESAMPLES = 2000


@dataclass(frozen=True)
class Pairs:
    """Counts of pairs of outcomes: solved in both, only in the first, only in the second, in neither."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def of(self) -> int:
        """Number of pairs."""
        return self.both + self.first + self.second + self.neither


def difference(pairs: Pairs) -> Figure:
    """Return the first rate minus the second with Newcombe's interval for pairs; all None without pairs."""
    n = pairs.of
    if not n:
        return NONE
    a, b, c, d = pairs.both, pairs.first, pairs.second, pairs.neither
    first, second = score_interval((a + b) / n, n), score_interval((a + c) / n, n)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    cross = float(a * d - b * c)
    cross = max(cross - n / 2, 0) if cross > 0 else cross
    phi = cross / math.sqrt(product) if product else 0.0
    value = (b - c) / n
    return Figure(value, value - _reach(first, second, phi), value + _reach(second, first, phi))


def mcnemar(pairs: Pairs) -> float | None:
    """Return the exact two-sided p-value: the probability of a difference at least as large if the rates were equal.

    It depends only on the pairs with different outcomes; None if there are none.
    """
    n, smaller = pairs.first + pairs.second, min(pairs.first, pairs.second)
    if not n:
        return None
    tail: float = sum(math.comb(n, k) for k in range(smaller + 1)) / 2**n
    return min(1.0, 2 * tail)


def mean(values: Sequence[float], *, seed: int = 0) -> Figure:
    """Return :func:`mean_of_trials` for one value per instance."""
    return mean_of_trials([[value] for value in values], seed=seed)


def mean_of_trials(trials: Iterable[Sequence[float]], *, seed: int = 0) -> Figure:
    """Return the mean of values between 0 and 1, with a percentile bootstrap over instances.

    Args:
        trials: The values of each instance, one for each of its trials.
        seed: Seed of the resampling.

    Returns:
        The mean of all values; all None without any. If all values are 0 or all are 1, the bootstrap interval would
        have width 0, so it is Wilson's for as many cases as there are instances.
    """
    groups = [list(values) for values in trials]
    every = [value for values in groups for value in values]
    if not every:
        return NONE
    if min(every) == max(every) and every[0] in (0.0, 1.0):
        return score_interval(float(every[0]), len(groups))
    sums, sizes = np.asarray([[sum(values), len(values)] for values in groups], dtype=float).T
    draws = np.random.default_rng(seed).integers(len(groups), size=(RESAMPLES, len(groups)))
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(sums[draws].sum(axis=1) / sizes[draws].sum(axis=1), [tail, 100 - tail])
    return Figure(float(sums.sum() / sizes.sum()), float(low), float(high))


def _reach(down: Figure, up: Figure, phi: float) -> float:
    """Return the extent of the difference towards ``down``'s lower and ``up``'s upper end."""
    below = _known(down.value) - _known(down.low)
    above = _known(up.high) - _known(up.value)
    return math.sqrt(max(0.0, below**2 - 2 * phi * below * above + above**2))


def _known(value: float | None) -> float:
    return 0.0 if value is None else value
