"""One of our agents as an agent of AgentLab."""

from __future__ import annotations

from typing import Any

from browsergym.experiments.agent import Agent as AgentLabAgent
from browsergym.experiments.agent import AgentInfo

from websp_gym.agents.agentlab.actions import WebspActionSet
from websp_gym.agents.agentlab.episode import BRIEFING
from websp_gym.agents.agentlab.info import Overheard, info_of
from websp_gym.agents.base import Briefing
from websp_gym.agents.llm_agent import LLMAgent
from websp_gym.agents.registry import make_agent
from websp_gym.errors import SetupError
from websp_gym.policies.sets import policies_for
from websp_gym.tasks.instances import load_instance

KEPT = ("screenshot", "goal", "url", "elements_text", "last_action", "last_action_error")
"""Parts of an observation that AgentLab stores with each step."""


class WebspPlayer(AgentLabAgent):  # type: ignore[misc]
    """An AgentLab agent that plays as the agent named by a string.

    Args:
        spec: As in :func:`websp_gym.agents.make_agent`.

    Raises:
        SetupError: There is no such agent, or its model's key is missing.
    """

    def __init__(self, spec: str) -> None:
        self.agent = make_agent(spec)
        self.action_set = WebspActionSet(self.agent.observation)
        self._seen: dict[str, Any] = {}
        self._briefed = False
        self._model: Overheard | None = None
        if isinstance(self.agent, LLMAgent):
            self._model = self.agent.model = Overheard(self.agent.model)

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        """Keep the environment's observation for the agent and return the parts that AgentLab stores and shows."""
        self._seen = dict(obs)
        briefing = self._seen.pop(BRIEFING, None)
        if briefing is not None:
            self._briefed = True
            instance = load_instance(briefing["instance"])
            sets = briefing["policies"]
            policies = policies_for(instance, sets) if sets else None
            self.agent.begin(Briefing(instance, briefing["account"], briefing["seed"], policies))
        kept = {name: obs[name] for name in KEPT if name in obs}
        kept["goal_object"] = ({"type": "text", "text": obs["goal"]},)
        if "axtree_object" in obs:
            kept["axtree_txt"] = _tree(obs)
        if "screenshot_marks" in obs:
            kept["screenshot_som"] = obs["screenshot_marks"]
        return kept

    def get_action(self, obs: Any) -> tuple[str, AgentInfo]:
        """Choose the next action, based on the whole observation.

        Args:
            obs: Result of :meth:`obs_preprocessor`; not used.

        Returns:
            The action, and what AgentXRay shows of it.

        Raises:
            ModelError: The agent's model gave no answer; AgentLab records an error and repeats the episode.
            SetupError: The environment was made by AgentLab's own ``EnvArgs``.
        """
        if not self._briefed:
            raise SetupError(
                "agents of websp-gym play in environments of WebspEnvArgs, which tell them instance and account"
            )
        before = len(self.agent.turns)
        action = self.agent.act(self._seen)
        turn = self.agent.turns[-1] if len(self.agent.turns) > before else None
        asked = self._model.messages if self._model else ()
        return action, info_of(self.agent.name, action, turn, asked)


def _tree(obs: dict[str, Any]) -> str:
    from browsergym.utils.obs import flatten_axtree_to_str

    return str(flatten_axtree_to_str(obs["axtree_object"]))
