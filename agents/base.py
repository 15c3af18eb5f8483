"""What an agent is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.env.rollout import Briefing, Player

__all__ = ["Agent", "Briefing"]

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind


class Agent(Player, Protocol):
    """Observations in, action texts out."""

    name: str

    @property
    def observation(self) -> ObservationKind:
        """Which observations it reads: the environment's option of the same name."""
        ...

    @property
    def turns(self) -> Sequence[Turn]:
        """What a model said and took since :meth:`begin`, one per action; empty for agents without a model."""
        ...

    def act(self, observation: Mapping[str, Any]) -> str:
        """Chooses the next action.

        Args:
            observation: An observation of the kind :attr:`observation` names.

        Returns:
            An action text.

        Raises:
            ModelError: Its model gave no answer. That is no failure of the agent: the episode has no score.
        """
