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
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from websp_gym.patience import has_ended

from .control_api import ControlApi
from .episode_handle import EpisodeHandle
from .launching import (
    VARIABLE,
    Address,
    SandboxError,
    answers,
    family_secret,
    launch,
    stands_still,
    take_lease,
)

EPISODE_HEADER = "x-websp-episode"
"""The request header with an episode's secret id, sent with every request of its browser context."""

_CALL_TIMEOUT = 30.0
_END_TIMEOUT = 5.0
"""Seconds that the end of a server is waited for; one that takes longer ends by itself."""
_PATIENCE = 10.0
"""Seconds that a server may do nothing before it is ended as one that stands still."""


class Sandbox:
    """A connection to a running sandbox server. The server ends when the last process that uses it is gone.

    Create one with ``shared()`` (the usual way), ``start()`` (a separate server) or ``connect()``. Any thread can
    use it, and threads do not wait for each other. A forked child creates its own; it inherits no open sockets.

    Attributes:
        address: The address of the server.
        call_timeout: Seconds that the server may do nothing before a control call fails. While it works or waits for
            a processor it is waited for, ten times as long in all.
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
        self._control = ControlApi(self.address, self._lease)
        # Also runs at exit, so that the interpreter does not warn about open sockets.
        weakref.finalize(self, self._lease.connection.close)
        Sandbox._every.add(self)

    @classmethod
    def shared(cls, *, patience: float = _PATIENCE) -> Sandbox:
        """Return this process's connection to the server in ``$WEBSP_SANDBOX``, starting a server if needed.

        One server has room for twenty processes; those that come later use another, which the full one starts.
        A server that died, or stands still, is replaced by one with the same secret and certificate key, on the
        same ports if they are free, so that a running browser can continue to use it. The old episodes are lost.

        Args:
            patience: Seconds that a server which has let a call time out may do nothing instead of a health check.

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
            cls._shared = _with_room(_find(known)) or _replace(known)
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
        return self._lease.is_held()

    def ping(self, timeout: float) -> bool:
        """Whether the server answers within ``timeout`` seconds. A stopped or overloaded server does not.

        Can be called from any thread, even while other calls are waiting.
        """
        return answers(self.address, timeout)

    def _ended_as_stuck(self, patience: float) -> bool:
        """End the server if a call has timed out and it does not even answer a health check."""
        if not self._control.timed_out or not stands_still(self.address, patience):
            self._control.timed_out = False
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
        return self._control.ask(method, path, body, timeout=seconds)

    def close(self) -> None:
        """Release the lease. If this process started the server and was its last user, wait for its end."""
        last = self._process is not None and self._is_last_user()
        self._hang_up()
        if Sandbox._shared is self:
            Sandbox._shared = None
            if os.environ.get(VARIABLE) == self.address.dump():
                del os.environ[VARIABLE]
        if self._process is not None and last:
            # The server stays if another process has become a user in the meantime.
            has_ended(self._process, _END_TIMEOUT)

    def _is_last_user(self) -> bool:
        try:
            return int(self.call("GET", "/health", timeout=_END_TIMEOUT)["leases"]) <= 1
        except SandboxError:
            return True

    def _hang_up(self) -> None:
        self._lease.connection.close()
        self._control.hang_up()


def _forget_parent() -> None:
    # A fork copies the parent's sockets: two processes would use one connection, and the lease would outlive the
    # parent. The lock may have been held by another thread of the parent, which does not exist in the child.
    for sandbox in list(Sandbox._every):
        sandbox._hang_up()
    Sandbox._lock = threading.Lock()


os.register_at_fork(after_in_child=_forget_parent)


def _find(known: Address | None) -> Sandbox | None:
    if known is None:
        return None
    try:
        return Sandbox.connect(known)
    except SandboxError:
        return None


def _with_room(found: Sandbox | None) -> Sandbox | None:
    """Return the first server with room, of those that start one another; the last one if it cannot start one."""
    while found is not None and found._lease.full:
        try:
            address = Address.parse(json.dumps(found.call("POST", "/further")), secret=found.address.secret)
            further = Sandbox.connect(address) if address is not None else None
        except SandboxError:
            further = None
        if further is None:
            break
        found.close()
        found = further
    return found


def _replace(known: Address | None) -> Sandbox:
    started = Sandbox.start(like=known)
    if known is None or started.address.control_port == known.control_port:
        return started
    # The ports were taken, perhaps by another process that has already replaced the same server.
    other = _find(known)
    if other is not None:
        started.close()
    return other or started
