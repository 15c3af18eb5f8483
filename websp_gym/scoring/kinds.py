"""What kinds of failure there are."""

from __future__ import annotations

from typing import Literal, get_args

FailureKind = Literal[
    "incorrect navigation",
    "state misunderstanding",
    "hallucinated success",
    "repeated actions",
    "partial completion",
]
"""The five kinds of the paper (section 6, table 9). A failure may be of several."""
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)
