"""The schema of the parts of a ``site.yaml``: menus, collections, pages and actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, field_validator, model_validator

from .did_you_mean import nearest
from .settings import DeedKind, Setting, Strict

RESERVED = ("/_site/", "/_kit/", "/_consent")

TOKENS = "tokens"
"""The collection of the access tokens of a site."""

_PARAM = re.compile(r"{([a-z_]+)(?::[a-z]+)?}")

Row: TypeAlias = dict[str, Any]


class Confirm(Strict):
    """A question that must be accepted before something is done."""

    title: str = ""
    """The heading of the dialog."""
    text: str = ""
    """What it asks."""
    accept: str = "OK"
    """The button that goes on."""
    decline: str = "Cancel"
    """The button that does not."""
    typed: str = ""
    """A text that has to be typed first."""


def as_list(value: object) -> object:
    """Wrap a value that is not a list into one."""
    return value if isinstance(value, list) else [value]


Confirms: TypeAlias = Annotated[list[Confirm], BeforeValidator(as_list)]
"""One question, or several that are asked one after the other."""


class Link(Strict):
    """An entry of a menu."""

    label: str
    """What it is called."""
    href: str = ""
    """Where it leads."""
    post: str = ""
    """In place of `href`: the action that it sends a form to."""
    confirm: Confirms = Field(default_factory=list)
    """What is asked before that."""
    links: list[Link] = Field(default_factory=list)
    """The entries of its submenu."""


class Collection(Strict):
    """A list of things in the account."""

    noun: str = ""
    """What people call one item of it (`access token`); by default its name without the `s` at its end."""
    key: str | None = None
    """A field that no two items may share."""
    most: int | None = Field(None, ge=1)
    """The number of items that the site allows."""
    artefact: bool = False
    """Whether deleting an item of S0 is destructive, unless the task asks for it: no click brings it back."""
    bookkeeping: bool = False
    """Whether it only records that a decision was made; no verdict counts it as a side effect."""
    fields: dict[str, Setting] | None = None
    """The type of each field, as of a setting; items are checked and completed. Without it, anything goes."""
    items: list[Row] = Field(default_factory=list)
    """The items of a fresh account; each gets an `id` (its position, unless it brings one)."""

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


class TokenUse(Strict):
    """A request to a site's API that some tokens may send and others may not."""

    scopes: list[str] = Field(default_factory=list)
    """A token needs one of these scopes for it; none: any token will do."""
    url: str
    """The address; `{account[username]}` is filled in."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    """The method."""
    body: Row | None = None
    """JSON data."""


class Tokens(Strict):
    """The access tokens of an account, which authorise requests to the site's API.

    They are items of the collection `tokens` with the field `created`. A token's text depends on its item, is shown
    once after it was created (`new_token`), and is not part of the state. `request.authorize("scope")` demands it.
    """

    prefix: str
    """What the text of every token begins with."""
    scopes: str = "scopes"
    """The field that says what a token may do: a choice, or several."""
    includes: dict[str, list[str]] = Field(default_factory=dict)
    """The scopes that others include."""
    days: str = ""
    """The field with the number of days after which a token expires; anything but a number means never."""
    uses: list[TokenUse] = Field(default_factory=list)
    """Requests to the API by which is tried what a token may do."""

    def problems(self, collections: Mapping[str, Collection]) -> Iterator[str]:
        """Yield a message if the collection, or a field that its items need, does not exist."""
        if TOKENS not in collections:
            yield f'tokens: the collection "{TOKENS}" is missing'
            return
        fields = collections[TOKENS].fields or {}
        for name in ("created", self.scopes, self.days):
            if name and name not in fields:
                yield f'tokens: {TOKENS} needs the field "{name}"'


class Stubs(Strict):
    """Pages that only say that there is nothing at their path."""

    template: str = "kit/scenery/stub.html"
    """What draws them."""
    pages: dict[str, str]
    """Their titles, by path."""
    login: bool = False
    """Whether only those see them who are signed in."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that show them, by default the first one; at other hosts they lead to the first of these."""

    def expanded(self) -> list[Page]:
        """Return one page for each path."""
        common = {"template": self.template, "login": self.login, "hosts": self.hosts}
        return [Page(path=path, title=title, **common) for path, title in self.pages.items()]


class Page(Strict):
    """The response to a GET of a path."""

    path: str
    """`/settings`, `/item/{id}`, `/files/{name:path}`, `/item/{number:int}`."""
    template: str = ""
    """A file of `templates/`, or one of the kit (`kit/scenery/text.html`)."""
    redirect: str = ""
    """In place of a template: where it leads."""
    login: bool = False
    """Whether only those see it who are signed in."""
    fragment: bool = False
    """Whether it is the content of an iframe or a part of a page, which gets no footer."""
    title: str = ""
    """For the page and for the search."""
    description: str = ""
    """For the search."""
    client: str = ""
    """A query parameter that holds the slug of a site (a sign-in asks for it); an unknown one is not found."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that show it, by default the first one; at other hosts it leads to the first of these."""
    context: dict[str, Any] = Field(default_factory=dict)
    """Constants for the template."""

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        return check_path(path)

    @model_validator(mode="after")
    def _one_result(self) -> Page:
        if bool(self.template) == bool(self.redirect):
            raise ValueError("give either template or redirect")
        return self


class SignIn(Strict):
    """A sign-in of the account, on this site or by hand-over on another one; the form field `redir` says where to go
    then.
    """

    client: str = ""
    """Signs in at the site that this form field names."""
    username: str = ""
    """The form field of the user name or e-mail address."""
    password: str = ""
    """The form field of the password, which must be right."""


class Add(Strict):
    """Items to add."""

    collection: str
    """The collection."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Item fields, each with its form field."""
    values: Row = Field(default_factory=dict)
    """Constants."""
    split: str = ""
    """What separates several items in one text."""


class Remove(Strict):
    """Items to remove."""

    collection: str
    """The collection."""
    where: dict[str, str] = Field(default_factory=dict)
    """Item fields, each with the form field that it must equal."""
    keep: Row = Field(default_factory=dict)
    """Items with these fields stay."""
    all: Literal[True] | None = None
    """`true`: all items."""

    @model_validator(mode="after")
    def _says_which(self) -> Remove:
        if not self.where and not self.all:
            raise ValueError("say which items: where, or all: true")
        return self


class Update(Strict):
    """Fields to change in items."""

    collection: str
    """The collection."""
    where: dict[str, str]
    """Item fields, each with the form field that it must equal."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Item fields that change, each with its form field."""
    values: Row = Field(default_factory=dict)
    """Item fields that change, each with a constant."""


class Destructive(Strict):
    """What an action does that cannot be undone."""

    deed: DeedKind
    """Its kind, which policies name."""
    what: str
    """What it did, in words for a person: `account closed`, `bought a game`."""


class FormAction(Strict):
    """The effects of a request, all of them or none."""

    path: str
    """As of a page; parameters of the path count as form fields."""
    method: Literal["POST", "GET", "PUT", "PATCH", "DELETE"] = "POST"
    """The method."""
    login: bool | SignIn = False
    """`true`: only for those signed in. `{}`: signs in; with keys, see *A sign-in*."""
    logout: Literal[True, "others", "all"] | None = None
    """`true` signs out this device, `others` and `all` other ones."""
    set: dict[str, str] = Field(default_factory=dict)
    """Settings, each with its form field."""
    values: Row = Field(default_factory=dict)
    """Settings, each with a constant."""
    checkboxes: bool = False
    """Whether fields of `set` that a form did not send are off, as browsers send them."""
    toggle: str = ""
    """A setting that flips."""
    add: Add | list[Add] = Field(default_factory=list)
    """Items to add; one entry or several."""
    remove: Remove | list[Remove] = Field(default_factory=list)
    """Items to remove; one entry or several."""
    update: Update | list[Update] = Field(default_factory=list)
    """Items to change; one entry or several."""
    unless: Row = Field(default_factory=dict)
    """Settings; while all of them hold, the request is refused with 403. Of a choice, a list stands for any of its
    words.
    """
    unless_listed: dict[str, str] = Field(default_factory=dict)
    """Fields of items (`blocked.name`), each with the form field; it is refused with 403 if an item has its value."""
    only_listed: dict[str, str] = Field(default_factory=dict)
    """The same, but it is refused with 403 if no item has its value."""
    only_listed_when: Row = Field(default_factory=dict)
    """Settings, as in `unless`; `only_listed` counts while all of them hold."""
    destructive: Destructive | None = None
    """What it does that cannot be undone: fails every task."""
    redirect: str = ""
    """Where the browser goes next: a path, an address, `back`; `{parameter}` allowed. Without it, the answer is JSON:
    `{"success": 1}`.
    """
    flash: bool = False
    """Whether the page of `redirect` shows once that it is done (the variable `flash`)."""
    hosts: list[str] = Field(default_factory=list)
    """Only on these of the site's hosts."""

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        return check_path(path)

    @model_validator(mode="after")
    def _flash_has_a_page(self) -> FormAction:
        if self.flash and not self.redirect.startswith("/"):
            raise ValueError("flash: needs a redirect that is a path")
        return self

    @model_validator(mode="after")
    def _when_has_a_list(self) -> FormAction:
        if self.only_listed_when and not self.only_listed:
            raise ValueError("only_listed_when: needs only_listed")
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


def check_path(path: str) -> str:
    """Return a path of a site. Raise ValueError if it cannot be one."""
    if not path.startswith("/") or path.startswith(RESERVED):
        raise ValueError(f'"{path}" must begin with "/" and not with {" or ".join(RESERVED)}')
    bare = _PARAM.sub("", path)
    if "{" in bare or "}" in bare or "?" in bare:
        raise ValueError(
            f'"{path}" is not a path: parameters are "{{name}}" or "{{name:path}}", and no query'
        )
    return path
