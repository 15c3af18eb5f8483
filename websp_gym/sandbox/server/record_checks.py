"""What must hold before a record is made or changed: what the account may do, and the values it can have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from websp_gym.sandbox.schema.dependencies import all_hold
from websp_gym.sandbox.schema.fields import RecordField, RecordsField
from websp_gym.sandbox.schema.modules import Module
from websp_gym.sandbox.schema.site_schema import Row, Verb

from .records import Records
from .request_fields import RefusedError, listed


class InvalidError(RefusedError):
    """Error for a form with wrong values; nothing changed.

    Attributes:
        errors: What is wrong, by field.
    """

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(422, " ".join(dict.fromkeys(errors.values())))
        self.errors = dict(errors)


class RecordChecks:
    """Checks changes of records.

    Args:
        records: The records, as the account sees them.
    """

    def __init__(self, records: Records) -> None:
        self._records = records

    def demand(self, verb: Verb, name: str, module: Module, row: Row | None) -> None:
        """Raise RefusedError unless the account may do something to records of a module, or to one of them."""
        if not self._records.may(verb, name, row):
            raise RefusedError(403, f"You are not allowed to {verb} {module.many.lower()}.")

    def check(
        self, name: str, module: Module, row: Row, old: Row | None, keys: set[str], errors: Mapping[str, str]
    ) -> None:
        """Raise InvalidError if a record cannot be as it is; of an old one, only the changed fields are checked."""
        wrong = dict(self._problems(name, module, row, old, keys))
        wrong |= errors
        if wrong:
            raise InvalidError(wrong)
        before = old or {key: spec.default for key, spec in module.typed.items()}
        for key in keys & module.allow_fields.keys():
            if row[key] != before[key] and not self._records.may_fill(name, key, old or row):
                raise RefusedError(403, f"You are not allowed to change {module.label(key).lower()}.")

    def _problems(
        self, name: str, module: Module, row: Row, old: Row | None, keys: set[str]
    ) -> Iterator[tuple[str, str]]:
        needed = [key for key, when in module.required_when.items() if all_hold(when, row)]
        for key in (*module.required, *needed, *(module.secret if old is None else ())):
            hidden = key in module.shown_when and not all_hold(module.shown_when[key], row)
            if key in keys and row[key] in ("", []) and not hidden:
                yield key, f"{module.label(key)} is required."
        for key, rules in module.choices_when.items():
            for other, allowed in rules.items():
                if row[key] and {key, other} & keys and row[key] not in allowed.get(row[other], ()):
                    label = module.label(other)
                    yield key, f"{module.label(key)} does not go with this {label.lower()}."
        for first, second in module.order:
            if {first, second} & keys and row[first] and row[second] and row[second] < row[first]:
                yield second, f"{module.label(second)} must not be before {module.label(first).lower()}."
        for key in module.unique:
            others = self._records.all(name) if key in keys and row[key] else []
            if any(self._clashes(module, key, row, old, other) for other in others):
                yield key, f"{module.label(key)} has already been taken."
        for key in keys:
            spec = module.typed[key]
            if isinstance(spec, RecordField | RecordsField):
                before = listed(old[key]) if old else []
                new = [each for each in listed(row[key]) if each not in before]
                if not all(self._fits(module, row, spec.of, each) for each in new):
                    yield key, f"{module.label(key)}: choose from the list."

    def _fits(self, module: Module, row: Row, name: str, record: str) -> bool:
        """Whether a record may refer to another one: it is there, and does not belong to something else."""
        found, other = self._records.get(name, record), self._records.module(name)
        own, its = module.typed.get(module.within), other.typed.get(other.within)
        if found is None or not (isinstance(own, RecordField) and isinstance(its, RecordField)):
            return found is not None
        return own.of != its.of or bool(found[other.within] == row[module.within])

    def _clashes(self, module: Module, key: str, row: Row, old: Row | None, other: Row) -> bool:
        if old is not None and other["id"] == old["id"]:
            return False
        same_place = not module.within or other[module.within] == row[module.within]
        return bool(same_place and str(other[key]).casefold() == str(row[key]).casefold())
