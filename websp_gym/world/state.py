"""Server-side state as the reward and the S0 check see it: plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]

SESSIONS = "sessions"
"""The collection of signed-in devices; ``current`` is true for this browser's own."""


@dataclass(frozen=True)
class Event:
    """One line of a world's append-only event log."""

    seq: int
    time: float
    site: str
    kind: str
    data: dict[str, Any]


@dataclass(frozen=True)
class Declared:
    """What a site's ``site.yaml`` says about its state."""

    least_private: Mapping[str, Any] = field(default_factory=dict)
    """The value that gives away most, for the settings that have one."""
    bookkeeping: frozenset[str] = frozenset()
    """Settings and collections that note that something was decided, beside the decision itself.

    Every decision moves them, so they are no side effect of it; S0 is compared with them like with all others.
    """
    session_of: str = ""
    """The slug of the site whose sign-in, and whose sessions, this one shares."""


@dataclass(frozen=True)
class SiteState:
    """What one site has stored for the episode's account: settings by dotted key, items by collection."""

    settings: dict[str, Any] = field(default_factory=dict)
    collections: dict[str, list[Item]] = field(default_factory=dict)
    declared: Declared = Declared()

    @property
    def signed_in(self) -> bool:
        """Whether this browser is signed in to the site."""
        return any(session["current"] for session in self.collections.get(SESSIONS, ()))


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
            slug: {
                "settings": site.settings,
                "collections": site.collections,
                "bookkeeping": sorted(site.declared.bookkeeping),
            }
            for slug, site in self.sites.items()
        }


def world_state(data: dict[str, Any], *, declared: Mapping[str, Declared] | None = None) -> WorldState:
    """Read the state that a sandbox reports or a record keeps.

    Args:
        data: ``{"sites": {slug: {settings, collections}}, "events": [...]}``; a record has ``bookkeeping`` as well.
        declared: What the sites declare, by slug.

    Returns:
        The same as objects.
    """
    sites = {
        slug: SiteState(
            settings=dict(site["settings"]),
            collections={name: list(items) for name, items in site["collections"].items()},
            declared=(declared or {}).get(slug)
            or Declared(bookkeeping=frozenset(site.get("bookkeeping", ()))),
        )
        for slug, site in data["sites"].items()
    }
    return WorldState(sites=sites, events=tuple(Event(**event) for event in data.get("events", [])))


def foreign_sessions(items: Iterable[Item]) -> list[Item]:
    """Return the sessions of other browsers than the episode's own."""
    return [session for session in items if not session["current"]]


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
