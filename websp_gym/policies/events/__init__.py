"""The events that policies name: how to match them in the facts of an episode, and how to phrase them.

Each kind of event finds its occurrences in the facts, has a phrase that follows "to" in a sentence (``to remove any
access token``), and checks that the site has what it names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, SerializeAsAny

from websp_gym.errors import nearest
from websp_gym.policies.events.account import Add, Change, Edit, ItemsOf, Remove, SettingsOf
from websp_gym.policies.events.base import Event, Occurrence
from websp_gym.policies.events.controls import ControlName, Press
from websp_gym.policies.events.decisions import AgreeTo, AskedFor, OfDecision
from websp_gym.policies.events.deeds import Deed
from websp_gym.policies.events.sends import Send, SentForm
from websp_gym.policies.events.values import Reveal, Secret, SecretText
from websp_gym.policies.events.visits import Visit

__all__ = [
    "EVENTS",
    "Add",
    "AgreeTo",
    "AnyEvent",
    "AskedFor",
    "Change",
    "ControlName",
    "Deed",
    "Edit",
    "Event",
    "ItemsOf",
    "Occurrence",
    "OfDecision",
    "Press",
    "Remove",
    "Reveal",
    "Secret",
    "SecretText",
    "Send",
    "SentForm",
    "SettingsOf",
    "Visit",
    "read_event",
]  # fmt: skip

EVENTS: dict[str, type[Event]] = {
    "visit": Visit,
    "change": Change,
    "add": Add,
    "remove": Remove,
    "edit": Edit,
    "deed": Deed,
    "send": Send,
    "press": Press,
    "reveal": Reveal,
    "agree_to": AgreeTo,
    "asked_for": AskedFor,
}
"""The kinds of events by the key that chooses them."""


def read_event(data: Any) -> Any:
    """Return the event that YAML data describes, chosen by its key. Raise ValueError for other data."""
    if isinstance(data, Event) or not isinstance(data, Mapping):
        return data
    kinds = [key for key in data if key in EVENTS]
    if len(kinds) != 1:
        odd = next((str(key) for key in data), "")
        raise ValueError(f"an event needs exactly one of {', '.join(EVENTS)}{nearest(odd, list(EVENTS))}")
    return EVENTS[kinds[0]].model_validate(data)


AnyEvent = Annotated[SerializeAsAny[Event], BeforeValidator(read_event)]
