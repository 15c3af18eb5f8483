"""Rates and their confidence intervals.

Wilson's score interval: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22
(1927).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

CONFIDENCE = 0.95
FEW = 30
"""Fewer cases than this say little about a rate: at 50 %, the interval is then wider than 34 points."""
_Z = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


@dataclass(frozen=True)
class Figure:
    """A value with its interval; all None if there are no data."""

    value: float | None
    low: float | None
    high: float | None


NONE = Figure(None, None, None)


def wilson(hits: int, of: int) -> Figure:
    """Return the rate `hits` / `of` with Wilson's score interval; all None if `of` is 0."""
    if not of:
        return NONE
    return score_interval(hits / of, of)


def score_interval(rate: float, n: int) -> Figure:
    """Return a rate with Wilson's score interval for `n` independent cases, at least one."""
    middle = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n**2))
    # At 0 and 1, that end of the interval equals the rate; avoid the rounding error.
    return Figure(
        rate, 0.0 if rate == 0 else max(0.0, middle - half), 1.0 if rate == 1 else min(1.0, middle + half)
    )
