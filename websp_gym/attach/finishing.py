"""End the agent's part of an episode: read its answer, also from another process of this machine."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any

from websp_gym.actions.calls import format_call
from websp_gym.agents.turns import Turn
from websp_gym.texts import encodable

_LONGEST_REASON = 900
"""Characters of why an agent gives up; one may take ten in the text of an action, which has 10,000 at most."""
_USAGE = ("calls", "input_tokens", "output_tokens", "cost")
_TO_ANSWER = 60.0
"""Seconds that a door may take to answer; without it the episode would go on to its time limit."""


def answer_in(said: Mapping[str, Any]) -> str:
    """Return the answer in what an agent says when it ends; empty where it has none, or null."""
    answer = said.get("answer")
    return "" if answer is None else str(answer)


def ending_in(body: bytes) -> tuple[str, bool]:
    """Return the answer in the body of a POST to ``finish_url``, and whether the agent gives up."""
    text = body.decode("utf-8", "replace")
    with contextlib.suppress(ValueError, RecursionError):
        said = json.loads(text)
        if isinstance(said, dict):
            return answer_in(said), said.get("infeasible") is True
    return text, False


def usage_in(body: bytes) -> Turn | None:
    """Return what the body of a POST to ``finish_url`` says of the agent's model; ``None`` where it says nothing.

    Raises:
        ValueError: ``usage`` is not an object of ``calls``, ``input_tokens``, ``output_tokens`` and ``cost``.
    """
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    given = said.get("usage") if isinstance(said, dict) else None
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ValueError(f"usage: give an object with some of {', '.join(_USAGE)}")
    for name, value in given.items():
        if name not in _USAGE:
            raise ValueError(f"usage has no {name!r} (it has: {', '.join(_USAGE)})")
        whole = isinstance(value, int) or (
            name == "cost" and isinstance(value, float) and math.isfinite(value)
        )
        if isinstance(value, bool) or not whole or value < 0:
            raise ValueError(f"usage: {name} should be a number, not {value!r}")
    return Turn(reply="", action="", **given)


def giving_up(reason: str) -> str:
    """Return the action by which an agent gives up; it must be readable, or nothing would end the episode."""
    return format_call(("report_infeasible", [encodable(reason)[:_LONGEST_REASON]], {}))


def end_part(port: int, token: str, body: bytes = b"") -> None:
    """End the agent's part at a door of this machine, past any proxy; after the end it does nothing.

    Args:
        port: Port of the door.
        token: The secret in its addresses.
        body: The answer, or JSON as for ``finish_url`` of :class:`~websp_gym.attach.door.Door`.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_TO_ANSWER)
    # The episode may end, and the door with it, at this very moment.
    with contextlib.closing(connection), contextlib.suppress(OSError, HTTPException):
        connection.request("POST", f"/finish/{token}", body)
        connection.getresponse().read()
