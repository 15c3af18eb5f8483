"""Playing an instance to its verdict in the environment, with everything a check wants to know of the way."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.agents import Briefing
from websp_gym.agents.oracle import OracleError
from websp_gym.authoring.page_log import Listening
from websp_gym.env.registration import make_env
from websp_gym.errors import WorldError
from websp_gym.observation.marks import marks_from_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websp_gym.agents import Agent
    from websp_gym.env import WebspEnv
    from websp_gym.env.initial_state import How
    from websp_gym.scoring.verdict import Verdict
    from websp_gym.tasks.instances import LoadedInstance
    from websp_gym.world.state import WorldState

VIEWPORT = (1280, 1024)
_STEPS = 200
_SECONDS = 3_600.0
_NAMELESS_OK = frozenset({"generic", "presentation", "iframe"})

Observation = dict[str, Any]


class Witness(Protocol):
    """Looks on while an episode is played."""

    def begin(self, env: WebspEnv) -> None:
        """The episode is in S0."""

    def before(self, env: WebspEnv, action: str, seen: Observation) -> None:
        """The agent has chosen an action."""

    def after(self, env: WebspEnv, seen: Observation) -> None:
        """The action has been carried out."""


@dataclass(frozen=True)
class Play:
    """One episode.

    Args:
        verdict: What the state reward says.
        start: S0 as verified.
        end: The state at the end.
        actions: How many actions of those that count.
        stuck: Why the agent could not go on, where that was allowed.
        nameless: Elements without an accessible name that were in view on the way.
        heard: What the browser complained of.
    """

    verdict: Verdict
    start: WorldState
    end: WorldState
    actions: int
    stuck: str = ""
    nameless: tuple[str, ...] = ()
    heard: Listening | None = field(default=None, compare=False)


def play(
    loaded: LoadedInstance,
    agent: Agent,
    *,
    lenient: bool = False,
    picture: Path | None = None,
    initial_state: How = "snapshot",
    witness: Witness | None = None,
) -> Play:
    """Play one episode in the sandbox, without pictures.

    Args:
        loaded: The instance.
        agent: Who plays.
        lenient: Whether an agent that cannot go on gives up instead of failing.
        picture: Where a picture of the last page goes.
        initial_state: How S0 is reached.
        witness: Who looks on.

    Returns:
        The episode.

    Raises:
        InitialStateError: S0 was not reached.
        ReplayError: A trace could not be replayed.
        OracleError: The agent could not go on.
        WorldError: The world or its browser failed.
    """
    env = make_env(
        loaded.id,
        observation="text",
        reward="state",
        initial_state=initial_state,
        max_actions=_STEPS,
        max_seconds=_SECONDS,
        on_unscored="zero",
    )
    try:
        seen, _ = env.reset(seed=0)
        task, context = env.task, env.context
        if task is None or context is None:
            raise WorldError(f"{loaded.id}: no episode runs after reset")
        heard = Listening(context)
        agent.begin(Briefing(loaded, task.episode.account, 0))
        if witness is not None:
            witness.begin(env)
        stuck, nameless = _act(env, agent, seen, lenient=lenient, picture=picture, witness=witness)
        if task.verdict is None or task.s0 is None:
            raise WorldError(f"{loaded.id}: the episode ended without a verdict")
        actions = sum(step.counted for step in task.trajectory.steps) - 1
        end = task.episode.state()
        return Play(task.verdict, task.s0.state, end, actions, stuck, nameless, heard)
    finally:
        env.close()


def _act(
    env: WebspEnv,
    agent: Agent,
    seen: Observation,
    *,
    lenient: bool,
    picture: Path | None,
    witness: Witness | None,
) -> tuple[str, tuple[str, ...]]:
    """Play until the agent answers; returns why it was stuck and what had no name."""
    nameless, stuck = dict.fromkeys(_nameless(seen)), ""
    for _ in range(_STEPS):
        try:
            action = agent.act(seen)
        except OracleError as error:
            if not lenient:
                raise
            action, stuck = "ANSWER; stuck", str(error)
        if picture is not None and action.startswith("ANSWER"):
            env.page.screenshot(path=picture)
        if witness is not None:
            witness.before(env, action, seen)
        seen, _, terminated, truncated, _ = env.step(action)
        if witness is not None:
            witness.after(env, seen)
        if terminated or truncated:
            return stuck, tuple(nameless)
        nameless |= dict.fromkeys(_nameless(seen))
        problem = env.task.trajectory.steps[-1].error if env.task else ""
        # A scroll that moves nothing tells the oracle that it has seen all.
        if problem and not lenient and not action.startswith("Scroll"):
            raise OracleError(f"{action}: {problem}")
    raise OracleError(f"no answer after {_STEPS} steps")


def _nameless(seen: Observation) -> Iterator[str]:
    for mark in marks_from_dicts(seen["elements"]):
        if not mark.name and mark.role not in _NAMELESS_OK:
            yield f"{mark.line().partition('] ')[2]} on {seen['url']}"


def reset_seconds(loaded: LoadedInstance, *, times: int = 3) -> float:
    """The quickest of some resets of the instance's environment, replay included.

    Args:
        loaded: The instance.
        times: How many; the first one finds nothing warm.

    Returns:
        Seconds.
    """
    env = make_env(loaded.id, reward="state", initial_state="replay")
    taken = []
    try:
        for seed in range(times):
            began = time.monotonic()
            env.reset(seed=seed)
            taken.append(time.monotonic() - began)
    finally:
        env.close()
    return min(taken)
