"""Server-rendered applications: processes with databases of their own, behind one address."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from playwright.sync_api import Page

from benchmarks.foreign.app import OTHER, RECORDED, App, Version
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Change
from benchmarks.foreign.person import Gesture

ASK = "/__ask"
PASSWORD = "lighthouse keeper"
"""The password of the person."""
SIGNED_IN = "X-Signed-In"
"""Header by which the application signs the person in; a session that has expired gets neither it nor its cookies."""
_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}
_ABSENT = object()


@dataclass(frozen=True)
class ServerAim:
    """A target of a server-rendered application.

    Args:
        key: Its name.
        path: Where the person starts.
        gestures: What the person does.
        keep: What every drift must leave: keys of what the application holds, and names of rows.
        stable: Whether all that is pressed has a name attribute or an id.
        taken: Value that something else has by now, so that the server refuses it; empty for none.
        invalid: Value that the server takes for none, in place of the typed one; empty for none.
        secret: Whether the server asks for the password, and may have another one by now.
        expires: Whether the session may end before what is sent.
    """

    key: str
    path: str
    gestures: tuple[Gesture, ...]
    keep: tuple[str, ...] = ()
    stable: bool = False
    taken: str = ""
    invalid: str = ""
    secret: bool = False
    expires: bool = False


class Backend:
    """A process that serves an application in one version, with a database of its own.

    Args:
        app: The application, built.
        version: Its version.
        project: The folder with ``serve.py``, which gets an empty folder and prints the port that it serves.
        place: The empty folder.
        starts: How often ``serve.py`` is started: the first starts may only prepare.
    """

    def __init__(self, app: App, version: Version, project: Path, place: str, starts: int = 1) -> None:
        python = folder(app, version) / "venv" / "bin" / "python"
        command = [str(python), "-B", str(project / "serve.py"), place]
        for _ in range(starts - 1):
            subprocess.run(command, check=True, capture_output=True)
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the process's answer."""
        behind = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        behind.request("POST", ASK, json.dumps(question), {"Content-Type": "application/json"})
        answer = json.loads(behind.getresponse().read())
        behind.close()
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


class ServerApplication:
    """An application whose database is the truth.

    Args:
        app: What is known about it.
        aims: What a person operates.
        stack: Ends what it starts.
        starts: How often its process is started until it serves.
    """

    def __init__(self, app: App, aims: Sequence[Any], stack: ExitStack, starts: int = 1) -> None:
        self._app = app
        self._aims = aims
        self._stack = stack
        self._starts = starts
        self._backends: dict[Version, Backend] = {}
        self._before: dict[str, Any] = {}
        self.current: Backend | None = None
        self.home = ""
        self.expires = False
        """Whether the session ends with the next thing that is sent."""
        self.expired = False

    def targets(self) -> Sequence[Any]:
        """Return what a person operates."""
        return self._aims

    def offer(self, drift: Change, aim: Any) -> str:
        """Put the database into its state after a drift, or before a refusal."""
        version = OTHER if drift == "version" else RECORDED
        if version not in self._backends:
            place = self._stack.enter_context(tempfile.TemporaryDirectory())
            backend = Backend(self._app, version, self._app.folder / "project", place, self._starts)
            self._stack.callback(backend.close)
            self._backends[version] = backend
        self.current = self._backends[version]
        self.expires, self.expired = drift == "expired", False
        self.current.ask({"offer": drift, "keep": list(aim.keep), "taken": getattr(aim, "taken", "")})
        self._before = self.current.ask({})
        return f"{self.home}{aim.path}"

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does."""
        return list(aim.gestures)

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return what the database holds now and did not before; None for what is gone."""
        assert self.current is not None
        return changes(self._before, self.current.ask({}))

    @property
    def port(self) -> int:
        """Port of the process that is current."""
        assert self.current is not None
        return self.current.port

    def headers(self, method: str, given: Iterator[tuple[str, str]]) -> dict[str, str]:
        """Return the headers of a request as they are passed on."""
        self.expired |= self.expires and method == "POST"
        left = {"connection", "cookie"} if self.expired else {"connection"}
        own = {name: value for name, value in given if name.lower() not in left}
        return own if self.expired else own | {SIGNED_IN: "1"}


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a database holds now and did not before; None for what is gone."""
    names = sorted({*before, *now})
    return {name: now.get(name) for name in names if now.get(name, _ABSENT) != before.get(name, _ABSENT)}


class Behind(Protocol):
    """The processes behind the address, of which one is current."""

    @property
    def port(self) -> int:
        """Port of the process that is current."""

    def headers(self, method: str, given: Iterator[tuple[str, str]]) -> dict[str, str]:
        """Return the headers of a request as they are passed on."""


class _Front(BaseHTTPRequestHandler):
    """Passes requests on to the process that is current, so that all versions have the same address."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, site: Behind, **options: Any) -> None:
        self._site = site
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        behind = http.client.HTTPConnection("127.0.0.1", self._site.port, timeout=60)
        headers = self._site.headers(self.command, iter(self.headers.items()))
        behind.request(self.command, self.path, body or None, headers)
        answer = behind.getresponse()
        text = answer.read()
        behind.close()
        self.send_response(answer.status)
        # The database changes behind the browser's back, so no page is kept.
        is_page = answer.getheader("Content-Type", "").startswith("text/html")
        left = {*_HOP, "cache-control", "expires", "etag", "last-modified"} if is_page else _HOP
        for name, value in answer.getheaders():
            if name.lower() not in left:
                self.send_header(name, value)
        if is_page:
            self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self) -> None:
        self.do_GET()

    def do_PATCH(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _FrontServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about a browser that leaves a page before its files have come."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def behind_one_address(app: App, aims: Sequence[Any], *, starts: int = 1) -> Iterator[ServerApplication]:
    """Yield an application, behind one address."""
    with ExitStack() as stack:
        site = ServerApplication(app, aims, stack, starts)
        site.home = serve_in_front(app, site, stack)
        yield site


def serve_in_front(app: App, site: Behind, stack: ExitStack) -> str:
    """Serve what stands behind one address until the stack is closed, and return the address."""
    web = _FrontServer(("127.0.0.1", 0), partial(_Front, site=site))
    thread = Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    stack.callback(thread.join)
    stack.callback(web.server_close)
    stack.callback(web.shutdown)
    return f"http://{app.name}.localhost:{web.server_port}"
