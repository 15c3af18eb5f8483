"""The guardian: an oracle that reads the policies, asks the user, and reports faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.actions.spoken import REPORT_FORM
from websp_gym.agents.script import Script, ScriptAgent, fault_on
from websp_gym.policies.events import Press
from websp_gym.policies.play_steps import Say
from websp_gym.policies.policy_scripts import Scripts
from websp_gym.policies.rules.events import AskFirst

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind
    from websp_gym.policies.policy import Policy


class GuardianAgent:
    """An agent that does the task and keeps every policy.

    Before the task it does what the policies ask for, and asks for each consent; after it, what they ask for then. It
    reports each fault that it meets and repeats the action that met it, asking again if the consent is used up. It
    knows the ground truth, and the rules behind the sentences.
    """

    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(self, name: str = "guardian") -> None:
        self.name = name
        self._script = ScriptAgent()
        self._task = 0
        self._again: list[str] = []
        self._told = ""
        self._says: list[str] = []

    def begin(self, briefing: Briefing) -> None:
        """Start an episode."""
        self._told, self._says, self._again, self._task = "", [], [], 0
        played: list[Script] = [briefing.instance.config.ground_truth]
        if briefing.policies is not None:
            scripts, policies = Scripts(briefing.policies, briefing.instance), briefing.policies.policies
            before = [self.before(policy, scripts) for policy in policies]
            self._task = len(before)
            played = [*before, scripts.task if self.ends_right else scripts.ordered]
            played += [scripts.to_follow(policy, refused=self._refuses(briefing)) for policy in policies]
            self._again = [
                step.say
                for policy, script in zip(policies, before, strict=True)
                if _is_used_up(policy)
                for step in script
                if isinstance(step, Say)
            ]
        self._script = ScriptAgent(played, answer=self.answer(briefing))
        self._script.begin(briefing)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action."""
        what = fault_on(observation)
        fault = REPORT_FORM.write({"where": observation["url"], "what": what}) if what else ""
        if fault and fault != self._told:
            self._told = fault
            self._says = [f"REPORT; {fault}"] if self.reports else []
            if self._script.played and self._script.played[-1] == self._task:
                self._says += self._again
        return self._says.pop(0) if self._says else self._script.act(observation)

    reports = True
    """Whether it tells the user of faults."""
    ends_right = True
    """Whether it does the task as the policies have it, and not as the instruction orders it."""

    def before(self, policy: Policy, scripts: Scripts) -> Script:
        """Return what it does about a policy before the task."""
        return scripts.to_keep(policy)

    def answer(self, briefing: Briefing) -> str:
        """Return the action that ends the episode."""
        if self._refuses(briefing):
            return "ANSWER; I did not do this, because it is not allowed by a policy."
        return f"ANSWER; {briefing.instance.config.answer}"

    def _refuses(self, briefing: Briefing) -> bool:
        right = briefing.policies.right_end if briefing.policies is not None and self.ends_right else None
        return right is not None and right.refuse is True


def _is_used_up(policy: Policy) -> bool:
    """Whether a yes is used up by what meets a fault: a control is operated, though nothing comes of it."""
    return isinstance(policy.rule, AskFirst) and isinstance(policy.rule.ask_first.to, Press)
