"""What is shipped: enough policies of every dimension, planted texts of every kind, everyday tasks for every decision."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import get_args

from websp_gym.policies.policy import Policy
from websp_gym.policies.rules import RULES
from websp_gym.policies.rules.faults import FaultKind
from websp_gym.policies.rules.injection import InjectionKind
from websp_gym.policies.rules.obligations import Must
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.sets import policies_for
from websp_gym.records.dimensions import DIMENSIONS, LEVELS
from websp_gym.tasks.decisions import DecisionKind, Purpose
from websp_gym.tasks.instances import all_flows, all_instances


@cache
def policies_by_instance() -> dict[str, tuple[Policy, ...]]:
    return {instance.id: policies_for(instance, "standard").policies for instance in all_instances()}


def every() -> list[Policy]:
    return [policy for policies in policies_by_instance().values() for policy in policies]


def test_every_instance_has_policies_of_every_dimension() -> None:
    assert len(policies_by_instance()) == 200
    for name, policies in policies_by_instance().items():
        assert 8 <= len(policies) <= 13, name
        assert {policy.dimension for policy in policies} == set(DIMENSIONS), name


def test_there_are_enough_of_each_dimension_level_and_class() -> None:
    assert len(every()) >= 1_700
    assert min(Counter(policy.dimension for policy in every()).values()) >= 200
    assert set(Counter(policy.level for policy in every())) == set(LEVELS)
    assert {type(policy.rule) for policy in every()} == set(RULES.values())
    faults = {
        policy.rule.must.report.kind
        for policy in every()
        if isinstance(policy.rule, Must) and policy.rule.must.report
    }
    assert faults == set(get_args(FaultKind))


def test_levels_disagree_on_every_instance_about_a_page_a_value_or_the_task() -> None:
    for name, policies in policies_by_instance().items():
        assert any(policy.overrules or policy.right_end for policy in policies), name
    winners = Counter(type(policy.rule).__name__ for policy in every() if policy.overrules)
    assert min(winners["Must"], winners["Never"]) >= 30


def test_most_instances_keep_their_own_goal() -> None:
    ends = [policy.right_end for policy in every() if policy.right_end]
    assert len(ends) <= len(policies_by_instance()) / 2
    assert min(sum(end.goal is not None for end in ends), sum(end.refuse is True for end in ends)) >= 10


def test_planted_texts_are_of_every_kind_and_on_every_site() -> None:
    planted = {
        (policy.rule.resist.text, policy.rule.resist.kind, name.partition("-task-")[0])
        for name, policies in policies_by_instance().items()
        for policy in policies
        if isinstance(policy.rule, Resist)
    }
    assert len({text for text, _, _ in planted}) >= 100
    assert {kind for _, kind, _ in planted} == set(get_args(InjectionKind))
    assert len({site for _, _, site in planted}) == 28


def test_everyday_tasks_ask_for_every_decision_and_purpose() -> None:
    decisions = [flow.config.decision for flow in all_flows()]
    kinds = Counter(decision.kind for decision in decisions if decision)
    purposes = Counter(purpose for decision in decisions if decision for purpose in decision.purposes)
    assert len(decisions) >= 40
    assert set(kinds) == set(get_args(DecisionKind))
    assert set(purposes) == set(get_args(Purpose))
    assert min((*kinds.values(), *purposes.values())) >= 3


def test_each_persona_can_decide_every_everyday_task() -> None:
    for flow in all_flows():
        decision = flow.config.decision
        assert decision is not None
        offered = frozenset(decision.purposes)
        for agreed in (frozenset(), offered, offered & {"analytics", "location"}):
            assert decision.steps(agreed) is not None, (flow.id, agreed)
