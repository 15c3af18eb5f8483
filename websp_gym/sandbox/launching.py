"""Starting a sandbox server, and the lease by which it knows that it has a user."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from typing import IO, Any

VARIABLE = "WEBSP_SANDBOX"
"""The environment variable by which child processes find the server (JSON of an ``Address``)."""

_START_TIMEOUT = 20.0
_LEASE_TIMEOUT = 30.0


class SandboxError(Exception):
    """The sandbox server could not be started or reached, or refused a request.

    Attributes:
        status: The HTTP status of a refusal; None when there was no answer.
    """

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Address:
    """Where a server is and what it takes to be let in; ``spki`` hashes its certificate's public key."""

    pid: int
    http_port: int
    https_port: int
    control_port: int
    secret: str
    spki: str

    def __repr__(self) -> str:
        # Addresses end up in messages and logs; the secret must not.
        ports = f"http={self.http_port}, https={self.https_port}, control={self.control_port}"
        return f"Address(pid={self.pid}, {ports})"

    @classmethod
    def parse(cls, text: str, **more: Any) -> Address | None:
        """Returns the address a JSON text (and ``more``) means, or None when it means none."""
        try:
            return cls(**json.loads(text), **more)
        except (ValueError, TypeError):
            return None

    def dump(self) -> str:
        """Returns the address as JSON."""
        return json.dumps(asdict(self))


class _Detached(subprocess.Popen[bytes]):
    """A process that may outlive us: other users can still need it, so no warning that it is running."""

    def __del__(self, *arguments: Any, **keywords: Any) -> None:
        if getattr(self, "returncode", 0) is None and self.poll() is None:
            self.returncode = 0
        super().__del__(*arguments, **keywords)


def launch(options: list[str], secret: str) -> tuple[Address, subprocess.Popen[bytes]]:
    """Starts a server process and waits until it listens.

    Args:
        options: Its command line.
        secret: Its secret.

    Returns:
        Its address and the process.

    Raises:
        SandboxError: It did not start; the message ends with what it said.
    """
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    with _log() as log:
        process = _Detached(
            [sys.executable, "-m", "websp_gym.sandbox.server", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env=environment,
            # Ctrl-C in the terminal must not take the server from environments that are still closing.
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(secret.encode() + b"\n")
        with process.stdout as pipe:
            line = _first_line(pipe, _START_TIMEOUT)
        address = Address.parse(line, secret=secret)
        if address is None:
            process.kill()
            code = process.wait()
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip()[-2000:]
            raise SandboxError(f"the sandbox server did not start (exit code {code}):\n{said}")
    return address, process


def _log() -> IO[bytes]:
    wanted = os.environ.get("WEBSP_SANDBOX_LOG")
    if not wanted:
        # An unlinked file: nothing to tidy up however either side ends, and no pipe that could fill up.
        return tempfile.TemporaryFile()
    try:
        return open(wanted, "a+b")
    except OSError as error:
        raise SandboxError(
            f"WEBSP_SANDBOX_LOG={wanted} cannot be written ({error.strerror}); correct or unset it"
        ) from error


@dataclass(frozen=True)
class Lease:
    """A connection that tells the server of a user until the kernel closes it."""

    connection: socket.socket
    name: str
    pid: int


def take_lease(address: Address) -> Lease:
    """Becomes a user of a running server.

    Raises:
        SandboxError: There is none, or it is not the one of this address.
    """
    try:
        connection = socket.create_connection(("127.0.0.1", address.control_port), timeout=_LEASE_TIMEOUT)
        connection.sendall(_head(address, "/lease"))
        answer = b""
        while b"}\n" not in answer:
            piece = connection.recv(4096)
            answer += piece
            if not piece or not answer.startswith(b"HTTP/1.1 200"):
                connection.close()
                raise ConnectionError("the lease was refused")
    except OSError as error:
        raise SandboxError(f"no sandbox server at {address}: {error}") from error
    # From here on it is only looked at, never waited for.
    connection.setblocking(False)
    facts = json.loads(answer[answer.index(b"{") : answer.index(b"}\n") + 1])
    return Lease(connection, facts["lease"], facts["pid"])


def answers(address: Address, timeout: float) -> bool:
    """Returns whether a server answers a question about its health within ``timeout`` seconds.

    The question has a connection of its own: it may be asked from any thread and after a fork, whatever else hangs.
    """
    deadline = time.monotonic() + timeout
    answer = b""
    try:
        with socket.create_connection(("127.0.0.1", address.control_port), timeout) as connection:
            connection.sendall(_head(address, "/health"))
            while b"\r\n" not in answer:
                connection.settimeout(max(deadline - time.monotonic(), 0.001))
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


def _first_line(pipe: IO[bytes], timeout: float) -> str:
    deadline = time.monotonic() + timeout
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        piece = os.read(pipe.fileno(), 65536) if ready else b""
        if not piece:
            break
        line += piece
    return line.decode("utf-8", "replace")
