"""Changing the records of modules: forms, bulk actions, conversion, merging, import and export."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from websp_gym.sandbox.schema.dependencies import all_hold
from websp_gym.sandbox.schema.fields import RecordField, RecordsField
from websp_gym.sandbox.schema.modules import RECORD, Module
from websp_gym.sandbox.schema.settings import IntSetting
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import RecordChange, Row, Verb

from .episode import EpisodeState
from .record_checks import InvalidError, RecordChecks
from .records import Records, table_of
from .request_fields import RefusedError, RequestFields

EXPORTS, IMPORTS = "exports", "imports"
"""The modules that keep what was exported and imported, if a site has them."""
_NAME = re.compile(r"{([\w.\[\]-]+)}")
_STAMPS = ("me", "today", "now")
_MOST_IMPORTED = 200
_MOST_EACH = 200


@dataclass
class Done:
    """What changes of records did.

    Attributes:
        row: The last record that was made or changed; an empty one if there is none.
        changed: The last one of each module.
        link: The page to go to next.
        said: The message about it.
    """

    row: Row = field(default_factory=dict)
    link: str = ""
    said: str = ""
    changed: Mapping[str, Row] = field(default_factory=dict)


class RecordChanges:
    """Carries out the changes of records that an action declares, within a transaction of the episode.

    Args:
        episode: The state of the episode.
        site: The site.
        fields: The fields of the request.
    """

    def __init__(self, episode: EpisodeState, site: SiteSchema, fields: RequestFields) -> None:
        self._episode = episode
        self._site = site
        self._sent = fields
        self._records = Records(episode, site)
        self._checks = RecordChecks(self._records)
        self._changed: dict[str, Row] = {}

    def carry_out(self, changes: Sequence[RecordChange]) -> Done:
        """Carry out changes, one after the other.

        Raises:
            RefusedError: The account may not do it, or there is no such record.
            InvalidError: A value is wrong.
        """
        does: dict[str, Callable[[RecordChange, Module], Done]] = {
            "create": self._create,
            "save": self._save,
            "delete": self._delete,
            "relate": self._relate,
            "export": self._export,
            "convert": self._convert,
            "merge": self._merge,
            "import": self._import,
            "copy": self._copy,
            "find": self._find,
            "put": self._put,
        }
        done = Done()
        for change in changes:
            module = self._records.module(change.module)
            if any(self._sent.text(form) != text for form, text in change.when.items()):
                continue
            carry_out = does[change.does]
            now = self._for_each(change, module, carry_out) if change.each else carry_out(change, module)
            self._records.forget()
            if now.row:
                self._changed[change.module] = now.row
            done = Done(now.row or done.row, now.link or done.link, now.said or done.said, self._changed)
        return done

    def _for_each(
        self, change: RecordChange, module: Module, carry_out: Callable[[RecordChange, Module], Done]
    ) -> Done:
        """Carry out a change once for each value or object that a form field lists."""
        found = []
        for sent in self._each(change):
            with self._sending(sent):
                found.append(carry_out(change, module))
            self._records.forget()
        if len(found) == 1 and change.said:
            return found[0]
        return Done(said=change.said.replace("{count}", str(len(found))) if found else "")

    def _each(self, change: RecordChange) -> Iterator[RequestFields]:
        """Yield the fields of a request for each of the values or objects that one of them lists."""
        if change.each not in self._sent.values:
            return
        common = {key: value for key, value in self._sent.values.items() if key not in ("_version", "all")}
        parts = [part for text in self._sent.listed(change.each) for part in text.split(";") if part]
        if not self._sent.text(change.each).startswith("["):
            yield from (
                RequestFields(common | {change.each: part}, is_form=True)
                for part in dict.fromkeys(parts or [""])
            )
            return
        try:
            listed = json.loads(self._sent.text(change.each))
            json.dumps(listed, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise RefusedError(400, f"{change.each} is not JSON") from None
        if not isinstance(listed, list) or len(listed) > _MOST_EACH:
            raise RefusedError(400, f"{change.each} is not a list of at most {_MOST_EACH} objects")
        for each in listed:
            if not isinstance(each, dict) or not all(isinstance(value, str) for value in each.values()):
                raise RefusedError(400, f"{change.each} has something that is no object with texts")
            yield RequestFields(common | each, is_form=True)

    @contextmanager
    def _sending(self, fields: RequestFields) -> Iterator[None]:
        """Use other fields of the request for a while, and remember no record that is changed meanwhile."""
        sent, changed = self._sent, dict(self._changed)
        self._sent = fields
        try:
            yield
        finally:
            self._sent, self._changed = sent, changed

    # ------------------------------------------------------------ one record, or several

    def _create(self, change: RecordChange, module: Module) -> Done:
        values, errors = self._values(change, module)
        row = self._add(change.module, module, values, errors, change.may)
        return self._done(change.module, row, change.said or "{title} was created.", 1)

    def _add(
        self, name: str, module: Module, values: Row, errors: Mapping[str, str], may: Verb | None = None
    ) -> Row:
        """Add a record with some values; the others are those that a new one begins with."""
        row: Row = {key: spec.default for key, spec in module.typed.items()} | values
        for stamps in (module.stamps, module.touch):
            row |= {key: self._records.stamp(kind) for key, kind in stamps.items() if not values.get(key)}
        if module.numbered:
            row[module.numbered.field] = self._next_number(name, module, row)
        place = module.typed.get(module.within)
        if isinstance(place, RecordField) and self._records.get(place.of, row[module.within]) is None:
            # A wrong value, not a question of roles.
            self._checks.check(name, module, row, None, set(module.typed), errors)
        self._checks.demand(may or "create", name, module, row)
        self._checks.check(name, module, row, None, set(module.typed), errors)
        row |= self._ident(module, row)
        if "id" in row and row["id"] in self._episode.used_ids(self._site, name):
            raise InvalidError(
                {key: f"{module.label(key)} has already been taken." for key in module.required[-1:]}
            )
        return self._episode.add(self._site, name, row)

    def _ident(self, module: Module, row: Row) -> Row:
        """Return the id that the fields of a record give it, if they do."""
        if module.ident == "sha":
            return {"id": hashlib.sha1(f"{self._episode.last_seq()} {row}".encode()).hexdigest()}
        return {"id": module.ident.format(**row)} if module.ident else {}

    def _copy(self, change: RecordChange, module: Module) -> Done:
        """Make records like some others, with other values in some fields."""
        values, _ = self._values(change.model_copy(update={"fields": {}}), module)
        for row in self._chosen(change, module):
            new = {key: value for key, value in row.items() if key != "id"} | values
            old = self._records.get(change.module, self._ident(module, new).get("id", ""))
            if old is None:
                self._add(change.module, module, new, {}, change.may)
            else:
                self._checks.demand(change.may or "edit", change.module, module, old)
                self._episode.update(self._site, change.module, {"id": old["id"]}, new)
            self._records.forget()
        return Done()

    def _find(self, change: RecordChange, module: Module) -> Done:
        rows = self._chosen(change, module)
        for row in rows:
            self._checks.demand(change.may or "see", change.module, module, row)
        return Done(rows[-1] if rows else {})

    def _put(self, change: RecordChange, module: Module) -> Done:
        rows = self._chosen(change.model_copy(update={"optional": True}), module)
        if rows:
            values = {key: value for key, value in change.values.items() if key not in module.fixed}
            return self._save(change.model_copy(update={"values": values}), module)
        found = {key: module.typed[key].parse(text) for key, text in self._wanted(change).items()}
        values, errors = self._values(change, module)
        row = self._add(change.module, module, found | values, errors, change.may)
        return self._done(change.module, row, change.said or "{title} was created.", 1)

    def _save(self, change: RecordChange, module: Module) -> Done:
        rows = self._chosen(change, module)
        if not rows:
            return Done()
        self._check_version(rows)
        values: Row = {}
        for row in rows:
            self._changed[change.module] = row
            values, errors = self._values(change, module)
            if not values and not errors and not change.plus:
                raise RefusedError(400, "there is nothing to change")
            self._checks.demand(change.may or "edit", change.module, module, row)
            grown = self._grown(change, module, row)
            if values or errors or grown != {key: row[key] for key in change.plus}:
                self._change(change.module, module, row, values | grown, errors, change.may)
        after = rows[-1] | values
        said = change.said or ("{title} was saved." if len(rows) == 1 else "{count} records were changed.")
        done = self._done(change.module, after, said, len(rows))
        return done if len(rows) == 1 else Done({}, "", done.said)

    def _change(
        self,
        name: str,
        module: Module,
        row: Row,
        values: Row,
        errors: Mapping[str, str] = MappingProxyType({}),
        may: Verb | None = None,
    ) -> None:
        """Change fields of a record, if the account may and the record can be so."""
        self._checks.demand(may or "edit", name, module, row)
        if module.guarded:
            self._checks.demand(may or "edit", name, module, row | values)
        self._checks.check(name, module, row | values, row, set(values), errors)
        touched = {key: self._records.stamp(kind) for key, kind in module.touch.items()}
        self._episode.update(self._site, name, {"id": row["id"]}, touched | values)

    def _grown(self, change: RecordChange, module: Module, row: Row) -> Row:
        """Return the new values of the fields that grow."""
        grown: Row = {}
        for key, more in change.plus.items():
            spec, now = module.typed[key], row[key]
            if isinstance(now, list):
                new = self._filled(str(more))
                grown[key] = spec.check(now if not new or new in now else [*now, new])
            else:
                grown[key] = spec.check(now + more)
        return grown

    def _delete(self, change: RecordChange, module: Module) -> Done:
        rows = self._chosen(change, module)
        if not rows:
            return Done()
        for row in rows:
            self._checks.demand(change.may or "delete", change.module, module, row)
        if module.soft:
            for row in rows:
                self._episode.update(self._site, change.module, {"id": row["id"]}, {module.soft: True})
        else:
            self._episode.discard(self._site, change.module, rows)
        said = change.said or ("Record deleted: {title}." if len(rows) == 1 else "{count} records deleted.")
        done = self._done(change.module, rows[-1], said, len(rows))
        return Done({}, self._records.link(change.module, "list"), done.said)

    def _relate(self, change: RecordChange, module: Module) -> Done:
        """Add records to a field that refers to several, or take some out of it."""
        (row,) = self._chosen(change, module)
        key = self._sent.text("field")
        spec = module.typed.get(key)
        if not isinstance(spec, RecordsField) or key in module.fixed:
            raise RefusedError(400, f"{module.one} has no such list")
        gone, new = self._sent.listed("remove"), self._sent.listed("add")
        now = [each for each in row[key] if each not in gone]
        now += [each for each in new if each not in now]
        self._change(change.module, module, row, {key: now})
        return Done(row, "", change.said or f"{self._records.title(change.module, row)} was saved.")

    # ------------------------------------------------------------ several modules

    def _convert(self, change: RecordChange, module: Module) -> Done:
        (old,) = self._chosen(change, module)
        convert = module.convert
        if convert is None:
            raise RefusedError(400, f"{module.one} cannot be converted")
        self._checks.demand("edit", change.module, module, old)
        made: dict[str, Row] = {}
        for name, spec in convert.into.items():
            if not spec.always and self._sent.text(name) not in ("on", "true"):
                continue
            other = self._records.module(name)
            fields = {key: f"{name}.{key}" for key in other.in_forms}
            values, errors = self._values(RecordChange(module=name, does="create", fields=fields), other)
            values |= {key: made[to]["id"] for key, to in spec.links.items() if to in made}
            try:
                made[name] = self._add(name, other, values, errors)
            except InvalidError as error:
                raise InvalidError({f"{name}.{key}": said for key, said in error.errors.items()}) from None
            self._records.forget()
        self._episode.update(self._site, change.module, {"id": old["id"]}, convert.values)
        title = self._records.title(change.module, old)
        return Done(old, self._records.link(change.module, "detail", old["id"]), f"{title} was converted.")

    def _merge(self, change: RecordChange, module: Module) -> Done:
        """Save the chosen values in one record, let everything refer to it, and delete the others."""
        rows = self._chosen(change, module)
        if len(rows) < 2:
            raise RefusedError(400, "choose two records or more to merge")
        kept, others = rows[0], rows[1:]
        known = {row["id"]: row for row in rows}
        picked = {key: known.get(self._sent.text(f"pick.{key}"), kept)[key] for key in module.in_forms}
        values = {key: value for key, value in picked.items() if value != kept[key]}
        self._checks.demand("edit", change.module, module, kept)
        for row in others:
            self._checks.demand("delete", change.module, module, row)
        self._episode.discard(self._site, change.module, others)
        self._records.forget()
        if values:
            self._change(change.module, module, kept, values)
        gone = {row["id"] for row in others}
        for name, other in self._site.modules.items():
            for key, spec in other.typed.items():
                if isinstance(spec, RecordField | RecordsField) and spec.of == change.module:
                    self._refer(name, key, gone, kept["id"])
        return self._done(change.module, kept | values, "The records were merged into {title}.", len(rows))

    def _refer(self, name: str, key: str, gone: set[str], to: str) -> None:
        for row in self._records.all(name):
            value = row[key]
            if isinstance(value, list) and not gone.isdisjoint(value):
                new: Any = list(dict.fromkeys(to if each in gone else each for each in value))
            elif isinstance(value, str) and value in gone:
                new = to
            else:
                continue
            self._episode.update(self._site, name, {"id": row["id"]}, {key: new})

    # ------------------------------------------------------------ files

    def _export(self, change: RecordChange, module: Module) -> Done:
        rows = self._chosen(change, module)
        self._checks.demand("export", change.module, module, None)
        count = len(rows)
        if EXPORTS in self._site.modules:
            every = self._sent.text("all") == "1"
            log = {
                "module": change.module,
                "count": count,
                "filter": self._filter(module) if every else "selected records",
                "selection": f"{count}:{_digest(row['id'] for row in rows)}",
                "made": self._records.stamp("now"),
                "by": self._records.stamp("me"),
            }
            known = self._site.modules[EXPORTS].typed
            self._episode.add(self._site, EXPORTS, {key: log[key] for key in log if key in known})
        word = module.many if count != 1 else module.one
        return Done({}, "", change.said or f"{count} {word} exported to {change.module}.csv.")

    def _filter(self, module: Module) -> str:
        """Return the filter of the exported list in one text."""
        sent = {key: self._sent.listed(key) for key in module.typed}
        parts = [f"{key}={','.join(values)}" for key, values in sent.items() if values]
        return ";".join([*parts, *([f"q={self._sent.text('q')}"] if self._sent.text("q") else [])])

    def _import(self, change: RecordChange, module: Module) -> Done:
        """Make records from a file of the site, by the columns that the form assigns to fields."""
        self._checks.demand("create", change.module, module, None)
        file = self._records.get(module.imports, self._sent.text("file"))
        if file is None:
            raise InvalidError({"file": "Choose a file to import."})
        columns, lines = table_of(file)
        to = {
            column: self._sent.text(f"map.{number}")
            for number, column in enumerate(columns)
            if self._sent.text(f"map.{number}") in module.in_forms
        }
        missing = [module.label(key) for key in module.required if key not in to.values()]
        if missing:
            raise InvalidError({"map": f"No column is assigned to {', '.join(missing)}."})
        keys = [key for key in self._sent.listed("duplicates") if key in module.typed]
        made = found = wrong = 0
        for line in lines[:_MOST_IMPORTED]:
            values, errors = self._imported(module, {to[column]: line[column] for column in to})
            same = [
                row
                for row in self._records.all(change.module)
                if keys and all(row[key] and row[key] == values.get(key) for key in keys)
            ]
            try:
                if not same:
                    self._add(change.module, module, values, errors)
                elif self._sent.text("on_duplicate") == "update":
                    self._change(change.module, module, same[0], values, errors)
            except InvalidError:
                wrong += 1
            else:
                made, found = made + (not same), found + bool(same)
            self._records.forget()
        log = {
            "module": change.module,
            "file": file["id"],
            "made": made,
            "duplicates": found,
            "errors": wrong,
        }
        if IMPORTS in self._site.modules:
            known = self._site.modules[IMPORTS].typed
            log |= {"when": self._records.stamp("now"), "by": self._records.stamp("me")}
            self._episode.add(self._site, IMPORTS, {key: log[key] for key in log if key in known})
        said = (
            f"{made} {module.many if made != 1 else module.one} imported, {found} duplicates, {wrong} errors."
        )
        return Done({}, self._records.link(change.module, "list"), said)

    def _imported(self, module: Module, cells: Mapping[str, str]) -> tuple[Row, dict[str, str]]:
        values: Row = {}
        errors: dict[str, str] = {}
        for key, text in cells.items():
            spec = module.typed[key]
            if isinstance(spec, RecordField):
                fitting = [
                    row["id"]
                    for row in self._records.all(spec.of)
                    if self._records.title(spec.of, row).casefold() == text.strip().casefold()
                ]
                values[key] = fitting[0] if fitting else ""
                continue
            try:
                values[key] = spec.parse(text.strip()) if text.strip() else spec.default
            except ValueError as error:
                errors[key] = f"{module.label(key)}: {error}"
        return values, errors

    # ------------------------------------------------------------ what was sent

    def _chosen(self, change: RecordChange, module: Module) -> list[Row]:
        """Return the records that a request is about. Raise RefusedError if it cannot be about one of them."""
        found = self._found(change, module)
        fitting = [row for row in found if all_hold(change.needs, row)]
        if len(fitting) < len(found) and not change.optional:
            raise RefusedError(409, f"This cannot be done with the {module.noun} as it is.")
        return fitting

    def _found(self, change: RecordChange, module: Module) -> list[Row]:
        name = change.module
        if change.where:
            wanted = self._wanted(change)
            found = [
                row
                for row in self._records.all(name)
                if all(row[key] == value for key, value in change.having.items())
                and all(self._is(name, row, key, value) for key, value in wanted.items())
            ]
            if not found and not change.optional:
                raise RefusedError(404, f"no such {module.noun}")
            return found
        if self._sent.text("all") == "1":
            return self._records.filtered(name, self._sent.values)
        ids = self._sent.listed("id")
        rows = [self._records.get(name, each) for each in dict.fromkeys(ids)]
        if not rows or None in rows:
            raise RefusedError(404, f"no such {module.noun}" if ids else "nothing is selected")
        return [row for row in rows if row is not None]

    def _wanted(self, change: RecordChange) -> dict[str, str]:
        return {
            key: self._filled(form) if "{" in form else self._sent.text(form)
            for key, form in change.where.items()
        }

    def _is(self, name: str, row: Row, key: str, value: str) -> bool:
        """Whether a field of a record has a value, or is one of several that it has."""
        now = self._records.title(name, row) if key == RECORD else row[key]
        return value in now if isinstance(now, list) else str(now) == value

    def _values(self, change: RecordChange, module: Module) -> tuple[Row, dict[str, str]]:
        """Return the values that were sent, and what is wrong with those that cannot be read."""
        fields = change.fields
        if fields is None:
            fields = {key: module.form_name(key) for key in module.in_forms}
        values: Row = {}
        errors: dict[str, str] = {}
        for key, form in fields.items():
            if form not in self._sent.values:
                continue
            raw, spec = self._sent.values[form], module.typed[key]
            if key in module.secret and raw == "" and change.does == "save":
                continue
            try:
                values[key] = spec.default if raw == "" and isinstance(spec, IntSetting) else spec.parse(raw)
            except ValueError as error:
                errors[key] = f"{module.label(key)}: {error}"
            if key in module.required and raw in ("", []):
                errors[key] = f"{module.label(key)} is required."
            second = module.repeated.get(key)
            if second and self._sent.text(second) != self._sent.text(form):
                errors[key] = f"{module.label(key)} must be the same twice."
        for key, value in change.values.items():
            if value in _STAMPS:
                values[key] = self._records.stamp(str(value))
            elif isinstance(value, str) and "{" in value:
                values[key] = module.typed[key].parse(self._filled(value))
            else:
                values[key] = module.typed[key].check(value)
        return values, errors

    def _filled(self, text: str) -> str:
        def value(name: re.Match[str]) -> str:
            module, dot, key = name[1].partition(".")
            known = self._records.me if module == "me" else self._changed.get(module, {})
            return str(known.get(key, "")) if dot else self._sent.text(name[1])

        return _NAME.sub(value, text)

    def _check_version(self, rows: Sequence[Row]) -> None:
        seen = self._sent.text("_version")
        if seen and len(rows) == 1 and seen != self._records.version(rows[0]):
            raise RefusedError(
                409, "Somebody else has changed this in the meantime. Reload the page to see it."
            )

    def _next_number(self, name: str, module: Module, row: Row) -> int:
        assert module.numbered is not None
        key, within = module.numbered.field, module.numbered.within
        rows = self._episode.items_of(self._site, name).values()
        known = [each[key] for each in rows if not within or each[within] == row[within]]
        return int(max(known, default=0)) + 1

    def _done(self, name: str, row: Row, said: str, count: int) -> Done:
        self._records.forget()
        title = self._records.title(name, row)
        link = self._records.link(name, "detail", row["id"])
        return Done(row, link, said.replace("{title}", title).replace("{count}", str(count)))


def _digest(ids: Iterable[str]) -> str:
    """Return a short digest of a set of ids."""
    return hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:8]
