"""The event log of a world by steps, and the state of a site replayed from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from websp_gym.world.state import SESSIONS, SiteState


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
    """Apply an event to a state."""
    data, collections = event.data, state.collections
    match event.kind:
        case "set" if "collection" in data:
            name = data["key"].rpartition(".")[2]
            for item in collections[data["collection"]]:
                if item["id"] == data["id"]:
                    item[name] = data["new"]
        case "set":
            state.settings[data["key"]] = data["new"]
        case "add":
            collections[data["collection"]].append(dict(data["item"]))
        case "remove":
            _take(collections[data["collection"]], data["item"])
        case "logout":
            _take(collections.get(SESSIONS, []), data["session"])
        case "login":
            sessions = collections.setdefault(SESSIONS, [])
            for session in sessions:
                # A browser has one session; signing in again leaves the one before open without it.
                session["current"] = session["current"] and not data["session"]["current"]
            sessions.append(dict(data["session"]))


def _take(items: list[dict[str, Any]], gone: Mapping[str, Any]) -> None:
    items[:] = [item for item in items if item["id"] != gone["id"]]


def equal(one: SiteState, other: SiteState) -> bool:
    """Whether two states have the same settings and items, in any order."""
    return one.settings == other.settings and all(
        _by_id(one.collections[name]) == _by_id(items) for name, items in other.collections.items()
    )


def _by_id(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {item["id"]: item for item in items}
