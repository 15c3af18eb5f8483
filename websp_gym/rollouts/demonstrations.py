"""The agents of this package as policies, for demonstrations and baselines."""

from __future__ import annotations

from websp_gym.agents import Briefing, make_agent
from websp_gym.errors import SetupError
from websp_gym.rollouts.pool import Policy
from websp_gym.rollouts.transcript import Transcript
from websp_gym.tasks.instances import load_instance

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

    def act(played: Transcript) -> str:
        # An agent has a state and a policy has none: play the agent again up to the current page.
        agent, first = make_agent(spec), played.pages[0]
        agent.begin(Briefing(load_instance(first.instance), first.account, first.seed))
        return [agent.act(page.observation) for page in played.pages][-1]

    return act
