"""Reading a computer-use action, in time linear in its length."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from websp_gym.actions.computer.action import ComputerAction, Screen
from websp_gym.actions.computer.anthropic import ANTHROPIC
from websp_gym.actions.computer.browser import BROWSER
from websp_gym.actions.computer.fields import Fields
from websp_gym.actions.computer.gemini import GEMINI
from websp_gym.actions.computer.openai import OPENAI
from websp_gym.actions.reply import LONGEST_ACTION
from websp_gym.errors import ActionError, nearest

_LONGEST = 12 * LONGEST_ACTION
"""Maximum number of characters of an action: its text may consist of characters that JSON writes as two escapes."""
_FORMS = (
    'for example {"type": "click", "x": 10, "y": 20} (OpenAI), {"action": "left_click", "coordinate": [10, 20]} '
    '(Anthropic) or {"name": "click", "args": {"x": 10, "y": 20}} (Gemini)'
)


def read_computer(text: str, screen: Screen) -> ComputerAction:
    """Read a computer-use action.

    Args:
        text: A JSON object in the words of OpenAI, Anthropic or Gemini. With the ``toolset_name`` ``browser``, they
            are those of Anthropic's browser toolset.
        screen: What the agent saw.

    Returns:
        The action.

    Raises:
        ActionError: It is not such an action, or its values are wrong.
    """
    given = _object(text)
    table, name, values = _kind(given)
    if name not in table:
        raise ActionError(
            f"there is no action {name[:50]!r}{nearest(name[:50], list(table))}; expected one of {', '.join(table)}",
            action=text[:200],
        )
    return table[name](Fields(name, values), screen)


_Table = Mapping[str, Callable[[Fields, Screen], ComputerAction]]


def _kind(given: Mapping[str, Any]) -> tuple[_Table, str, Mapping[str, Any]]:
    """Return the vocabulary of an action, its name there, and its fields."""
    kind, name = given.get("type"), given.get("name")
    if kind == "computer_call":
        many = given.get("actions") or [given.get("action")]
        if not isinstance(many, list) or len(many) != 1 or not isinstance(many[0], dict):
            raise ActionError("give the actions of a computer_call one by one; nothing was done")
        return _kind({key: value for key, value in many[0].items() if key != "name"})
    if isinstance(name, str) and isinstance(given.get("input"), dict):
        values = given["input"]
        if given.get("toolset_name") == "browser":
            return BROWSER, name, values
        return ANTHROPIC, str(values.get("action")) if name == "computer" else name, values
    if isinstance(given.get("action"), str):
        return ANTHROPIC, given["action"], given
    if isinstance(name, str):
        values = given.get("args", given.get("arguments", {}))
        if not isinstance(values, dict):
            raise ActionError(f"{name[:50]}: args should be an object; nothing was done")
        return GEMINI, name, values
    if isinstance(kind, str):
        return OPENAI, kind, given
    raise ActionError(f"the object is not an action; {_FORMS}", action=str(given)[:200])


def _object(text: str) -> Mapping[str, Any]:
    if len(text) > _LONGEST:
        raise ActionError(
            f"the action has {len(text):,} characters; expected at most {_LONGEST:,}", action=text[:200]
        )
    try:
        given = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ActionError(
            f"not the JSON of an action: {text[:60]!r} ({error}); {_FORMS}", action=text[:200]
        ) from error
    assert isinstance(given, dict), "it begins with a brace"
    return given


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")
