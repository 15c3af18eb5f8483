"""Finding a computer-use action in an agent's reply, and writing one as a reply."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from websp_gym.actions.reply import bare, split_reply


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


def _plain(value: Any) -> Any:
    """Return a number of NumPy or the like as Python's; raise TypeError for anything else."""
    item = getattr(value, "item", None)
    if item is None:
        raise TypeError(type(value).__name__)
    return item()
