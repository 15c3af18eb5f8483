"""Playing one episode of an agent in an environment (``Rollout``)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from websp_gym.env.play import Observation, StepResult, Transition, play

if TYPE_CHECKING:
    from websp_gym.env.environment import WebspEnv
    from websp_gym.env.outside import Turn
    from websp_gym.env.task import WebspTask
    from websp_gym.policies.sets import Policies
    from websp_gym.records.results import Stage
    from websp_gym.tasks.instances import Instance


@dataclass(frozen=True)
class Briefing:
    """The facts that an agent receives before an episode.

    Args:
        instance: The instance. An honest agent reads its instruction only; the oracle reads its ground truth.
        account: ``name``, ``username`` and ``email`` of the account.
        seed: Seed of the episode.
        policies: The policies with their rules, which an honest agent does not read; ``None`` without policies.
    """

    instance: Instance
    account: Mapping[str, str]
    seed: int
    policies: Policies | None = None


class Player(Protocol):
    """The two methods of an agent that a rollout calls."""

    def begin(self, briefing: Briefing) -> None:
        """Start a new episode.

        Args:
            briefing: The instance, the account and the seed.
        """

    def act(self, observation: Mapping[str, Any]) -> Turn:
        """Choose the next action.

        Args:
            observation: The latest observation.

        Returns:
            An action text, or what an outside agent does by itself.
        """


@runtime_checkable
class OutsidePlayer(Protocol):
    """The further methods of an agent that drives the browser itself."""

    def join(self, env: WebspEnv) -> None:
        """Prepare an environment, before the reset."""

    def leave(self) -> None:
        """End what :meth:`join` began, after the last step or an error."""


class Rollout:
    """One episode of an agent in an environment; iterate over it to play the episode.

    Iterating yields one :class:`~websp_gym.env.play.Transition` per step. An error of the environment or of
    the agent is raised from the iteration; :attr:`stage` then names the part that failed.

    Args:
        env: The environment. The iteration resets it first; it does not close it.
        agent: The agent.
        seed: Seed of the episode.
    """

    def __init__(self, env: WebspEnv, agent: Player, *, seed: int = 0) -> None:
        self.env = env
        self.stage: Stage = "reset"
        """The current stage, or the one in which an error ended the episode."""
        self.actions = 0
        """Number of actions the agent has returned."""
        self.task: WebspTask | None = None
        """The episode's task, kept also when an error ends the episode. ``None`` before the reset is done."""
        self.reset_seconds = 0.0
        """Seconds the reset took."""
        self._agent = agent
        self._seed = seed
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the first observation; before it, seconds since the rollout was created."""
        return round(time.monotonic() - self._began, 3)

    def __iter__(self) -> Iterator[Transition]:
        """Reset the environment and yield each step until the episode is over."""
        outside = self._agent if isinstance(self._agent, OutsidePlayer) else None
        if outside is None:
            yield from self._play()
            return
        outside.join(self.env)
        try:
            yield from self._play()
        finally:
            outside.leave()

    def _play(self) -> Iterator[Transition]:
        observation, _info = self.env.reset(seed=self._seed)
        task = self.task = self.env.task
        assert task is not None
        self.reset_seconds, self._began = self.seconds, time.monotonic()
        self.stage = "agent"
        account, policies = task.world_episode.account, task.policies
        self._agent.begin(Briefing(self.env.instance, account, self._seed, policies))
        self._began = getattr(self._agent, "began", None) or self._began
        yield from play(self._act, observation, self._step)

    def _act(self, observation: Observation) -> Turn:
        action = self._agent.act(observation)
        self.stage, self.actions = "action", self.actions + 1
        return action

    def _step(self, action: Turn) -> StepResult:
        try:
            result = self.env.step(action)
        except Exception:
            # A finished step is already in the record, so the scoring after it must have failed.
            if self.task is not None and len(self.task.trajectory.steps) == self.actions:
                self.stage = "scoring"
            raise
        self.stage = "agent"
        return result
