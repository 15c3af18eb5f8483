"""The record of an ideal episode: exactly what the task of an instance takes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.policies.facts import Facts
from websp_gym.policies.least import Deeds, removal, start_of, visit
from websp_gym.policies.rules.events import AskFirst
from websp_gym.policies.rules.obligations import Must
from websp_gym.policies.rules.order import Order
from websp_gym.policies.rules.times import Times
from websp_gym.records.step_facts import Operated, Question, StepFacts
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.tasks.goals import Goal, ItemCheck, Says
from websp_gym.world.fresh import expected_s0
from websp_gym.world.state import SESSIONS, SiteState

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.rules import Rule
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
        policies: The policies; what they demand is done too, if it follows from the event.
        instance: The instance, with the goal that is done.
        steps: The steps that do it.
        opened: Addresses of pages that must be opened for it.
    """
    goal = instance.task.goal
    record = _record(instance, policies, steps, opened)
    facts = Facts(record, goals=[goal], names=policies.names, knows=policies.knows)
    asked = {
        policy.rule.ask_first.to.key: [each.thing for each in policy.rule.ask_first.to.occurrences(facts)]
        for policy in policies.policies
        if isinstance(policy.rule, AskFirst) and policy.rule.ask_first.user == "agrees"
    }
    asks, *acts = record.steps
    question = Question(text="", reply=" ".join(each.says for each in policies.knows), covers=asked)
    told = asks.model_copy(update={"facts": StepFacts(seq=0, question=question)})
    done = record.model_copy(update={"steps": [told, *acts]})
    return Facts(done, goals=[goal], names=policies.names, knows=policies.knows)


def _record(
    instance: Instance, policies: Policies, steps: Sequence[GroundTruthStep], opened: Iterable[str]
) -> Trajectory:
    goal, start = instance.task.goal, expected_s0(instance, own_session=False)
    addresses = [f"https://{each}" for each in goal.visited if "*" not in each] + [*opened]
    events = [*map(visit, addresses), *_changes(goal, start)]
    needed = [step.target for step in steps if _is_needed(step)]
    facts = StepFacts(operated=[Operated(event="click", role=each.role, name=each.name) for each in needed])
    counted = max(1, sum(step.action != "holds" for step in steps))
    record = record_of(instance, events, facts, counted=counted)
    for event in (each for policy in policies.policies for each in demanded(policy.rule)):
        done = event.occurrences(Facts(record, goals=[goal], names=policies.names))
        if next(done, None) is None and (deed := Deeds(policies, instance).of(event)) is not None:
            events, facts = [*events, *deed[0]], _with(facts, deed[1])
            record = record_of(instance, events, facts, counted=counted)
    return record


def _with(facts: StepFacts, more: StepFacts) -> StepFacts:
    operated = [*(facts.operated or ()), *(more.operated or ())]
    return facts.model_copy(update={"operated": operated, "carried": {**facts.carried, **more.carried}})


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
    view = View(url=instance.site.start_url, tabs=[instance.site.start_url, *instance.config.tabs])
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


def _is_needed(step: GroundTruthStep) -> bool:
    """Whether a step has to be made: a link is only one way to its page."""
    return step.changes_state or (step.action == "click" and step.target.role != "link")


def demanded(rule: Rule) -> Iterator[Event]:
    """Yield what a rule demands."""
    if isinstance(rule, Must) and rule.must.do is not None:
        yield rule.must.do
    if isinstance(rule, Order):
        yield rule.order.first
    if isinstance(rule, Times) and rule.times.least:
        yield rule.times.of


def _changes(goal: Goal, start: SiteState) -> Iterator[dict[str, Any]]:
    """Yield the changes that a goal asks for, as the log of the world has them."""
    settings, collections = start.settings, start.collections
    for key, value in goal.settings.items():
        if settings.get(key) != _plain(value):
            yield {"kind": "set", "data": {"key": key, "old": settings.get(key), "new": _plain(value)}}
    if goal.signed_in is False:
        # The session of the browser begins with the episode, so S0 need not list it.
        own = [each for each in collections.get(SESSIONS, []) if each.get("current")]
        yield from (removal(SESSIONS, each) for each in own or [{"id": "own", "current": True}])
    for check in _separate(goal.created):
        item = {"id": "new", **{name: _plain(value) for name, value in check.where.items()}}
        yield {"kind": "add", "data": {"collection": check.collection, "item": item}}
    for check in (*goal.removed, *goal.absent):
        fitting = [item for item in collections.get(check.collection, []) if _has(item, check.where)]
        number = len(fitting) if check in goal.absent else check.count or 1
        yield from (removal(check.collection, item) for item in fitting[:number])
    for change in goal.changed:
        for item in collections.get(change.collection, []):
            if _has(item, change.where):
                for name, value in change.to.items():
                    key = f"{change.collection}[{item['id']}].{name}"
                    data = {"key": key, "collection": change.collection, "id": item["id"]}
                    yield {"kind": "set", "data": {**data, "old": item.get(name), "new": _plain(value)}}


def _separate(checks: Sequence[ItemCheck]) -> Iterator[ItemCheck]:
    """Yield the conditions that no other one includes; a goal that counts progress also has those of fewer fields."""
    for number, check in enumerate(checks):
        fields = check.where.items()
        others = [
            each.where.items()
            for at, each in enumerate(checks)
            if each.collection == check.collection and (at < number or each.where != check.where)
        ]
        if not any(fields <= other for other in others):
            yield check


def _has(item: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(item.get(name) == _plain(value) for name, value in where.items())


def _plain(value: Any) -> Any:
    return value.says if isinstance(value, Says) else value
