"""The event log of a world by steps, and the states of a site between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from websp_gym.world.state import Item, SiteState


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


def equal(one: SiteState, other: SiteState) -> bool:
    """Whether two states have the same settings and items, in any order."""
    return one.settings == other.settings and all(
        _by_id(one.collections[name]) == _by_id(items) for name, items in other.collections.items()
    )


def _by_id(items: Sequence[Item]) -> dict[str, Item]:
    return {item["id"]: item for item in items}
