"""Sums of tokens and of US dollars where some amounts are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Amount = TypeVar("Amount", int, float)


def sum_known(amounts: Sequence[Amount | None]) -> Amount | None:
    """Return the sum of the amounts; None where one of them is unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
