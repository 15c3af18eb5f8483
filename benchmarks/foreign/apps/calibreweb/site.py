"""Calibre-Web with a small library, behind one address; its database is the truth."""

from __future__ import annotations

import http.client
import json
import subprocess
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
from benchmarks.foreign.apps.calibreweb.targets import TARGETS, Aim
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Drift
from benchmarks.foreign.person import Gesture

PROJECT = Path(__file__).resolve().parent / "project"
_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}
_ABSENT = object()


class Backend:
    """A process that serves the library in one version, with databases of its own.

    Args:
        app: The application, built.
        version: The version of Calibre-Web.
        place: An empty folder for its databases.
    """

    def __init__(self, app: App, version: Version, place: str) -> None:
        python = folder(app, version) / "venv" / "bin" / "python"
        command = [str(python), "-B", str(PROJECT / "serve.py"), place]
        # The first start writes the database of the settings, and ends.
        subprocess.run(command, check=True, capture_output=True)
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the process's answer."""
        behind = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        behind.request("POST", "/__ask", json.dumps(question))
        answer = json.loads(behind.getresponse().read())
        behind.close()
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


class CalibreWeb:
    """The application.

    Args:
        app: What is known about it.
        stack: Ends what it starts.
    """

    def __init__(self, app: App, stack: ExitStack) -> None:
        self._app = app
        self._stack = stack
        self._backends: dict[Version, Backend] = {}
        self._before: dict[str, Any] = {}
        self.current: Backend | None = None
        self.home = ""

    def targets(self) -> Sequence[Aim]:
        """Return what a person operates."""
        return TARGETS

    def offer(self, drift: Drift, aim: Any) -> str:
        """Put the databases into their state after a drift."""
        version = OTHER if drift == "version" else RECORDED
        if version not in self._backends:
            place = self._stack.enter_context(tempfile.TemporaryDirectory())
            self._backends[version] = Backend(self._app, version, place)
            self._stack.callback(self._backends[version].close)
        self.current = self._backends[version]
        self.current.ask({"offer": drift, "keep": list(aim.keep)})
        self._before = self.current.ask({})
        return f"{self.home}{aim.path}"

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does."""
        return list(aim.gestures)

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return what the databases hold now and did not before; None for what is gone."""
        assert self.current is not None
        now = self.current.ask({})
        names = sorted({*self._before, *now})
        changed = [name for name in names if now.get(name, _ABSENT) != self._before.get(name, _ABSENT)]
        return {name: now.get(name) for name in changed}


class _Front(BaseHTTPRequestHandler):
    """Passes requests on to the process that is current, so that both versions have the same address."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, site: CalibreWeb, **options: Any) -> None:
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
        behind.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def running(app: App) -> Iterator[CalibreWeb]:
    """Yield the application, behind one address."""
    with ExitStack() as stack:
        site = CalibreWeb(app, stack)
        web = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Front, site=site))
        web.daemon_threads = True
        thread = Thread(target=web.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        stack.callback(thread.join)
        stack.callback(web.server_close)
        stack.callback(web.shutdown)
        site.home = f"http://{app.name}.localhost:{web.server_port}"
        yield site
