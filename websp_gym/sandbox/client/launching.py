"""Starting a sandbox server, and taking the lease that keeps it running."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from multiprocessing.process import current_process
from typing import IO, Any

VARIABLE = "WEBSP_SANDBOX"
"""The environment variable with the server's address for child processes (JSON of an ``Address`` without secret)."""

_START_TIMEOUT = 20.0
_LEASE_TIMEOUT = 30.0


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
    # From here on it is only polled, never waited for.
    connection.setblocking(False)
    facts = json.loads(answer[answer.index(b"{") : answer.index(b"}\n") + 1])
    return Lease(connection, facts["lease"], facts["pid"])


def answers(address: Address, timeout: float) -> bool:
    """Return whether a server answers a health check within ``timeout`` seconds.

    The check uses its own connection, so it works from any thread and after a fork, even if other calls hang.
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
