"""Records that all episodes share: the CSV files of a collection, read once and never changed."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from .did_you_mean import nearest
from .fields import DateField, FieldType, MomentField

SHARED = Path(__file__).parents[1] / "company"
"""The files that several sites share (``company/people``)."""
_PREFIX = "company/"
_MOST_DAYS = 3

Row = dict[str, Any]


class CompanyError(ValueError):
    """Error for a CSV file that cannot be read, or whose records do not have the declared fields."""


class Company:
    """The records of a collection, which every episode begins with.

    Args:
        names: The files, each a name in ``folder`` or, after ``company/``, in the folder that sites share. The first
            one says which records there are; the others fill fields that are empty.
        folder: The folder ``data`` of the site.
        fields: The fields of a record.
    """

    def __init__(self, names: Sequence[str], folder: Path, fields: Mapping[str, FieldType]) -> None:
        self._files = [
            SHARED / f"{name.removeprefix(_PREFIX)}.csv"
            if name.startswith(_PREFIX)
            else folder / f"{name}.csv"
            for name in names
        ]
        self._fields = fields
        self._days: dict[date, dict[str, Row]] = {}

    @cached_property
    def digest(self) -> str:
        """A digest of the files: states that are stored as differences are differences from these records."""
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(_bytes(file))
        return digest.hexdigest()[:16]

    def on(self, today: date) -> Mapping[str, Row]:
        """Return the records by id, with dates relative to a day. They belong to all episodes: never change one.

        Raises:
            CompanyError: A file is missing or invalid.
        """
        if today not in self._days:
            while len(self._days) >= _MOST_DAYS:
                self._days.pop(next(iter(self._days)))
            self._days[today] = {name: self._dated(row, today) for name, row in self._read.items()}
        return self._days[today]

    def _dated(self, row: Row, today: date) -> Row:
        relative = {name: field.on(row[name], today) for name, field in self._dates if row[name][:1] in "+-"}
        return {**row, **relative} if relative else row

    @cached_property
    def _dates(self) -> list[tuple[str, DateField | MomentField]]:
        return [
            (name, field)
            for name, field in self._fields.items()
            if isinstance(field, DateField | MomentField)
        ]

    @cached_property
    def _read(self) -> dict[str, Row]:
        """The records, with relative dates as they are in the files."""
        found: dict[str, dict[str, str]] = {}
        for number, file in enumerate(self._files):
            for line, row in self._lines(file):
                name = row.pop("id")
                if number == 0 and name in found:
                    raise CompanyError(f'{file}:{line}: the id "{name}" is given twice')
                if number == 0:
                    found[name] = {}
                known = found.get(name, {})
                known.update({key: value for key, value in row.items() if value and not known.get(key)})
        return {name: self._typed(name, row) for name, row in found.items()}

    def _lines(self, file: Path) -> list[tuple[int, dict[str, str]]]:
        rows = csv.DictReader(io.StringIO(_bytes(file).decode(), newline=""))
        names = rows.fieldnames or []
        if "id" not in names:
            raise CompanyError(f'{file}: needs a first line with "id" and the names of fields')
        unknown = [name for name in names if name != "id" and name not in self._fields]
        if unknown and file.parent != SHARED:
            raise CompanyError(f'{file}: unknown field "{unknown[0]}"{nearest(unknown[0], self._fields)}')
        found = []
        for row in rows:
            if None in row or None in row.values() or not row["id"]:
                raise CompanyError(f"{file}:{rows.line_num}: needs {len(names)} fields, with an id")
            kept = {name: value for name, value in row.items() if name not in unknown}
            found.append((rows.line_num, kept))
        return found

    def _typed(self, name: str, row: Mapping[str, str]) -> Row:
        done: Row = {"id": name}
        for key, field in self._fields.items():
            text = row.get(key, "")
            try:
                if not text:
                    done[key] = field.default
                elif isinstance(field, DateField | MomentField) and text[0] in "+-":
                    field.on(text, date.min.replace(year=2000))
                    done[key] = text
                else:
                    done[key] = field.parse(_parts(field, text))
            except ValueError as error:
                raise CompanyError(f"{self._files[0]}: {name}: {key}: {error}") from None
        return done


def _parts(field: FieldType, text: str) -> str | list[str]:
    """Return the text of a cell as a form would send it; ``\\n`` stands for a line break."""
    if field.type == "multi":
        return text.split(";")
    return text.replace("\\n", "\n") if field.type == "text" else text


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CompanyError(f"{file}: {error.strerror}") from None


def merged(rows: Mapping[str, Row], given: Sequence[Row]) -> dict[str, Row]:
    """Return the records that are given: those whose ``id`` is known are changed, the others are new."""
    return {row["id"]: {**rows.get(row["id"], {}), **row} for row in given}
