"""Client of the sandbox server: start or find the server, open episodes, and read their state.

Example:
    >>> sandbox = Sandbox.shared()
    >>> episode = sandbox.open_episode("steam", signed_in=["steam"])
    >>> episode.state()["sites"]["steam"]["settings"]["cookies.valve_content"]
    True
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .episode_handle import EpisodeHandle
from .launching import VARIABLE, Address, SandboxError, answers, family_secret, launch, take_lease

if TYPE_CHECKING:
    from http.client import HTTPConnection

EPISODE_HEADER = "x-websp-episode"
"""The request header with an episode's secret id, sent with every request of its browser context."""

_CALL_TIMEOUT = 30.0
_END_TIMEOUT = 5.0
_PATIENCE = 10.0


class Sandbox:
    """A connection to a running sandbox server. The server ends when the last process that uses it is gone.

    Create one with ``shared()`` (the usual way), ``start()`` (a separate server) or ``connect()``. Any thread can
    use it, and threads do not wait for each other. A forked child creates its own; it inherits no open sockets.

    Attributes:
        address: The address of the server.
        call_timeout: Seconds without data after which a control call fails (the server gives up after 25).
    """

    _shared: ClassVar[Sandbox | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()
    _every: ClassVar[weakref.WeakSet[Sandbox]] = weakref.WeakSet()

    def __init__(self, address: Address, process: subprocess.Popen[bytes] | None = None) -> None:
        self._lease = take_lease(address)
        # A replacement server has the same ports and secret as the server in ``address``, but another pid.
        self.address = replace(address, pid=self._lease.pid)
        self.call_timeout = _CALL_TIMEOUT
        self._process = process
        self._owner = os.getpid()
        self._suspect = False
        """Whether a call has timed out since the server last answered a health check."""
        # Open connections that no thread is using.
        self._idle: list[HTTPConnection] = []
        # Also runs at exit, so that the interpreter does not warn about open sockets.
        weakref.finalize(self, _hang_up, self._lease.connection, self._idle)
        Sandbox._every.add(self)

    @classmethod
    def shared(cls, *, patience: float = _PATIENCE) -> Sandbox:
        """Return this process's connection to the server in ``$WEBSP_SANDBOX``, starting a server if needed.

        A server that died, or stands still, is replaced by one with the same secret and certificate key, on the
        same ports if they are free, so that a running browser can continue to use it. The old episodes are lost.

        Args:
            patience: Seconds that a server which has let a call time out may take for a health check.

        Raises:
            SandboxError: The server did not start.
        """
        with cls._lock:
            mine = cls._shared
            if (
                mine is not None
                and mine._owner == os.getpid()
                and mine.alive()
                and not mine._ended_as_stuck(patience)
            ):
                # Without the variable, each child process would start its own server.
                os.environ.setdefault(VARIABLE, mine.address.dump())
                return mine
            known = Address.parse(os.environ.get(VARIABLE, ""), secret=family_secret())
            cls._shared = _find(known) or _replace(known)
            os.environ[VARIABLE] = cls._shared.address.dump()
            return cls._shared

    @classmethod
    def start(
        cls,
        *,
        sites: Sequence[Path | str] = (),
        only: bool = False,
        browse: bool = False,
        port: int | None = None,
        like: Address | None = None,
    ) -> Sandbox:
        """Start a server and connect to it.

        Args:
            sites: Folders of sites, in addition to those in ``$WEBSP_SANDBOX_SITES``.
            only: Serve only ``sites``: neither the built-in sites nor those in the variable.
            browse: Mode for browsing by hand: allow a default episode, and reload changed templates.
            port: The port for HTTPS; HTTP uses the next one. Ports that are taken are replaced by free ones.
            like: The address of a dead server; its secret is reused, and its ports if they are free.

        Raises:
            SandboxError: The server did not start; the message ends with its error output.
        """
        extra = [folder for folder in os.environ.get("WEBSP_SANDBOX_SITES", "").split(os.pathsep) if folder]
        options = [
            f"--sites={folder}" for folder in ([] if only else extra) + [str(folder) for folder in sites]
        ]
        options += ["--only"] * only + ["--browse"] * browse
        if port is not None:
            options += [f"--https-port={port}", f"--http-port={port + 1}"]
        if like is not None:
            options += [
                f"--{name}-port={getattr(like, f'{name}_port')}" for name in ("http", "https", "control")
            ]
        return cls(*launch(options, like.secret if like is not None else family_secret()))

    @contextlib.contextmanager
    def as_shared(self) -> Iterator[Sandbox]:
        """Make ``shared()`` return this server inside the ``with`` block, also in processes started there."""
        before, variable = Sandbox._shared, os.environ.get(VARIABLE)
        Sandbox._shared = self
        os.environ[VARIABLE] = self.address.dump()
        try:
            yield self
        finally:
            Sandbox._shared = before
            os.environ.pop(VARIABLE, None)
            if variable is not None:
                os.environ[VARIABLE] = variable

    @classmethod
    def connect(cls, address: Address) -> Sandbox:
        """Connect to a running server. Raise SandboxError if none with this address and secret is running."""
        return cls(address)

    def alive(self) -> bool:
        """Whether the server process is running; its end closes the lease."""
        if self._process is not None:
            self._process.poll()
        try:
            return self._lease.connection.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def ping(self, timeout: float) -> bool:
        """Whether the server answers within ``timeout`` seconds. A stopped or overloaded server does not.

        Can be called from any thread, even while other calls are waiting.
        """
        return answers(self.address, timeout)

    def _ended_as_stuck(self, patience: float) -> bool:
        """End the server if a call has timed out and it does not even answer a health check."""
        if not self._suspect or self.ping(patience):
            self._suspect = False
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.address.pid, signal.SIGKILL)
        return True

    def browser_args(self) -> list[str]:
        """Return the Chromium flags that send every host name to this server, so nothing leaves the machine."""
        rules = f"MAP *:443 127.0.0.1:{self.address.https_port}, MAP *:80 127.0.0.1:{self.address.http_port}"
        # The last rule covers all other ports: no DNS lookup, and no address is reachable (the control port!).
        return [
            f"--host-resolver-rules={rules}, MAP * ~NOTFOUND",
            # With a proxy configured, requests would go to the proxy, which knows none of these sites.
            "--no-proxy-server",
            f"--ignore-certificate-errors-spki-list={self.address.spki}",
            # WebRTC connects to addresses without applying the rules. Chromium has used both names of the flag.
            *(f"--{prefix}webrtc-ip-handling-policy=disable_non_proxied_udp" for prefix in ("", "force-")),
        ]

    def open_episode(self, site: str, *, signed_in: Sequence[str], default: bool = False) -> EpisodeHandle:
        """Open an episode with a fresh account.

        Args:
            site: The slug of the site the episode is about.
            signed_in: Slugs of the sites where the account is already signed in.
            default: Also use this episode for requests without the header (only with ``browse`` servers).

        Raises:
            SandboxError: A site is unknown or has no sign-in, or the server cannot be reached.
        """
        body = {"site": site, "signed_in": list(signed_in), "lease": self._lease.name}
        opened = self.call("POST", "/episodes", body | ({"default": True} if default else {}))
        return EpisodeHandle(self.call, self.ask, opened)

    def sites(self) -> list[dict[str, Any]]:
        """Return the slug, name, hosts, settings and collections of every site."""
        found: list[dict[str, Any]] = self.call("GET", "/sites")
        return found

    def credentials(
        self, site: str, *, sessions: Sequence[str] = (), tokens: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Return what proves to a site who somebody is.

        Args:
            site: The slug of the site.
            sessions: Ids of sessions, whether they exist or not.
            tokens: Ids of access tokens, whether they exist or not.

        Returns:
            ``forms`` that sign the account in; cookies of the ``sessions`` and texts of the ``tokens``, by id.
        """
        body = {"site": site, "sessions": list(sessions), "tokens": list(tokens)}
        found: dict[str, Any] = self.call("POST", "/credentials", body)
        return found

    def egress(self) -> list[dict[str, Any]]:
        """Return the requests to hosts that belong to no site, oldest first."""
        found: list[dict[str, Any]] = self.call("GET", "/egress")
        return found

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Any:
        """Send one control request and return its JSON. Thread-safe; never retried.

        Raises:
            SandboxError: No answer within ``timeout`` seconds (default: ``call_timeout``), or a refusal.
        """
        return self.ask(method, path, body, timeout=timeout)()

    def ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
    ) -> Callable[[], Any]:
        """Send one control request; return a function that waits for its answer, as :meth:`call` does.

        Raises:
            SandboxError: It could not be sent.
        """
        seconds = self.call_timeout if timeout is None else timeout
        # Not the whole path, which contains the episode's secret id.
        what = path.rpartition("/")[2] if path.count("/") > 2 else path.split("/")[1]
        if self._owner != os.getpid():
            raise SandboxError(
                "this Sandbox belongs to the parent process; use Sandbox.shared() in each process"
            )
        text = json.dumps(body) if body is not None else None

        with self._naming(f"{method} {what}", seconds):
            receive = self._send(method, path, text, timeout=seconds)

        def answer() -> Any:
            with self._naming(f"{method} {what}", seconds):
                status, said = receive()
            if status >= 400:
                raise SandboxError(
                    f"the sandbox server refused {method} {what}: {_reason(said)}", status=status
                )
            return json.loads(said) if said else {}

        return answer

    def close(self) -> None:
        """Release the lease. If this process started the server and was its last user, wait for its end."""
        last = self._process is not None and self._is_last_user()
        _hang_up(self._lease.connection, self._idle)
        if Sandbox._shared is self:
            Sandbox._shared = None
            if os.environ.get(VARIABLE) == self.address.dump():
                del os.environ[VARIABLE]
        if self._process is not None and last:
            # The server stays if another process has become a user in the meantime.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_TIMEOUT)

    def _is_last_user(self) -> bool:
        try:
            _, text = self._send("GET", "/health", None, timeout=_END_TIMEOUT)()
        except OSError:
            return True
        return int(json.loads(text)["leases"]) <= 1

    def _send(
        self, method: str, path: str, body: str | None, *, timeout: float
    ) -> Callable[[], tuple[int, bytes]]:
        """Send a request; return a function that waits for its status and its answer."""
        connection = self._connection(timeout)
        with _closed_on_error(connection):
            connection.request(method, path, body, {"authorization": f"Bearer {self.address.secret}"})

        def receive() -> tuple[int, bytes]:
            with _closed_on_error(connection):
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

            return HTTPConnection("127.0.0.1", self.address.control_port, timeout=timeout)
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
            self._suspect |= isinstance(error, TimeoutError)
            raise SandboxError(self._no_answer(what, error, seconds)) from error

    def _no_answer(self, what: str, error: OSError, seconds: float) -> str:
        if isinstance(error, TimeoutError):
            return (
                f"the sandbox server (pid {self.address.pid}) did not answer {what} within {seconds:g} s; "
                "it stands still, or the machine is overloaded"
            )
        if self.alive():
            return f"the sandbox server (pid {self.address.pid}) did not answer {what}: {error}"
        return (
            f"the sandbox server (pid {self.address.pid}) has died, and its episodes with it; "
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


def _hang_up(lease: socket.socket, idle: list[HTTPConnection]) -> None:
    lease.close()
    while idle:
        idle.pop().close()


def _forget_parent() -> None:
    # A fork copies the parent's sockets: two processes would use one connection, and the lease would outlive the
    # parent. The lock may have been held by another thread of the parent, which does not exist in the child.
    for sandbox in list(Sandbox._every):
        _hang_up(sandbox._lease.connection, sandbox._idle)
    Sandbox._lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_parent)


def _find(known: Address | None) -> Sandbox | None:
    if known is None:
        return None
    try:
        return Sandbox.connect(known)
    except SandboxError:
        return None


def _replace(known: Address | None) -> Sandbox:
    started = Sandbox.start(like=known)
    if known is None or started.address.control_port == known.control_port:
        return started
    # The ports were taken, perhaps by another process that has already replaced the same server.
    other = _find(known)
    if other is not None:
        started.close()
    return other or started
