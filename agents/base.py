"""The protocol that every agent implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.env.rollout import Briefing, Player

__all__ = ["Agent", "Briefing", "NamedPlayer"]

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind


class NamedPlayer(Player, Protocol):
    """Who plays the episodes of a run: an agent, or a program that drives the browser by itself."""

    name: str

    @property
    def observation(self) -> ObservationKind:
        """Kind of observation that it reads; same values as the environment's ``observation`` option."""
        ...


class Agent(NamedPlayer, Protocol):
    """An agent: gets observations and returns action texts."""

    @property
    def turns(self) -> Sequence[Turn]:
        """The model's replies and their cost since :meth:`begin`, one turn per action; empty without a model."""
        ...

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action.

        Args:
            observation: An observation of the kind that :attr:`observation` names.

        Returns:
            An action text.

        Raises:
            ModelError: The agent's model gave no answer. This does not count as a failure: the episode is not scored.
        """
