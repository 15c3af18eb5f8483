"""The commands of one client of a DevTools connection, without I/O: numbered, and matched with their answers.

Bytes come in; bytes and futures go out. There is no socket, no clock and no event loop: whoever uses it sends what
:meth:`Commands.command` returns, hands each message to :meth:`Commands.receive`, and waits in its own way.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from websp_gym.errors import WorldError

Message = dict[str, Any]


class CommandError(WorldError):
    """Raised when the browser refuses a command, does not answer it, or is gone."""


class Command(NamedTuple):
    """A command to send, and its result or :class:`CommandError` to come."""

    text: bytes
    # Of `concurrent.futures`, not of asyncio: it needs no loop, and nothing is logged where a failure is of no
    # interest.
    result: Future[Message]


class Commands:
    """The commands of one client that wait for an answer."""

    # first: The first id; no other client in the same sessions may use it or a later one.
    def __init__(self, first: int = 1) -> None:
        self._numbers = itertools.count(first)
        self._open: dict[int, tuple[str, Future[Message]]] = {}
        self._ended = ""

    def command(self, method: str, arguments: Mapping[str, Any] | None = None, session: str = "") -> Command:
        """Return a command with a number of its own; after the end, one that has already failed."""
        number, result = next(self._numbers), Future[Message]()
        if self._ended:
            result.set_exception(CommandError(self._ended))
        else:
            self._open[number] = session, result
        message = {"id": number, "method": method, "params": arguments or {}}
        return Command(dumped({**message, "sessionId": session} if session else message), result)

    def receive(self, text: bytes) -> bool:
        """Take an answer to one of these commands; return False for events and for answers to other clients."""
        number = id_of(text)
        # By the id alone: a command in a session that has ended is answered without a session.
        if number is None or number not in self._open:
            return False
        _, result = self._open.pop(number)
        # False if nobody waits any more. The answer is ours all the same, and no other client knows its id.
        if result.set_running_or_notify_cancel():
            answer = json.loads(text)
            if "error" in answer:
                result.set_exception(CommandError(answer["error"]["message"]))
            else:
                result.set_result(answer.get("result", {}))
        return True

    def end_session(self, session: str) -> None:
        """Fail the open commands of a session that was detached: the browser answers none of them."""
        self._fail("Session closed.", {number for number, (of, _) in self._open.items() if of == session})

    def end(self, reason: str) -> None:
        """Fail all open and all later commands, because the connection has ended."""
        self._ended = reason
        self._fail(reason, set(self._open))

    def _fail(self, reason: str, numbers: set[int]) -> None:
        # All are taken out first: a callback may look, or send the next command.
        for _, result in [self._open.pop(number) for number in numbers]:
            if result.set_running_or_notify_cancel():
                result.set_exception(CommandError(reason))


def dumped(message: Mapping[str, Any]) -> bytes:
    """Return a message as the browser writes it: without spaces, and in ASCII, so that bytes can be compared."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def id_of(text: bytes) -> int | None:
    """Return the id of an answer; ``None`` for an event. Pictures and texts of pages are not parsed for it."""
    if not text.startswith(b'{"id":'):
        return None
    digits = text[6:20].partition(b",")[0].rstrip(b"}")
    return int(digits) if digits.removeprefix(b"-").isdigit() else None
