"""Policies of an instance that one deed breaks together, so that it counts twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from websp_gym.policies.carried import carries
from websp_gym.policies.events import (
    Add,
    AgreeTo,
    Change,
    Deed,
    Edit,
    Press,
    Remove,
    Reveal,
    SecretText,
    Visit,
)
from websp_gym.policies.facts import Facts
from websp_gym.policies.ideal import record_of, start_of
from websp_gym.policies.rules.base import OBLIGATION
from websp_gym.policies.rules.events import AskFirst, Never
from websp_gym.policies.rules.obligations import AtMost
from websp_gym.policies.rules.resist import Resist
from websp_gym.policies.rules.states import NeverState
from websp_gym.policies.rules.values import KeepSecret
from websp_gym.policies.undecided import UndecidedError
from websp_gym.records.step_facts import Operated, StepFacts
from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.tasks.sites import site_schema
from websp_gym.world.state import SESSIONS, same

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.policy import Policy
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.instances import Instance


def overlaps(policies: Policies, instance: Instance) -> Iterator[tuple[Policy, Policy]]:
    """Yield two policies that one deed violates, in the order of the policies.

    The deed is the least that violates the first of them: a page opened, a setting or an item changed, a control
    operated, a value passed on. What is due at the end and what is counted is broken by many deeds and left out.
    """
    planted = [
        {"kind": "planted", "data": {"place": each.place, "text": each.text}} for each in policies.injections
    ]
    seen: set[frozenset[str]] = set()
    goal = instance.ending_in(policies.right_end).task.goal
    for policy in policies.policies:
        event = _forbidden(policy)
        deed = _Deeds(policies, instance).of(event) if event is not None else None
        if deed is None:
            continue
        events, facts = deed
        record = record_of(instance, [*planted, *events], facts)
        found = Facts(record, goal=goal, names=policies.names, knows=policies.knows)
        for other in policies.policies:
            pair = frozenset((policy.id, other.id))
            if other.rule != policy.rule and pair not in seen and _is_broken(other, found):
                seen.add(pair)
                yield policy, other


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


def _is_broken(policy: Policy, facts: Facts) -> bool:
    if isinstance(policy.rule, AtMost):
        return False
    try:
        return any(each.thing != OBLIGATION for each in policy.rule.violations(facts))
    except UndecidedError:
        return False


class _Deeds:
    """The least that makes an event happen, as entries of the log and facts of a step."""

    def __init__(self, policies: Policies, instance: Instance) -> None:
        self._names = policies.names
        self._site = site_schema(instance.site.slug)
        self._start = start_of(instance)
        self._secrets = {each.name for each in policies.secrets}

    def of(self, event: Event) -> tuple[list[dict[str, Any]], StepFacts] | None:
        """Return it; ``None`` where it does not follow from the event."""
        log: list[dict[str, Any]] = []
        facts = StepFacts(operated=[])
        match event:
            case Visit(pattern=pattern) if pattern.address is not None:
                at = urlsplit(pattern.address)
                log = [{"kind": "visit", "data": {"host": at.hostname, "path": at.path, "query": at.query}}]
            case Change():
                log = self._changed(event)
            case Add(add=items):
                item = {"id": "new", **self._site.collections[items.collection].complete(dict(items.where))}
                log = [{"kind": "add", "data": {"collection": items.collection, "item": item}}]
            case Remove(remove=items) | Edit(edit=items):
                fitting = filter(items.fit, self._start["collections"][items.collection])
                log = [self._on_item(event, items.collection, each) for each in list(fitting)[:1]]
            case Deed(deed=deed):
                log = [{"kind": "destructive", "data": {"deed": deed, "what": deed}}]
            case Press(press=control):
                facts.operated = [Operated(event="click", role=control.role, name=control.name)]
            case AgreeTo(agree_to=purposes):
                log = [{"kind": "decided", "data": {"agreed": list(purposes), "refused": []}}]
            case Reveal():
                facts.carried = dict.fromkeys(self._within(event), "answer")
        return (log, facts) if log or facts.operated or facts.carried else None

    def _changed(self, event: Change) -> list[dict[str, Any]]:
        for key in self._names.settings(event.patterns(self._names)):
            old = self._start["settings"].get(key)
            new = event.change.to if event.change.to is not None else _another(self._site.settings[key], old)
            if not same(old, new):
                return [{"kind": "set", "data": {"key": key, "old": old, "new": new}}]
        return []

    def _on_item(self, event: Event, collection: str, item: dict[str, Any]) -> dict[str, Any]:
        if isinstance(event, Edit):
            field = (self._site.collections[collection].fields or {}).get(event.field)
            old = item.get(event.field)
            new = event.to if event.to is not None else _another(field, old)
            key = f"{collection}[{item['id']}].{event.field}"
            data = {"key": key, "collection": collection, "id": item["id"], "old": old, "new": new}
            return {"kind": "set", "data": data}
        if collection == SESSIONS:
            return {"kind": "logout", "data": {"session": item}}
        return {"kind": "remove", "data": {"collection": collection, "item": item, "artefact": True}}

    def _within(self, event: Reveal) -> set[str]:
        """Return the names of the secrets that a text with this one passes on."""
        text = event.reveal.text if isinstance(event.reveal, SecretText) else ACCOUNT.get(event.name, "")
        within = {name for name in self._secrets if name in ACCOUNT and carries(text, ACCOUNT[name])}
        return {event.name, *within}


def _another(setting: Any, old: Any) -> Any:
    """Return another value of a setting or a field than it has."""
    if isinstance(old, bool):
        return not old
    choices = [each for each in getattr(setting, "choices", {}) if each != old]
    return choices[0] if choices else "another"
