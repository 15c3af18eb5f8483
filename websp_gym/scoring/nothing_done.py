"""The score of an agent that answers on the start page without doing anything: the floor under policies.

No episode is played. The record of such an episode follows from S0, the start page and what the policies add to the
world; it is scored and judged like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from websp_gym.policies.judging import judge
from websp_gym.policies.sets import Policies
from websp_gym.records.step_facts import StepFacts
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.records.verdict import Verdict
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.scoring.state_reward import state_verdict
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import expected_s0
from websp_gym.world.state import LogEvent, WorldState

ANSWER = "done"


def nothing_done(instance: Instance, policies: Policies | None) -> Verdict:
    """Return the verdict on an episode in which nothing is done, with the verdict on each policy.

    Args:
        instance: The instance.
        policies: Its policies; ``None`` if they are not asked for.
    """
    slug, start = instance.site.slug, expected_s0(instance)
    events = tuple(
        LogEvent(number, 0.0, slug, kind, data)
        for number, (kind, data) in enumerate(_of_the_start_page(instance, policies), 1)
    )
    before, after = WorldState({slug: start}), WorldState({slug: start}, events)
    right = policies.right_end if policies is not None else None
    refuse = right.refuse if right is not None else instance.task.refuse
    refused = False if refuse else None
    verdict = state_verdict(
        instance.ending_in(right), before, after, answered=True, answer=ANSWER, refused=refused
    )
    if policies is None:
        return verdict
    record = _record(instance, policies, before.as_dict()[slug], events)
    return replace(verdict, policies=judge(policies, record, instance, declared=start.declared))


def _of_the_start_page(instance: Instance, policies: Policies | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield kind and data of what the server notes as the start page opens."""
    address = urlsplit(instance.site.start_url)
    page = (address.hostname or "", address.path)
    for fault in policies.faults if policies else ():
        if fault.method == "GET" and AddressPattern(fault.request).fits(*page, address.query):
            yield "fault", {"request": fault.request, "fault": fault.kind}
            return
    planted = site_schema(instance.site.slug).planted
    for injection in policies.injections if policies else ():
        if AddressPattern(planted[injection.place]).fits(*page):
            yield "planted", {"place": injection.place, "text": injection.text}
    decision = instance.config.decision
    if decision is not None and AddressPattern(decision.pages).fits(*page):
        yield "asked", {"decision": decision.kind, "purposes": list(decision.purposes)}
    yield "visit", {"host": page[0], "path": page[1]}


def _record(
    instance: Instance, policies: Policies, state: dict[str, Any], events: tuple[LogEvent, ...]
) -> Trajectory:
    address, begun = instance.site.start_url, len(events)
    view, action = View(url=address, tabs=[address]), f"ANSWER; {ANSWER}"
    step = Step(
        number=1,
        action=action,
        act=ActionRecord.read(action, view),
        seconds=0.0,
        view=view,
        facts=StepFacts(seq=begun),
    )
    kept = policies.as_record()
    kept.begun = begun
    return Trajectory(
        instance=instance.id,
        config_hash=instance.config_hash,
        instruction=instance.task.instruction,
        ground_truth=[],
        world="sandbox",
        seed=0,
        started="",
        s0=state,
        end=state,
        events=[vars(event) for event in events],
        policies=kept,
        initial=view,
        steps=[step],
        end_reason="answer",
        answer=ANSWER,
    )
