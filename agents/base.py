"""What an agent is, and how one is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.env.play import Briefing, Player

__all__ = ["Agent", "Briefing", "make_agent"]

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.env.options import ObservationKind


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


def make_agent(spec: str) -> Agent:
    """Gives an agent by one string.

    Args:
        spec: ``oracle``, ``noop``, ``random``; ``flawed:KIND``; a model string such as ``openai:gpt-5.2`` or
            ``mllm:openai:gpt-5.2`` for the agent that looks at pictures; ``text:openai:gpt-5.2`` for the one that
            reads the accessibility tree. Options of the latter two stand behind a question mark:
            ``openai:gpt-5.2?screenshots=1&thinking=high``. ``my_package.my_module:MyAgent`` imports a class, or a
            function, that gives an agent when it is called without arguments.

    Returns:
        A new agent; nothing is asked of a model yet.

    Raises:
        SetupError: There is no such agent, option or model, or the model's key is missing.
    """
    # Each kind brings its own imports: only the one that is wanted.
    from websp_gym.agents.registry import choose

    return choose(spec)
