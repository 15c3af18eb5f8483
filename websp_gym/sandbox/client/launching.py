"""Starting a sandbox server, and taking the lease that keeps it running."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import math
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.process import current_process
from typing import IO, Any

from websp_gym.patience import tree_of, wait

VARIABLE = "WEBSP_SANDBOX"
"""The environment variable with the server's address for child processes (JSON of an ``Address`` without secret)."""

_START = "WEBSP_START_SECONDS"
_START_SECONDS = 20.0
"""Seconds that a server which starts may do nothing. It needs 2 CPU seconds, which may take minutes to get."""
_START_WORK = 6
"""How many times as many CPU seconds it may use."""
_START_WAIT = 30
"""How many times as long it may take in all."""
_LEASE_SECONDS = 30.0
"""Seconds that a server may do nothing before it gives a lease."""
_ANSWER_WAIT = 10
"""How many times as long as it may do nothing a server may take for an answer: it may work for somebody else."""


class SandboxError(Exception):
    """Error for a sandbox server that could not be started or reached, or that refused a request.

    Attributes:
        status: The HTTP status of a refusal; None if there was no response.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Address:
    """The process, ports and secret of a server; ``spki`` is the hash of its certificate's public key."""

    pid: int
    http_port: int
    https_port: int
    control_port: int
    secret: str
    spki: str

    def __repr__(self) -> str:
        # Addresses appear in messages and logs; the secret must not.
        ports = f"http={self.http_port}, https={self.https_port}, control={self.control_port}"
        return f"Address(pid={self.pid}, {ports})"

    @classmethod
    def parse(cls, text: str, *, secret: str) -> Address | None:
        """Return the address in a JSON text, with ``secret`` if it has none, or None if it is not an address."""
        try:
            return cls(**{"secret": secret, **json.loads(text)})
        except (ValueError, TypeError):
            return None

    def dump(self, *, secret: bool = False) -> str:
        """Return the address as JSON, with the secret only if asked for."""
        return json.dumps({name: value for name, value in asdict(self).items() if secret or name != "secret"})


def family_secret() -> str:
    """Return the secret that this process and its multiprocessing children share, and no other process knows.

    It is derived from the key that :mod:`multiprocessing` hands to its own children (forked, spawned or by a fork
    server). A program that one of them starts inherits the environment variable, but not the secret.
    """
    digest = hmac.new(current_process().authkey, b"websp-gym sandbox", hashlib.sha256).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


class _Detached(subprocess.Popen[bytes]):
    """A process that may outlive this one because others use it, so no warning that it is still running."""

    def __del__(self, *arguments: Any, **keywords: Any) -> None:
        # One that was interrupted while it started has no number.
        if getattr(self, "pid", None) is not None and self.returncode is None and self.poll() is None:
            self.returncode = 0
        super().__del__(*arguments, **keywords)


def launch(options: list[str], secret: str) -> tuple[Address, subprocess.Popen[bytes]]:
    """Start a server process with command-line ``options`` and wait until it listens.

    Raise SandboxError if it does not start; the message ends with its error output.
    """
    seconds = _start_seconds()
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    with _log() as log:
        process = _Detached(
            [sys.executable, "-m", "websp_gym.sandbox.server.serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            # Ctrl-C in the terminal must not stop the server while environments are still closing.
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(secret.encode() + b"\n")
        with process.stdout as pipe:
            line, ended = _first_line(pipe, process.pid, seconds)
        address = Address.parse(line, secret=secret)
        if address is None:
            process.kill()
            code = process.wait()
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip()[-2000:] or "it said nothing"
            raise SandboxError(f"the sandbox server did not start ({ended or f'exit code {code}'}):\n{said}")
    return address, process


def _start_seconds() -> float:
    given = os.environ.get(_START, "")
    try:
        seconds = float(given or _START_SECONDS)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise SandboxError(f"{_START}={given} is not a number of seconds above 0; correct or unset it")
    return seconds


def _log() -> IO[bytes]:
    wanted = os.environ.get("WEBSP_SANDBOX_LOG")
    if not wanted:
        # An unlinked file needs no cleanup, however either process ends, and unlike a pipe it cannot fill up.
        return tempfile.TemporaryFile()
    try:
        return open(wanted, "a+b")
    except OSError as error:
        raise SandboxError(
            f"WEBSP_SANDBOX_LOG={wanted} cannot be written ({error.strerror}); correct or unset it"
        ) from error


@dataclass(frozen=True)
class Lease:
    """A connection that makes this process a user of the server until the kernel closes it."""

    connection: socket.socket
    name: str
    pid: int
    full: bool
    """Whether there were as many users as the server has room for."""

    def is_held(self) -> bool:
        """Whether the server is running; its end closes the connection."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False


def take_lease(address: Address) -> Lease:
    """Become a user of a running server. Raise SandboxError if none with this address and secret is running."""
    try:
        connection = socket.create_connection(("127.0.0.1", address.control_port), timeout=_LEASE_SECONDS)
        connection.sendall(_head(address, "/lease"))
        answer = b""
        while b"}\n" not in answer:
            await_answer(connection, address.pid, _LEASE_SECONDS)
            piece = connection.recv(4096)
            answer += piece
            if not piece or not answer.startswith(b"HTTP/1.1 200"):
                connection.close()
                raise ConnectionError("the lease was refused")
    except OSError as error:
        raise SandboxError(f"no sandbox server at {address}: {error}") from error
    # From here on it is only polled, never waited for.
    connection.setblocking(False)
    facts = json.loads(answer[answer.index(b"{") : answer.index(b"}\n") + 1])
    return Lease(connection, facts["lease"], facts["pid"], facts["full"])


def answers(address: Address, timeout: float) -> bool:
    """Return whether a server answers a health check within ``timeout`` seconds.

    The check uses its own connection, so it works from any thread and after a fork, even if other calls hang.
    """
    deadline = time.monotonic() + timeout
    return _is_well(
        address,
        timeout,
        lambda connection: connection.settimeout(max(deadline - time.monotonic(), 0.001)),
    )


def stands_still(address: Address, seconds: float) -> bool:
    """Return whether a server does not answer a health check, and does nothing for so many seconds."""
    return not _is_well(address, seconds, lambda connection: await_answer(connection, address.pid, seconds))


def await_answer(connection: socket.socket, server: int, seconds: float) -> None:
    """Wait until there is something to read, as long as the server works or waits for a processor.

    Args:
        connection: A connection to the server.
        server: Its process.
        seconds: Seconds that it may do nothing; it may take ten times as long in all.

    Raises:
        TimeoutError: It took longer.
    """

    ready, longest = partial(readable, connection), _ANSWER_WAIT * seconds
    if wait(ready, lambda: tree_of(server), still=seconds, longest=longest) is not None:
        raise TimeoutError("timed out")


def readable(file: IO[bytes] | socket.socket, seconds: float) -> bool:
    """Wait until there is something to read, or the end, and return whether there is."""
    poll = select.poll()  # unlike select(), also for a process with more than a thousand files
    poll.register(file, select.POLLIN)
    return bool(poll.poll(math.ceil(seconds * 1000)))


def _is_well(address: Address, timeout: float, before_each: Callable[[socket.socket], None]) -> bool:
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", address.control_port), timeout) as connection:
            connection.sendall(_head(address, "/health"))
            while b"\r\n" not in answer:
                before_each(connection)
                piece = connection.recv(4096)
                answer += piece
                if not piece:
                    return False
    except OSError:
        return False
    return answer.startswith(b"HTTP/1.1 200 ")


def _head(address: Address, path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{address.control_port}\r\n"
        f"Authorization: Bearer {address.secret}\r\n\r\n"
    ).encode()


def _first_line(pipe: IO[bytes], server: int, seconds: float) -> tuple[str, str]:
    """Return the first line that a server says, and why it was not waited for any longer; empty if it was."""
    line = b""

    def ready(patience: float) -> bool:
        nonlocal line
        until = time.monotonic() + patience
        while readable(pipe, max(until - time.monotonic(), 0.0)):
            piece = os.read(pipe.fileno(), 65536)
            line += piece
            if not piece or line.endswith(b"\n"):
                return True
        return False

    clock = wait(
        ready,
        lambda: tree_of(server),
        still=seconds,
        worked=_START_WORK * seconds,
        longest=_START_WAIT * seconds,
    )
    if clock is None:
        return line.decode("utf-8", "replace"), ""
    return "", (
        f"we ended it: it did not listen within {clock.elapsed:.1f} s, in which it used {clock.worked:.1f} s of CPU "
        f"time, waited {clock.waited:.1f} s for a processor or disk, and did nothing for {clock.still:.1f} s; "
        f"{_START}={2 * seconds:g} gives it twice as long"
    )
