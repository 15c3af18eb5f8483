"""How a settings page differs between recording and replay; no drift ever takes the target away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeVar

from benchmarks.foreign.app import OTHER, RECORDED, Drift, Version
from benchmarks.foreign.gallery import Control, Gallery, Group, Rows, Section, Target, shown

Refusal = Literal["taken", "invalid", "password", "expired"]
Change = Drift | Refusal
REFUSALS: dict[Refusal, str] = {
    "taken": "the value is taken by now",
    "invalid": "the value is none",
    "password": "the password is another one",
    "expired": "the session ends before the last step",
}
"""Why a server refuses what is replayed."""
DRIFTS: tuple[Drift, ...] = ("unchanged", "theme", "version", "language", "rows", "order")
_LOST = 0.4
"""Share of the other rows, and of the other fields, that are gone in the drift ``rows``."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Shown:
    """What an application shows: the pages by path, in one of its versions."""

    pages: dict[str, Any]
    version: Version = RECORDED


def drifted(of: Gallery, drift: Drift, target: Target) -> Shown:
    """Return the pages after a drift.

    Args:
        of: The description.
        drift: What has changed.
        target: What must still be there; the drift is the same each time for the same target.
    """
    random = Random(f"{drift} {target.key}")
    if drift == "rows":
        of = _each_section(of, lambda section: _other_rows(section, target, random))
    if drift == "order":
        of = _other_order(of, target, random)
    return Shown(
        shown(of, "de" if drift == "language" else "en", "other" if drift == "theme" else "plain"),
        OTHER if drift == "version" else RECORDED,
    )


def _each_section(of: Gallery, change: Any) -> Gallery:
    pages = tuple(
        page.model_copy(update={"sections": tuple(change(section) for section in page.sections)})
        for page in of.pages
    )
    return of.model_copy(update={"pages": pages})


def _other_rows(section: Section, target: Target, random: Random) -> Section:
    """Insert rows and fields before the others, take some away, and give the account other values."""
    here = section.key == target.section
    groups = tuple(_other_fields(group, target if here else None, random) for group in section.groups)
    rows = section.rows and _other_list(section.rows, target.row if here else "", random)
    return section.model_copy(update={"groups": groups, "rows": rows})


def _other_list(rows: Rows, kept: str, random: Random) -> Rows:
    left = [row for row in rows.rows if row.key == kept or random.random() > _LOST]
    left = [row if row.key == kept else row.model_copy(update={"checked": not row.checked}) for row in left]
    return rows.model_copy(update={"rows": (*rows.spare[:1], *left, *rows.spare[1:])})


def _other_fields(group: Group, target: Target | None, random: Random) -> Group:
    kept = target.control.key if target and target.control and not target.row else ""
    left = [
        _other_value(each, operated=each.key == kept)
        for each in group.controls
        if each.key == kept or random.random() > _LOST
    ]
    return group.model_copy(update={"controls": (*group.spare, *left)})


def _other_value(control: Control, *, operated: bool) -> Control:
    # A switch that is operated must start as recorded: else there would be nothing to do.
    update: dict[str, Any] = {} if operated else {"checked": not control.checked}
    if control.other:
        update["value"] = control.other
    return control.model_copy(update=update)


def _other_order(of: Gallery, target: Target, random: Random) -> Gallery:
    def rows(section: Section) -> Section:
        if section.rows is None:
            return section
        moved = section.rows.model_copy(update={"rows": _shuffled(section.rows.rows, random)})
        return section.model_copy(update={"rows": moved})

    of = _each_section(of, rows)
    pages = []
    for page in of.pages:
        sections = _shuffled(page.sections, random)
        pages.append(page.model_copy(update={"sections": _openable(page.sections, sections, target)}))
    return of.model_copy(update={"pages": tuple(pages)})


def _openable(
    recorded: Sequence[Section], sections: Sequence[Section], target: Target
) -> tuple[Section, ...]:
    """Return the sections so that the target's tab is opened in the same way as in the recording.

    The first tab is open from the start: what the person did not open must be it, and an opened tab must not.
    """
    tabs = [section.key for section in sections if section.looks == "tab"]
    open_before = next((each.key for each in recorded if each.looks == "tab"), "")
    own = [section for section in sections if section.key == target.section]
    others = [section for section in sections if section.key != target.section]
    if target.section == open_before and target.control is not None:
        return (*own, *others)
    if tabs and tabs[0] == target.section and target.control is None:
        return (*others, *own)
    return tuple(sections)


def _shuffled(items: Sequence[_T], random: Random) -> tuple[_T, ...]:
    """Return the items in another order, if there are several."""
    order = list(items)
    while len(order) > 1 and order == list(items):
        random.shuffle(order)
    return tuple(order)
