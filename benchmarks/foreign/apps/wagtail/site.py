"""Wagtail with a small site, behind one address; its database is the truth."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Page

from benchmarks.foreign.app import OTHER, RECORDED, App, Version
from benchmarks.foreign.apps.wagtail.targets import TARGETS, Aim
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Drift
from benchmarks.foreign.person import Gesture

PROJECT = Path(__file__).resolve().parent / "project"
_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}


class Backend:
    """A process that serves the site in one version and order, with a database of its own.

    Args:
        app: The application, built.
        version: The version of Wagtail.
        order: ``plain`` or ``other``.
    """

    def __init__(self, app: App, version: Version, order: str) -> None:
        python = folder(app, version) / "venv" / "bin" / "python"
        self._process = subprocess.Popen(
            [str(python), "-B", str(PROJECT / "serve.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"FOREIGN_ORDER": order, "PATH": "/usr/bin:/bin", "TMPDIR": tempfile.gettempdir()},
        )
        self.port = int(self._line())

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the process's answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._line())
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the site's process has ended")
        return line


class Wagtail:
    """The application.

    Args:
        app: What is known about it.
        stack: Ends what it starts.
    """

    def __init__(self, app: App, stack: ExitStack) -> None:
        self._app = app
        self._stack = stack
        self._backends: dict[tuple[Version, str], Backend] = {}
        self._before: dict[str, Any] = {}
        self.current: Backend | None = None
        self.home = ""

    def targets(self) -> Sequence[Aim]:
        """Return what a person operates."""
        return TARGETS

    def offer(self, drift: Drift, aim: Any) -> str:
        """Put the database into its state after a drift."""
        version, order = (
            (OTHER if drift == "version" else RECORDED),
            ("other" if drift == "order" else "plain"),
        )
        if (version, order) not in self._backends:
            backend = Backend(self._app, version, order)
            self._stack.callback(backend.close)
            self._backends[version, order] = backend
        self.current = self._backends[version, order]
        self.current.ask({"offer": drift, "keep": list(aim.keep)})
        self._before = self.current.ask({"held": True})
        return f"{self.home}{aim.path}"

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does."""
        return list(aim.gestures)

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return what the database holds now and did not before; None for what is gone."""
        assert self.current is not None
        now = self.current.ask({"held": True})
        names = sorted({*self._before, *now})
        return {
            name: now.get(name)
            for name in names
            if now.get(name, _NOTHING) != self._before.get(name, _NOTHING)
        }


_NOTHING = object()


class _Front(BaseHTTPRequestHandler):
    """Passes requests on to the process that is current, so that all have the same address."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, site: Wagtail, **options: Any) -> None:
        self._site = site
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        assert self._site.current is not None
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        behind = http.client.HTTPConnection("127.0.0.1", self._site.current.port, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        behind.request(self.command, self.path, body or None, headers)
        answer = behind.getresponse()
        text = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        behind.close()

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
def running(app: App) -> Iterator[Wagtail]:
    """Yield the application, behind one address."""
    with ExitStack() as stack:
        site = Wagtail(app, stack)
        web = _FrontServer(("127.0.0.1", 0), partial(_Front, site=site))
        thread = Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(web.server_close)
        stack.callback(web.shutdown)
        site.home = f"http://{app.name}.localhost:{web.server_port}"
        yield site
