"""The types of fields that only records have: amounts, dates, and references to other records."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from .settings import BaseSetting, BoolSetting, ChoiceSetting, IntSetting, MultiSetting, TextSetting

_LARGEST = 1e12
_LONGEST_ID = 200


class AmountField(BaseSetting):
    """A number with decimals, such as a price."""

    type: Literal["amount"]
    """A number with decimals; forms may send a currency sign and separators of thousands."""
    default: StrictInt | StrictFloat = 0
    """The value in a fresh account."""
    places: int = Field(2, ge=0, le=6)
    """The number of decimals."""
    minimum: float | None = None
    """The smallest value."""
    currency: str = ""
    """The field of the record that chooses the currency; the last word of a choice's label is its sign."""

    def check(self, value: object) -> float:  # type: ignore[override]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise ValueError(f"{value!r} is not a number")
        if not abs(value) < _LARGEST:
            raise ValueError(f"{value!r} is too large")
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"{value} is less than {self.minimum:g}")
        return round(float(value), self.places)

    def parse(self, raw: object) -> float:  # type: ignore[override]
        if isinstance(raw, list) and raw:
            raw = raw[-1]
        if isinstance(raw, str):
            digits = re.sub(r"^[^\d.,+-]+|[^\d.]+$|[,\s'](?=\d{3})", "", raw)
            try:
                raw = float(digits or 0) if digits or not raw.strip() else raw
            except ValueError:
                raise ValueError(f"{raw!r} is not a number") from None
        return self.check(raw)


class _TimeField(BaseSetting):
    """A point in time as text, or none."""

    default: StrictStr = ""
    """The value in a fresh account."""

    _KIND: ClassVar[str]

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not {self._KIND}")
        try:
            return self._normal(value) if value else ""
        except ValueError:
            raise ValueError(f"{value!r} is not {self._KIND}") from None

    def parse(self, raw: object) -> str:
        value = raw[-1] if isinstance(raw, list) and raw else raw
        return self.check(value.strip() if isinstance(value, str) else value)

    def _normal(self, text: str) -> str:
        raise NotImplementedError


class DateField(_TimeField):
    """A day, written as in ISO 8601, or no day."""

    type: Literal["date"]
    """A day (`2026-03-31`), or empty."""

    _KIND = "a date such as 2026-03-31"

    def _normal(self, text: str) -> str:
        return date.fromisoformat(text).isoformat()

    def on(self, value: str, today: date) -> str:
        """Return the day that a value of a data file stands for: ``+12`` is twelve days after today."""
        return (today + timedelta(int(value))).isoformat() if value[:1] in ("+", "-") else self.check(value)


class MomentField(_TimeField):
    """A day and a time of day, or none."""

    type: Literal["moment"]
    """A day and a time (`2026-03-31 14:30`), or empty."""

    _KIND = "a date and a time such as 2026-03-31 14:30"

    def _normal(self, text: str) -> str:
        return datetime.fromisoformat(text).replace(tzinfo=None).isoformat(" ", "minutes")

    def on(self, value: str, today: date) -> str:
        """Return the moment that a value of a data file stands for: ``+2 14:30`` is in two days."""
        if value[:1] not in ("+", "-"):
            return self.check(value)
        days, _, time = value.partition(" ")
        return self.check(f"{(today + timedelta(int(days))).isoformat()} {time or '00:00'}")


class RecordField(BaseSetting):
    """A record of a module, or none."""

    type: Literal["record"]
    """The `id` of a record of another module, or empty."""
    of: str
    """That module."""
    select: bool = False
    """Whether forms list all of its records, because there are few."""
    default: StrictStr = ""
    """The value in a fresh account."""

    def check(self, value: object) -> str:
        if not isinstance(value, str) or len(value) > _LONGEST_ID:
            raise ValueError(f"{str(value)[:40]!r} is not a record")
        return value


class _ListField(BaseSetting):
    """Any number of texts, each once."""

    default: list[StrictStr] = Field(default_factory=list)
    """The value in a fresh account."""

    _SEPARATORS: ClassVar[str]
    _WHAT: ClassVar[str]

    def check(self, value: object) -> list[str]:
        if not isinstance(value, list) or not all(
            isinstance(each, str) and len(each) <= _LONGEST_ID for each in value
        ):
            raise ValueError(f"this is not a list of {self._WHAT}")
        return list(dict.fromkeys(each.strip() for each in value if each.strip()))

    def parse(self, raw: object) -> list[str]:
        return self.check(re.split(self._SEPARATORS, raw) if isinstance(raw, str) else raw)


class RecordsField(_ListField):
    """Any number of records of a module."""

    type: Literal["records"]
    """The `id`s of records of another module; forms may send them in one text, with semicolons."""
    of: str
    """That module."""
    select: bool = False
    """Whether forms list all of its records, because there are few."""

    _SEPARATORS = ";"
    _WHAT = "records"


class WordsField(_ListField):
    """Any number of words, such as the labels of an issue."""

    type: Literal["words"]
    """A list of texts; forms may send them in one text, with commas or semicolons."""

    _SEPARATORS = "[;,]"
    _WHAT = "words"


FieldType: TypeAlias = Annotated[
    BoolSetting
    | ChoiceSetting
    | MultiSetting
    | TextSetting
    | IntSetting
    | AmountField
    | DateField
    | MomentField
    | RecordField
    | RecordsField
    | WordsField,
    Field(discriminator="type"),
]
"""The types of the fields of an item: those of settings, and these."""
