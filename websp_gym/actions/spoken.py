"""Messages to the user in named fields instead of free text; as text, they are a JSON object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from websp_gym.errors import ActionError, nearest


@dataclass(frozen=True)
class SpokenForm:
    """The fields in which one kind of message to the user can be given.

    Args:
        action: Name of the action.
        fields: Meaning of each field, by name. All are required, and each is a text.
        example: A value for each field.
    """

    action: str
    fields: Mapping[str, str]
    example: Mapping[str, str]

    def read(self, text: str) -> dict[str, str] | None:
        """Return the fields of a text, or None for free text, which does not begin with a brace.

        Raises:
            ActionError: The text begins with a brace and does not have exactly these fields.
        """
        if not text.lstrip().startswith("{"):
            return None
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._error(f"this is not a JSON object ({error})", text) from error
        return self._checked(given, text)

    def write(self, given: Mapping[str, Any]) -> str:
        """Return the text that has these fields. Raise ActionError as :meth:`read` does."""
        return json.dumps(self._checked(given, str(given)), ensure_ascii=False)

    def written(self, text: str | None, given: Mapping[str, Any]) -> str:
        """Return the text of a message given either as free text or as fields.

        Args:
            text: The free text; None for none.
            given: The fields; None for one that is not given.

        Raises:
            ActionError: Both are given, or neither, or the fields are wrong.
        """
        fields = {name: value for name, value in given.items() if value is not None}
        if (text is None) == (not fields):
            raise self._error("give either a text or these fields", str(text or fields))
        if text is None:
            return self.write(fields)
        return text if (read := self.read(text)) is None else self.write(read)

    def _checked(self, given: Mapping[str, Any], text: str) -> dict[str, str]:
        for name in given:
            if name not in self.fields:
                raise self._error(
                    f'there is no field "{name[:50]}"{nearest(name[:50], list(self.fields))}', text
                )
        for name in self.fields:
            value = given.get(name)
            if not isinstance(value, str) or not value.strip():
                raise self._error(f"{name}: expected {self.fields[name]}", text)
        return {name: given[name].strip() for name in self.fields}

    def _error(self, problem: str, text: str) -> ActionError:
        example = json.dumps(dict(self.example), ensure_ascii=False)
        return ActionError(
            f"{self.action}: {problem}; expected {' and '.join(self.fields)}, for example: {self.action}; {example}",
            action=text[:200],
        )


REPORT_FORM = SpokenForm(
    "REPORT",
    {
        "where": "an address, a path, or the name of a page or setting",
        "what": "what did not work, such as not saved",
    },
    {"where": "/settings/email", "what": "not saved"},
)
"""Telling the user about a fault."""
