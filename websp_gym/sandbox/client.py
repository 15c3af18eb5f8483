"""The way to the sandbox for the rest of the project: find the server, open episodes, read their state.

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
import secrets
import socket
import subprocess
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from .launching import VARIABLE, Address, SandboxError, answers, launch, take_lease

if TYPE_CHECKING:
    from http.client import HTTPConnection

__all__ = ["EPISODE_HEADER", "VARIABLE", "Address", "EpisodeHandle", "Sandbox", "SandboxError"]

EPISODE_HEADER = "x-websp-episode"
"""The header by which every request of a browser context says whose it is."""

_CALL_TIMEOUT = 30.0
_END_TIMEOUT = 5.0


class Sandbox:
    """A user of a running server; the server lives as long as any user does.

    Make one with ``shared()`` (nearly always), ``start()`` (a server of one's own) or ``connect()``. Any thread may
    use it, and threads do not wait for each other. A forked child makes its own: it has none of the parent's sockets.

    Attributes:
        address: Where the server is.
        call_timeout: Seconds without a byte after which a control call is given up (the server does at 25).
    """

    _shared: ClassVar[Sandbox | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()
    _every: ClassVar[weakref.WeakSet[Sandbox]] = weakref.WeakSet()

    def __init__(self, address: Address, process: subprocess.Popen[bytes] | None = None) -> None:
        self._lease = take_lease(address)
        # A server that replaced the one we were told of has its ports and its secret, but another pid.
        self.address = replace(address, pid=self._lease.pid)
        self.call_timeout = _CALL_TIMEOUT
        self._process = process
        self._owner = os.getpid()
        # Connections that no thread uses at the moment.
        self._idle: list[HTTPConnection] = []
        # At exit too, so that the interpreter need not complain of what it finds open.
        weakref.finalize(self, _hang_up, self._lease.connection, self._idle)
        Sandbox._every.add(self)

    @classmethod
    def shared(cls) -> Sandbox:
        """Returns this process's user of the server in ``$WEBSP_SANDBOX``, starting one if there is none.

        A server that is gone is replaced by one on the same ports if they are free, so that a browser that
        was told of them goes on working (secret and certificate key are the same); its episodes are lost.

        Raises:
            SandboxError: The server did not start.
        """
        with cls._lock:
            mine = cls._shared
            if mine is not None and mine._owner == os.getpid() and mine.alive():
                # Without the address child processes would start a server each.
                os.environ.setdefault(VARIABLE, mine.address.dump())
                return mine
            known = Address.parse(os.environ.get(VARIABLE, ""))
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
        """Starts a server and becomes its first user.

        Args:
            sites: More folders of sites, besides those in ``$WEBSP_SANDBOX_SITES``.
            only: Serve only these folders, not the built-in sites.
            browse: For people: a default episode is allowed, changed templates are seen at once.
            port: HTTPS on this port and HTTP on the next, if they are free.
            like: Take the secret of this (dead) server, and its ports if they are free.

        Raises:
            SandboxError: It did not start; the message ends with what it said.
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
        return cls(*launch(options, like.secret if like is not None else secrets.token_urlsafe(24)))

    @contextlib.contextmanager
    def as_shared(self) -> Iterator[Sandbox]:
        """Makes this server the one that ``shared()`` gives, here and in processes started meanwhile."""
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
        """Becomes a user of a running server.

        Raises:
            SandboxError: There is no server, or it is not the one of this address.
        """
        return cls(address)

    def alive(self) -> bool:
        """Whether the server is there; it has closed our lease when it is not."""
        if self._process is not None:
            self._process.poll()
        try:
            return self._lease.connection.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def ping(self, timeout: float) -> bool:
        """Whether the server answers within ``timeout`` seconds; from any thread, whatever other calls wait for.

        A server that is stopped or overloaded is ``alive()`` and does not answer.
        """
        return answers(self.address, timeout)

    def browser_args(self) -> list[str]:
        """Returns the Chromium flags that lead every host to this server; nothing leaves the machine."""
        rules = f"MAP *:443 127.0.0.1:{self.address.https_port}, MAP *:80 127.0.0.1:{self.address.http_port}"
        # The last rule is for all other ports: no name is looked up, no address (the control port!) reached.
        return [
            f"--host-resolver-rules={rules}, MAP * ~NOTFOUND",
            # The rules would lead to a proxy of the user's first, which knows none of these sites.
            "--no-proxy-server",
            f"--ignore-certificate-errors-spki-list={self.address.spki}",
            # WebRTC sends its packets to an address without asking the rules; the switch has had both names.
            *(f"--{prefix}webrtc-ip-handling-policy=disable_non_proxied_udp" for prefix in ("", "force-")),
        ]

    def open_episode(self, site: str, *, signed_in: Sequence[str], default: bool = False) -> EpisodeHandle:
        """Opens an episode of a fresh account.

        Args:
            site: The slug of the site the episode is about.
            signed_in: Slugs of the sites where the account is already signed in.
            default: Make it the episode of requests without the header (only for ``browse`` servers).

        Raises:
            SandboxError: A site is unknown or has no sign-in, or the server is gone.
        """
        body = {"site": site, "signed_in": list(signed_in), "lease": self._lease.name}
        return EpisodeHandle(
            self, self.call("POST", "/episodes", body | ({"default": True} if default else {}))
        )

    def sites(self) -> list[dict[str, Any]]:
        """Returns what there is: slug, name, hosts, settings and collections of every site."""
        found: list[dict[str, Any]] = self.call("GET", "/sites")
        return found

    def egress(self) -> list[dict[str, Any]]:
        """Returns the requests to hosts that are no site, newest last."""
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
        """Sends one control request and returns its JSON. Thread-safe; never tried twice.

        Raises:
            SandboxError: No answer within ``timeout`` (``call_timeout`` unless said), or a refusal with its reason.
        """
        seconds = self.call_timeout if timeout is None else timeout
        # Not the whole path: it holds the episode's secret.
        what = path.rpartition("/")[2] if path.count("/") > 2 else path.split("/")[1]
        if self._owner != os.getpid():
            raise SandboxError(
                "this Sandbox belongs to the parent process; use Sandbox.shared() in each process"
            )
        text = json.dumps(body) if body is not None else None
        try:
            status, answer = self._exchange(method, path, text, timeout=seconds)
        except OSError as error:
            raise SandboxError(self._no_answer(f"{method} {what}", error, seconds)) from error
        if status >= 400:
            raise SandboxError(
                f"the sandbox server refused {method} {what}: {_reason(answer)}", status=status
            )
        return json.loads(answer) if answer else {}

    def close(self) -> None:
        """Gives up the lease; waits for the server's end if this process started it and no user is left."""
        last = self._process is not None and self._is_last_user()
        _hang_up(self._lease.connection, self._idle)
        if Sandbox._shared is self:
            Sandbox._shared = None
            if os.environ.get(VARIABLE) == self.address.dump():
                del os.environ[VARIABLE]
        if self._process is not None and last:
            # It stays when another process became a user meanwhile.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_TIMEOUT)

    def _is_last_user(self) -> bool:
        try:
            _, text = self._exchange("GET", "/health", None, timeout=_END_TIMEOUT)
        except OSError:
            return True
        return int(json.loads(text)["leases"]) <= 1

    def _exchange(self, method: str, path: str, body: str | None, *, timeout: float) -> tuple[int, bytes]:
        from http.client import HTTPException

        connection = self._connection(timeout)
        try:
            connection.request(method, path, body, {"authorization": f"Bearer {self.address.secret}"})
            response = connection.getresponse()
            answer = response.status, response.read()
        except BaseException as error:
            # An answer that comes later must not be taken for that to another question.
            connection.close()
            if isinstance(error, HTTPException):
                raise ConnectionError(f"{type(error).__name__}: {error}") from error
            raise
        self._idle.append(connection)
        return answer

    def _connection(self, timeout: float) -> HTTPConnection:
        try:
            connection = self._idle.pop()
        except IndexError:
            # Imported late: whoever only needs the names of this module should not pay for it.
            from http.client import HTTPConnection

            return HTTPConnection("127.0.0.1", self.address.control_port, timeout=timeout)
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        return connection

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


class EpisodeHandle:
    """One fresh account on all sites, for one browser context.

    Attributes:
        id: The secret its requests carry in ``EPISODE_HEADER``.
        account: Name, username, e-mail and so on of its account.
        cookies: What signs a browser context in, for Playwright's ``add_cookies``; renewed by ``restore()``.
    """

    def __init__(self, sandbox: Sandbox, opened: dict[str, Any]) -> None:
        self._sandbox = sandbox
        self.id: str = opened["id"]
        self.account: dict[str, str] = opened["account"]
        self.cookies: list[dict[str, Any]] = opened["cookies"]

    def __repr__(self) -> str:
        return f"Episode({self.id[:4]}…)"

    def state(self) -> dict[str, Any]:
        """Returns ``{"sites": {slug: {"settings", "collections"}}, "events": [...]}``."""
        return self._call("GET", "state")

    def defaults(self) -> dict[str, Any]:
        """Returns the same for a fresh account, without events."""
        return self._call("GET", "defaults")

    def patch(
        self,
        site: str,
        *,
        settings: Mapping[str, Any] | None = None,
        collections: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> None:
        """Sets settings and whole collections directly (initial state by API); all or nothing.

        Raises:
            SandboxError: An unknown name or a wrong value.
        """
        rows = {name: [dict(row) for row in each] for name, each in (collections or {}).items()}
        answer = self._call(
            "PATCH", "state", {"site": site, "settings": dict(settings or {}), "collections": rows}
        )
        self.cookies = answer["cookies"]

    def snapshot(self) -> str:
        """Keeps the present state in the server's memory and returns its key."""
        return str(self._call("POST", "snapshots")["key"])

    def restore(self, key: str) -> None:
        """Takes on the state kept under ``key`` (by any episode of this server), events included."""
        self.cookies = self._call("POST", "restore", {"key": key})["cookies"]

    def keep_requests(self) -> None:
        """Has the server keep, from now on, the requests of pages that could change state."""
        self._call("POST", "requests")

    def requests(self) -> list[dict[str, Any]]:
        """Returns those requests: method, host, path, headers, body, status, and the kinds of events they caused."""
        found: list[dict[str, Any]] = self._call("GET", "requests")["requests"]
        return found

    def close(self) -> None:
        """Ends the episode; its snapshots stay."""
        # A server that stands still drops it with its lease.
        self._sandbox.call("DELETE", f"/episodes/{self.id}", timeout=_END_TIMEOUT)

    def _call(self, method: str, what: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer: dict[str, Any] = self._sandbox.call(method, f"/episodes/{self.id}/{what}", body)
        return answer


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
    # The parent's sockets are the child's as well: two processes on one connection, and a lease that outlives the
    # parent. And another thread of the parent may have held the lock, which nobody releases here.
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
    # The ports were taken: perhaps by another process of ours that was quicker to replace the same server.
    other = _find(known)
    if other is not None:
        started.close()
    return other or started
