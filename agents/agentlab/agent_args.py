"""Our agents in the form that AgentLab's studies take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentlab.agents.agent_args import AgentArgs

from websp_gym.agents.agentlab.player import WebspPlayer
from websp_gym.agents.registry import make_agent


@dataclass(kw_only=True)
class WebspAgentArgs(AgentArgs):  # type: ignore[misc]
    """One of our agents, named by a string.

    Args:
        agent_name: Name in results; by default `spec`.
        spec: As in :func:`websp_gym.agents.make_agent`: ``oracle``, ``flawed:loops``, ``openai:gpt-6.2-sol``.
    """

    agent_name: str = ""
    spec: str = "oracle"

    def __post_init__(self) -> None:
        self.agent_name = self.agent_name or self.spec

    def set_benchmark(self, benchmark: Any, demo_mode: bool) -> None:
        """Make the agent once, so that a wrong string or a missing key fails here and not in every episode.

        Args:
            benchmark: Not used.
            demo_mode: Not used.

        Raises:
            SetupError: There is no such agent, or its model's key is missing.
        """
        make_agent(self.spec)

    def set_reproducibility_mode(self) -> None:
        """Do nothing: scripted agents are reproducible, and a model's temperature is part of `spec`."""

    def make_agent(self) -> WebspPlayer:
        """Return the agent."""
        return WebspPlayer(self.spec)
