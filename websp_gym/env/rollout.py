"""One episode of an agent in an environment."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.env.play import Observation, StepResult, Transition, play

if TYPE_CHECKING:
    from websp_gym.env.environment import WebspEnv
    from websp_gym.env.task import WebspTask
    from websp_gym.records.results import Stage
    from websp_gym.tasks.instances import Instance


@dataclass(frozen=True)
class Briefing:
    """What an agent is told before an episode.

    Args:
        instance: The instance. An honest agent uses its instruction only; the oracle reads the ground truth.
        account: The account's name, username and email.
        seed: Seed of the episode.
    """

    instance: Instance
    account: Mapping[str, str]
    seed: int


class Player(Protocol):
    """What the loop asks of an agent."""

    def begin(self, briefing: Briefing) -> None:
        """Starts a new episode."""

    def act(self, observation: Mapping[str, Any]) -> str:
        """Chooses the next action.

        Args:
            observation: The last observation.

        Returns:
            An action text.
        """


class Rollout:
    """One episode of an agent in an environment; iterating over it plays it.

    Args:
        env: The environment; reset when the iteration begins.
        agent: The agent.
        seed: Seed of the episode.
    """

    def __init__(self, env: WebspEnv, agent: Player, *, seed: int = 0) -> None:
        self.env = env
        self.stage: Stage = "reset"
        """What is under way, or was when an error ended the episode."""
        self.actions = 0
        """How many actions the agent has given."""
        self.task: WebspTask | None = None
        """The episode; it stays here when an error ends it. None before it has begun."""
        self.reset_seconds = 0.0
        self._agent = agent
        self._seed = seed
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds since the first observation; before it, since the reset began."""
        return round(time.monotonic() - self._began, 3)

    def __iter__(self) -> Iterator[Transition]:
        """Resets, and plays until the episode is over."""
        observation, _info = self.env.reset(seed=self._seed)
        task = self.task = self.env.task
        assert task is not None
        self.reset_seconds, self._began = self.seconds, time.monotonic()
        self.stage = "agent"
        self._agent.begin(Briefing(self.env.instance, task.episode.account, self._seed))
        yield from play(self._act, observation, self._step)

    def _act(self, observation: Observation) -> str:
        action = self._agent.act(observation)
        self.stage, self.actions = "action", self.actions + 1
        return action

    def _step(self, action: str) -> StepResult:
        try:
            result = self.env.step(action)
        except Exception:
            # A step is in the record once it is over: what failed then is the scoring.
            if self.task is not None and len(self.task.trajectory.steps) == self.actions:
                self.stage = "scoring"
            raise
        self.stage = "agent"
        return result
