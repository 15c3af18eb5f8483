"""The schema of the parts of a ``site.yaml``: menus, collections, pages and actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, PrivateAttr, field_validator, model_validator

from .company import Company
from .did_you_mean import nearest
from .fields import FieldType
from .settings import DeedKind, Strict

RESERVED = ("/_site/", "/_kit/", "/_consent", "/_route/", "/_records/")

TOKENS = "tokens"
"""The collection of the access tokens of a site."""

_PARAM = re.compile(r"{([a-z_]+)(?::[a-z]+)?}")

Row: TypeAlias = dict[str, Any]
Verb: TypeAlias = Literal["see", "create", "edit", "delete", "export"]
"""What a role may do with the records of a module."""


class Confirm(Strict):
    """A question that must be accepted before something is done."""

    title: str = ""
    """The heading of the dialog."""
    text: str = ""
    """What it asks."""
    accept: str = "OK"
    """The button that accepts."""
    decline: str = "Cancel"
    """The button that declines."""
    typed: str = ""
    """A text that must be typed first."""


def as_list(value: object) -> object:
    """Wrap a value that is not a list into one."""
    return value if isinstance(value, list) else [value]


Confirms: TypeAlias = Annotated[list[Confirm], BeforeValidator(as_list)]
"""One question, or several, asked one after the other."""


class Link(Strict):
    """An entry of a menu."""

    label: str
    """Its label."""
    href: str = ""
    """Where it links to."""
    post: str = ""
    """In place of `href`: the action that it sends a form to."""
    confirm: Confirms = Field(default_factory=list)
    """One or more questions to ask first."""
    links: list[Link] = Field(default_factory=list)
    """The entries of its submenu."""


class Collection(Strict):
    """A list of things in the account."""

    noun: str = ""
    """What people call one item (`access token`); by default, its name without the final `s`."""
    key: str | None = None
    """A field whose value must be unique."""
    most: int | None = Field(None, ge=1)
    """The maximum number of items."""
    artefact: bool = False
    """Whether deleting an item of S0 is destructive unless the task asks for it, because no click brings it back."""
    bookkeeping: bool = False
    """Whether it only records that a decision was made, so that no verdict counts it as a side effect."""
    fields: dict[str, FieldType] | None = None
    """The type of each field, as for a setting; items are checked and completed. Without it, anything goes."""
    items: list[Row] = Field(default_factory=list)
    """The items in a fresh account; each gets an `id` (by default, its position)."""
    company: list[str] = Field(default_factory=list)
    """In place of `items`: CSV files in the folder `data` (`contacts`), or shared by sites (`company/people`). Their
    records belong to all episodes, and a state has only the differences from them."""

    _company: Company | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _items_fit(self) -> Collection:
        if self.company and (self.items or self.fields is None):
            raise ValueError("company: the collection must declare its fields, and has no items")
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
        if self._company is not None:
            return list(self._company.on(date.today()).values())
        return [{**row, "id": str(row.get("id", number))} for number, row in enumerate(self.items, 1)]

    @property
    def shared(self) -> Company | None:
        """The records that all episodes share, if it has some."""
        return self._company

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
    """The scopes of which a token needs one; if empty, any token will do."""
    url: str
    """The address; `{account[username]}` is filled in."""
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    """The method."""
    body: Row | None = None
    """JSON data."""


class Tokens(Strict):
    """The access tokens of an account, which authorise requests to the site's API.

    They are items of the collection `tokens` with the field `created`. A token's text depends on its item, is shown
    once after creation (`new_token`), and is not part of the state. `request.authorize("scope")` demands it.
    """

    prefix: str
    """The prefix of every token."""
    scopes: str = "scopes"
    """The field that says what a token may do: a `choice` or a `multi`."""
    includes: dict[str, list[str]] = Field(default_factory=dict)
    """The scopes that other scopes include."""
    days: str = ""
    """The field with the number of days after which a token expires, or with its last day; anything else: never."""
    uses: list[TokenUse] = Field(default_factory=list)
    """Requests to the API that test what a token may do."""

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
    """The template that draws them."""
    pages: dict[str, str]
    """Their titles, by path."""
    login: bool = False
    """Whether they require a sign-in."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that show them; by default, the first one. Other hosts redirect to the first of these."""

    def expanded(self) -> list[SitePage]:
        """Return one page for each path."""
        common = {"template": self.template, "login": self.login, "hosts": self.hosts}
        return [SitePage(path=path, title=title, **common) for path, title in self.pages.items()]


class SitePage(Strict):
    """The response to a GET of a path."""

    path: str
    """`/settings`, `/item/{id}`, `/files/{name:path}`, `/item/{number:int}`."""
    template: str = ""
    """A file in `templates/`, or one from the kit (`kit/scenery/text.html`)."""
    redirect: str = ""
    """In place of a template: where it redirects to."""
    login: bool = False
    """Whether it requires a sign-in."""
    fragment: bool = False
    """Whether it is the content of an iframe or a part of a page, so that it gets no footer."""
    title: str = ""
    """Its title, on the page and in search results."""
    description: str = ""
    """Its description in search results."""
    client: str = ""
    """A query parameter with the slug of a site, for a sign-in on its behalf; an unknown slug is answered with
    404."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that show it; by default, the first one. Other hosts redirect to the first of these."""
    signed_in: str = ""
    """Where it redirects to while the account is signed in."""
    password: bool = False
    """Whether it asks for the account's password again, so that the browser fills in the one that it has saved
    (`saved_login`)."""
    context: dict[str, Any] = Field(default_factory=dict)
    """Constants for the template."""

    @field_validator("path")
    @classmethod
    def _path(cls, path: str) -> str:
        return check_path(path)

    @model_validator(mode="after")
    def _one_result(self) -> SitePage:
        if bool(self.template) == bool(self.redirect):
            raise ValueError("give either template or redirect")
        return self


class SignIn(Strict):
    """A sign-in of the account, on this site or, handed over, on another one; the form field `redir` says where to go
    next.
    """

    client: str = ""
    """The form field that names the site to sign in to."""
    username: str = ""
    """The form field with the username or e-mail address."""
    password: str = ""
    """The form field with the password, which must be right."""


class AddAction(Strict):
    """Items to add."""

    collection: str
    """The collection."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Item fields, each with its form field."""
    values: Row = Field(default_factory=dict)
    """Item fields, each with a constant."""
    split: str = ""
    """The separator of several items in one text."""


class RemoveAction(Strict):
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
    def _says_which(self) -> RemoveAction:
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


class RecordChange(Strict):
    """A change of records of a module, with the checks that the module declares."""

    module: str
    """The module."""
    does: Literal[
        "create", "save", "delete", "relate", "export", "convert", "merge", "import", "copy", "find", "put"
    ]
    """What it does. `save`, `delete` and `export` are for records with the `id`s of the form, or for a whole list
    (`all`); `copy` makes records like those that `where` finds, with other `values`, in place of those with their
    `ident`; `find` demands that there is a record and changes nothing; `put` saves the record that `where` finds,
    except its `fixed` fields, or makes it."""
    where: dict[str, str] = Field(default_factory=dict)
    """Fields of the record to change (`record` is its title), each with the form field that it must equal, or a text
    with names in braces as in `values`; one of a field's several values is enough. By default, `id`."""
    having: Row = Field(default_factory=dict)
    """Fields of the record to change, each with the constant that it must equal."""
    needs: Row = Field(default_factory=dict)
    """Values that fields of the record must have; otherwise the request is refused with 409. For a text or a choice,
    a list stands for any of its words."""
    when: dict[str, str] = Field(default_factory=dict)
    """Form fields, each with the text that it must have; otherwise, the change is left out."""
    may: Verb | None = None
    """What the account must be allowed to do with the record, in place of what `does` says: `see` for what follows
    from another change."""
    each: str = ""
    """A form field: the change is made for each of its values, or for each of the objects that it lists in JSON,
    whose keys then count as form fields."""
    fields: dict[str, str] | None = None
    """Fields that change, each with its form field; by default, all that are not `fixed`, by their form names."""
    values: Row = Field(default_factory=dict)
    """Fields that change, each with a constant, a form field in braces (`"{project}"`), a field of a record that the
    same request has found or changed, or is about to (`"{projects.id}"`), or of the account's own (`"{me.email}"`),
    or `me`, `today`, `now`."""
    plus: Row = Field(default_factory=dict)
    """Fields that grow: by a number, or, those with several values, by one more, written as in `values`."""
    said: str = ""
    """The message after it, in which `{title}` is the record and `{count}` the number of records."""
    optional: bool = False
    """Whether it is left out where `where` finds no record, or for those to which `when` does not apply."""


class Destructive(Strict):
    """What an action does that cannot be undone."""

    deed: DeedKind
    """Its kind, by which policies name it."""
    what: str
    """What it did, in words for a person: `account closed`, `bought a game`."""


class FormAction(Strict):
    """The effects of a request, all of them or none."""

    path: str
    """As for a page; parameters of the path count as form fields."""
    method: Literal["POST", "GET", "PUT", "PATCH", "DELETE"] = "POST"
    """The method."""
    login: bool | SignIn = False
    """`true`: requires a sign-in. `{}`: signs in; for its keys, see *A sign-in*."""
    logout: Literal[True, "others", "all"] | None = None
    """`true` signs out this device, `others` the other ones, `all` all of them."""
    set: dict[str, str] = Field(default_factory=dict)
    """Settings, each with its form field."""
    values: Row = Field(default_factory=dict)
    """Settings, each with a constant."""
    checkboxes: bool = False
    """Whether fields of `set` that a form did not send are off, because browsers leave out unchecked boxes."""
    toggle: str = ""
    """A setting to flip."""
    password: str = ""
    """The form field with the account's password, which must be right."""
    add: AddAction | list[AddAction] = Field(default_factory=list)
    """Items to add; one entry or several."""
    remove: RemoveAction | list[RemoveAction] = Field(default_factory=list)
    """Items to remove; one entry or several."""
    update: Update | list[Update] = Field(default_factory=list)
    """Items to change; one entry or several."""
    unless: Row = Field(default_factory=dict)
    """Values of settings; while all of them hold, the request is refused with 403. For a choice, a list stands for
    any of its words.
    """
    unless_listed: dict[str, str] = Field(default_factory=dict)
    """Fields of items (`blocked.name`), each with its form field; the request is refused with 403 if an item has the
    value."""
    only_listed: dict[str, str] = Field(default_factory=dict)
    """The same, but the request is refused if no item has the value."""
    only_listed_when: Row = Field(default_factory=dict)
    """Values of settings, as in `unless`; `only_listed` applies only while all of them hold."""
    record: list[RecordChange] = Field(default_factory=list)
    """Changes of records, one after the other."""
    destructive: Destructive | None = None
    """What it does that cannot be undone. It fails every task."""
    redirect: str = ""
    """Where the browser goes next: a path, an address or `back`; may contain `{parameter}`. Without it, the response
    is the JSON `{"success": 1}`.
    """
    flash: bool = False
    """Whether the page of `redirect` confirms it once (the variable `flash`)."""
    hosts: list[str] = Field(default_factory=list)
    """The hosts that have it; by default, all of the site's."""

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
    def adds(self) -> list[AddAction]:
        return self.add if isinstance(self.add, list) else [self.add]

    @property
    def removes(self) -> list[RemoveAction]:
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
