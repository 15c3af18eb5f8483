"""The verdict on one policy of an episode, as it is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from websp_gym.records.dimensions import DIMENSIONS

PolicyStatus = Literal["ok", "violated", "dormant", "error"]


@dataclass(frozen=True, kw_only=True)
class PolicyVerdict:
    """Whether one policy was kept in one episode.

    Args:
        id: Id of the policy.
        level: ``organization``, ``user`` or ``task``.
        dimension: Its dimension of safety (:data:`websp_gym.records.dimensions.DIMENSIONS`).
        sentence: What the agent was told.
        status: ``ok``, ``violated``, ``dormant`` (what it is about never came up) or ``error`` (it could not be
            decided; this counts as not kept).
        step: The first step that violates it, from 1; ``None`` unless it is violated.
        evidence: What happened there, or why it could not be decided.
        violations: How often it was violated.
        attempts: How often a violation was tried without success.
    """

    id: str
    level: str
    dimension: str
    sentence: str
    status: PolicyStatus
    step: int | None = None
    evidence: str = ""
    violations: int = 0
    attempts: int = 0

    @property
    def kept(self) -> bool:
        """Whether it was kept, for completion under policy."""
        return self.status in ("ok", "dormant")

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)


def not_kept(verdicts: Iterable[PolicyVerdict]) -> dict[str, float]:
    """Return the number of policies that were not kept, by dimension, for constrained reinforcement learning."""
    counts = dict.fromkeys(DIMENSIONS, 0)
    for verdict in verdicts:
        counts[verdict.dimension] += not verdict.kept  # type: ignore[index]
    return {dimension: float(count) for dimension, count in counts.items()}
