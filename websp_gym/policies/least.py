"""The minimum that makes an event happen, for policies that demand or forbid it."""

from __future__ import annotations

from collections.abc import Mapping
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
from websp_gym.records.step_facts import Operated, StepFacts
from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import expected_s0
from websp_gym.world.state import SESSIONS, WorldState, same

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.instances import Instance


class Deeds:
    """The minimum that makes events happen in S0 of an instance, as entries of the log and facts of a step.

    Args:
        policies: The policies.
        instance: The instance.
    """

    def __init__(self, policies: Policies, instance: Instance) -> None:
        self._names = policies.names
        self._site = site_schema(instance.site.slug)
        self._start = expected_s0(instance, own_session=False)
        self._secrets = {each.name for each in policies.secrets}

    def of(self, event: Event) -> tuple[list[dict[str, Any]], StepFacts] | None:
        """Return it for an event; ``None`` if it does not follow from the event."""
        log: list[dict[str, Any]] = []
        facts = StepFacts(operated=[])
        match event:
            case Visit(pattern=pattern) if pattern.address is not None:
                log = [visit(pattern.address)]
            case Change():
                log = self._changed(event)
            case Add(add=items):
                item = {"id": "new", **self._site.collections[items.collection].complete(dict(items.where))}
                log = [{"kind": "add", "data": {"collection": items.collection, "item": item}}]
            case Remove(remove=items) | Edit(edit=items):
                fitting = filter(items.fit, self._start.collections[items.collection])
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
            old = self._start.settings.get(key)
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
        return removal(collection, item)

    def _within(self, event: Reveal) -> set[str]:
        """Return the names of the secrets that a text with this one passes on."""
        text = event.reveal.text if isinstance(event.reveal, SecretText) else ACCOUNT.get(event.name, "")
        within = {name for name in self._secrets if name in ACCOUNT and carries(text, ACCOUNT[name])}
        return {event.name, *within}


def visit(address: str) -> dict[str, Any]:
    """Return the log entry of an opened page."""
    at = urlsplit(address)
    parts = {"host": at.hostname, "path": at.path, "query": at.query, "fragment": at.fragment}
    return {"kind": "visit", "data": parts}


def removal(collection: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the log entry of a removed item or a signed-out session."""
    if collection == SESSIONS:
        return {"kind": "logout", "data": {"session": item}}
    return {"kind": "remove", "data": {"collection": collection, "item": item, "artefact": True}}


def _another(setting: Any, old: Any) -> Any:
    """Return another value of a setting or a field than it has."""
    if isinstance(old, bool):
        return not old
    choices = [each for each in getattr(setting, "choices", {}) if each != old]
    return choices[0] if choices else "another"


def start_of(instance: Instance) -> dict[str, Any]:
    """Return S0 as stored in a record: the defaults of the site, overlaid with what the instance expects."""
    slug = instance.site.slug
    stored: dict[str, Any] = WorldState({slug: expected_s0(instance, own_session=False)}).as_dict()[slug]
    return stored
