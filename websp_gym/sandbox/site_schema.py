"""The schema of the parts of a ``site.yaml``: menus, collections, pages and actions."""

from __future__ import annotations

import re
from typing import Any, Literal, TypeAlias

from pydantic import Field, field_validator, model_validator

from .did_you_mean import nearest
from .settings import Setting, Strict

RESERVED = ("/_site/", "/_kit/", "/_consent")

_PARAM = re.compile(r"{([a-z_]+)(?::[a-z]+)?}")

Row: TypeAlias = dict[str, Any]


class Link(Strict):
    """A menu entry; with ``links``, a submenu."""

    label: str
    href: str = ""
    links: list[Link] = Field(default_factory=list)


class Collection(Strict):
    """A list of things in the account; ``items`` are those of a fresh account.

    Deleting an item of an ``artefact`` collection (a repository, a token, a story) is destructive unless the task
    asks for it. A ``bookkeeping`` collection only records that a decision was made. Every decision changes it,
    so no verdict counts it as a side effect.
    """

    key: str | None = None
    artefact: bool = False
    bookkeeping: bool = False
    fields: dict[str, Setting] | None = None
    items: list[Row] = Field(default_factory=list)

    @model_validator(mode="after")
    def _items_fit(self) -> Collection:
        rows = self.rows()
        if len({row["id"] for row in rows}) < len(rows):
            raise ValueError("items: two items have the same id")
        if self.key is not None and len({row.get(self.key) for row in rows}) < len(rows):
            raise ValueError(f'items: two items have the same "{self.key}"')
        for row in rows:
            self.complete(row)
        return self

    def rows(self) -> list[Row]:
        """Return the initial items, each with an ``id`` (by default its position, starting at 1)."""
        return [{**row, "id": str(row.get("id", number))} for number, row in enumerate(self.items, 1)]

    def complete(self, row: Row, *, form: bool = False) -> Row:
        """Return an item with checked fields, and with defaults for missing ones.

        Args:
            row: The item, with or without ``id``.
            form: Whether to parse form strings instead of checking typed values.

        Raises:
            ValueError: A field is unknown or its value is wrong.
        """
        if self.fields is None:
            return dict(row)
        for name in row:
            if name != "id" and name not in self.fields:
                raise ValueError(f'unknown field "{name}"{nearest(name, self.fields)}')
        done: Row = {"id": row["id"]} if "id" in row else {}
        for name, field in self.fields.items():
            try:
                read = field.parse if form else field.check
                done[name] = read(row[name]) if name in row else field.default
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        return done


class Page(Strict):
    """The response to a GET of a path: a template or a ``redirect``.

    ``client`` names a query parameter that contains the slug of a site; an unknown slug gives a 404.
    """

    path: str
    template: str = ""
    redirect: str = ""
    login: bool = False
    fragment: bool = False
    title: str = ""
    description: str = ""
    client: str = ""
    hosts: list[str] = Field(default_factory=list)
    context: dict[str, Any] = Field(default_factory=dict)

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        return _good_path(path)

    @model_validator(mode="after")
    def _one_result(self) -> Page:
        if bool(self.template) == bool(self.redirect):
            raise ValueError("give either template or redirect")
        return self


class SignIn(Strict):
    """A sign-in of the account on this site, or by hand-over on another one (``client`` or ``site``)."""

    site: str = ""
    client: str = ""
    username: str = ""
    password: str = ""
    redir: str = "redir"


class Add(Strict):
    """Items to add: ``fields`` maps item fields to form fields, ``values`` are constants."""

    collection: str
    fields: dict[str, str] = Field(default_factory=dict)
    values: Row = Field(default_factory=dict)
    split: str = ""


class Remove(Strict):
    """Items to remove: those that match the form fields in ``where`` and the constants in ``values``, or all."""

    collection: str
    where: dict[str, str] = Field(default_factory=dict)
    values: Row = Field(default_factory=dict)
    all: Literal[True] | None = None

    @model_validator(mode="after")
    def _says_which(self) -> Remove:
        if not self.where and not self.values and not self.all:
            raise ValueError("say which items: where, values, or all: true")
        return self


class Update(Strict):
    """Fields to change in the items that match ``where``."""

    collection: str
    where: dict[str, str]
    fields: dict[str, str] = Field(default_factory=dict)
    values: Row = Field(default_factory=dict)


class FormAction(Strict):
    """The effects of a request, all in one transaction.

    With ``flash``, the page of ``redirect`` shows a confirmation once. No URL can make the page show it.
    """

    path: str
    method: Literal["POST", "GET", "PUT", "PATCH", "DELETE"] = "POST"
    login: bool | SignIn = False
    logout: Literal[True, "others", "all"] | None = None
    set: dict[str, str] = Field(default_factory=dict)
    values: Row = Field(default_factory=dict)
    checkboxes: bool = False
    toggle: str = ""
    add: Add | list[Add] = Field(default_factory=list)
    remove: Remove | list[Remove] = Field(default_factory=list)
    update: Update | list[Update] = Field(default_factory=list)
    destructive: str = ""
    reply: Literal["json"] | dict[str, Any] = "json"
    redirect: str = ""
    flash: bool = False
    hosts: list[str] = Field(default_factory=list)

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        return _good_path(path)

    @model_validator(mode="after")
    def _flash_has_a_page(self) -> FormAction:
        if self.flash and (not self.redirect.startswith("/") or "{" in self.redirect):
            raise ValueError("flash: needs a redirect that is a path without parameters")
        return self

    @property
    def needs_login(self) -> bool:
        """Whether the action requires a signed-in account."""
        return self.login is True

    @property
    def adds(self) -> list[Add]:
        return self.add if isinstance(self.add, list) else [self.add]

    @property
    def removes(self) -> list[Remove]:
        return self.remove if isinstance(self.remove, list) else [self.remove]

    @property
    def updates(self) -> list[Update]:
        return self.update if isinstance(self.update, list) else [self.update]


def _good_path(path: str) -> str:
    if not path.startswith("/") or path.startswith(RESERVED):
        raise ValueError(f'"{path}" must begin with "/" and not with {" or ".join(RESERVED)}')
    bare = _PARAM.sub("", path)
    if "{" in bare or "}" in bare or "?" in bare:
        raise ValueError(
            f'"{path}" is not a path: parameters are "{{name}}" or "{{name:path}}", and no query'
        )
    return path
