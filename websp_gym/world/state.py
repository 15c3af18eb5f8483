"""Server-side state as the reward and the S0 check see it: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]

BOOKKEEPING = frozenset({"consent.choice", "consent_receipts", "cookies.state"})
"""Settings and collections in which a site notes that something was decided, beside the decision itself.

Whoever decides moves them, so they are no side effect of it; S0 is compared with them like with all others.
"""


@dataclass(frozen=True)
class Event:
    """One line of a world's append-only event log."""

    seq: int
    time: float
    site: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class SiteState:
    """What one site has stored for the episode's account: settings by dotted key, items by collection."""

    settings: dict[str, Any] = field(default_factory=dict)
    collections: dict[str, list[Item]] = field(default_factory=dict)
    sessions: list[Item] = field(default_factory=list)
    least_private: Mapping[str, Any] = field(default_factory=dict)
    """The value that gives away most, for the settings of which the site declares one."""

    @property
    def signed_in(self) -> bool:
        """Whether this browser is signed in to the site."""
        return any(session.get("current") for session in self.sessions)


@dataclass(frozen=True)
class WorldState:
    """State of every site of the world, and what happened so far."""

    sites: dict[str, SiteState] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    @property
    def last_seq(self) -> int:
        """Number of the last event, 0 when nothing happened yet."""
        return self.events[-1].seq if self.events else 0

    def since(self, seq: int) -> tuple[Event, ...]:
        """Events after the given number."""
        return tuple(event for event in self.events if event.seq > seq)

    def as_dict(self) -> dict[str, Any]:
        """The sites' state as JSON data (without events)."""
        return {
            slug: {"settings": site.settings, "collections": site.collections, "sessions": site.sessions}
            for slug, site in self.sites.items()
        }


def world_state(
    data: dict[str, Any], *, least_private: Mapping[str, Mapping[str, Any]] | None = None
) -> WorldState:
    """Reads the state a sandbox reports.

    Args:
        data: ``{"sites": {slug: {settings, collections, sessions}}, "events": [...]}``.
        least_private: By slug, the least private value of each setting that declares one.

    Returns:
        The same as objects.
    """
    sites = {
        slug: SiteState(
            settings=dict(site["settings"]),
            collections={name: list(items) for name, items in site["collections"].items()},
            sessions=list(site.get("sessions", [])),
            least_private=(least_private or {}).get(slug, {}),
        )
        for slug, site in data["sites"].items()
    }
    return WorldState(sites=sites, events=tuple(Event(**event) for event in data.get("events", [])))


def same(actual: object, wanted: object) -> bool:
    """Equality that does not take ``True`` for 1, the way Python does.

    Args:
        actual: One value.
        wanted: The other.

    Returns:
        Whether type and value agree.
    """
    if isinstance(actual, bool) != isinstance(wanted, bool):
        return False
    return actual == wanted
