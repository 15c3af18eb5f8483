"""The server-side state of a world, as plain data for the reward and the check of S0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, overload

from websp_gym.errors import WorldError
from websp_gym.tasks.goals import Says
from websp_gym.tasks.sites import site_schema

Item = dict[str, Any]

SESSIONS = "sessions"
"""The collection of signed-in devices; ``current`` is true for this browser."""


@dataclass(frozen=True)
class LogEvent:
    """One entry of the append-only event log of a world."""

    seq: int
    time: float
    site: str
    kind: str
    data: dict[str, Any]
    request: int | None = None
    """Number of the first event of the same request; ``None`` in older records without it."""


@dataclass(frozen=True)
class Declared:
    """The part of a ``site.yaml`` about the state."""

    least_private: Mapping[str, Any] = field(default_factory=dict)
    """The least private value of each setting that has one."""
    bookkeeping: frozenset[str] = frozenset()
    """Settings, collections and fields (``COLLECTION.FIELD``) that only record that the user did something.

    Whatever is done changes them, so this is not a side effect. The check of S0 compares them too.
    """
    shown_together: tuple[frozenset[str], ...] | None = None
    """The settings and collections of each of its pages and forms; None if unknown."""
    session_of: str = ""
    """Slug of the site whose sign-in and sessions this site shares; empty if none."""


@dataclass(frozen=True)
class SiteState:
    """The state of one site for the episode's account: settings by dotted key, items by collection."""

    settings: dict[str, Any] = field(default_factory=dict)
    collections: dict[str, Sequence[Item]] = field(default_factory=dict)
    declared: Declared = Declared()

    @property
    def signed_in(self) -> bool:
        """Whether this browser is signed in to the site."""
        return any(session["current"] for session in self.collections.get(SESSIONS, ()))

    @property
    def day(self) -> str:
        """The day to which the dates of its records are relative; empty without such records."""
        return next((each.day for each in self.collections.values() if isinstance(each, CompanyItems)), "")


@dataclass(frozen=True)
class WorldState:
    """The state of all sites of a world, by slug, and its event log."""

    sites: dict[str, SiteState] = field(default_factory=dict)
    events: tuple[LogEvent, ...] = ()

    @property
    def last_seq(self) -> int:
        """Number of the last event; 0 if there is none."""
        return self.events[-1].seq if self.events else 0

    def since(self, seq: int) -> tuple[LogEvent, ...]:
        """Return the events with a number above ``seq``."""
        return tuple(event for event in self.events if event.seq > seq)

    def as_dict(self) -> dict[str, Any]:
        """Return the state of the sites as JSON data, without events."""
        return {
            slug: {
                "settings": site.settings,
                "collections": {name: stored(items) for name, items in site.collections.items()},
                "bookkeeping": sorted(site.declared.bookkeeping),
            }
            for slug, site in self.sites.items()
        }


class CompanyItems(Sequence[Item]):
    """The items of a collection whose records all episodes share, known by the differences from them.

    The records are read when somebody looks at them. They belong to all episodes: never change one.

    Args:
        slug: The site.
        collection: The name of the collection.
        company: The digest of the records.
        day: The day to which their dates are relative.
        rows: The items that differ, by id; ``None`` for one that is gone.
    """

    def __init__(
        self, slug: str, collection: str, company: str, day: str, rows: Mapping[str, Item | None]
    ) -> None:
        self.site = slug
        self._of = slug, collection
        self.company = company
        self.day = day
        self.rows = dict(rows)

    @cached_property
    def _items(self) -> list[Item]:
        slug, name = self._of
        shared = site_schema(slug).collections[name].shared
        if shared is None or shared.digest != self.company:
            raise WorldError(
                f'{slug}: this state refers to other records of "{name}" than this version has: '
                "use the version of websp-gym that wrote it"
            )
        try:
            found = {**shared.on(date.fromisoformat(self.day)), **self.rows}
        except (ValueError, OverflowError):
            raise WorldError(f'{slug}: the records of "{name}" have no day "{self.day}"') from None
        return [item for item in found.values() if item is not None]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self._items[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        if isinstance(other, CompanyItems) and self._same_company(other):
            return self.rows == other.rows
        return self._items == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{'.'.join(self._of)}, differences: {self.rows!r}>"

    def differing(self, other: Sequence[Item]) -> set[str] | None:
        """Return the ids of the items that can differ from others of the same records; ``None`` if it is unknown."""
        same_records = isinstance(other, CompanyItems) and self._same_company(other)
        return {*self.rows, *other.rows} if same_records else None  # type: ignore[attr-defined]

    def _same_company(self, other: CompanyItems) -> bool:
        return (self._of, self.company, self.day) == (other._of, other.company, other.day)


def stored(items: Sequence[Item]) -> Sequence[Item] | dict[str, Any]:
    """Return items as JSON data."""
    if isinstance(items, CompanyItems):
        return {"site": items.site, "company": items.company, "day": items.day, "rows": items.rows}
    return items


def read_items(name: str, data: Any, *, slug: str = "", day: str = "") -> Sequence[Item]:
    """Return the items of a collection from JSON data, which may be :func:`stored` ones or those of a server.

    Args:
        name: The collection.
        data: A list of items, or the differences from records that all episodes share.
        slug: The site, if the data does not say.
        day: The day of the state, if the data does not say.
    """
    if isinstance(data, dict):
        of = data.get("site", slug)
        return CompanyItems(of, name, data["company"], data.get("day", day), data["rows"])
    return list(data)


def world_state(data: dict[str, Any], *, declared: Mapping[str, Declared] | None = None) -> WorldState:
    """Convert the state that a sandbox reports or a record stores.

    Args:
        data: ``{"sites": {slug: {settings, collections}}, "events": [...]}``. In a record, a site also has
            ``bookkeeping``. The items of a collection whose records all episodes share are ``{company, day, rows}``,
            the differences from them.
        declared: Declarations of the sites, by slug. ``None`` or a missing site means those in ``data``.
    """
    sites = {
        slug: SiteState(
            settings=dict(site["settings"]),
            collections={
                name: read_items(name, items, slug=slug, day=data.get("day", ""))
                for name, items in site["collections"].items()
            },
            declared=(declared or {}).get(slug)
            or Declared(bookkeeping=frozenset(site.get("bookkeeping", ()))),
        )
        for slug, site in data["sites"].items()
    }
    return WorldState(sites=sites, events=tuple(LogEvent(**event) for event in data.get("events", [])))


def foreign_sessions(items: Iterable[Item]) -> list[Item]:
    """Return the sessions of browsers other than the episode's own."""
    return [session for session in items if not session["current"]]


def same(actual: object, wanted: object) -> bool:
    """Whether a value is the wanted one. Unlike in Python, a boolean never equals a number.

    The order of a list does not matter: those of a state are sets, such as the people to whom something is assigned.
    """
    if isinstance(wanted, Says):
        return wanted.met_by(actual)
    if isinstance(actual, list) and isinstance(wanted, list):
        return sorted(map(repr, actual)) == sorted(map(repr, wanted))
    if isinstance(actual, bool) != isinstance(wanted, bool):
        return False
    return actual == wanted
