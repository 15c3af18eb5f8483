"""Finding and reading a computer-use action in an agent's reply, in time linear in its length."""

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
from websp_gym.actions.reply import LONGEST_ACTION, bare, split_reply
from websp_gym.errors import ActionError, nearest

_LONGEST = 12 * LONGEST_ACTION
"""Maximum number of characters of an action: its text may consist of characters that JSON writes as two escapes."""
_FORMS = (
    'for example {"type": "click", "x": 10, "y": 20} (OpenAI), {"action": "left_click", "coordinate": [10, 20]} '
    '(Anthropic) or {"name": "click", "args": {"x": 10, "y": 20}} (Gemini)'
)


def written(action: Mapping[Any, Any]) -> str:
    """Return an action as JSON text; one that JSON cannot express is named by its type and cannot be read back."""
    try:
        return json.dumps(dict(action), ensure_ascii=False, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return f"{{an action that JSON cannot write: {type(error).__name__}}}"


def find_computer(reply: str) -> str | None:
    """Return the JSON text in a reply, which may have a thought and ``Action:`` before it; None if there is none."""
    found = set(split_reply(reply).actions) or {bare(reply)}
    text = found.pop()
    return text if text.startswith("{") and not found else None


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


def _plain(value: Any) -> Any:
    """Return a number of NumPy or the like as Python's; raise TypeError for anything else."""
    item = getattr(value, "item", None)
    if item is None:
        raise TypeError(type(value).__name__)
    return item()
