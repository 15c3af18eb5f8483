"""The agents of this package as policies, for demonstrations and baselines."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from websp_gym.agents import Briefing, make_agent
from websp_gym.errors import SetupError
from websp_gym.rollouts.pool import Policy
from websp_gym.rollouts.transcript import Transcript
from websp_gym.tasks.instances import load_instance

if TYPE_CHECKING:
    from websp_gym.agents import Agent
    from websp_gym.rollouts.page import Page

REPEATABLE = ("oracle", "noop", "random", "flawed")
"""Agents that do the same whenever they see the same pages."""


def agent_policy(spec: str) -> Policy:
    """Return an agent without a model as a policy, for example ``oracle`` for transcripts to imitate.

    Args:
        spec: ``oracle``, ``noop``, ``random`` or ``flawed:KIND``.

    Raises:
        SetupError: There is no such agent, or it uses a model.
    """
    if spec.partition(":")[0] not in REPEATABLE:
        raise SetupError(f"agent {spec!r}: use one of {', '.join(REPEATABLE)} (flawed:KIND)", agent=spec)
    make_agent(spec)
    agents: dict[int, tuple[weakref.ref[Page], Agent]] = {}
    """By the identity of the page that an agent acted on last; an entry goes with its page."""

    def act(played: Transcript) -> str:
        # An agent has a state and a policy has none: go on with the agent that acted on the page before. Where there
        # is none, as on a branch of a rollout, play a new one up to the current page.
        _page, agent = (
            agents.pop(id(played.pages[-2]), (None, None)) if len(played.pages) > 1 else (None, None)
        )
        todo = played.pages[-1:]
        if agent is None:
            agent, todo = make_agent(spec), played.pages
            agent.begin(Briefing(load_instance(todo[0].instance), todo[0].account, todo[0].seed))
        reply = [agent.act(page.observation) for page in todo][-1]
        key = id(played.page)
        agents[key] = weakref.ref(played.page, lambda _page: agents.pop(key, None)), agent
        return reply

    return act
