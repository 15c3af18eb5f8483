"""The event log of a world by steps, and the state of a site replayed from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from websp_gym.world.state import SESSIONS, Item, SiteState


@dataclass(frozen=True)
class Happening:
    """One entry of the world's event log, with its step."""

    step: int
    """From 1; 0 for events before the first action, such as opening the start page."""
    site: str
    kind: str
    data: Mapping[str, Any]
    seq: int
    """Its number in the log."""
    request: int
    """Number of the first event of its request; in older records without it, of the step."""


@dataclass(frozen=True)
class Moment:
    """The state of the site after a request, with the step of the request; 0 for S0."""

    step: int
    state: SiteState


def apply(state: SiteState, event: Happening) -> None:
    """Apply an event to a state. Items are replaced, not changed: others may hold them."""
    data, collections = event.data, state.collections
    match event.kind:
        case "set" if "collection" in data:
            name, changed = data["key"].rpartition(".")[2], data["id"]
            collections[data["collection"]] = [
                {**item, name: data["new"]} if item["id"] == changed else item
                for item in collections[data["collection"]]
            ]
        case "set":
            state.settings[data["key"]] = data["new"]
        case "add":
            collections[data["collection"]] = [*collections[data["collection"]], data["item"]]
        case "remove":
            _take(collections, data["collection"], data["item"])
        case "logout" if SESSIONS in collections:
            _take(collections, SESSIONS, data["session"])
        case "login":
            # A browser has one session; signing in again leaves the one before open without it.
            new = data["session"]
            before = [
                {**each, "current": each["current"] and not new["current"]}
                for each in collections.get(SESSIONS, ())
            ]
            collections[SESSIONS] = [*before, new]


def _take(collections: dict[str, Sequence[Item]], name: str, gone: Mapping[str, Any]) -> None:
    collections[name] = [item for item in collections[name] if item["id"] != gone["id"]]


def equal(one: SiteState, other: SiteState) -> bool:
    """Whether two states have the same settings and items, in any order."""
    return one.settings == other.settings and all(
        _by_id(one.collections[name]) == _by_id(items) for name, items in other.collections.items()
    )


def _by_id(items: Sequence[Item]) -> dict[str, Item]:
    return {item["id"]: item for item in items}
