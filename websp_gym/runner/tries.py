"""An episode that an error ended, played again: with the actions the agent has given, and who is to blame at last.

An agent that is losing must not gain by an error: a second try repeats its actions and asks it for none of them
again, and an action that ends the episode with an error a second time is the agent's failure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.errors import InitialStateError, ModelError, ReplayError, WorldError

if TYPE_CHECKING:
    from websp_gym.agents import Agent, Briefing, Turn
    from websp_gym.observation import ObservationKind
    from websp_gym.records.results import Stage

_PASSING = ("timeout", "rate_limit", "server", "connection")
"""Kinds of model errors that another try may not meet."""


class Remembered:
    """An agent whose actions are kept: a further episode repeats them before the agent is asked for more.

    Args:
        agent: The agent.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = agent.name
        self._given: list[str] = []
        self._played = 0

    @property
    def observation(self) -> ObservationKind:
        """The agent's."""
        return self.agent.observation

    @property
    def turns(self) -> Sequence[Turn]:
        """The agent's; those of repeated actions once."""
        return self.agent.turns

    def begin(self, briefing: Briefing) -> None:
        """Starts the agent's episode, or goes back to the first action it gave."""
        self._played = 0
        if not self._given:
            self.agent.begin(briefing)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Gives the next action: one that was given before, or a new one of the agent's."""
        if self._played == len(self._given):
            self._given.append(self.agent.act(observation))
        self._played += 1
        return self._given[self._played - 1]


def may_pass(error: Exception, stage: Stage) -> bool:
    """Whether another try may not meet an error.

    Args:
        error: What ended the episode.
        stage: What was under way.

    Returns:
        True for infrastructure; and for whatever came of an action, so that it is seen whether it comes again.
    """
    if stage == "action":
        return True
    if isinstance(error, ModelError):
        return error.kind in _PASSING
    return isinstance(error, WorldError | InitialStateError | ReplayError)
