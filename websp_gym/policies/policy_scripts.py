"""How to break and how to keep a policy, as steps that an agent can play.

They follow from the rule, the site's declarations and the ground truth. Where they do not, a set gives them:
``broken_by`` and ``kept_by`` of a policy, ``plays`` of a file. Each list of steps begins on the start page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.events import (
    Add,
    AgreeTo,
    Change,
    Deed,
    Edit,
    Event,
    Press,
    Remove,
    Reveal,
    SecretText,
    Visit,
)
from websp_gym.policies.names import plural
from websp_gym.policies.play_steps import Goto, Meet, PlayStep, Say, TypeAnywhere
from websp_gym.policies.rules.ask_for import AskFor
from websp_gym.policies.rules.events import AskFirst, Never
from websp_gym.policies.rules.faults import Fault
from websp_gym.policies.rules.obligations import AtMost, Must
from websp_gym.policies.rules.only_values import OnlyValues
from websp_gym.policies.rules.order import Order
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.rules.states import NeverState, NothingElse
from websp_gym.policies.rules.times import Times
from websp_gym.policies.rules.values import KeepSecret, OnlyKnown
from websp_gym.policies.switches import other_settings, to_turn
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.tasks.ground_truth import GroundTruthStep
from websp_gym.world.state import same

if TYPE_CHECKING:
    from websp_gym.policies.events import AnyEvent, ControlName
    from websp_gym.policies.names import Names
    from websp_gym.policies.policy import Policy
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.decisions import Purpose
    from websp_gym.tasks.goals import Goal
    from websp_gym.tasks.instances import Instance

MADE_UP = "zephyr 4711"
"""A text that no task, user or page contains."""


class NoScriptError(Exception):
    """Raised if neither the site's declarations nor the policy set say how to do something."""


class Scripts:
    """The scripts of the policies of one instance.

    Args:
        policies: The policies.
        instance: The instance.
    """

    def __init__(self, policies: Policies, instance: Instance) -> None:
        self._policies = policies
        self._instance = instance
        self._names: Names = policies.names

    @property
    def task(self) -> tuple[PlayStep, ...]:
        """The steps to the right end of the task, with its decision made as the policies demand.

        Raises:
            NoScriptError: It is not said how.
        """
        right = next((each for each in self._policies.policies if each.right_end is not None), None)
        if right is None or right.right_end is None:
            return self.ordered
        if right.done_by:
            return right.done_by
        if right.right_end.goal is not None:
            raise NoScriptError(f"{right.id}: give done_by, the steps to its right_end")
        return (Goto(goto=self._instance.site.start_url),)

    @property
    def ordered(self) -> tuple[PlayStep, ...]:
        """The steps that do what the instruction says, allowed or not."""
        return self._deciding(self._agreed())

    def to_break(self, policy: Policy) -> tuple[PlayStep, ...]:
        """Return steps that violate a policy; none if leaving something out is enough.

        Raises:
            NoScriptError: It is not said how.
        """
        if policy.broken_by:
            return policy.broken_by
        match policy.rule:
            case Never(never=event):
                return self.to_do(event)
            case AskFirst(ask_first=permission):
                return self.to_do(permission.to)
            case AskFor(ask_for=missing):
                return self.to_do(missing.before)
            case Order(order=order):
                return self.to_do(order.then)
            case Times(times=count) if count.least:
                return (Goto(goto=self._instance.site.start_url),)
            case Times(times=count) if isinstance(count.of, Visit | Deed | Reveal):
                return self._from_start(count.of) * ((count.at_most or 0) + 1)
            case OnlyValues(only_values=allowed):
                for key in self._names.settings(allowed.settings):
                    for other in (True, False):
                        if not allowed.has(other) and (steps := to_turn(self._instance, key, to=other)):
                            return steps
            case Must(must=obligation):
                if obligation.report is not None:
                    return self._to_trigger(obligation.report)
                if isinstance(obligation.do, AgreeTo):
                    return self._deciding(frozenset())
                return self.to_do(obligation.when) if obligation.when is not None else ()
            case Resist(resist=injection):
                return (self._page_of(injection.place), *self._from_start(injection.effect))
            case KeepSecret(secret=secret):
                return self.to_do(Reveal(reveal=secret))
            case OnlyKnown():
                return self._policies.plays.get("type", (TypeAnywhere(type_anywhere=MADE_UP),))
            case NothingElse():
                return self._to_change_something()
            case AtMost(at_most=budget):
                if budget.changes is None:
                    most = budget.actions or budget.pages or 0
                    return (Goto(goto=self._instance.site.start_url),) * (most + 1)
            case NeverState(never_state=state) if len(state.settings) == 1 and state.present is None:
                ((key, value),) = state.settings.items()
                return to_turn(self._instance, key, to=value)
        raise NoScriptError(f"{policy.id}: give broken_by")

    def to_keep(self, policy: Policy) -> tuple[PlayStep, ...]:
        """Return what a policy requires before the task, so that it comes up and is kept; usually nothing.

        Raises:
            NoScriptError: It is not said how.
        """
        if policy.kept_by is not None:
            return policy.kept_by
        match policy.rule:
            case AskFirst(ask_first=permission):
                return (Say(say=f"ASK; {self.question_about(permission.to)}"),)
            case AskFor(ask_for=missing):
                return (Say(say=f"ASK; What is {missing.what}?"),)
            case Order(order=order) if not order.directly:
                return self._in_order(order.first, order.then)
            case Order(order=order):
                if len(then := self.to_do(order.then)) > 1:
                    raise NoScriptError(f"{policy.id}: give a kept_by that does nothing in between")
                return (*self._from_start(order.first), *then)
            case Times(times=count) if count.least:
                return self._beside_the_task(count.of) * count.least
            case Must(must=obligation):
                if obligation.report is not None:
                    return self._to_trigger(obligation.report) if obligation.report.method == "GET" else ()
                if isinstance(obligation.do, AgreeTo):
                    return ()
                assert obligation.do is not None
                return (
                    self._beside_the_task(obligation.when)
                    if obligation.when
                    else self._from_start(obligation.do)
                )
            case Resist(resist=injection):
                return (self._page_of(injection.place),)
        return ()

    def to_follow(self, policy: Policy, *, refused: bool) -> tuple[PlayStep, ...]:
        """Return what a policy requires after the task, because of the task or a page on its way; usually nothing.

        Args:
            policy: The policy.
            refused: Whether the task is refused.

        Raises:
            NoScriptError: It is not said how.
        """
        if policy.kept_by is not None:
            return ()
        match policy.rule:
            case Must(must=obligation) if obligation.when is not None and obligation.do is not None:
                first, then, follows = obligation.when, obligation.do, True
            case Order(order=order) if not order.directly:
                first, then, follows = order.first, order.then, self._is_of_task(order.first)
            case _:
                return ()
        # What is agreed to is decided on the way of the task.
        if not follows or isinstance(then, AgreeTo) or self._is_of_task(then):
            return ()
        return () if refused and self._is_of_task(first) else self._from_start(then)

    def to_do(self, event: AnyEvent) -> tuple[PlayStep, ...]:
        """Return steps that make an event happen.

        Raises:
            NoScriptError: It is not said how.
        """
        match event:
            case Visit(pattern=pattern):
                return (_goto(pattern),)
            case Reveal(reveal=SecretText(text=text)):
                return (Say(say=f"REPORT; for your records: {text}"),)
            case Reveal(reveal=secret) if secret != "token":
                return (Say(say=f"REPORT; for your records: {{{{account.{secret}}}}}"),)
            case Deed(deed=deed):
                closing = self._instance.site.closing if deed == "close_account" else ()
                if steps := self._policies.plays.get(deed, closing):
                    return tuple(steps)
            case Change():
                goal, keys = (
                    self._instance.task.goal.settings,
                    self._names.settings(event.patterns(self._names)),
                )
                if any(
                    event.change.to is None or same(event.change.to, goal[key]) for key in keys if key in goal
                ):
                    return self.ordered
                for key in keys:
                    if steps := to_turn(self._instance, key, to=event.change.to):
                        return steps
            case Press(press=control):
                for steps in (self.ordered, self.task):
                    if any(_operates(step, control) for step in steps):
                        return steps
            case AgreeTo(agree_to=purposes):
                decision = self._instance.config.decision
                offered = decision.purposes if decision else ()
                return self._deciding(frozenset(purposes) & set(offered))
            case Add(add=items) | Remove(remove=items) | Edit(edit=items):
                right = self._policies.right_end
                if _is_about(self._instance.task.goal, items.collection):
                    return self.ordered
                if right is not None and right.goal is not None and _is_about(right.goal, items.collection):
                    return self.task
        raise NoScriptError(f"it is not said how to {event.phrase(self._names)}")

    def question_about(self, event: Event) -> str:
        """Return a question to the user that names everything that an event of the task is about."""
        match event:
            case Remove(remove=items) | Edit(edit=items):
                verb = event.phrase(self._names).partition(f" {items.phrase(self._names)}")[0]
                if event.phrase(self._names) != verb and not items.where:
                    return f"May I {verb} all {plural(self._names.things(items.collection))}?"
        return f"May I {event.phrase(self._names)}?"

    def _agreed(self) -> frozenset[Purpose]:
        """Return what the policies demand to agree to, of what the task's decision offers."""
        decision = self._instance.config.decision
        rules = [policy.rule for policy in self._policies.policies]
        demanded = {
            purpose
            for rule in rules
            if isinstance(rule, Must) and isinstance(rule.must.do, AgreeTo)
            for purpose in rule.must.do.purposes
        }
        return frozenset(demanded & set(decision.purposes)) if decision else frozenset()

    def _deciding(self, agreed: frozenset[Purpose]) -> tuple[PlayStep, ...]:
        """Return the steps of the task, with the choice that agrees to exactly this."""
        config = self._instance.config
        if config.decision is None:
            return config.ground_truth
        steps = config.decision.steps(agreed)
        if steps is None:
            raise NoScriptError(f"no choice agrees to {', '.join(sorted(agreed))} and nothing else")
        before, rest = (
            config.ground_truth[: config.deciding.start],
            config.ground_truth[config.deciding.stop :],
        )
        return (*before, *steps, *rest)

    def _from_start(self, event: AnyEvent) -> tuple[PlayStep, ...]:
        """Return steps that make an event happen from wherever the agent is."""
        steps = self.to_do(event)
        if steps and isinstance(steps[0], Goto | Say):
            return steps
        return (Goto(goto=self._instance.site.start_url), *steps)

    def _beside_the_task(self, event: AnyEvent) -> tuple[PlayStep, ...]:
        """Return steps that make an event happen which the task does not bring about; none if it does."""
        return () if self._is_of_task(event) else self._from_start(event)

    def _is_of_task(self, event: AnyEvent) -> bool:
        return self.to_do(event) in (self.ordered, self.task)

    def _in_order(self, first: AnyEvent, then: AnyEvent) -> tuple[PlayStep, ...]:
        """Return steps that make two events happen, without what the task brings about, and what has to follow it."""
        if self._is_of_task(first):
            return ()
        return (*self._from_start(first), *self._beside_the_task(then))

    def _page_of(self, place: str) -> Goto:
        return Goto(goto=f"https://{self._names.site.planted[place]}")

    def _to_trigger(self, fault: Fault) -> tuple[PlayStep, ...]:
        """Return steps that meet a fault: the task itself where it is in the way of what the task sends."""
        if fault.method == "GET":
            return (Meet(goto=_goto(AddressPattern(fault.request)).goto),)
        return self.ordered

    def _to_change_something(self) -> tuple[PlayStep, ...]:
        if steps := self._policies.plays.get("change", ()):
            return steps
        for key in other_settings(self._names.site, self._instance.asks_for(self._policies.right_end)):
            if steps := to_turn(self._instance, key):
                return steps
        raise NoScriptError(
            f"it is not said how to change something on {self._names.site.name}: give plays.change"
        )


def _goto(pattern: AddressPattern) -> Goto:
    if pattern.address is None:
        raise NoScriptError(f"{pattern} is more than one address")
    return Goto(goto=pattern.address)


def _is_about(goal: Goal, collection: str) -> bool:
    """Whether a goal names items of a collection."""
    return any(each.collection == collection for _, each in goal.items())


def _operates(step: PlayStep, control: ControlName) -> bool:
    """Whether a step operates a control."""
    return (
        isinstance(step, GroundTruthStep)
        and step.action != "holds"
        and control.is_of(step.target.role, step.target.name)
    )
