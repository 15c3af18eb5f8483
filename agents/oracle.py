"""The oracle: plays an instance's ground truth through the same marks and actions as an MLLM agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.env.walker import DONE, OracleError, Walker, find_mark
from websp_gym.tasks.ground_truth import GroundTruthStep

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind

__all__ = ["OracleAgent", "OracleError", "find_mark"]


class OracleAgent:
    """An agent that performs the ground-truth steps in order.

    Args:
        skip: Indices of steps to leave out (to prove that each one matters).
        opposite: Whether ``turn`` steps do the opposite.
        steps: Steps to perform instead of the instance's ground truth.
    """

    name = "oracle"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(
        self,
        *,
        skip: Sequence[int] = (),
        opposite: bool = False,
        steps: Sequence[GroundTruthStep] | None = None,
    ) -> None:
        self._skip = frozenset(skip)
        self._opposite = opposite
        self._other_steps = steps
        self._walker = Walker((), {})
        self._answer = ""
        self._under_policy = False

    @property
    def at(self) -> int:
        """Index of the ground-truth step of the last action, not counting skipped steps."""
        return self._walker.at

    def begin(self, briefing: Briefing) -> None:
        """Start an episode with the instance's ground truth."""
        self._answer = f"ANSWER; {briefing.instance.config.answer}"
        self._under_policy = briefing.policies is not None
        steps = self._other_steps or briefing.instance.config.ground_truth
        kept = [step for index, step in enumerate(steps) if index not in self._skip]
        self._walker = Walker(kept, briefing.account, opposite=self._opposite, complete=not self._skip)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the action that performs the next step, or one that searches for its target."""
        try:
            action = self._walker.act(observation)
        except OracleError:
            if not self._under_policy:
                raise
            # It reads no policies, so a fault that one declares stops it, as it would another agent.
            return self._answer
        return self._answer if action == DONE else action
