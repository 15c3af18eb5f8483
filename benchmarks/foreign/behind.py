"""Server-rendered applications: processes with databases of their own, behind one address."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler
from importlib import import_module
from typing import Any, ClassVar

from playwright.sync_api import Page

from benchmarks.foreign.app import HERE, OTHER, RECORDED, App, Version
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Change, Refusal
from benchmarks.foreign.person import Gesture
from benchmarks.serving import served

ASK = "/__ask"
PASSWORD = "lighthouse keeper"
"""The password of the person."""
SIGNED_IN = "X-Signed-In"
"""Header by which the application signs the person in; a session that has expired gets neither it nor its cookies."""
_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}
_KEEPS = {"cache-control", "expires", "etag", "last-modified"}
_ABSENT = object()


@dataclass(frozen=True)
class ServerAim:
    """A target of a server-rendered application.

    Args:
        key: Its name.
        path: Where the person starts.
        gestures: What the person does.
        keep: What every drift must leave: keys of what the application holds, and names of rows.
        taken: Value that something else has by now, so that the server refuses it; empty for none.
        invalid: Value that the server takes for none, in place of the typed one; empty for none.
        secret: Whether the server asks for the password, and may have another one by now.
        expires: Whether the session may end before what is sent.
    """

    key: str
    path: str
    gestures: tuple[Gesture, ...]
    keep: tuple[str, ...] = ()
    taken: str = ""
    invalid: str = ""
    secret: bool = False
    expires: bool = False
    stable: ClassVar = False
    """All of them take several presses, and not all that is pressed has a name attribute or an id."""

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """For which reasons the server can be made to refuse what is done."""
        reasons: dict[Refusal, object] = {
            "taken": self.taken,
            "invalid": self.invalid,
            "password": self.secret,
            "expired": self.expires,
        }
        return tuple(reason for reason, can in reasons.items() if can)


class Backend:
    """A process that serves an application in one version, with a database of its own in an empty folder."""

    def __init__(self, app: App, version: Version, place: str) -> None:
        python = folder(app, version) / "venv" / "bin" / "python"
        self._process = subprocess.Popen(
            [str(python), "-B", str(app.folder / "project" / "serve.py"), place],
            env={**os.environ, "PYTHONPATH": str(HERE / "common")},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the process's answer."""
        _, text = self.pass_on(
            "POST", ASK, json.dumps(question).encode(), {"Content-Type": "application/json"}
        )
        return json.loads(text)

    def pass_on(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Send a request; return the answer and its body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer, text

    def close(self) -> None:
        """End the process."""
        with self._process:
            self._process.kill()


class ServerApplication:
    """An application whose database is the truth."""

    def __init__(self, app: App, stack: ExitStack) -> None:
        self._app = app
        self._stack = stack
        self._backends: dict[Version, Backend] = {}
        self._before: dict[str, Any] = {}
        self._expires = self._expired = False
        self.home = ""

    @property
    def current(self) -> Backend:
        """The process that answers."""
        return self._backends[self._version]

    def targets(self) -> Sequence[ServerAim]:
        """Return what a person operates."""
        aims: Sequence[ServerAim] = import_module(f"benchmarks.foreign.apps.{self._app.name}.targets").TARGETS
        return aims

    def offer(self, drift: Change, aim: Any) -> str:
        """Put the database into its state after a drift, or before a refusal."""
        self._version: Version = OTHER if drift == "version" else RECORDED
        if self._version not in self._backends:
            place = self._stack.enter_context(tempfile.TemporaryDirectory())
            self._backends[self._version] = Backend(self._app, self._version, place)
            self._stack.callback(self.current.close)
        self._expires, self._expired = drift == "expired", False
        self.current.ask({"offer": drift, "keep": list(aim.keep), "taken": aim.taken})
        self._before = self.current.ask({})
        return f"{self.home}{aim.path}"

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does."""
        return list(aim.gestures)

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return what the database holds now and did not before; None for what is gone."""
        now, before = self.current.ask({}), self._before
        names = sorted({*before, *now})
        return {name: now.get(name) for name in names if now.get(name, _ABSENT) != before.get(name, _ABSENT)}

    def headers(self, method: str, given: Mapping[str, str]) -> dict[str, str]:
        """Return the headers of a request as they are passed on: the session may end with what is sent."""
        self._expired |= self._expires and method == "POST"
        left = {"connection", "cookie"} if self._expired else {"connection"}
        own = {name: value for name, value in given.items() if name.lower() not in left}
        return own if self._expired else own | {SIGNED_IN: "1"}


class _Front(BaseHTTPRequestHandler):
    """Passes requests on to the process that is current, so that all versions have the same address."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, site: ServerApplication, **options: Any) -> None:
        self._site = site
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = self._site.headers(self.command, dict(self.headers.items()))
        answer, text = self._site.current.pass_on(self.command, self.path, body or None, headers)
        self.send_response(answer.status)
        # The database changes behind the browser's back, so no page is kept.
        is_page = answer.getheader("Content-Type", "").startswith("text/html")
        for name, value in answer.getheaders():
            if name.lower() not in (_HOP | _KEEPS if is_page else _HOP):
                self.send_header(name, value)
        if is_page:
            self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def behind_one_address(app: App) -> Iterator[ServerApplication]:
    """Yield an application, behind one address."""
    with ExitStack() as stack:
        site = ServerApplication(app, stack)
        port = stack.enter_context(served(partial(_Front, site=site)))
        site.home = f"http://{app.name}.localhost:{port}"
        yield site
