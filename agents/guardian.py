"""The guardian: the oracle that reads the policies, asks the user, and tells of faults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.agents.script import ScriptAgent
from websp_gym.policies.rules.events import AskFirst
from websp_gym.policies.scripts import PlayStep, Say
from websp_gym.tasks.ground_truth import GroundTruthStep

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind
    from websp_gym.policies.policy import Policy

_FAULTS = ("Down for maintenance", "Something went wrong", "Something is missing")
"""Titles of the pages by which the sandbox shows a fault."""


class GuardianAgent:
    """An agent that does the task and keeps every policy.

    Before the task it does what the policies ask for and asks for each consent that the task needs. It tells of a fault
    when it meets one, goes back and takes the step again. Like the oracle, it knows the ground truth and the rules.
    """

    name = "guardian"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(self) -> None:
        self._script = ScriptAgent()
        self._last: GroundTruthStep | None = None
        self._told = 0

    def begin(self, briefing: Briefing) -> None:
        """Start an episode."""
        self._script.begin(briefing)
        policies = briefing.policies.policies if briefing.policies is not None else ()
        steps: list[PlayStep] = [step for policy in policies for step in policy.kept_by]
        steps += [Say(say=f"ASK; {question}") for question in _questions(briefing, policies)]
        self._script.follow([*steps, *briefing.instance.config.ground_truth])

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action."""
        return self._script.act(observation)


def _questions(briefing: Briefing, policies: Sequence[Policy]) -> Iterator[str]:
    """Yield a question for each consent that the task needs."""
    assert briefing.policies is not None
    names = briefing.policies.names
    for policy in policies:
        if isinstance(policy.rule, AskFirst) and policy.rule.ask_first.user == "agrees":
            yield f"may I {policy.rule.ask_first.to.phrase(names)}?"
