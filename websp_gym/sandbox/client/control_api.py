"""Requests to the control API of a sandbox server, over connections that are kept."""

from __future__ import annotations

import contextlib
import json
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .launching import Address, Lease, SandboxError, await_answer

if TYPE_CHECKING:
    from http.client import HTTPConnection


class ControlApi:
    """The control API of one server. Any thread can use it, and threads do not wait for each other.

    Args:
        address: The address of the server.
        lease: This process's lease, which shows whether the server is running.

    Attributes:
        timed_out: Whether a request was not answered in time, until somebody sets it back.
    """

    def __init__(self, address: Address, lease: Lease) -> None:
        self.timed_out = False
        self._address = address
        self._lease = lease
        self._owner = os.getpid()
        # Open connections that no thread is using.
        self._idle: list[HTTPConnection] = []
        # Also runs at exit, so that the interpreter does not warn about open sockets.
        weakref.finalize(self, _close_all, self._idle)

    def ask(
        self, method: str, path: str, body: Mapping[str, Any] | None, *, timeout: float
    ) -> Callable[[], Any]:
        """Send a request; return a function that waits for its JSON. Never retried.

        Args:
            method: The HTTP method.
            path: The path, with the query.
            body: JSON data; None for none.
            timeout: Seconds that the server may do nothing before it fails.

        Raises:
            SandboxError: It could not be sent. What is returned raises it without an answer, or for a refusal.
        """
        # Not the whole path, which contains the episode's secret id.
        what = f"{method} {path.rpartition('/')[2] if path.count('/') > 2 else path.split('/')[1]}"
        if self._owner != os.getpid():
            raise SandboxError(
                "this Sandbox belongs to the parent process; use Sandbox.shared() in each process"
            )
        text = json.dumps(body) if body is not None else None
        with self._naming(what, timeout):
            receive = self._send(method, path, text, timeout=timeout)

        def answer() -> Any:
            with self._naming(what, timeout):
                status, said = receive()
            if status >= 400:
                raise SandboxError(f"the sandbox server refused {what}: {_reason(said)}", status=status)
            return json.loads(said) if said else {}

        return answer

    def hang_up(self) -> None:
        """Close the connections that no thread is using."""
        _close_all(self._idle)

    def _send(
        self, method: str, path: str, body: str | None, *, timeout: float
    ) -> Callable[[], tuple[int, bytes]]:
        """Send a request; return a function that waits for its status and its answer."""
        connection = self._connection(timeout)
        with _closed_on_error(connection):
            connection.request(method, path, body, {"authorization": f"Bearer {self._address.secret}"})

        def receive() -> tuple[int, bytes]:
            with _closed_on_error(connection):
                assert connection.sock is not None
                await_answer(connection.sock, self._address.pid, timeout)
                response = connection.getresponse()
                answer = response.status, response.read()
            unread.detach()
            self._idle.append(connection)
            return answer

        unread = weakref.finalize(receive, connection.close)
        return receive

    def _connection(self, timeout: float) -> HTTPConnection:
        try:
            connection = self._idle.pop()
        except IndexError:
            # A lazy import, so that importing this module for its names stays fast.
            from http.client import HTTPConnection

            return HTTPConnection("127.0.0.1", self._address.control_port, timeout=timeout)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

    @contextlib.contextmanager
    def _naming(self, what: str, seconds: float) -> Iterator[None]:
        """Say in an error what was asked, and whether the server is gone or does not answer."""
        try:
            yield
        except OSError as error:
            self.timed_out |= isinstance(error, TimeoutError)
            raise SandboxError(self._no_answer(what, error, seconds)) from error

    def _no_answer(self, what: str, error: OSError, seconds: float) -> str:
        server = f"the sandbox server (pid {self._address.pid})"
        if isinstance(error, TimeoutError):
            return (
                f"{server} did not answer {what} within {seconds:g} s; "
                "it stands still: time in which it works or waits for a processor does not count"
            )
        if self._lease.is_held():
            return f"{server} did not answer {what}: {error}"
        return (
            f"{server} has died, and its episodes with it; "
            f"the next Sandbox.shared() starts a new one ({what}: {error})"
        )


@contextlib.contextmanager
def _closed_on_error(connection: HTTPConnection) -> Iterator[None]:
    """Close a connection after an error: a late response must not be read as the response to another request."""
    from http.client import HTTPException

    try:
        yield
    except BaseException as error:
        connection.close()
        if isinstance(error, HTTPException):
            raise ConnectionError(f"{type(error).__name__}: {error}") from error
        raise


def _reason(text: bytes) -> str:
    try:
        return str(json.loads(text)["error"])
    except (ValueError, KeyError, TypeError):
        return "no reason given"


def _close_all(connections: list[HTTPConnection]) -> None:
    while connections:
        connections.pop().close()
