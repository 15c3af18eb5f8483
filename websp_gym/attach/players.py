"""All agents that can play an episode, also those that act by themselves, by the string that names them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from websp_gym.agents.registry import OUTSIDE, make_agent
from websp_gym.errors import SetupError, missing_extra

if TYPE_CHECKING:
    from websp_gym.agents.base import Agent
    from websp_gym.attach.agent import OutsideAgent


def make_player(spec: str) -> Agent | OutsideAgent:
    """Return the agent that a string names; also a program that acts by itself.

    Args:
        spec: As for :func:`~websp_gym.agents.make_agent`, or ``cdp:COMMAND`` or ``mcp:COMMAND``, such as
            ``cdp:python my_agent.py``, which starts a program for each episode.

    Raises:
        SetupError: As :func:`~websp_gym.agents.make_agent`, or the extra ``attach`` is not installed.
    """
    kind, _, command = spec.partition(":")
    if kind not in OUTSIDE:
        return make_agent(spec)
    if not command.strip():
        raise SetupError(f'"{spec}" needs a command, for example: {kind}:python my_agent.py', agent=spec)
    check_extra(f'agent "{spec}"')
    from websp_gym.attach.agent import CommandAgent

    return CommandAgent(command, spec, for_tools=kind == "mcp")


def check_extra(what: str) -> None:
    """Raise ``MissingExtraError`` if the extra ``attach`` is not installed; ``what`` needs it."""
    if any(find_spec(needed) is None for needed in ("websockets", "mcp")):
        raise missing_extra(f"{what} needs WebSockets and the Model Context Protocol", "attach")
