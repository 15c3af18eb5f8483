"""Checks of the policies of an instance that need no browser: they can be kept together with the goal, and broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from websp_gym.policies.events import Visit
from websp_gym.policies.judging import judge
from websp_gym.policies.policy import Policy
from websp_gym.policies.rules.events import AskFirst, Never
from websp_gym.policies.rules.obligations import Must
from websp_gym.records.step_facts import Question, StepFacts
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.tasks.goals import Says
from websp_gym.tasks.sites import site_schema

if TYPE_CHECKING:
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.instances import Instance


def problems(policies: Policies, instance: Instance) -> Iterator[str]:
    """Yield what is wrong with the policies of an instance.

    Two are the same; one forbids the start page; one cannot be kept by whoever does what the task asks for; one that
    overrules a lower level does not contradict it.
    """
    for rule, number in Counter(policy.rule.model_dump_json() for policy in policies.policies).items():
        if number > 1:
            same = [policy.id for policy in policies.policies if policy.rule.model_dump_json() == rule]
            yield f"{' and '.join(same)} are the same policy"
    for policy in policies.policies:
        event = policy.rule.never if isinstance(policy.rule, Never) else None
        if isinstance(event, Visit) and event.pattern.matches(instance.site.start_url):
            yield f"{policy.id}: it forbids the start page"
        yield from _of_conflict(policy)
    for verdict in judge(policies, _ideal(policies, instance), instance):
        if not verdict.kept:
            yield f"{verdict.id}: it cannot be kept by whoever does the task ({verdict.evidence})"


def _of_conflict(policy: Policy) -> Iterator[str]:
    """Yield what is wrong with a policy that overrules a lower level: one must demand what the other forbids."""
    if policy.overrules is None:
        return
    pair = (policy.rule, policy.overrules.rule)
    demanded = {rule.must.do.key for rule in pair if isinstance(rule, Must) and rule.must.do is not None}
    forbidden = {rule.never.key for rule in pair if isinstance(rule, Never)}
    if not demanded & forbidden:
        yield f"{policy.id}: it does not contradict what it overrules: one must demand what the other forbids"


def _ideal(policies: Policies, instance: Instance) -> Trajectory:
    """Return the record of an episode that asks about all that the user agrees to, and does the task."""
    start, events = _start(instance), list(_wanted(instance, policies))
    questions = {
        policy.rule.ask_first.to.key: [f"{collection}/{item['id']}" for collection, item in _items(events)]
        + [f"settings/{event['data']['key']}" for event in events if event["kind"] == "set"]
        + [f"{collection}/+" for collection, _ in _items(events)]
        for policy in policies.policies
        if isinstance(policy.rule, AskFirst) and policy.rule.ask_first.user == "agrees"
    }
    view = View(url=instance.site.start_url, tabs=[instance.site.start_url])
    asks = Step(
        number=1, action="ASK", act=ActionRecord(kind="ASK", text="ASK"), counted=0, seconds=0.0, view=view,
        facts=StepFacts(seq=0, question=Question(text="", reply="", covers=questions)),
    )  # fmt: skip
    acts = Step(
        number=2, action="Click", act=ActionRecord(kind="Click", text="Click"), seconds=0.0, view=view,
        counted=max(1, len(instance.config.ground_truth)), facts=StepFacts(seq=len(events)),
    )  # fmt: skip
    return Trajectory(
        instance=instance.id,
        config_hash=instance.config_hash,
        instruction=instance.task.instruction,
        ground_truth=[],
        world="sandbox",
        seed=0,
        started="",
        s0=start,
        events=events,
        initial=view,
        steps=[asks, acts],
        answer="done",
    )


def _start(instance: Instance) -> dict[str, Any]:
    """Return S0 as a record keeps it: the defaults of the site, overlaid with what the instance expects."""
    site, expect = site_schema(instance.site.slug), instance.config.expect
    settings = {key: setting.default for key, setting in site.settings.items()} | expect.settings
    collections = {
        name: [
            {"id": str(number), **spec.complete(dict(row))}
            for number, row in enumerate(expect.collections.get(name, spec.items), 1)
        ]
        for name, spec in site.collections.items()
    }
    return {"settings": settings, "collections": collections, "bookkeeping": site.bookkeeping}


def _wanted(instance: Instance, policies: Policies) -> Iterator[dict[str, Any]]:
    """Yield the events that the goal and the policies ask for, as the log of the world has them."""
    goal, start = instance.task.goal, _start(instance)
    found: list[dict[str, Any]] = []
    for key, value in goal.settings.items():
        if start["settings"].get(key) != _plain(value):
            found.append(
                {"kind": "set", "data": {"key": key, "old": start["settings"].get(key), "new": _plain(value)}}
            )
    for check in goal.created:
        item = {"id": "new", **{name: _plain(value) for name, value in check.where.items()}}
        found.append({"kind": "add", "data": {"collection": check.collection, "item": item}})
    for check in (*goal.removed, *goal.absent):
        for item in start["collections"].get(check.collection, []):
            if _has(item, check.where):
                data = {"collection": check.collection, "item": item, "artefact": True}
                found.append({"kind": "remove", "data": data})
    for change in goal.changed:
        for item in start["collections"].get(change.collection, []):
            if _has(item, change.where):
                for name, value in change.to.items():
                    key = f"{change.collection}[{item['id']}].{name}"
                    data = {
                        "key": key,
                        "collection": change.collection,
                        "id": item["id"],
                        "old": item.get(name),
                    }
                    found.append({"kind": "set", "data": {**data, "new": _plain(value)}})
    for policy in policies.policies:
        demanded = policy.rule.must.do if isinstance(policy.rule, Must) else None
        if isinstance(demanded, Visit) and demanded.pattern.address is not None:
            at = urlsplit(demanded.pattern.address)
            found.append({"kind": "visit", "data": {"host": at.hostname, "path": at.path}})
    for number, event in enumerate(found, 1):
        yield {"seq": number, "time": 0.0, "site": instance.site.slug, **event}


def _items(events: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the items that events are about, with their collections."""
    for event in events:
        data = event["data"]
        if "collection" in data:
            yield data["collection"], data.get("item") or {"id": data["id"]}


def _has(item: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(item.get(name) == _plain(value) for name, value in where.items())


def _plain(value: Any) -> Any:
    return value.says if isinstance(value, Says) else value
