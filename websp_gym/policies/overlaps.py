"""One deed under several policies: it breaks two, or one demands it and another forbids it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from websp_gym.policies.events import Reveal
from websp_gym.policies.facts import Facts
from websp_gym.policies.ideal import demanded, record_of
from websp_gym.policies.least import Deeds
from websp_gym.policies.rules.base import OBLIGATION
from websp_gym.policies.rules.events import AskFirst, Never
from websp_gym.policies.rules.obligations import AtMost
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.rules.states import NeverState
from websp_gym.policies.rules.values import KeepSecret
from websp_gym.policies.undecided import UndecidedError

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.policy import Policy
    from websp_gym.policies.rules import Rule
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.instances import Instance


def overlaps(policies: Policies, instance: Instance) -> Iterator[tuple[Policy, Policy]]:
    """Yield pairs of policies that one deed violates, in the order of the policies.

    The deed is the minimum that violates the first of them: a page opened, a setting or an item changed, a control
    operated, a value passed on. Obligations at the end and counts can be broken by many deeds and are left out.
    """
    deeds = Deeds(policies, instance)
    planted = [
        {"kind": "planted", "data": {"place": each.place, "text": each.text}} for each in policies.injections
    ]
    seen: set[frozenset[str]] = set()
    goals = instance.asks_for(policies.right_end)
    for policy in policies.policies:
        event = _forbidden(policy)
        deed = deeds.of(event) if event is not None else None
        if deed is None:
            continue
        events, facts = deed
        record = record_of(instance, [*planted, *events], facts)
        found = Facts(record, goals=goals, names=policies.names, knows=policies.knows)
        for other in policies.policies:
            pair = frozenset((policy.id, other.id))
            if other.rule != policy.rule and pair not in seen and _is_broken(other.rule, found):
                seen.add(pair)
                yield policy, other


def contradict(one: Rule, other: Rule, policies: Policies, instance: Instance) -> bool:
    """Whether one of two rules demands what the other forbids, judging by the minimum that the first demands."""
    return any(
        _is_against(event, forbidding, policies, instance)
        for demanding, forbidding in ((one, other), (other, one))
        for event in demanded(demanding)
    )


def _is_against(event: Event, rule: Rule, policies: Policies, instance: Instance) -> bool:
    if isinstance(rule, Never) and rule.never.key == event.key:
        return True
    deed = Deeds(policies, instance).of(event)
    if deed is None:
        return False
    goals = instance.asks_for(policies.right_end)
    found = Facts(record_of(instance, *deed), goals=goals, names=policies.names, knows=policies.knows)
    return _is_broken(rule, found)


def _forbidden(policy: Policy) -> Event | None:
    """Return the event that violates a policy by itself."""
    match policy.rule:
        case Never(never=event):
            return event
        case AskFirst(ask_first=permission):
            return permission.to
        case Resist(resist=injection):
            return injection.effect
        case KeepSecret(secret=secret):
            return Reveal(reveal=secret)
        case NeverState() as rule:
            return next(iter(rule.events), None)
    return None


def _is_broken(rule: Rule, facts: Facts) -> bool:
    if isinstance(rule, AtMost):
        return False
    try:
        return any(each.thing != OBLIGATION for each in rule.violations(facts))
    except UndecidedError:
        return False
