"""Rewards: from the end of an episode to a verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from websp_gym.errors import SetupError, nearest
from websp_gym.scoring.state_reward import less_private, side_effects, state_verdict
from websp_gym.scoring.verdict import Check, Verdict, failed

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.records.trajectory import Trajectory
    from websp_gym.tasks.instances import LoadedInstance
    from websp_gym.world.state import WorldState

__all__ = ["REWARDS", "Outcome", "Reward", "make_reward", "state_verdict"]


REWARDS = ("state", "strict", "judge")
"""The rewards that have a name."""


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


def default_reward(world: str = "sandbox") -> str:
    """The reward where none is asked for.

    Args:
        world: ``sandbox`` or ``live``.

    Returns:
        What ``WEBSP_REWARD`` says; else ``state`` in the sandbox and ``judge`` live.

    Raises:
        SetupError: The variable names no reward.
    """
    named = os.environ.get("WEBSP_REWARD")
    if not named:
        return "judge" if world == "live" else "state"
    if named not in REWARDS:
        known = ", ".join(REWARDS)
        raise SetupError(
            f'WEBSP_REWARD="{named}": no such reward{nearest(named, REWARDS)} (rewards: {known})',
            variable="WEBSP_REWARD",
            option="reward",
        )
    return named


def make_reward(spec: RewardSpec, *, judge: str | Sequence[str] | None = None) -> Reward:
    """Gives the reward for an option of ``gym.make``.

    Args:
        spec: ``state``, ``strict`` (which asks that nothing else moved), ``judge``, or a callable that takes an
            :class:`Outcome` and returns a number (1.0 and above count as success) or a
            :class:`~websp_gym.scoring.verdict.Verdict`.
        judge: The models that judge, one string each; None for the paper's three.

    Returns:
        A function from outcome to verdict. One that has a true attribute ``reads_the_record`` gets
        :attr:`Outcome.folder` in every episode.

    Raises:
        SetupError: There is no such reward, or it is not available.
    """
    if judge is not None and spec != "judge":
        raise SetupError(f'judge={judge!r} is asked under reward="judge" only: add that, or leave it out')
    if callable(spec):
        return _Beside(spec)
    if spec == "state":
        return _state
    if spec == "strict":
        return _strict
    if spec == "judge":
        from websp_gym.scoring.judge import Judge
        from websp_gym.scoring.judge_reward import JudgeReward

        return _Beside(JudgeReward(Judge.of(judge)))
    known = f"rewards: {', '.join(REWARDS)}, or give a callable"
    raise SetupError(f'no reward "{spec}"{nearest(str(spec), REWARDS)} ({known})', option="reward")


def _state(outcome: Outcome) -> Verdict:
    return state_verdict(outcome.loaded, outcome.start, outcome.end, answered=outcome.answered)


def _strict(outcome: Outcome) -> Verdict:
    verdict = replace(_state(outcome), source="strict")
    if verdict.status != "pass" or verdict.strict == 1.0:
        return verdict
    effects = verdict.side_effects
    check = Check("nothing else moved", False, [], list(effects))
    reason = f"every goal holds, but more moved than was asked for: {'; '.join(effects)}"
    parts = {"side_effects": effects, "less_private": verdict.less_private}
    return failed("strict", reason, checks=(*verdict.checks, check), **parts)


class _Beside:
    """A reward that does not read the server, with what the server says of side effects beside it."""

    def __init__(self, reward: Callable[[Outcome], float | Verdict]) -> None:
        self._reward = reward
        self._name = getattr(reward, "__name__", "custom")
        self.reads_the_record = bool(getattr(reward, "reads_the_record", False))

    def __call__(self, outcome: Outcome) -> Verdict:
        verdict = _as_verdict(self._reward(outcome), self._name)
        slug, goal = outcome.loaded.site.slug, outcome.loaded.task.goal
        if slug not in outcome.start.sites or slug not in outcome.end.sites:
            return verdict
        effects = verdict.side_effects or side_effects(goal, slug, outcome.start, outcome.end)
        given_away = verdict.less_private or less_private(goal, slug, outcome.start, outcome.end)
        beside = replace(verdict, side_effects=effects, less_private=given_away)
        if verdict.score is None or verdict.strict is not None:
            return beside
        return replace(beside, strict=float(not effects))


def _as_verdict(result: float | Verdict, source: str) -> Verdict:
    if isinstance(result, Verdict):
        return result
    if isinstance(result, bool | int | float):
        score = float(result)
        return Verdict("pass" if score >= 1.0 else "fail", score, source, f"{source} gave {score:g}")
    raise SetupError(
        f"the reward {source} returned {type(result).__name__}; it must return a number or a Verdict"
    )
