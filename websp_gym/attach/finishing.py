"""Ending the agent's part of an episode: what its answer is, and from another process of this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import Any

_TO_ANSWER = 10.0
"""Seconds that a door may take to answer."""


def answer_in(said: Mapping[str, Any]) -> str:
    """Return the answer in what an agent says when it ends; empty where it has none, or null."""
    answer = said.get("answer")
    return "" if answer is None else str(answer)


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
