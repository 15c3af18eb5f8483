"""Scores of agents that do not read the instruction: baselines for every success rate.

Each sets the switches of the task's site in one way, whatever the task is, and answers. No episode is played: the
end state is computed from S0 and scored as usual. Settings are set directly, without their dependencies and without a
limit of actions, so the rates are what such a policy could reach at most.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.records.verdict import Verdict
from websp_gym.scoring.state_reward import state_verdict
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import expected_s0
from websp_gym.world.side_effects import page_of
from websp_gym.world.state import WorldState

Setter = Callable[[bool, "bool | None"], "bool | None"]
"""Maps a switch's value in S0, and its least private value if declared, to its new value; None for no change."""

POLICIES: Mapping[str, Setter] = MappingProxyType(
    {
        "nothing": lambda now, least: None,
        "all on": lambda now, least: True,
        "all off": lambda now, least: False,
        "flip": lambda now, least: not now,
        "most private": lambda now, least: None if least is None else not least,
        "least private": lambda now, least: least,
    }
)
"""Action of each policy on a switch."""

PAGE = "flip its page"
"""A policy that knows the page of the goal and flips every switch on it."""
BEST = "best per site"
"""The best policy for each site, chosen with the outcomes known."""
LABELS = {
    "nothing": "nothing done",
    "most private": "all switches most private",
    BEST: "best fixed way on each site",
}
"""The baselines that reports show, with their names there."""
NAMES = {**LABELS, PAGE: "every switch of the right page flipped"}


@dataclass(frozen=True)
class FloorRates:
    """How many instances a policy solves.

    Args:
        policy: A key of :data:`POLICIES`, :data:`PAGE` or :data:`BEST`.
        solved: By the state reward.
        siblings: With nothing else changed on the page of the goal.
        strict: Without side effects.
        instances: Number of instances.
    """

    policy: str
    solved: int
    siblings: int
    strict: int
    instances: int

    @property
    def rate(self) -> float:
        """Share of the instances that are solved."""
        return self.solved / self.instances if self.instances else 0.0

    @property
    def siblings_rate(self) -> float:
        """Share of the instances that are solved with nothing else changed on the page."""
        return self.siblings / self.instances if self.instances else 0.0

    @property
    def strict_rate(self) -> float:
        """Share of the instances that are solved without side effects."""
        return self.strict / self.instances if self.instances else 0.0


def blunt_rates(ids: Iterable[str]) -> dict[str, FloorRates]:
    """Return the rates of each policy on some instances, by policy; :data:`BEST` comes last.

    Args:
        ids: Ids of instances of the sandbox.

    Raises:
        SetupError: There is no such instance, or its site is invalid.
    """
    instances = [load_instance(name) for name in ids]
    of_site: dict[str, list[str]] = {}
    for each in instances:
        of_site.setdefault(each.site.slug, []).append(each.id)

    def solved(policy: str, part: int, names: Iterable[str]) -> int:
        return sum(_outcome(name, policy)[part] for name in names)

    def best(part: int) -> int:
        return sum(max(solved(policy, part, names) for policy in POLICIES) for names in of_site.values())

    def rates(policy: str, count: Callable[[int], int]) -> FloorRates:
        return FloorRates(policy, count(0), count(1), count(2), len(instances))

    every = [each.id for each in instances]
    found = {policy: rates(policy, partial(solved, policy, names=every)) for policy in (*POLICIES, PAGE)}
    return {**found, BEST: rates(BEST, best)}


@cache
def _outcome(name: str, policy: str) -> tuple[bool, bool, bool]:
    """Return whether a policy solves an instance, whether it moves nothing else on the page, and nothing at all."""
    verdict = blunt_verdict(load_instance(name), policy)
    return verdict.score == 1.0, verdict.siblings == 1.0, verdict.strict == 1.0


def blunt_verdict(instance: Instance, policy: str) -> Verdict:
    """Return the verdict on an episode in which a policy sets the switches of the task's site and answers.

    Args:
        instance: The instance.
        policy: A key of :data:`POLICIES`, or :data:`PAGE`.
    """
    slug, start = instance.site.slug, expected_s0(instance)
    least = start.declared.least_private
    settings: dict[str, Any] = dict(start.settings)
    in_reach = page_of(instance.task.goal, start.declared) if policy == PAGE else settings.keys()
    setter = POLICIES["flip" if policy == PAGE else policy]
    for key, setting in site_schema(slug).settings.items():
        if setting.type == "bool" and key in in_reach:
            value = setter(bool(settings[key]), least.get(key))
            settings[key] = settings[key] if value is None else value
    end = WorldState({slug: type(start)(settings, start.collections, start.declared)})
    return state_verdict(instance, WorldState({slug: start}), end, answered=True)


def known(ids: Iterable[str]) -> list[str]:
    """Return the ids of the instances that can be computed: results may be about tasks that are not installed."""
    from websp_gym.tasks.ids import instance_ids

    here = set(instance_ids())
    found = []
    for name in dict.fromkeys(ids):
        if name in here:
            with contextlib.suppress(SetupError):  # its site is not here
                site_schema(load_instance(name).site.slug)
                found.append(name)
    return found


def markdown() -> str:
    """Return the baselines on all instances as a table for the documentation."""
    from websp_gym.tasks.ids import instance_ids

    rows = blunt_rates(instance_ids()).values()
    lines = [
        "| without reading the instruction | solved | nothing else on the page | without side effects |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {NAMES.get(each.policy, each.policy)} | {each.solved} of {each.instances} ({each.rate:.0%}) "
        f"| {each.siblings} ({each.siblings_rate:.0%}) | {each.strict} ({each.strict_rate:.0%}) |"
        for each in rows
    ]
    return "\n".join(lines)
