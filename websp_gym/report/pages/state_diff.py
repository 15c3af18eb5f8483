"""Differences of the server state between S0 and the end of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from websp_gym.errors import WebspError
from websp_gym.world.state import read_items, same

ABSENT = object()
"""Value of a setting that one of the two states lacks."""


@dataclass(frozen=True)
class SettingRow:
    """One setting in S0 and at the end; ``goal`` is the outcome of its check."""

    key: str
    before: Any
    after: Any
    changed: bool
    checked: bool = False
    goal: bool | None = None

    @property
    def notable(self) -> bool:
        """Whether to show it at once: what a check is about stands among the checks."""
        return self.changed and not self.checked


@dataclass(frozen=True)
class ShownChange:
    """One item of a collection, with what happened to it and its fields."""

    what: Literal["added", "removed", "changed"]
    fields: dict[str, Any]
    """For a changed item, only its unchanged fields, which identify it."""
    changes: dict[str, tuple[Any, Any]]


@dataclass(frozen=True)
class CollectionDiff:
    """One collection in S0 and at the end."""

    name: str
    before: int
    after: int
    changes: tuple[ShownChange, ...]


@dataclass(frozen=True)
class StateDiff:
    """The differences of one site's state; ``known`` is false if S0 or the end was not read."""

    known: bool
    settings: tuple[SettingRow, ...]
    collections: tuple[CollectionDiff, ...]

    @property
    def changes(self) -> int:
        """Number of settings and items that differ from S0."""
        return sum(row.changed for row in self.settings) + sum(len(part.changes) for part in self.collections)

    @property
    def goals(self) -> int:
        """Number of changed settings that a check is about."""
        return sum(row.changed and row.checked for row in self.settings)


def state_diff(
    start: Mapping[str, Any], end: Mapping[str, Any], checks: Mapping[str, bool | None]
) -> StateDiff:
    """Compare two states of a site.

    Args:
        start: ``{settings, collections}`` at S0; empty if it was not read.
        end: The same at the end.
        checks: Outcome of each check of a setting, by the setting's key.

    Returns:
        Every setting and collection; nothing counts as changed unless both states were read.
    """
    known = bool(start) and bool(end)
    return StateDiff(
        known=known,
        settings=tuple(_settings(_table(start, "settings"), _table(end, "settings"), checks, known)),
        collections=tuple(_collections(start, end)) if known else (),
    )


def _settings(
    before: Mapping[str, Any], after: Mapping[str, Any], checks: Mapping[str, bool | None], known: bool
) -> list[SettingRow]:
    rows = []
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key, ABSENT), after.get(key, ABSENT)
        changed = known and not same(old, new)
        rows.append(SettingRow(key, old, new, changed, key in checks, checks.get(key)))
    return rows


def _collections(start: Mapping[str, Any], end: Mapping[str, Any]) -> list[CollectionDiff]:
    before, after = _lists(start), _lists(end)
    return [
        CollectionDiff(name, len(before.get(name, [])), len(after.get(name, [])),
                       tuple(_changes(before.get(name, []), after.get(name, []))))
        for name in dict.fromkeys([*before, *after])
    ]  # fmt: skip


def _lists(state: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [item if isinstance(item, dict) else {"value": item} for item in _all(name, items)]
        for name, items in _table(state, "collections").items()
        if isinstance(items, list | dict)
    }


def _all(name: str, items: Any) -> list[Any]:
    """Return the items of a collection; of records that this version does not have, only those that differ."""
    try:
        return list(read_items(name, items))
    except WebspError:
        return [item for item in items.get("rows", {}).values() if item is not None]


def _changes(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[ShownChange]:
    old, new = _keyed(before), _keyed(after)
    removed = [ShownChange("removed", item, {}) for key, item in old.items() if key not in new]
    added = [ShownChange("added", item, {}) for key, item in new.items() if key not in old]
    changed = [_change(old[key], item) for key, item in new.items() if key in old and old[key] != item]
    return [*removed, *added, *changed]


def _change(old: dict[str, Any], new: dict[str, Any]) -> ShownChange:
    moved = {
        name: (old.get(name, ABSENT), new.get(name, ABSENT))
        for name in dict.fromkeys([*old, *new])
        if name not in old or name not in new or not same(old[name], new[name])
    }
    return ShownChange("changed", {name: value for name, value in new.items() if name not in moved}, moved)


def _keyed(items: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    """Return items by id; items without one by content, so that they can only be added or removed."""
    keyed: dict[tuple[str, int], dict[str, Any]] = {}
    for item in items:
        name = f"id {item['id']!r}" if "id" in item else f"row {sorted(map(repr, item.items()))}"
        number = 0
        while (name, number) in keyed:
            number += 1
        keyed[name, number] = item
    return keyed


def _table(state: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = state.get(name)
    return found if isinstance(found, dict) else {}
