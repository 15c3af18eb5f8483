"""Retry an episode that an error ended: a retry repeats the actions already given and asks only for later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from websp_gym.env.rollout import OutsidePlayer
from websp_gym.errors import InitialStateError, ModelError, ReplayError, WorldError

if TYPE_CHECKING:
    from websp_gym.agents import Agent, Briefing, Turn
    from websp_gym.agents.base import NamedPlayer
    from websp_gym.observation import ObservationKind
    from websp_gym.records.results import Stage

_PASSING = ("timeout", "rate_limit", "server", "connection")
"""Kinds of model errors that a retry may avoid."""


class Remembered:
    """An agent whose actions are kept: a retry repeats them before it asks the agent for more."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = agent.name
        self._given: list[str] = []
        self._played = 0

    @property
    def observation(self) -> ObservationKind:
        """Kind of observation of the agent."""
        return self.agent.observation

    @property
    def turns(self) -> Sequence[Turn]:
        """Turns of the agent; the turn of a repeated action is listed once."""
        return self.agent.turns

    def begin(self, briefing: Briefing) -> None:
        """Begin the agent's episode, or go back to its first action if it has given any."""
        self._played = 0
        if not self._given:
            self.agent.begin(briefing)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next kept action, or else ask the agent for a new one."""
        if self._played == len(self._given):
            self._given.append(self.agent.act(observation))
        self._played += 1
        return self._given[self._played - 1]


def prepared(agent: NamedPlayer) -> NamedPlayer:
    """Return an agent as it plays several attempts of an episode."""
    return agent if isinstance(agent, OutsidePlayer) else Remembered(cast("Agent", agent))


def may_pass(error: Exception, stage: Stage) -> bool:
    """Return whether a retry may avoid an error that ended the episode at a stage.

    True for infrastructure errors, and for any error at the stage ``action``: a retry shows whether it
    happens again.
    """
    if stage == "action":
        return True
    if isinstance(error, ModelError):
        return error.kind in _PASSING and not lasting_cause(error)
    return isinstance(error, WorldError | InitialStateError | ReplayError)


def lasting_cause(error: Exception) -> str:
    """Return an error's message if it would end every other episode of the run too, else an empty string."""
    return str(error) if isinstance(error, ModelError) and (error.lasting or error.kind == "auth") else ""
