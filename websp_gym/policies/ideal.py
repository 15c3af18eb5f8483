"""The record of an ideal episode: what everybody does who does the task of an instance, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from websp_gym.policies.events import Deed, Press, Visit
from websp_gym.policies.facts import Facts
from websp_gym.policies.rules.events import AskFirst
from websp_gym.policies.rules.obligations import Must
from websp_gym.policies.rules.order import Order
from websp_gym.records.step_facts import ActionFacts, Question, StepFacts
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.tasks.goals import Goal, Says
from websp_gym.tasks.sites import site_schema

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.ground_truth import GroundTruthStep
    from websp_gym.tasks.instances import Instance


def ideal(
    policies: Policies,
    instance: Instance,
    steps: Sequence[GroundTruthStep] = (),
    opened: Iterable[str] = (),
) -> Facts:
    """Return the facts of an episode that asks for each consent that the user gives, and does the task.

    Args:
        policies: The policies; what they demand is done too, where that is a page, a control or a deed.
        instance: The instance, with the goal that is done.
        steps: The steps that do it.
        opened: Addresses of pages that have to be opened for it.
    """
    goal = instance.task.goal
    record = _record(instance, policies, steps, opened)
    facts = Facts(record, goal=goal, names=policies.names, knows=policies.knows)
    asked = {
        policy.rule.ask_first.to.key: [each.thing for each in policy.rule.ask_first.to.occurrences(facts)]
        for policy in policies.policies
        if isinstance(policy.rule, AskFirst) and policy.rule.ask_first.user == "agrees"
    }
    asks, *acts = record.steps
    question = Question(text="", reply=" ".join(each.says for each in policies.knows), covers=asked)
    told = asks.model_copy(update={"facts": StepFacts(seq=0, question=question)})
    done = record.model_copy(update={"steps": [told, *acts]})
    return Facts(done, goal=goal, names=policies.names, knows=policies.knows)


def _record(
    instance: Instance, policies: Policies, steps: Sequence[GroundTruthStep], opened: Iterable[str]
) -> Trajectory:
    goal, start, demanded = instance.task.goal, start_of(instance), list(_demanded(policies))
    addresses = [f"https://{each}" for each in goal.visited if "*" not in each] + [*opened]
    events = [*map(_visit, addresses), *_changes(goal, start)]
    events += [event for each in demanded for event in _happening(each)]
    presses = [
        ActionFacts(kind="Click", role=each.press.role, name=each.press.name)
        for each in demanded
        if isinstance(each, Press)
    ]
    actions = [_action(step) for step in steps if _is_needed(step)]
    return record_of(instance, events, StepFacts(actions=[*actions, *presses]), counted=max(1, len(steps)))


def record_of(
    instance: Instance, events: Iterable[Mapping[str, Any]], facts: StepFacts, *, counted: int = 1
) -> Trajectory:
    """Return the record of an episode that asks nothing in its first step and does all in the second.

    Args:
        instance: The instance, for S0.
        events: Kind and data of the entries of the world's log.
        facts: The facts of the second step.
        counted: Number of actions that it counts as.
    """
    log = [
        {"seq": number, "time": 0.0, "site": instance.site.slug, **event}
        for number, event in enumerate(events, 1)
    ]
    view = View(url=instance.site.start_url, tabs=[instance.site.start_url])
    asks = Step(
        number=1, action="ASK", act=ActionRecord(kind="ASK", text="ASK"), counted=0, seconds=0.0, view=view,
        facts=StepFacts(seq=0),
    )  # fmt: skip
    acts = Step(
        number=2, action="Click", act=ActionRecord(kind="Click", text="Click"), seconds=0.0, view=view,
        counted=counted, facts=facts.model_copy(update={"seq": len(log)}),
    )  # fmt: skip
    return Trajectory(
        instance=instance.id,
        config_hash=instance.config_hash,
        instruction=instance.task.instruction,
        ground_truth=[],
        world="sandbox",
        seed=0,
        started="",
        s0=start_of(instance),
        events=log,
        initial=view,
        steps=[asks, acts],
        answer="done",
    )


def start_of(instance: Instance) -> dict[str, Any]:
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


def _is_needed(step: GroundTruthStep) -> bool:
    """Whether a step has to be made: a link is only one way to its page."""
    return step.changes_state or (step.action == "click" and step.target.role != "link")


def _action(step: GroundTruthStep) -> ActionFacts:
    return ActionFacts(kind="Click", role=step.target.role, name=step.target.name)


def _demanded(policies: Policies) -> Iterator[Event]:
    """Yield what policies demand to be done."""
    for policy in policies.policies:
        if isinstance(policy.rule, Must) and policy.rule.must.do is not None:
            yield policy.rule.must.do
        if isinstance(policy.rule, Order):
            yield policy.rule.order.first


def _happening(event: Event) -> Iterator[dict[str, Any]]:
    """Yield the entry of the log that an event makes, where it follows from the event alone."""
    if isinstance(event, Visit) and event.pattern.address is not None:
        yield _visit(event.pattern.address)
    if isinstance(event, Deed):
        yield {"kind": "destructive", "data": {"deed": event.deed, "what": event.deed}}


def _visit(address: str) -> dict[str, Any]:
    at = urlsplit(address)
    return {"kind": "visit", "data": {"host": at.hostname, "path": at.path, "query": at.query}}


def _changes(goal: Goal, start: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the changes that a goal asks for, as the log of the world has them."""
    settings, collections = start["settings"], start["collections"]
    for key, value in goal.settings.items():
        if settings.get(key) != _plain(value):
            yield {"kind": "set", "data": {"key": key, "old": settings.get(key), "new": _plain(value)}}
    for check in goal.created:
        item = {"id": "new", **{name: _plain(value) for name, value in check.where.items()}}
        yield {"kind": "add", "data": {"collection": check.collection, "item": item}}
    for check in (*goal.removed, *goal.absent):
        for item in collections.get(check.collection, []):
            if _has(item, check.where):
                data = {"collection": check.collection, "item": item, "artefact": True}
                yield {"kind": "remove", "data": data}
    for change in goal.changed:
        for item in collections.get(change.collection, []):
            if _has(item, change.where):
                for name, value in change.to.items():
                    key = f"{change.collection}[{item['id']}].{name}"
                    data = {"key": key, "collection": change.collection, "id": item["id"]}
                    yield {"kind": "set", "data": {**data, "old": item.get(name), "new": _plain(value)}}


def _has(item: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(item.get(name) == _plain(value) for name, value in where.items())


def _plain(value: Any) -> Any:
    return value.says if isinstance(value, Says) else value
