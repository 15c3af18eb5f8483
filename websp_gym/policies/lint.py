"""Checks of an instance's policies that need no browser, such as whether they can be kept and broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from websp_gym.policies.events import Press, Visit
from websp_gym.policies.ideal import ideal
from websp_gym.policies.overlaps import contradict, overlaps
from websp_gym.policies.rules.base import OBLIGATION
from websp_gym.policies.rules.events import Never
from websp_gym.policies.rules.obligations import AtMost
from websp_gym.policies.rules.order import Order
from websp_gym.policies.site_texts import can_be_on_pages, is_in_files
from websp_gym.policies.undecided import UndecidedError
from websp_gym.policies.walks import Walks
from websp_gym.sandbox.schema.addresses import BELOW
from websp_gym.tasks.sites import site_schema

if TYPE_CHECKING:
    from websp_gym.policies.events import ControlName, Event
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.policy import Policy
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.instances import Instance


@dataclass(frozen=True)
class Problem:
    """A problem with the policies of an instance.

    Args:
        policy: The policy.
        text: What is wrong, with the id of the policy.
        evidence: Where it shows; this may differ between instances.
    """

    policy: Policy
    text: str
    evidence: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.evidence})" if self.evidence else self.text


def problems(policies: Policies, instance: Instance, walks: Walks | None = None) -> Iterator[Problem]:
    """Yield the problems of an instance's policies.

    Two are the same; one forbids the start page; doing what the task or its ``right_end`` asks for breaks one; one
    that overrules a lower level does not contradict it; one names a control or a page that the site does not have;
    one deed breaks two.

    Args:
        policies: The policies.
        instance: The instance.
        walks: Finds pages, including those that the task needs; ``None`` to skip both.
    """
    yield from _of_twins(policies)
    for policy in policies.policies:
        event = policy.rule.never if isinstance(policy.rule, Never) else None
        if isinstance(event, Visit) and event.pattern.matches(instance.site.start_url):
            yield Problem(policy, f"{policy.id}: forbids the start page")
        yield from _of_conflict(policy, policies, instance)
        yield from _of_nowhere(policy, instance)
        yield from _of_no_page(policy, instance, walks) if walks else ()
    for one, other in overlaps(policies, instance):
        yield Problem(
            one, f"{one.id} and {other.id} are broken by the same deed, which therefore counts twice"
        )
    opened = dict.fromkeys(walks.places(instance)) if walks and _is_about_pages(policies) else ()
    ordered = ideal(policies, instance, instance.config.ground_truth, opened)
    right = instance.ending_in(policies.right_end)
    facts = ordered if right is instance else ideal(policies, right)
    for policy in policies.policies:
        try:
            text, forbidden = (
                f"{policy.id}: doing the task breaks it",
                _forbids(policy, facts),
            )
            if forbidden and right is instance:
                text += "; if this is intended, add a right_end that says what is right instead"
            if forbidden:
                yield Problem(policy, text, forbidden)
            # What cannot be done without the policies has another end under them.
            needless = policy.right_end is not None and not instance.task.refuse
            if needless and not _forbids(policy, ordered):
                yield Problem(
                    policy, f"{policy.id}: has a right_end, but the task can be done without breaking it"
                )
        except UndecidedError as error:
            yield Problem(policy, f"{policy.id}: {error}")


def gathered(found: Mapping[str, Iterable[Problem]]) -> list[str]:
    """Return each problem of several instances once, with file and line and the number of instances.

    Args:
        found: The problems by instance.
    """
    first: dict[tuple[str, str], Problem] = {}
    having: dict[tuple[str, str], list[str]] = {}
    for name, each in found.items():
        for problem in each:
            key = (problem.policy.where, problem.text)
            first.setdefault(key, problem)
            having.setdefault(key, []).append(name)
    return [
        f"{where}: {first[where, text]}: {names[0]}{f' and {len(names) - 1} more' * (len(names) > 1)}"
        for (where, text), names in having.items()
    ]


def _is_about_pages(policies: Policies) -> bool:
    """Whether a policy looks at the pages that are opened."""
    rules = [policy.rule for policy in policies.policies]
    return any(
        isinstance(rule, AtMost) or any(isinstance(each, Visit) for each in rule.events) for rule in rules
    )


def _of_twins(policies: Policies) -> Iterator[Problem]:
    """Yield what policies are the same."""
    for rule, number in Counter(policy.rule.model_dump_json() for policy in policies.policies).items():
        if number > 1:
            same = [policy for policy in policies.policies if policy.rule.model_dump_json() == rule]
            yield Problem(same[-1], f"{' and '.join(each.id for each in same)} are the same policy")


def _of_conflict(policy: Policy, policies: Policies, instance: Instance) -> Iterator[Problem]:
    """Yield what is wrong with a policy that overrules a lower level: one must demand what the other forbids."""
    if policy.overrules and not contradict(policy.rule, policy.overrules.rule, policies, instance):
        text = "does not contradict what it overrules: one must demand what the other forbids"
        yield Problem(policy, f"{policy.id}: {text}")


def _of_nowhere(policy: Policy, instance: Instance) -> Iterator[Problem]:
    """Yield what controls a policy names that the site cannot have."""
    for control in dict.fromkeys(_controls(policy)):
        if not can_be_on_pages(control.name, instance):
            text = f'{policy.id}: {instance.site.site} has no {control.role} "{control.name}"'
            yield Problem(policy, text)


def _of_no_page(policy: Policy, instance: Instance, walks: Walks) -> Iterator[Problem]:
    """Yield what addresses a policy names at which there is no page, with a part of which the site knows nothing.

    A page of an item, such as ``/{owner}/{repo}``, takes any address; what comes to be in an episode is no mistake.
    """
    site = site_schema(instance.site.slug)
    for event in (each for each in _events(policy) if isinstance(each, Visit)):
        address = event.pattern.address
        parts = [part for part in event.pattern.segments if part not in ("", BELOW)]
        if address is None or event.pattern.host not in site.hosts:
            continue
        if all(is_in_files(site.slug, part) for part in parts):
            continue
        if not walks.finds(instance, address):
            yield Problem(policy, f'{policy.id}: {site.name} has no page "/{"/".join(parts)}"')


def _controls(policy: Policy) -> Iterator[ControlName]:
    """Yield the controls that a policy names."""
    yield from (event.press for event in _events(policy) if isinstance(event, Press))
    if policy.active_when is not None and policy.active_when.shown is not None:
        yield policy.active_when.shown


def _events(policy: Policy) -> Iterator[Event]:
    """Yield the events that a policy names: of its rule, of what it overrules, and what makes it active."""
    yield from policy.rule.events
    yield from policy.overrules.rule.events if policy.overrules else ()
    if policy.active_when is not None and policy.active_when.happens is not None:
        yield policy.active_when.happens


def _forbids(policy: Policy, facts: Facts) -> str:
    """Return what of an episode a policy forbids first; empty if nothing, or if it only asks for something beside."""
    if isinstance(policy.rule, Order):
        return ""
    found = (each.words for each in policy.rule.violations(facts) if each.thing != OBLIGATION)
    return next(found, "")
