"""The event log of a world, applied to the state of a site: what it holds after S0 and some events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from websp_gym.tasks.sites import site_schema
from websp_gym.world.state import SESSIONS, Item, SiteState


def is_of_state(slug: str, site: str, kind: str) -> bool:
    """Whether an event may change the state of a site: its own, or a sign-in at the site whose sessions it shares.

    Args:
        slug: The site whose state it is.
        site: The site of the event.
        kind: Kind of the event.
    """
    return site == slug or (kind in ("login", "logout") and site == site_schema(slug).session_of)


def apply(state: SiteState, kind: str, data: Mapping[str, Any]) -> None:
    """Apply an event to a state. Items are replaced, not changed: others may hold them.

    Args:
        state: The state; its settings and collections change.
        kind: Kind of the event; most kinds change nothing.
        data: Its data.
    """
    collections = state.collections
    match kind:
        case "set" if "collection" in data:
            name, changed = data["collection"], data["id"]
            field = data["key"].removeprefix(f"{name}[{changed}].")
            collections[name] = [
                {**item, field: data["new"]} if item["id"] == changed else item for item in collections[name]
            ]
        case "set":
            state.settings[data["key"]] = data["new"]
        case "add":
            name, new = data["collection"], data["item"]
            collections[name] = [*_without(collections[name], new), new]
        case "remove":
            collections[data["collection"]] = _without(collections[data["collection"]], data["item"])
        case "logout" if SESSIONS in collections:
            collections[SESSIONS] = _without(collections[SESSIONS], data["session"])
        case "login":
            # A browser has one session; signing in again leaves the one before open without it.
            new = data["session"]
            before = [
                {**each, "current": each["current"] and not new["current"]}
                for each in collections.get(SESSIONS, ())
            ]
            collections[SESSIONS] = [*before, new]


def _without(items: Sequence[Item], gone: Mapping[str, Any]) -> list[Item]:
    return [item for item in items if item["id"] != gone["id"]]
