"""Prove policies: each is kept if an agent obeys or does nothing, and violated in the right step if one breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents.guardian import GuardianAgent
from websp_gym.agents.script import ScriptAgent
from websp_gym.agents.simple import NoopAgent
from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.player import PlayedEpisode, play_instance
from websp_gym.errors import WebspError
from websp_gym.policies.events import Deed, OfDecision
from websp_gym.policies.lint import problems
from websp_gym.policies.policy_scripts import NoScriptError, Scripts
from websp_gym.policies.rules.events import AskFirst
from websp_gym.policies.rules.obligations import Must
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.rules.states import NothingElse
from websp_gym.policies.rules.values import KeepSecret, OnlyKnown
from websp_gym.policies.sets import policies_for
from websp_gym.policies.walks import Walks

if TYPE_CHECKING:
    from websp_gym.agents.script import Script
    from websp_gym.policies.policy import Policy
    from websp_gym.policies.rules import Rule
    from websp_gym.policies.sets import Policies
    from websp_gym.records.policy_verdict import PolicyStatus, PolicyVerdict
    from websp_gym.tasks.instances import Instance

POLICY_CHECKS = ("policies", "kept", "idle", "broken")
_PLAY_ERRORS = (WebspError, PlaywrightError, NoScriptError)


def prove_policies(instance: Instance, sets: Sequence[str]) -> Iterator[Finding]:
    """Play an instance under policies: keep them all and do the task, do nothing, and break each.

    Args:
        instance: The instance.
        sets: Sets of policies.

    Yields:
        Findings; their subjects are the instance, or the instance and the id of a policy.
    """
    policies = policies_for(instance, sets)
    unreachable = {policy.id for policy in policies.policies if not policy.can_come_up(instance)}
    rules = {policy.id: policy.rule for policy in policies.policies}
    with Walks() as walks:
        wrong = [str(problem) for problem in problems(policies, instance, walks)]
    yield judged("policies", instance.id, wrong, "can all be kept, and each be broken")
    for check, agent in (("kept", GuardianAgent()), ("idle", NoopAgent())):
        try:
            played = play_instance(instance, agent, policies=sets)
        except _PLAY_ERRORS as error:
            yield Finding(check, instance.id, "failed", str(error))
            continue
        if check == "kept":
            wrong = [] if played.verdict.score == 1.0 else [played.verdict.reason]
            yield judged(check, instance.id, wrong, f"the task is done, with {played.actions} actions")
        for verdict in played.verdict.policies or ():
            if verdict.id in unreachable and verdict.status != "violated":
                continue
            wanted = _wanted(rules[verdict.id], check)
            wrong = (
                []
                if verdict.status in wanted
                else [f"it is {verdict.status}: {verdict.evidence or 'never came up'}"]
            )
            yield judged(check, f"{instance.id} {verdict.id}", wrong, f"is {' or '.join(wanted)}")
    yield from _Breaking(instance, sets, policies).findings()


def _wanted(rule: Rule, check: str) -> tuple[PolicyStatus, ...]:
    """Return the verdicts on a rule that a play may have: of who obeys, or of who does nothing."""
    if check == "kept":
        # What asks for something comes up on the way; what forbids may never be in view.
        return ("ok",) if isinstance(rule, Must | AskFirst | Resist) else ("ok", "dormant")
    due = isinstance(rule, Must) and rule.must.do is not None and rule.must.when is None
    return ("violated",) if due else ("ok", "dormant")


@dataclass(frozen=True)
class _Broken:
    """How a policy was broken in a play: the problem with it, or the step."""

    problem: str
    step: int | None = None


@dataclass
class _Breaking:
    """The plays that break each policy: all in one episode, and those alone that this did not show."""

    instance: Instance
    sets: Sequence[str]
    policies: Policies
    _shown: dict[str, _Broken] = field(default_factory=dict)

    def findings(self) -> Iterator[Finding]:
        """Play and yield a finding for each policy."""
        scripts: list[tuple[Policy, Script]] = []
        known = Scripts(self.policies, self.instance)
        reachable = [policy for policy in self.policies.policies if policy.can_come_up(self.instance)]
        for policy in sorted(reachable, key=_order):
            try:
                scripts.append((policy, known.to_break(policy)))
            except NoScriptError as error:
                self._shown[policy.id] = _Broken(str(error))
        together = [each for each in scripts if not _needs_own_play(each[0])]
        alone = [each for each in scripts if _needs_own_play(each[0])]
        self._play(together)
        for each in (*together, *alone):
            if (shown := self._shown.get(each[0].id)) is None or shown.problem:
                self._play([each])
        for policy in reachable:
            shown = self._shown[policy.id]
            problem = [shown.problem] if shown.problem else []
            yield judged(
                "broken", f"{self.instance.id} {policy.id}", problem, f"violated in step {shown.step}"
            )

    def _play(self, scripts: Sequence[tuple[Policy, Script]]) -> None:
        # Alone, a script that gets stuck tells why.
        agent = ScriptAgent(
            [script for _, script in scripts],
            answer="ANSWER; all of it worked, no problem",
            lenient=len(scripts) > 1,
        )
        try:
            played = play_instance(self.instance, agent, policies=self.sets, lenient=True)
        except _PLAY_ERRORS as error:
            self._shown |= {policy.id: _Broken(str(error)) for policy, _ in scripts}
            return
        verdicts = {verdict.id: verdict for verdict in played.verdict.policies or ()}
        for number, (policy, script) in enumerate(scripts):
            own = [step for step, of in enumerate(agent.played, 1) if of == number]
            if policy.rule.is_due:
                own = [played.steps] if own or not script else []
            self._shown[policy.id] = _judged(verdicts[policy.id], own, played)


def _judged(verdict: PolicyVerdict, own: Sequence[int], played: PlayedEpisode) -> _Broken:
    """Judge whether a policy was violated first in a step of its own."""
    if verdict.status == "violated" and verdict.step in own:
        return _Broken("", verdict.step)
    steps = f"its steps were {own[0]} to {own[-1]}" if own else "none of its steps was played"
    at = f" in step {verdict.step}" if verdict.step else ""
    stuck = f"; {played.stuck}" if played.stuck else ""
    return _Broken(f"it is {verdict.status}{at}, {steps}{stuck} ({verdict.evidence})")


def _order(policy: Policy) -> int:
    """Return when a policy is broken among others.

    Faults come first, since they are in the way of the other scripts; then what the others would break too; last what
    cannot be undone.
    """
    if isinstance(policy.rule, Must) and policy.rule.must.report is not None:
        return 0
    if isinstance(policy.rule, NothingElse | OnlyKnown | KeepSecret):
        return 1
    return 3 if any(isinstance(event, Deed) for event in policy.rule.events) else 2


def _needs_own_play(policy: Policy) -> bool:
    """Whether breaking a policy ends the session, or is the task itself with a fault or a decision on its way."""
    rule = policy.rule
    if isinstance(rule, Must) and rule.must.report is not None:
        return rule.must.report.method == "POST"
    if any(isinstance(event, OfDecision) for event in rule.events):
        return True
    return any(isinstance(event, Deed) and event.deed == "close_account" for event in rule.events)
