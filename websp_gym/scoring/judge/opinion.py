"""Parse a judge's answer strictly: exactly the requested JSON object, or an error."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from websp_gym.texts import encodable

Result = Literal["CORRECT", "INCORRECT"]
RESULTS: tuple[Result, ...] = get_args(Result)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"result": {"type": "string", "enum": list(RESULTS)}, "reason": {"type": "string"}},
    "required": ["result", "reason"],
    "additionalProperties": False,
}
"""JSON schema for providers with structured output; answers are always checked here too."""

_THINKING = re.compile(r"\A<(think|thinking)>.*?</\1>", re.DOTALL)
_BLOCK = re.compile(r"\A```(?:json)?[ \t]*\r?\n(?P<body>.*)\n```\Z", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Opinion:
    """A judge's result and its reason."""

    result: Result
    reason: str


class UnreadableError(ValueError):
    """An answer that is not an opinion; the message says what is wrong with it."""


def read_opinion(text: str) -> Opinion:
    """Parse an answer: one JSON object with ``result`` and ``reason`` and nothing else.

    A block of thinking before the answer, as local models write it, and one Markdown code block around the whole
    answer are removed. Nothing else is repaired: ``correct``, ``"CORRECT!"``, a second object or a further key raise
    :class:`UnreadableError`.
    """
    data = read_object(text)
    if set(data) != {"result", "reason"}:
        raise UnreadableError(f"the keys are {named(data)}, not 'result' and 'reason'")
    result, reason = data["result"], data["reason"]
    if not isinstance(result, str) or result not in RESULTS:
        raise UnreadableError(f"the result is {_brief(result)}, not one of {', '.join(RESULTS)}")
    if not isinstance(reason, str) or not reason.strip():
        raise UnreadableError(f"the reason is {_brief(reason)}, not a sentence")
    return Opinion(result, encodable(reason.strip()))


def read_object(text: str) -> dict[str, Any]:
    """Parse an answer that must be one JSON object.

    Raises:
        UnreadableError: It is something else, or has the same key twice.
    """
    body = _THINKING.sub("", text.strip()).strip()
    if found := _BLOCK.match(body):
        body = found["body"]
    if not body:
        raise UnreadableError("the answer is empty")
    try:
        data = json.loads(body, object_pairs_hook=_once)
    except RecursionError:
        raise UnreadableError("the answer is not JSON: nested too deeply") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"the answer is not JSON: {error.msg} at character {error.pos}") from None
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError(f"the answer is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise UnreadableError(f"the answer is a JSON {type(data).__name__}, not an object")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise UnreadableError(f"the key {_brief(key)} appears twice")
        found[key] = value
    return found


def named(keys: Collection[str]) -> str:
    """Return keys as text for a message: the first four only, because a model may have written thousands."""
    shown = ", ".join(_brief(key) for key in list(keys)[:4])
    return (f"{shown} and {len(keys) - 4} more" if len(keys) > 4 else shown) or "none"


def _brief(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
