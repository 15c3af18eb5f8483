"""What an agent is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.tasks.instances import LoadedInstance

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.observation.observe import ObservationKind


@dataclass(frozen=True)
class Briefing:
    """What an agent is told before an episode.

    Args:
        loaded: The instance. An honest agent uses its instruction only; the oracle reads the ground truth.
        account: The account's name, username and email.
        seed: Seed of the episode.
    """

    loaded: LoadedInstance
    account: Mapping[str, str]
    seed: int


class Agent(Protocol):
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

    def begin(self, briefing: Briefing) -> None:
        """Starts a new episode."""

    def act(self, observation: Mapping[str, Any]) -> str:
        """Chooses the next action.

        Args:
            observation: An observation of the kind :attr:`observation` names.

        Returns:
            An action text.

        Raises:
            ModelError: Its model gave no answer. That is no failure of the agent: the episode has no score.
        """
