"""Rewards: from the end of an episode to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from websp_gym.errors import SetupError, nearest
from websp_gym.rewards.state import state_verdict
from websp_gym.verdict import Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.instances import LoadedInstance
    from websp_gym.state import WorldState
    from websp_gym.trajectory import Trajectory

__all__ = ["Outcome", "Reward", "make_reward", "state_verdict"]


@dataclass(frozen=True)
class Outcome:
    """The end of an episode as a reward sees it."""

    loaded: LoadedInstance
    start: WorldState
    """S0, verified."""
    end: WorldState
    answered: bool
    """Whether the agent ended the episode with an answer (and not by reporting the task infeasible)."""
    answer: str
    trajectory: Trajectory
    folder: Path | None = None
    """Where the trajectory lies on disk, free of secrets and with its screenshots; None where it is not kept."""


Reward = Callable[[Outcome], Verdict]
RewardSpec = str | Callable[[Outcome], "float | Verdict"]


def make_reward(spec: RewardSpec, *, judge: str | Sequence[str] | None = None) -> Reward:
    """Gives the reward for an option of ``gym.make``.

    Args:
        spec: ``state``, ``judge``, or a callable that takes an :class:`Outcome` and returns a number
            (1.0 and above count as success) or a :class:`~websp_gym.verdict.Verdict`.
        judge: The models that judge, one string each; None for the paper's three.

    Returns:
        A function from outcome to verdict. One that has a true attribute ``reads_the_record`` gets
        :attr:`Outcome.folder` in every episode.

    Raises:
        SetupError: There is no such reward, or it is not available.
    """
    if getattr(spec, "reads_the_record", False):
        return cast("Reward", spec)
    if callable(spec):
        return lambda outcome: _as_verdict(spec(outcome), getattr(spec, "__name__", "custom"))
    if spec == "state":
        return _state
    if spec == "judge":
        from websp_gym.judge import Judge
        from websp_gym.rewards.judged import JudgeReward

        return JudgeReward(Judge.of(judge))
    raise SetupError(
        f'no reward "{spec}"{nearest(str(spec), ["state", "judge"])} (or give a callable)', reward=str(spec)
    )


def _state(outcome: Outcome) -> Verdict:
    return state_verdict(outcome.loaded, outcome.start, outcome.end, answered=outcome.answered)


def _as_verdict(result: float | Verdict, source: str) -> Verdict:
    if isinstance(result, Verdict):
        return result
    if isinstance(result, bool | int | float):
        score = float(result)
        return Verdict("pass" if score >= 1.0 else "fail", score, source, f"{source} gave {score:g}")
    raise SetupError(
        f"the reward {source} returned {type(result).__name__}; it must return a number or a Verdict"
    )
