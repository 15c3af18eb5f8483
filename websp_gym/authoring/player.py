"""Play an instance to its verdict and collect what the checks need on the way."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.agents.oracle import OracleError
from websp_gym.authoring.page_log import PageLog
from websp_gym.env.registration import make_env
from websp_gym.env.rollout import Rollout
from websp_gym.errors import WorldError
from websp_gym.observation.marks import marks_from_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websp_gym.agents import Agent
    from websp_gym.env import WebspEnv
    from websp_gym.env.play import Transition
    from websp_gym.env.rollout import Briefing
    from websp_gym.records.verdict import Verdict
    from websp_gym.tasks.instances import Instance
    from websp_gym.world import InitialStateMode
    from websp_gym.world.state import WorldState

_STEPS = 200
_SECONDS = 3_600.0
_NAMELESS_OK = frozenset({"generic", "presentation", "iframe"})

Observation = Mapping[str, Any]


class Witness(Protocol):
    """An observer of an episode that is being played."""

    def begin(self, env: WebspEnv) -> None:
        """Called when the episode is in S0."""

    def before(self, env: WebspEnv, action: str, seen: Observation) -> None:
        """Called with the action the agent has chosen and the observation it chose it for."""

    def after(self, env: WebspEnv, seen: Observation) -> None:
        """Called after the action with the new observation."""


@dataclass(frozen=True)
class PlayedEpisode:
    """A played episode.

    Args:
        verdict: Verdict of the state reward.
        start: S0 as verified.
        end: The state at the end.
        actions: Number of actions that count, without the answer.
        steps: Number of steps.
        stuck: Why the agent could not continue, where ``lenient`` allowed it; empty otherwise.
        nameless: Elements without an accessible name that were in view during the episode.
        heard: Log of the browser context.
    """

    verdict: Verdict
    start: WorldState
    end: WorldState
    actions: int
    steps: int
    stuck: str = ""
    nameless: tuple[str, ...] = ()
    heard: PageLog | None = field(default=None, compare=False)


def play_instance(
    instance: Instance,
    agent: Agent,
    *,
    lenient: bool = False,
    picture: Path | None = None,
    initial_state: InitialStateMode = "snapshot",
    witness: Witness | None = None,
    policies: Sequence[str] | None = None,
    harm_guard: bool = False,
) -> PlayedEpisode:
    """Play one episode in the sandbox, without screenshots.

    Args:
        instance: The instance.
        agent: The agent.
        lenient: Whether an agent that cannot continue gives an answer instead of raising an error, and failed
            actions are allowed.
        picture: File for a picture of the last page; None takes none.
        initial_state: How S0 is reached.
        witness: Observer of the episode.
        policies: Sets of policies; None for none.
        harm_guard: Whether the harm guard of the live world is on.

    Returns:
        The episode.

    Raises:
        InitialStateError: S0 was not reached.
        ReplayError: A trace could not be replayed.
        OracleError: The agent could not continue.
        WorldError: The world or its browser failed.
    """
    env = make_env(
        instance.id,
        observation="text",
        reward="state",
        initial_state=initial_state,
        max_actions=_STEPS,
        max_seconds=_SECONDS,
        on_unscored="zero",
        policies=policies,
        harm_guard=harm_guard,
    )
    player = _Player(env, agent, lenient=lenient, picture=picture, witness=witness)
    rollout, nameless = Rollout(env, player), dict[str, None]()
    try:
        for step in rollout:
            nameless |= dict.fromkeys(_nameless(step.before))
            if witness is not None:
                witness.after(env, step.observation)
            _check_step(rollout, step, lenient=lenient)
        task = rollout.task
        if task is None or task.verdict is None or task.s0 is None:
            raise WorldError(f"{instance.id}: the episode ended without a verdict")
        actions = sum(step.counted for step in task.trajectory.steps) - 1
        end = task.world_episode.state()
        return PlayedEpisode(
            task.verdict,
            task.s0.state,
            end,
            actions,
            len(task.trajectory.steps),
            player.stuck,
            tuple(nameless),
            player.heard,
        )
    finally:
        env.close()


class _Player:
    """The agent as checks need it: it can give up where it cannot continue, and it reports to the witness.

    Attributes:
        stuck: Why it gave up; empty otherwise.
        heard: Log of the browser context since S0.
    """

    def __init__(
        self, env: WebspEnv, agent: Agent, *, lenient: bool, picture: Path | None, witness: Witness | None
    ) -> None:
        self.stuck = ""
        self.heard: PageLog | None = None
        self._env, self._agent, self._witness = env, agent, witness
        self._lenient, self._picture = lenient, picture

    def begin(self, briefing: Briefing) -> None:
        """Begin a new episode."""
        if self._env.context is None:
            raise WorldError(f"{briefing.instance.id}: no episode runs after reset")
        self.heard = PageLog(self._env.context)
        self._agent.begin(briefing)
        if self._witness is not None:
            self._witness.begin(self._env)

    def act(self, seen: Mapping[str, Any]) -> str:
        """Return the next action, or an answer where the agent cannot continue and ``lenient`` allows it."""
        try:
            action = self._agent.act(seen)
        except OracleError as error:
            if not self._lenient:
                raise
            action, self.stuck = "ANSWER; stuck", str(error)
        if self._picture is not None and action.startswith("ANSWER"):
            self._env.page.screenshot(path=self._picture)
        if self._witness is not None:
            self._witness.before(self._env, action, seen)
        return action


def _check_step(rollout: Rollout, step: Transition, *, lenient: bool) -> None:
    """Raise OracleError where the agent does not stop, or an action failed that had to succeed."""
    if rollout.actions >= _STEPS:
        raise OracleError(f"no answer after {_STEPS} steps")
    problem = rollout.task.trajectory.steps[-1].error if rollout.task else ""
    # A scroll without effect is not an error: the oracle learns that it has reached the end of the page.
    over = step.terminated or step.truncated
    if problem and not lenient and not over and not step.action.startswith("Scroll"):
        raise OracleError(f"{step.action}: {problem}")


def _nameless(seen: Observation) -> Iterator[str]:
    for mark in marks_from_dicts(seen["elements"]):
        if not mark.name and mark.role not in _NAMELESS_OK:
            yield f"{mark.line().partition('] ')[2]} on {seen['url']}"


def reset_seconds(instance: Instance, *, times: int = 3) -> float:
    """Return the seconds of the fastest of several resets by replay; the first starts cold."""
    env = make_env(instance.id, reward="state", initial_state="replay")
    taken = []
    try:
        for seed in range(times):
            began = time.monotonic()
            env.reset(seed=seed)
            taken.append(time.monotonic() - began)
    finally:
        env.close()
    return min(taken)
