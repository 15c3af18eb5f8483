"""Confidence intervals and tests for the report.

Rates have Wilson's score interval [1], differences between two outcomes of the same instances Newcombe's
interval for paired proportions [2] and McNemar's exact test [3], means over instances a percentile bootstrap.
All use :data:`CONFIDENCE` and assume independent instances. Instances of one site are not quite independent, so
treat the intervals as a lower bound of the uncertainty.

[1] E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
[2] R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
data", Statistics in Medicine 17 (1998), method 10.
[3] Q. McNemar, "Note on the sampling error of the difference between correlated proportions or percentages",
Psychometrika 12 (1947); exact: binomial with one half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 2000
_Z = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Figure:
    """A value with its interval; all None if there are no data."""

    value: float | None
    low: float | None
    high: float | None


NONE = Figure(None, None, None)


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


def wilson(hits: int, of: int) -> Figure:
    """Return the rate `hits` / `of` with Wilson's score interval; all None if `of` is 0."""
    if not of:
        return NONE
    return _score(hits / of, of)


def difference(pairs: Pairs) -> Figure:
    """Return the first rate minus the second with Newcombe's interval for pairs; all None without pairs."""
    n = pairs.of
    if not n:
        return NONE
    a, b, c, d = pairs.both, pairs.first, pairs.second, pairs.neither
    first, second = _score((a + b) / n, n), _score((a + c) / n, n)
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
    """Return the mean of values between 0 and 1, one per instance, with a percentile bootstrap over instances.

    Args:
        values: The values.
        seed: Seed of the resampling.

    Returns:
        The mean; all None without values. If all values are 0 or all are 1, the bootstrap interval would have
        width 0, so it is Wilson's.
    """
    if not values:
        return NONE
    if min(values) == max(values) and values[0] in (0.0, 1.0):
        return _score(float(values[0]), len(values))
    data = np.asarray(values)
    draws = np.random.default_rng(seed).integers(len(data), size=(RESAMPLES, len(data)))
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(data[draws].mean(axis=1), [tail, 100 - tail])
    return Figure(float(data.mean()), float(low), float(high))


def _score(rate: float, n: int) -> Figure:
    middle = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n**2))
    # At 0 and 1, that end of the interval equals the rate; avoid the rounding error.
    return Figure(
        rate, 0.0 if rate == 0 else max(0.0, middle - half), 1.0 if rate == 1 else min(1.0, middle + half)
    )


def _reach(down: Figure, up: Figure, phi: float) -> float:
    """Return the extent of the difference towards ``down``'s lower and ``up``'s upper end."""
    below = _known(down.value) - _known(down.low)
    above = _known(up.high) - _known(up.value)
    return math.sqrt(max(0.0, below**2 - 2 * phi * below * above + above**2))


def _known(value: float | None) -> float:
    return 0.0 if value is None else value
