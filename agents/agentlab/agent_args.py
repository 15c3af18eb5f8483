"""Our agents, as AgentLab's studies take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentlab.agents.agent_args import AgentArgs

from websp_gym.agents.agentlab.player import WebspPlayer
from websp_gym.agents.registry import make_agent


@dataclass(kw_only=True)
class WebspAgentArgs(AgentArgs):  # type: ignore[misc]
    """An agent of ours, by one string.

    Args:
        agent_name: What results call it; the string itself otherwise.
        spec: As for :func:`websp_gym.agents.make_agent`: ``oracle``, ``flawed:loops``, ``openai:gpt-5.2``.
    """

    agent_name: str = ""
    spec: str = "oracle"

    def __post_init__(self) -> None:
        self.agent_name = self.agent_name or self.spec

    def set_benchmark(self, benchmark: Any, demo_mode: bool) -> None:
        """Fails here, once, where the agent would fail in every episode.

        Args:
            benchmark: Not used.
            demo_mode: Not used.

        Raises:
            SetupError: There is no such agent, or its model's key is missing.
        """
        make_agent(self.spec)

    def set_reproducibility_mode(self) -> None:
        """Nothing to do: scripted agents repeat themselves, and a model's temperature is part of its string."""

    def make_agent(self) -> WebspPlayer:
        """Makes the agent."""
        return WebspPlayer(self.spec)
