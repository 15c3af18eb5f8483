"""Settings pages as data: what every component library of the benchmark shows, in three languages.

A description is a YAML file in ``descriptions``; this module reads it, lists its targets, and says what the pages
look like in a language (:func:`shown`). What changes between recording and replay is in ``drift.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

HERE = Path(__file__).resolve().parent
LANGUAGES = ("en", "de", "fr")
Text = tuple[str, str, str]
"""A text in English, German and French."""
Kind = Literal["checkbox", "switch", "radio", "select", "text", "button", "icon", "menu", "dialog"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Option(_Model):
    """One choice of a radio group, a select, or a menu."""

    key: str
    label: Text


class Control(_Model):
    """A control.

    Args:
        key: Unique in its section, or in its row.
        kind: The kind of component.
        label: Its label; for an ``icon``, the ``aria-label``.
        checked: Whether a check box or switch is on at first.
        value: Key of the chosen option, or the text, at first.
        other: Another account's value; never what the person chooses or types.
        options: Options of a radio group, a select or a menu.
        choose: Keys of options; each is a target of its own.
        type: What the person types.
        attrs: ``id``, ``name`` or ``data-testid`` that the author of the page gave it; ``{row}`` is the row's key.
        icon: Name of the icon: ``edit``, ``delete``, ``more`` or ``bell``; a menu with an icon shows only that.
        removes: Whether pressing it removes its row.
        ask: Title, text, and names of the confirming and the cancelling button of a dialog.
        target: Whether the person operates it.
    """

    key: str
    kind: Kind
    label: Text
    checked: bool = False
    value: str = ""
    other: str = ""
    options: tuple[Option, ...] = ()
    choose: tuple[str, ...] = ()
    type: str = ""
    attrs: dict[Literal["id", "name", "data-testid"], str] = {}
    icon: str = ""
    removes: bool = False
    ask: tuple[Text, ...] = ()
    target: bool = True


class Row(_Model):
    """A row of a list: its title is text, and every row has the same controls."""

    key: str
    title: Text
    note: Text = ("", "", "")
    target: bool = False
    checked: bool = False


class Rows(_Model):
    """A list whose rows carry controls of the same names.

    Args:
        looks: ``table``, ``list`` or ``cards``.
        head: Titles of a table's columns: title, note, controls.
        rows: The rows.
        spare: Rows that come in the drift ``rows``.
        controls: The controls of each row. The label ``{title}`` is the row's title.
    """

    looks: Literal["table", "list", "cards"]
    head: tuple[Text, ...] = ()
    rows: tuple[Row, ...]
    spare: tuple[Row, ...] = ()
    controls: tuple[Control, ...]


class Group(_Model):
    """Controls under a small heading (none if its title is empty)."""

    key: str
    title: Text = ("", "", "")
    controls: tuple[Control, ...]
    spare: tuple[Control, ...] = ()


class Section(_Model):
    """A part of a page.

    Args:
        key: Unique on all pages.
        title: Its heading, or the name of its tab.
        note: A sentence below the heading.
        looks: Whether it stands on the page, unfolds, or is one of the page's tabs.
        groups: Its controls.
        rows: Its list.
        save: Name of the button that saves its text fields; empty where it has none.
        target: Whether opening it is a target of its own.
    """

    key: str
    title: Text
    note: Text = ("", "", "")
    looks: Literal["plain", "accordion", "tab"] = "plain"
    groups: tuple[Group, ...] = ()
    rows: Rows | None = None
    save: Text = ("", "", "")
    target: bool = False


class Sheet(_Model):
    """One page, with its path below ``/settings/``."""

    path: str
    title: Text
    sections: tuple[Section, ...]


class Gallery(_Model):
    """All pages of an application."""

    title: Text
    pages: tuple[Sheet, ...]

    def page(self, path: str) -> Sheet:
        """Return the page at a path."""
        return next(page for page in self.pages if page.path == path)


class Target(_Model):
    """One thing that a person operates.

    Args:
        key: Section, row, control and option, joined by slashes.
        page: Path of its page.
        section: Key of its section.
        row: Key of its row, if any.
        control: The control; None where the section itself is opened.
        option: Key of the chosen option, if any.
        stable: Whether its author gave it a name attribute, an id or a test id.
    """

    key: str
    page: str
    section: str
    row: str = ""
    control: Control | None = None
    option: str = ""
    stable: bool = False

    @property
    def spot(self) -> str:
        """Key of the control, as the page reports it; of a section, ``view:`` and its key."""
        own = self.control.key if self.control else ""
        return (
            "/".join(part for part in (self.section, self.row, own) if part)
            if own
            else f"view:{self.section}"
        )


@cache
def gallery(name: str) -> Gallery:
    """Return the description in a file."""
    return Gallery.model_validate(yaml.safe_load((HERE / "descriptions" / name).read_text("utf-8")))


def targets(of: Gallery) -> tuple[Target, ...]:
    """Return all targets of a description."""
    return tuple(
        target for page in of.pages for section in page.sections for target in _within(page, section)
    )


def _within(page: Sheet, section: Section) -> Iterator[Target]:
    if section.target:
        yield Target(key=f"view:{section.key}", page=page.path, section=section.key)
    for group in section.groups:
        for control in group.controls:
            yield from _of(control, page, section, "")
    for row in section.rows.rows if section.rows else ():
        for control in section.rows.controls if section.rows and row.target else ():
            yield from _of(control, page, section, row.key)


def _of(control: Control, page: Sheet, section: Section, row: str) -> Iterator[Target]:
    if not control.target:
        return
    for option in control.choose or ("",):
        key = "/".join(part for part in (section.key, row, control.key, option) if part)
        yield Target(
            key=key,
            page=page.path,
            section=section.key,
            row=row,
            control=control,
            option=option,
            stable=bool(control.attrs),
        )


def shown(of: Gallery, language: str, theme: str = "plain") -> dict[str, Any]:
    """Return all pages, by path, as the data that an application renders (see the README)."""
    number = LANGUAGES.index(language)

    def read(text: Text) -> str:
        return text[number]

    def control(at: Control, place: str, row: Row | None) -> dict[str, Any]:
        title = read(row.title) if row else ""
        return {
            "key": f"{place}/{at.key}",
            "kind": at.kind,
            "label": read(at.label).replace("{title}", title),
            "on": row.checked if row and at.kind in ("checkbox", "switch") else at.checked,
            "value": at.value,
            "options": [{"key": option.key, "label": read(option.label)} for option in at.options],
            "attrs": {
                name: value.replace("{row}", row.key if row else "") for name, value in at.attrs.items()
            },
            "icon": at.icon,
            "removes": at.removes,
            "ask": [read(text) for text in at.ask],
        }

    def rows(at: Rows, place: str) -> dict[str, Any]:
        return {
            "looks": at.looks,
            "head": [read(text) for text in at.head],
            "rows": [
                {
                    "key": f"{place}/{row.key}",
                    "title": read(row.title),
                    "note": read(row.note),
                    "controls": [control(each, f"{place}/{row.key}", row) for each in at.controls],
                }
                for row in at.rows
            ],
        }

    def section(at: Section) -> dict[str, Any]:
        return {
            "key": at.key,
            "title": read(at.title),
            "note": read(at.note),
            "looks": at.looks,
            "save": read(at.save),
            "groups": [
                {
                    "key": group.key,
                    "title": read(group.title),
                    "controls": [control(each, at.key, None) for each in group.controls],
                }
                for group in at.groups
            ],
            "rows": rows(at.rows, at.key) if at.rows else None,
        }

    return {
        page.path: {
            "lang": language,
            "theme": theme,
            "title": read(page.title),
            "site": read(of.title),
            "nav": [
                {"href": f"/settings/{each.path}", "title": read(each.title), "current": each is page}
                for each in of.pages
            ],
            "sections": [section(each) for each in page.sections],
        }
        for page in of.pages
    }
