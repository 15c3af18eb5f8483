"""Reading the records of modules: what the account may see of them, in lists, by relation and as text."""

from __future__ import annotations

import calendar
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.dependencies import all_hold
from websp_gym.sandbox.schema.did_you_mean import nearest
from websp_gym.sandbox.schema.fields import AmountField, FieldType, RecordField, RecordsField, WordsField
from websp_gym.sandbox.schema.module_pages import ACTIONS, link_patterns
from websp_gym.sandbox.schema.modules import RECORD, Module, Related
from websp_gym.sandbox.schema.settings import BoolSetting, ChoiceSetting, IntSetting, MultiSetting
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import Row, Verb

from .episode import EpisodeState

MOST_OPTIONS = 20
"""The number of records that a field offers for a text."""
_RESERVED = frozenset({"q", "sort", "page", "per_page"})
"""The names in the query of a list that are not fields."""


@dataclass(frozen=True)
class Listing:
    """One page of a list.

    Attributes:
        rows: The records of the page.
        total: The number of records of the list.
        first: The number of the first record of the page, from 1.
        page: The number of the page, from 1.
        pages: The number of pages.
        per_page: The number of rows of a page.
        sort: The field by which it is sorted, with ``-`` in front if reversed.
        filters: The fields by which it is filtered, with the accepted values.
        text: The searched text.
    """

    rows: list[Row]
    total: int
    page: int
    per_page: int
    sort: str
    filters: dict[str, list[str]] = field(default_factory=dict)
    text: str = ""

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // self.per_page))

    @property
    def first(self) -> int:
        return (self.page - 1) * self.per_page + 1 if self.total else 0

    def query(self, **changed: object) -> str:
        """Return the query of another page or order of the same list."""
        said: dict[str, Any] = {**self.filters, "q": self.text, "sort": self.sort, "page": self.page}
        said |= {"per_page": self.per_page, **changed}
        return urlencode({name: value for name, value in said.items() if value}, doseq=True)


class Records:
    """The records of a site in an episode, as the account sees them; ``records`` in templates.

    Args:
        episode: The state of the episode.
        site: The site.
    """

    def __init__(self, episode: EpisodeState, site: SiteSchema) -> None:
        self._episode = episode
        self._site = site
        self._known: dict[str, dict[str, Row]] = {}
        self._seen: dict[str, list[Row]] = {}

    @property
    def today(self) -> date:
        """The day of the episode."""
        return self._episode.day

    @cached_property
    def me(self) -> Row:
        """The account's own record; an empty one if it is not among the people."""
        people = self._site.people
        return self._items(people.module).get(ACCOUNT["username"], {}) if people else {}

    def module(self, name: str) -> Module:
        """Return a module. Raise ValueError if there is none."""
        if name not in self._site.modules:
            raise ValueError(f'unknown module "{name}"{nearest(name, self._site.modules)}')
        return self._site.modules[name]

    # ------------------------------------------------------------ finding

    def all(self, name: str) -> list[Row]:
        """Return the records of a module that the account may see."""
        module = self.module(name)
        if name not in self._seen:
            rows = list(self._items(name).values())
            if module.soft:
                rows = [row for row in rows if not row[module.soft]]
            if "see" in module.allow or module.within or module.guarded:
                rows = [row for row in rows if self.may("see", name, row)]
            self._seen[name] = rows
        return list(self._seen[name])

    def get(self, name: str, record: str) -> Row | None:
        """Return the record with an id, or None if there is none that the account may see."""
        module = self.module(name)
        row = self._items(name).get(record)
        hidden = row is None or (module.soft and row[module.soft]) or not self.may("see", name, row)
        return None if hidden else row

    def find(self, name: str, /, **where: object) -> list[Row]:
        """Return the records whose fields all equal ``where``; a field with several values must contain the value."""
        typed = self.module(name).typed
        for key in where:
            if key not in typed and key != "id":
                raise ValueError(f'{name} has no field "{key}"{nearest(key, typed)}')
        return [row for row in self.all(name) if all(_has(row[key], value) for key, value in where.items())]

    def first(self, name: str, /, **where: object) -> Row | None:
        """Return the first of these records, or None."""
        return next(iter(self.find(name, **where)), None)

    def groups(self, name: str, rows: Sequence[Row], key: str, length: int = 0) -> dict[str, list[Row]]:
        """Return records by the text of a field, or by its first characters; of a moment, 7 of them are the month."""
        found: dict[str, list[Row]] = {}
        for row in rows:
            text = row[key] if isinstance(row[key], str) else self.text(name, key, row)
            found.setdefault(text[:length] if length else text, []).append(row)
        return found

    def related(self, name: str, row: Row, spec: Related) -> list[Row]:
        """Return the other records that the page of a record lists."""
        if spec.by:
            return self.find(spec.module, **{spec.by: row["id"]})
        value = row[spec.field]
        ids = value if isinstance(value, list) else [value]
        return [other for other in (self.get(spec.module, each) for each in ids) if other]

    def listing(
        self, name: str, query: Mapping[str, Any], rows: Sequence[Row] | None = None, per_page: int = 0
    ) -> Listing:
        """Return the page of a list that a query asks for: ``q``, ``sort``, ``page`` and values of fields.

        Args:
            name: The module.
            query: The query; a field may have several values, one of which must fit, or be limited by
                ``FIELD.from`` and ``FIELD.to``.
            rows: The records of the list; by default, all.
            per_page: The number of rows of a page; by default, that of the module.
        """
        module = self.module(name)
        filters, text = self._asked(module, query)
        found = self.filtered(name, query, rows)
        sort = str(_last(query.get("sort", ""))) or (module.table.sort if module.table else RECORD)
        key = sort.removeprefix("-")
        if key not in module.typed and key != RECORD:
            key = sort = RECORD
        found = sorted(found, key=lambda row: self._order(name, row, key), reverse=sort.startswith("-"))
        size = per_page or (module.table.per_page if module.table else 20)
        size = min(_number(query.get("per_page"), size), 200)
        page = min(_number(query.get("page"), 1), max(1, -(-len(found) // size)))
        start = (page - 1) * size
        return Listing(found[start : start + size], len(found), page, size, sort, filters, text)

    def filtered(self, name: str, query: Mapping[str, Any], rows: Sequence[Row] | None = None) -> list[Row]:
        """Return all records that a query asks for, in the order of the module."""
        filters, text = self._asked(self.module(name), query)
        found = self.all(name) if rows is None else rows
        return [row for row in found if self._fits(name, row, filters) and self._says(name, row, text)]

    def _asked(self, module: Module, query: Mapping[str, Any]) -> tuple[dict[str, list[str]], str]:
        """Return the values of fields, and the text, that a query asks for."""
        given = {key: value if isinstance(value, list) else [value] for key, value in query.items()}
        known = [key for name in module.typed for key in (name, f"{name}.from", f"{name}.to")]
        fields = {key: [str(each) for each in given[key] if each] for key in known if key in given}
        filters = {key: values for key, values in fields.items() if values and key not in _RESERVED}
        return filters, str(_last(query.get("q", ""))).strip()

    def options(self, name: str, text: str) -> list[Row]:
        """Return records whose title contains a text, for a field that refers to one."""
        words = text.lower().split()
        fitting = (row for row in self.all(name) if all(word in self.said(name, row) for word in words))
        found = sorted(fitting, key=lambda row: self.title(name, row).lower())
        return found[:MOST_OPTIONS]

    # ------------------------------------------------------------ in words

    def title(self, name: str, record: Row | str | None) -> str:
        """Return the title of a record, given it or its id; empty if there is none."""
        row = self._items(name).get(record) if isinstance(record, str) else record
        if not row:
            return ""
        module = self.module(name)
        known = {each: self.text(name, each, row) for each in module.in_title}
        return " ".join(module.naming.format(**known).split())

    def said(self, name: str, row: Row) -> str:
        """Return what a search for a record looks at, in lower case."""
        fields = [self.text(name, each, row) for each in self.module(name).searched]
        return " ".join([self.title(name, row), *fields]).lower()

    def text(self, name: str, key: str, row: Row) -> str:
        """Return the value of a field as people read it."""
        if key == RECORD:
            return self.title(name, row)
        if key == "id":
            return str(row["id"])
        typed = self.module(name).typed
        spec = typed[key]
        sign = ""
        if isinstance(spec, AmountField) and spec.currency:
            sign = self.value_text(typed[spec.currency], row[spec.currency]).rpartition(" ")[2]
        return f"{sign}{self.value_text(spec, row[key])}"

    def value_text(self, spec: FieldType, value: Any) -> str:
        """Return a value of a field as people read it."""
        match spec:
            case RecordField():
                return self.title(spec.of, value)
            case RecordsField():
                return ", ".join(self.title(spec.of, each) for each in value)
            case ChoiceSetting():
                return spec.choices.get(value, str(value))
            case WordsField():
                return ", ".join(value)
            case MultiSetting():
                return ", ".join(spec.choices.get(each, each) for each in value)
            case BoolSetting():
                return "Yes" if value else "No"
            case AmountField():
                return f"{value:,.{spec.places}f}"
            case _:
                return str(value)

    def link(self, name: str, view: str = "detail", record: str = "", query: str = "") -> str:
        """Return the address of a page of a module, or an empty text if the module has no such page."""
        patterns = link_patterns(name, self.module(name), self._site.record_paths)
        pattern = {str(key): path for key, path in patterns.items()}.get(view, "")
        link = pattern.replace("{id}", quote(record, safe="/"))
        return f"{link}{'&' if '?' in link else '?'}{query}" if link and query else link

    def choices(self, name: str, key: str) -> dict[str, str]:
        """Return the choices of a field with their labels; of a field that refers to a record, the records."""
        spec = self.module(name).typed[key]
        if isinstance(spec, ChoiceSetting | MultiSetting):
            return spec.choices
        if isinstance(spec, RecordField | RecordsField):
            titles = {row["id"]: self.title(spec.of, row) for row in self.all(spec.of)}
            return dict(sorted(titles.items(), key=lambda each: each[1].lower()))
        return {}

    def version(self, row: Row) -> str:
        """Return a digest of a record, by which a form that was opened before a change of it is recognised."""
        return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:12]

    def new(self, name: str, given: Mapping[str, Any]) -> Row:
        """Return a record with the values that a new one begins with.

        Args:
            name: The module.
            given: Values from the address: of fields, and ``from``, a record whose fields are copied.
        """
        module = self.module(name)
        copied = self.get(name, str(_last(given.get("from", "")))) or {}
        row: Row = {"id": ""}
        for key, spec in module.typed.items():
            value = copied.get(key, spec.default) if key not in module.fixed else spec.default
            if key in module.stamps and not copied.get(key):
                value = self.stamp(module.stamps[key])
            if key in given and key not in module.fixed:
                try:
                    value = spec.parse(given[key])
                except ValueError:
                    value = spec.default
            row[key] = value
        return row

    def filled(self, name: str, fields: Mapping[str, str], row: Row) -> Row:
        """Return a new record with some fields filled from another record."""
        return self.new(name, {}) | {key: row[other] for key, other in fields.items()}

    def chosen(self, name: str, ids: Sequence[str]) -> list[Row]:
        """Return the records with some ids, in their order, each once."""
        return [row for row in (self.get(name, each) for each in dict.fromkeys(ids)) if row]

    def differs(self, name: str, key: str, rows: Sequence[Row]) -> bool:
        """Whether records differ in a field."""
        return len({self.text(name, key, row) for row in rows}) > 1

    def table_of(self, file: Row) -> tuple[list[str], list[dict[str, str]]]:
        """Return the columns and lines of a record with the text of a CSV file."""
        return table_of(file)

    def stamp(self, kind: str) -> str:
        """Return what only the server knows: the account's own record, the day, the moment."""
        if kind == "me":
            return str(self.me.get("id", ""))
        return self.today.isoformat() if kind == "today" else self._episode.now()

    def history(self, name: str, record: str) -> list[Row]:
        """Return the changes of a record in this episode, the latest first: when, field, old and new value."""
        found = []
        for event in self._episode.events():
            data = event["data"]
            if data.get("collection") != name or event["site"] != self._site.slug:
                continue
            if event["kind"] == "set" and data["id"] == record:
                key = str(data["key"]).rpartition(".")[2]
                spec = self.module(name).typed[key]
                old, new = (self.value_text(spec, data[each]) for each in ("old", "new"))
                found.append({"time": event["time"], "field": key, "old": old, "new": new})
            elif event["kind"] == "add" and data["item"]["id"] == record:
                found.append({"time": event["time"], "field": "", "old": "", "new": "created"})
        return found[::-1]

    def weeks(self, month: str) -> list[list[date]]:
        """Return the weeks of a month (``2026-03``), each with seven days; of this month if it is none."""
        try:
            first = date.fromisoformat(f"{month}-01")
            return calendar.Calendar().monthdatescalendar(first.year, first.month)
        except (ValueError, OverflowError):
            return calendar.Calendar().monthdatescalendar(self.today.year, self.today.month)

    def month(self, month: str, step: int) -> str:
        """Return the month that is so many months after another (``2026-03``)."""
        number = int(month[:4]) * 12 + int(month[5:7]) - 1 + step
        return f"{number // 12:04}-{number % 12 + 1:02}"

    def met(self, name: str, condition: str) -> list[Row]:
        """Return the records that meet a condition such as ``state=Open;priority!=Low``."""
        parts = [
            re.fullmatch(r"(\w+)(!?=)(.*)", part.strip()) for part in condition.split(";") if part.strip()
        ]
        asked = [part.groups() for part in parts if part and part[1] in self.module(name).typed]
        return [
            row
            for row in self.all(name)
            if all((self.text(name, key, row) == value) == (sign == "=") for key, sign, value in asked)
        ]

    def day(self, days: int) -> str:
        """Return the day that is so many days after the day of the episode."""
        return (self.today + timedelta(days)).isoformat()

    # ------------------------------------------------------------ roles

    def may(self, verb: Verb, name: str, row: Row | None = None) -> bool:
        """Whether the account may do something with the records of a module, or with one of them."""
        module = self.module(name)
        if module.readonly and verb not in ("see", "export"):
            return False
        people = self._site.people
        if people is None or (people.admin and self.me.get(people.admin)):
            return True
        if row is None:
            wanted = [module.allow[verb]] if verb in module.allow else []
        else:
            place, outer = self._place(name, row)
            if place != name:
                if outer is None or not self.may("see", place, outer):
                    return False
                frozen = self.module(place).frozen
                if verb != "see" and frozen and all_hold(frozen, outer):
                    return False
            wanted = [
                guard.allow[verb]
                for guard in module.guarded
                if verb in guard.allow and row.keys() >= guard.when.keys() and all_hold(guard.when, row)
            ]
            is_open = verb == "see" and module.open and all_hold(module.open, row)
            wanted += [module.allow[verb]] if verb in module.allow and not is_open else []
        return not wanted or all(not self.roles(name, row).isdisjoint(each) for each in wanted)

    def may_fill(self, name: str, key: str, row: Row) -> bool:
        """Whether the account may fill or change a field of a record."""
        wanted = self.module(name).allow_fields.get(key)
        return wanted is None or not self.roles(name, row).isdisjoint(wanted)

    def roles(self, name: str, row: Row | None) -> set[str]:
        """Return the roles of the account: its own, and those in a record and in what that belongs to."""
        people = self._site.people
        if people is None:
            return set()
        own = self.me.get(people.role, "") if people.role else ""
        roles = set(own if isinstance(own, list) else [own])
        if row is None:
            return roles
        place, outer = self._place(name, row)
        for spec in people.members if outer else ():
            belongs = outer.get(spec.through) or outer.get("id") if outer else ""
            roles |= self._memberships[spec.module].get(str(belongs), set())
        for each, one in {name: row, place: outer or {}}.items():
            given = self.module(each).gives
            roles |= {role for key, role in given.items() if self.me and _has(one.get(key), self.me["id"])}
        return roles

    def _place(self, name: str, row: Row) -> tuple[str, Row | None]:
        """Return the module and the record that a record belongs to: itself, if it belongs to nothing."""
        module = self.module(name)
        place = module.typed.get(module.within)
        if not isinstance(place, RecordField) or not row.get(module.within):
            return name, row
        return place.of, self._items(place.of).get(row[module.within])

    @cached_property
    def _memberships(self) -> dict[str, dict[str, set[str]]]:
        """The account's roles by what they are in, for each module of memberships."""
        found: dict[str, dict[str, set[str]]] = {}
        for spec in self._site.people.members if self._site.people else ():
            known = found.setdefault(spec.module, {})
            for member in self._items(spec.module).values():
                if member["user"] == self.me.get("id"):
                    known.setdefault(member[spec.of], set()).add(member["role"])
        return found

    def _items(self, name: str) -> dict[str, Row]:
        if name not in self._known:
            self._known[name] = self._episode.items_of(self._site, name)
        return self._known[name]

    def forget(self) -> None:
        """Read everything again, after a change."""
        self._known.clear()
        self._seen.clear()
        for name in ("me", "_memberships"):
            self.__dict__.pop(name, None)

    def _fits(self, name: str, row: Row, filters: Mapping[str, Sequence[str]]) -> bool:
        typed = self.module(name).typed
        return all(
            _in_range(row[name], end, values[-1]) if end else _meets(typed[name], row[name], values)
            for (name, _, end), values in ((key.partition("."), each) for key, each in filters.items())
        )

    def _says(self, name: str, row: Row, text: str) -> bool:
        said = self.said(name, row) if text else ""
        return all(word in said for word in text.lower().split())

    def _order(self, name: str, row: Row, key: str) -> tuple[Any, ...]:
        spec = self.module(name).typed.get(key)
        if isinstance(spec, IntSetting | AmountField | BoolSetting):
            return (row[key], "")
        return (0, self.text(name, key, row).lower())


def helpers(episode: EpisodeState, site: SiteSchema) -> dict[str, Any]:
    """Return what the templates of a site with modules can use, by name."""
    if not site.modules:
        return {}
    records = Records(episode, site)
    return {"records": records, "modules": site.modules, "actions_at": ACTIONS}


def table_of(file: Row) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns and lines of a record with the text of a CSV file in its field ``content``."""
    reader = csv.DictReader(io.StringIO(str(file.get("content", "")), newline=""))
    columns = [name for name in reader.fieldnames or [] if name]
    return columns, [{name: line.get(name) or "" for name in columns} for line in reader]


def _meets(spec: FieldType, value: Any, wanted: Iterable[str]) -> bool:
    """Whether the value of a field is one of the wanted ones, or contains one of the wanted texts."""
    if isinstance(value, list):
        return any(each in value for each in wanted)
    if isinstance(value, bool):
        return ("true" if value else "false") in wanted
    if isinstance(value, int | float):
        return any(_in_range(value, "from", each) and _in_range(value, "to", each) for each in wanted)
    if isinstance(spec, ChoiceSetting | RecordField):
        return str(value) in wanted
    return any(each.lower() in str(value).lower() for each in wanted)


def _in_range(value: Any, end: str, text: str) -> bool:
    """Whether a number, a date or a text is not before (``from``), or not after (``to``), what was asked for."""
    if isinstance(value, int | float):
        try:
            now, other = float(value), float(text)
        except ValueError:
            return False
        return now >= other if end == "from" else now <= other
    now_text = str(value)
    return now_text >= text if end == "from" else "" < now_text[: len(text)] <= text


def _has(value: Any, wanted: object) -> bool:
    return wanted in value if isinstance(value, list) else bool(value == wanted)


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, list) else value


def _number(value: Any, default: int) -> int:
    text = str(_last(value) if value is not None else "")
    return max(1, int(text)) if text.isdecimal() and len(text) < 6 else default
