"""The sandbox process: sockets, certificate, leases, shutdown. Started by ``client.py``, not by hand.

It reads the per-run secret from stdin, prints one JSON line (pid, ports, SPKI hash) on stdout when every socket
listens, writes nothing to disk, and ends when the last user process is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import logging
import os
import resource
import signal
import socket
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.client.launching import launch
from websp_gym.sandbox.schema.catalog import BUILTIN, Catalog
from websp_gym.sandbox.schema.site_files import SiteError

from .app import SiteApp
from .certificate import derive, make_certificate
from .control import ControlApi, Leases, RequestGuard
from .sessions import Keyring
from .store import Store
from .turns import HELD_SECONDS, end_if_held

GRACE = 0.3
"""Seconds without a user before the server ends, so that one process can follow another."""

FIRST_USER = 30.0
"""Seconds that the server waits for its first user."""

MOST_USERS = 20
"""User processes that a server has room for. It is one Python process and has some 5 % of an episode's CPU."""

MEMORY = 4 * 1024**3
"""Maximum bytes of data of the process (it needs some 150 MB), so that a request cannot use up the machine's
memory."""

SWITCH = 0.0005
"""Seconds after which a busy thread lets another one run.

Every SQLite statement releases the interpreter lock. With Python's default of 5 ms, a page of fifty statements
would wait a quarter of a second to get it back.
"""

logger = logging.getLogger(__name__)


class _Server(uvicorn.Server):
    """A uvicorn server without signal handlers: the process runs three servers and handles signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Process:
    """A sandbox process with its three servers.

    Args:
        options: The parsed command line.
        secret: The secret of the control app; certificate and session tokens are derived from it.
    """

    def __init__(self, options: argparse.Namespace, secret: str) -> None:
        self._ended = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._secret = secret
        folders = [*([] if options.only else [BUILTIN]), *map(Path, options.sites)]
        self._store = Store(Catalog(folders))
        self._keys = Keyring(derive(secret, "sessions"))
        # One for browsing by hand has the default episode, so there can be no other.
        self._leases = Leases(self._store, self._users_changed, None if options.browse else options.users)
        self._options = options
        self._further: Sandbox | None = None

    async def run(self) -> None:
        """Serve until the last user is gone or a signal arrives."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._ended.set)
        options = self._options
        http, https, control = (
            _listen(port) for port in (options.http_port, options.https_port, options.control_port)
        )
        context, spki = make_certificate(self._secret)
        sites = SiteApp(self._store, self._keys, reload=options.browse)
        commands = ControlApi(
            self._store, self._keys, self._leases, self._start_further, browse=options.browse
        ).app()
        guard = RequestGuard(commands, self._secret, _port(control))
        servers = [_server(sites), _server(sites, context), _server(guard)]
        self._timer = loop.call_later(FIRST_USER, self._ended.set)
        pairs = zip(servers, (http, https, control), strict=True)
        tasks = [asyncio.create_task(server.serve([listener])) for server, listener in pairs]
        _announce(
            pid=os.getpid(),
            http_port=_port(http),
            https_port=_port(https),
            control_port=_port(control),
            spki=spki,
        )
        guarding = asyncio.create_task(end_if_held(options.held_seconds))
        await self._ended.wait()
        guarding.cancel()
        signal.setitimer(signal.ITIMER_PROF, 0)
        for server in servers:
            # All state is in memory, so open connections can be dropped.
            server.should_exit = server.force_exit = True
        await asyncio.gather(*tasks)

    def _start_further(self) -> str:
        """Start another server like this one, unless it runs; it runs as long as this one, or longer with users."""
        if self._further is None or not self._further.alive():
            options = [f"--sites={folder}" for folder in self._options.sites]
            options += ["--only"] * self._options.only
            options += [f"--users={self._options.users}", f"--held-seconds={self._options.held_seconds}"]
            self._further = Sandbox(*launch(options, self._secret))
        return self._further.address.dump()

    def _users_changed(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._leases:
            self._timer = asyncio.get_running_loop().call_later(GRACE, self._ended.set)


def main(arguments: list[str] | None = None) -> int:
    """Run the process and return the exit code: 0, or 2 if a site is invalid (arguments None: ``sys.argv``)."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    sys.setswitchinterval(SWITCH)
    _limit_memory()
    parser = argparse.ArgumentParser(prog="python -m websp_gym.sandbox.server.serve", description=__doc__)
    parser.add_argument("--sites", action="append", default=[], help="another folder of sites")
    parser.add_argument("--only", action="store_true", help="serve only the folders given by --sites")
    parser.add_argument(
        "--browse", action="store_true", help="allow a default episode and reload changed templates"
    )
    parser.add_argument(
        "--held-seconds",
        type=float,
        default=HELD_SECONDS,
        help="CPU seconds for which one request may block all others",
    )
    parser.add_argument("--users", type=int, default=MOST_USERS, help="number of processes to serve")
    for name in ("http", "https", "control"):
        parser.add_argument(f"--{name}-port", type=int, default=0, help="the port to try first")
    try:
        # The secret comes from stdin because other users of the machine can read command lines.
        asyncio.run(_run(parser.parse_args(arguments), sys.stdin.readline().strip()))
    except SiteError as error:
        logger.error("%s", error)
        return 2
    return 0


def _limit_memory() -> None:
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = MEMORY if most == resource.RLIM_INFINITY else min(MEMORY, most)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, most))


async def _run(options: argparse.Namespace, secret: str) -> None:
    await Process(options, secret).run()


def _server(app: ASGIApp, context: ssl.SSLContext | None = None) -> _Server:
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # A connection may be idle for as long as an agent thinks; a closed one would look like a dead server.
        timeout_keep_alive=24 * 3600,
    )
    config.load()
    config.ssl = context
    return _Server(config)


def _listen(port: int) -> socket.socket:
    # asyncio turns Nagle's algorithm off only if TCP is named here; with it, every response takes 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        listener.bind(("127.0.0.1", 0))
    listener.listen(256)
    listener.setblocking(False)
    return listener


def _port(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _announce(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
    # The reader closes the pipe now, so nothing may be written to it any more.
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)


if __name__ == "__main__":
    code = main()
    logging.shutdown()
    # Not sys.exit(), which would wait for worker threads whose clients are gone.
    os._exit(code)
