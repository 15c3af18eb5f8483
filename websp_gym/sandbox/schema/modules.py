"""The schema of the records of enterprise software: the ``modules`` of a ``site.yaml``.

A module is a collection whose items have pages: lists, a page of one record, forms. ``module_pages.py`` makes the
pages and actions that a module stands for, ``server/records.py`` reads records, and ``server/record_changes.py``
changes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, model_validator

from .did_you_mean import nearest
from .fields import FieldType, RecordField, RecordsField
from .settings import Strict
from .site_schema import Collection, Confirm, Row, Verb, as_list

View: TypeAlias = Literal["list", "detail", "create", "edit", "convert", "merge", "import", "history"]
"""The pages of a module."""
Stamp: TypeAlias = Literal["me", "today", "now"]
"""Values that only the server knows: the account's own record, the day, the moment."""

RECORD = "record"
"""In the place of a field: the title of a record."""
_NAMED = re.compile(r"{(\w+)}")
_DELETE = [Confirm(title="Delete", text="Are you sure you want to delete this record?")]


class RecordTable(Strict):
    """The list of a module, as a table."""

    columns: list[str] = Field(min_length=1)
    """The fields of a row; `record` is the title of the record."""
    filters: list[str] = Field(default_factory=list)
    """Fields by which it can be filtered."""
    search: list[str] = Field(default_factory=list)
    """Fields in which its search field looks; by default, those of the title."""
    sort: str = "record"
    """The field by which it is sorted at first; `-` in front reverses the order."""
    per_page: int = Field(20, ge=1)
    """The number of rows of a page."""
    bulk: list[Literal["delete", "update", "export", "merge"]] = Field(default_factory=list)
    """What can be done with the selected rows."""
    update: list[str] = Field(default_factory=list)
    """The fields that the bulk action `update` offers."""


class Related(Strict):
    """A list of other records on the page of a record."""

    module: str
    """Their module."""
    by: str = ""
    """Their field that refers to this record."""
    field: str = ""
    """In place of `by`: this record's field with their ids."""
    label: str = ""
    """By default, the name of the module."""
    columns: list[str] = Field(default_factory=list)
    """By default, those of the module's list."""
    link: bool = False
    """Whether existing records can be related here."""
    create: bool = False
    """Whether new ones can be made here."""

    @model_validator(mode="after")
    def _one_way(self) -> Related:
        if bool(self.by) == bool(self.field):
            raise ValueError("give one of by and field")
        return self


class Numbered(Strict):
    """A number that counts the records."""

    field: str
    """The field that has it."""
    within: str = ""
    """A field: numbers are counted among the records with the same value of it."""


class Converted(Strict):
    """A record of another module that a conversion makes."""

    fields: dict[str, str]
    """Fields of the new record, each with the field of the old one that it is filled with."""
    links: dict[str, str] = Field(default_factory=dict)
    """Fields of the new record that refer to another one made in the same conversion, by its module."""
    always: bool = False
    """Whether it is always made."""


class Convert(Strict):
    """The conversion of a record into records of other modules."""

    into: dict[str, Converted]
    """What it makes, by module, in this order."""
    values: Row = Field(default_factory=dict)
    """Fields of the converted record, each with its new value."""


class RecordGuard(Strict):
    """Roles that records with certain values demand, besides those that all of the module's records do."""

    when: Row
    """The values."""
    allow: dict[Verb, list[str]]
    """The roles that may see, edit, delete and export such a record."""


class Module(Collection):
    """Records of one kind, with their pages. It is a collection, and its records are items."""

    one: str
    """What one record is called (`Account`)."""
    many: str
    """What several are called (`Accounts`)."""
    title: str = ""
    """The name of a record, from its fields (`"{first_name} {last_name}"`); by default, its `name`
    or its first field."""
    sections: dict[str, list[str]] = Field(default_factory=dict)
    """The fields on the page of a record and in its forms, by heading; by default, all of them under one."""
    required: list[str] = Field(default_factory=list)
    """Fields that must not be empty."""
    required_when: dict[str, Row] = Field(default_factory=dict)
    """Fields that must not be empty while other fields have these values."""
    shown_when: dict[str, Row] = Field(default_factory=dict)
    """Fields of forms that are only shown while other fields have these values."""
    choices_when: dict[str, dict[str, dict[str, list[str]]]] = Field(default_factory=dict)
    """Choices that depend on another choice: `{status: {state: {Open: [New], Closed: [Rejected]}}}`."""
    names: dict[str, str] = Field(default_factory=dict)
    """The names of fields in forms, where they are not their own; `{"*": "product[{}]"}` is for all others."""
    secret: list[str] = Field(default_factory=list)
    """Fields that no page shows, such as a password: a new record must have them, and forms leave them as they are
    where nothing is typed."""
    repeated: dict[str, str] = Field(default_factory=dict)
    """Fields that forms ask for twice, such as a password, each with the second form field, which must equal it."""
    order: list[tuple[str, str]] = Field(default_factory=list)
    """Pairs of dates, numbers or moments of which the second must not be before the first."""
    ident: str = ""
    """The `id` of a new record, from its fields (`"{namespace}/{path}"`; never that of a deleted one), or `sha` for a
    digest; by default, a number."""
    unique: list[str] = Field(default_factory=list)
    """Fields whose value no two records have."""
    within: str = ""
    """The field that says what a record belongs to; `unique` and roles are meant within it."""
    fixed: list[str] = Field(default_factory=list)
    """Fields that no form changes."""
    stamps: dict[str, Stamp] = Field(default_factory=dict)
    """Fields of a new record that the server fills, unless the form does."""
    touch: dict[str, Stamp] = Field(default_factory=dict)
    """Fields that the server fills on every change."""
    numbered: Numbered | None = None
    """The field that counts the records."""
    search: list[str] = Field(default_factory=list)
    """Fields in which searches for a record look, where it has no list (`table`) that says so."""
    long: list[str] = Field(default_factory=list)
    """Texts of several lines."""
    readonly: bool = False
    """Whether no page makes, changes or deletes records."""
    inline: bool = False
    """Whether single fields can be changed on the page of a record."""
    add: str = ""
    """The label of the button for a new record; by default, `New` with the module's `one`."""
    soft: str = ""
    """A field that deleting sets; the record then no longer shows, and is not removed."""
    history: bool = False
    """Whether pages show who changed what."""
    allow: dict[Verb, list[str]] = Field(default_factory=dict)
    """The roles that may see, create, edit, delete and export; a verb that is missing is allowed to all."""
    allow_fields: dict[str, list[str]] = Field(default_factory=dict)
    """Fields that only some roles may fill or change."""
    gives: dict[str, str] = Field(default_factory=dict)
    """Fields that name people, each with the role that they have in the record and in what belongs to it:
    `{author: Author}`."""
    guarded: list[RecordGuard] = Field(default_factory=list)
    """What records with certain values demand in addition."""
    frozen: Row = Field(default_factory=dict)
    """Values of fields; while a record has them, nothing that belongs to it is made, changed or deleted."""
    open: Row = Field(default_factory=dict)
    """Values of fields; records that have them may be seen by all. A list stands for any of its words."""
    table: RecordTable | None = None
    """Its list; without it, the module has no pages of the kit."""
    related: list[Related] = Field(default_factory=list)
    """The lists of other records on the page of a record."""
    convert: Convert | None = None
    """What a record can be converted into."""
    imports: str = ""
    """The module of the files that can be imported; no import if empty."""
    views: list[View] = Field(default_factory=list)
    """Its pages; by default, all that it can have."""
    paths: dict[View, str] = Field(default_factory=dict)
    """The addresses of its pages, where they are not those of the site's `record_paths`."""
    confirm: Annotated[list[Confirm], BeforeValidator(as_list)] = Field(default=_DELETE)
    """Questions before a record is deleted; by default, one."""
    login: bool = True
    """Whether its pages require a sign-in."""
    icon: str = ""
    """A sign that pages show beside its name."""

    @model_validator(mode="before")
    @classmethod
    def _has_a_noun(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("one"), str):
            return data
        return {"noun": data["one"].lower(), **data}

    @property
    def typed(self) -> dict[str, FieldType]:
        """The type of each field."""
        return self.fields or {}

    @property
    def new(self) -> str:
        """The label of the button for a new record."""
        return self.add or f"New {self.one}"

    @property
    def shown(self) -> dict[str, list[str]]:
        """The fields on the page of a record, by heading."""
        return self.sections or {"Overview": list(self.typed)}

    @property
    def naming(self) -> str:
        """How a record is named from its fields."""
        first = "name" if "name" in self.typed else next(iter(self.typed), "id")
        return self.title or f"{{{first}}}"

    @property
    def in_title(self) -> list[str]:
        """The fields that its titles name."""
        return _NAMED.findall(self.naming)

    @property
    def in_forms(self) -> list[str]:
        """The fields of its forms, in their order."""
        listed = [name for names in self.sections.values() for name in names] or list(self.typed)
        return [name for name in listed if name not in self.fixed]

    @property
    def searched(self) -> list[str]:
        """The fields in which the search of its list looks."""
        return (self.table.search if self.table else self.search) or self.in_title

    def label(self, name: str) -> str:
        """Return the label of a field."""
        if name == RECORD:
            return "Name"
        return self.typed[name].label or name.replace("_", " ").capitalize()

    def form_name(self, key: str) -> str:
        """Return the name of a field in forms."""
        return self.names.get(key) or self.names.get("*", "{}").replace("{}", key)

    def problems(self, own: str, modules: Mapping[str, Module]) -> Iterator[str]:
        """Yield what does not fit: fields and modules that are not there.

        Args:
            own: The name of this module.
            modules: All modules of the site.
        """
        known = [*self.typed, "id"]
        used = {
            "title": self.in_title,
            "sections": [name for names in self.sections.values() for name in names],
            "required": [*self.required, *self.required_when],
            "shown_when": self.shown_when,
            "choices_when": self.choices_when,
            "names": [name for name in self.names if name != "*"],
            "secret, repeated": [*self.secret, *self.repeated],
            "order": [name for pair in self.order for name in pair],
            "unique": self.unique,
            "fixed": self.fixed,
            "stamps": [*self.stamps, *self.touch],
            "search": self.search,
            "open, frozen": [*self.open, *self.frozen],
            "allow_fields, gives": [*self.allow_fields, *self.gives],
            "guarded": [name for guard in self.guarded for name in guard.when],
            "numbered": [self.numbered.field] if self.numbered else [],
            "within, soft": [name for name in (self.within, self.soft) if name],
            "table": self._in_table(),
        }
        for place, names in used.items():
            for name in names:
                if name not in known:
                    yield f'{place}: unknown field "{name}"{nearest(name, known)}'
        for name, field in self.typed.items():
            if isinstance(field, RecordField | RecordsField) and field.of not in modules:
                yield f'{name}: unknown module "{field.of}"{nearest(field.of, modules)}'
        others = [each.module for each in self.related] + [*(self.convert.into if self.convert else ())]
        others += [self.imports] if self.imports else []
        for other in others:
            if other not in modules:
                yield f'unknown module "{other}"{nearest(other, modules)}'
        for each in self.related:
            fields = modules[each.module].typed if each.by and each.module in modules else self.typed
            if (each.by or each.field) not in fields:
                yield f'related {each.module}: unknown field "{each.by or each.field}"'

    def _in_table(self) -> list[str]:
        if self.table is None:
            return []
        shown = [*self.table.columns, *self.table.filters, *self.table.search, *self.table.update]
        return [name for name in (*shown, self.table.sort.removeprefix("-")) if name != RECORD]


class Membership(Strict):
    """Where the roles are that people have in something."""

    module: str
    """A module with a record for each: `user`, `role`, and the field `of`."""
    of: str
    """The field that says in what."""
    through: str = ""
    """The field of what a record belongs to that leads there: `namespace` for the groups of projects. What has no
    such field is the place itself: a group."""


class People(Strict):
    """Who the account is among the records, and what roles people have."""

    module: str
    """The module of the people; the account's record is that with its user name as `id`."""
    role: str = ""
    """The field with a person's roles: a choice, or records whose ids are the roles."""
    admin: str = ""
    """A field that is on for people who may do everything."""
    members: list[Membership] = Field(default_factory=list)
    """The roles that people have in what a record belongs to (the module's `within`, or the record itself)."""
