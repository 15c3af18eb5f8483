"""Settings pages as data: what every component library of the benchmark shows, in three languages.

A description is a YAML file in ``descriptions``; this module reads it, lists its targets, and says what the pages
look like in a language (:func:`shown`). What changes between recording and replay is in ``drift.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, SerializationInfo

HERE = Path(__file__).resolve().parent
LANGUAGES = ("en", "de", "fr")


def _in_language(text: tuple[str, str, str], info: SerializationInfo) -> str:
    return text[LANGUAGES.index(str(info.context))]


Text = Annotated[tuple[str, str, str], PlainSerializer(_in_language, return_type=str)]
"""A text in English, German and French."""
Kind = Literal["checkbox", "switch", "radio", "select", "text", "button", "icon", "menu", "dialog"]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Option(_Model):
    """One choice of a radio group, a select, or a menu."""

    key: str
    label: Text


class Control(_Model):
    """A control; what the README does not say of it is:

    Args:
        other: Another account's value; never what the person chooses or types.
        choose: Keys of options; each is a target of its own.
        type: What the person types.
        attrs: What the author of the page gave it; ``{row}`` is the row's key.
        target: Whether the person operates it.
    """

    key: str
    kind: Kind
    label: Text
    checked: bool = Field(False, serialization_alias="on")
    value: str = ""
    other: str = Field("", exclude=True)
    options: tuple[Option, ...] = ()
    choose: tuple[str, ...] = Field((), exclude=True)
    type: str = Field("", exclude=True)
    attrs: dict[Literal["id", "name", "data-testid"], str] = {}
    icon: str = ""
    removes: bool = False
    ask: tuple[Text, ...] = ()
    target: bool = Field(True, exclude=True)


class Row(_Model):
    """A row of a list: its title is text, and every row has the same controls."""

    key: str
    title: Text
    note: Text = ("", "", "")
    target: bool = Field(False, exclude=True)
    checked: bool = False


class Rows(_Model):
    """A list whose rows carry controls of the same names; ``spare`` are rows that come in the drift ``rows``.

    The label ``{title}`` is the row's title.
    """

    looks: Literal["table", "list", "cards"]
    head: tuple[Text, ...] = ()
    rows: tuple[Row, ...]
    spare: tuple[Row, ...] = Field((), exclude=True)
    controls: tuple[Control, ...]


class Group(_Model):
    """Controls under a small heading (none if its title is empty)."""

    key: str
    title: Text = ("", "", "")
    controls: tuple[Control, ...]
    spare: tuple[Control, ...] = Field((), exclude=True)


class Section(_Model):
    """A part of a page, with a key that is unique on all pages; ``target``: whether opening it is a target."""

    key: str
    title: Text
    note: Text = ("", "", "")
    looks: Literal["plain", "accordion", "tab"] = "plain"
    groups: tuple[Group, ...] = ()
    rows: Rows | None = None
    save: Text = ("", "", "")
    target: bool = Field(False, exclude=True)


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
    def refusals(self) -> tuple[()]:
        """No server refuses anything here."""
        return ()

    @property
    def spot(self) -> str:
        """Key of the control, as the page reports it; of a section, ``view:`` and its key."""
        own = self.control.key if self.control else ""
        return "/".join(filter(None, (self.section, self.row, own))) if own else f"view:{self.section}"


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
        key = "/".join(filter(None, (section.key, row, control.key, option)))
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
    data = of.model_dump(context=language, by_alias=True)
    pages = {}
    for page in data["pages"]:
        for section in page["sections"]:
            _complete(section)
        nav = [
            {"href": f"/settings/{each['path']}", "title": each["title"], "current": each is page}
            for each in data["pages"]
        ]
        own = {"title": page["title"], "sections": page["sections"], "nav": nav}
        pages[page["path"]] = {"lang": language, "theme": theme, "site": data["title"], **own}
    return pages


def _complete(section: dict[str, Any]) -> None:
    """Give each control its whole key, and each row its own controls."""
    for group in section["groups"]:
        for control in group["controls"]:
            control["key"] = f"{section['key']}/{control['key']}"
    if section["rows"]:
        controls = section["rows"].pop("controls")
        for row in section["rows"]["rows"]:
            key, checked = row["key"], row.pop("checked")
            row["key"] = f"{section['key']}/{key}"
            row["controls"] = [
                {
                    **control,
                    "key": f"{row['key']}/{control['key']}",
                    "label": control["label"].replace("{title}", row["title"]),
                    "on": checked if control["kind"] in ("checkbox", "switch") else control["on"],
                    "attrs": {name: value.replace("{row}", key) for name, value in control["attrs"].items()},
                }
                for control in controls
            ]
