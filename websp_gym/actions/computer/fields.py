"""Reading the fields of an action, whose values may be anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from websp_gym.actions.calls import LARGEST_NUMBER
from websp_gym.actions.reply import LONGEST_ACTION
from websp_gym.errors import ActionError
from websp_gym.texts import encodable


class Fields:
    """The fields of one action. Each method raises ActionError for a value of another kind.

    Args:
        name: Name of the action, for messages.
        values: The fields. A null field counts as missing.
    """

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        self.name = name
        self._values = values

    def has(self, key: str) -> bool:
        """Whether there is a field."""
        return self._values.get(key) is not None

    def number(self, key: str, default: float | None = None) -> float:
        """Return a number."""
        value = self._value(key, default)
        return self._number(key, value)

    def duration(self, key: str, default: float | None = None) -> float:
        """Return a number from 0."""
        value = self.number(key, default)
        if value < 0:
            self._wrong(key, "a number from 0", value)
        return value

    def value(self, key: str) -> str | float | bool:
        """Return a text, a number, or true or false."""
        value = self._value(key, None)
        if isinstance(value, bool):
            return value
        return self.text(key) if isinstance(value, str) else self._number(key, value)

    def part(self, key: str) -> Fields:
        """Return the fields of an object."""
        value = self._value(key, None)
        if not isinstance(value, dict):
            self._wrong(key, "an object", value)
        return Fields(f"{self.name}: {key}", value)

    def count(self, key: str, default: int, most: int) -> int:
        """Return a whole number from 1 to ``most``."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            self._wrong(key, f"a whole number from 1 to {most}", value)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text."""
        value = self._value(key, default)
        if not isinstance(value, str):
            self._wrong(key, "a text", value)
        if len(value) > LONGEST_ACTION:
            raise ActionError(
                f"{self.name}: {key} has {len(value):,} characters; expected at most {LONGEST_ACTION:,}; "
                "nothing was done"
            )
        return encodable(value)

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            self._wrong(key, "true or false", value)
        return value

    def choice(self, key: str, known: Sequence[str], default: str | None = None) -> str:
        """Return one of several words."""
        value = self._value(key, default)
        if not (isinstance(value, str) and value in known):
            self._wrong(key, f"one of {', '.join(known)}", value)
        return value

    def numbers(self, key: str, many: int) -> list[float]:
        """Return a list of this many numbers."""
        value = self._value(key, None)
        if not isinstance(value, list) or len(value) != many:
            self._wrong(key, f"a list of {many} numbers", value)
        return [self._number(key, each) for each in value]

    def pairs(self, key: str) -> list[tuple[float, float]]:
        """Return a list of at least two points, each as ``{"x": …, "y": …}`` or ``[x, y]``."""
        value = self._value(key, None)
        if not isinstance(value, list) or len(value) < 2:
            self._wrong(key, "a list of two points or more", value)
        return [self._pair(key, each) for each in value]

    def keys(self, key: str) -> str:
        """Return keys that are held together, given as a text or a list of texts; empty if there are none."""
        value = self._value(key, "")
        parts = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in parts):
            self._wrong(key, "names of keys", value)
        joined = "+".join(parts)
        if len(joined) > _LONGEST_KEYS:
            self._wrong(key, "names of keys", joined)
        return encodable(joined)

    def listed(self, key: str) -> list[str]:
        """Return a text or a list of texts, as a list."""
        value = self._value(key, "")
        return [encodable(str(part)) for part in (value if isinstance(value, list) else [value])]

    def _pair(self, key: str, value: Any) -> tuple[float, float]:
        if isinstance(value, dict):
            value = [value.get("x"), value.get("y")]
        if not isinstance(value, list) or len(value) != 2:
            self._wrong(key, "a list of points", value)
        return self._number(key, value[0]), self._number(key, value[1])

    def _number(self, key: str, value: Any) -> float:
        right = isinstance(value, int | float) and not isinstance(value, bool)
        if not (right and abs(value) <= LARGEST_NUMBER):  # which no NaN is
            self._wrong(key, "a number of a usual size", value)
        return float(value)

    def _value(self, key: str, default: Any) -> Any:
        value = self._values.get(key)
        if value is not None:
            return value
        if default is None:
            raise ActionError(f"{self.name} needs {key}; nothing was done")
        return default

    def _wrong(self, key: str, wanted: str, value: Any) -> NoReturn:
        shown = value[:40] if isinstance(value, str | list) else value
        raise ActionError(f"{self.name}: {key} should be {wanted}, not {str(shown)[:80]!r}; nothing was done")


_LONGEST_KEYS = 200
