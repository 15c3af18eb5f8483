"""What an agent is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from websp_gym.errors import SetupError, nearest
from websp_gym.instances import LoadedInstance


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

    def begin(self, briefing: Briefing) -> None:
        """Starts a new episode."""

    def act(self, observation: Mapping[str, Any]) -> str:
        """Chooses the next action.

        Args:
            observation: An observation of kind ``marks``.

        Returns:
            An action text.
        """


def make_agent(name: str) -> Agent:
    """Gives an agent by name.

    Args:
        name: ``oracle``, ``noop`` or ``random``.

    Returns:
        A new agent.

    Raises:
        SetupError: There is no such agent.
    """
    from websp_gym.agents.oracle import OracleAgent
    from websp_gym.agents.simple import NoopAgent, RandomAgent

    known: dict[str, Callable[[], Agent]] = {"oracle": OracleAgent, "noop": NoopAgent, "random": RandomAgent}
    if name not in known:
        raise SetupError(
            f'no agent "{name}"{nearest(name, list(known))} (agents: {", ".join(known)})', agent=name
        )
    return known[name]()
