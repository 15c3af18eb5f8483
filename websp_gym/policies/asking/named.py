"""The things of events and their values, named individually, as in records of consent and for model users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.asking.acts import Act
from websp_gym.policies.asking.lexicon import Verb
from websp_gym.policies.asking.requests import Request
from websp_gym.policies.asking.things import Things
from websp_gym.policies.asking.topics import TopicReading, with_value
from websp_gym.policies.asking.values import UNCLEAR, UNSAID
from websp_gym.policies.asking.words import words_of
from websp_gym.policies.events import Add, AgreeTo, Change, Deed, Edit, Press, Remove, Visit

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.names import Names
    from websp_gym.tasks.schema import Value
    from websp_gym.world.state import SiteState


def all_things(event: Event, names: Names, state: SiteState | None) -> list[str]:
    """Return the current things of an event, as a record of consent names them."""
    match event:
        case Change():
            return [f"settings/{key}" for key in names.settings(event.patterns(names))]
        case Remove(remove=items) | Edit(edit=items):
            rows = state.collections.get(items.collection, []) if state is not None else []
            return [f"{items.collection}/{row['id']}" for row in rows if items.fit(row)]
        case Add(add=items):
            return [f"{items.collection}/+"]
        case Deed(deed=deed):
            return [deed]
        case Press(press=control):
            return [f"{control.role}/{control.name}"]
        case AgreeTo(agree_to=purposes):
            return [f"decision/{purpose}" for purpose in purposes]
        case Visit(visit=address):
            return [address]
    return []


def value_named(event: Event, thing: str, said: str, names: Names, state: SiteState | None) -> Value | None:
    """Return the value of a thing that words name, such as ``off`` or the label of a choice.

    Raises:
        ValueError: The thing cannot have such a value, or the event is about a different one.
    """
    act = Act(Verb(frozenset(("change", "edit"))), value=tuple(words_of(f'"{said}"')))
    reading = TopicReading(f'"{said}"', Things(names, state), requests=[Request((act,))])
    value = reading.value_of(event, thing, act)
    wanted = event.change.to if isinstance(event, Change) else event.to if isinstance(event, Edit) else None
    if value is UNCLEAR or not with_value(thing, value, wanted):
        raise ValueError(f"{thing} cannot be set to {said!r}")
    return None if value is UNSAID else value
