"""A small server on this machine that shows the galleries and hears what was operated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.foreign.app import HERE, App
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Shown
from benchmarks.serving import served

_TRUTH = (HERE / "common" / "truth.js").read_text("utf-8")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}


class Server:
    """The current pages and the reports since; one per process.

    Args:
        app: The application.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._shown = Shown({})
        self.home = ""
        """Address of the pages."""
        self.told: list[tuple[str, Any]] = []
        """Keys of what was operated, with the new values, in order."""

    def show(self, shown: Shown) -> None:
        """Serve these pages from now on, and forget earlier reports."""
        self._shown = shown
        self.told.clear()

    def built(self, name: str) -> Path:
        """Return a file that was built for the version that is shown."""
        return folder(self._app, self._shown.version) / "dist" / name

    def page(self, path: str) -> str:
        """Return a page of the application as HTML; "" where there is none."""
        page = self._shown.pages.get(path)
        if page is None:
            return ""
        data, assets = json.dumps(page).replace("<", "\\u003c"), f"/assets/{self._shown.version}"
        style = f'<link rel="stylesheet" href="{assets}/app.css">' if self.built("app.css").exists() else ""
        return (
            f'<!doctype html><html lang="{page["lang"]}"><head><meta charset="utf-8">'
            f"<title>{page['title']} · {page['site']}</title>"
            f'<link rel="icon" href="data:,">{style}</head><body><div id="root"></div>'
            f"<script>{_TRUTH}\n__show({data})</script>"
            f'<script src="{assets}/app.js"></script></body></html>'
        )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, *args: Any, memory: Server, **options: Any) -> None:
        self._memory = memory
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        parts = urlsplit(self.path).path.strip("/").split("/")
        if parts[0] == "assets":
            file = self._memory.built(Path(parts[-1]).name)
            self._answer(file.read_bytes(), file.suffix, "max-age=86400, immutable")
        else:
            text = self._memory.page(parts[-1])
            self._answer(text.encode(), ".html", "no-store", 200 if text else 404)

    def do_POST(self) -> None:
        key, value = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._memory.told.append((key, value))
        self._answer(b"", ".html", "no-store", 204)

    def _answer(self, body: bytes, suffix: str, keep: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{_TYPES.get(suffix, 'application/octet-stream')}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", keep)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serve(app: App) -> Iterator[Server]:
    """Yield a server of an application's built versions."""
    server = Server(app)
    with served(partial(_Handler, memory=server)) as port:
        # Chromium leads every name below localhost to this machine.
        server.home = f"http://{app.name}.localhost:{port}/settings/"
        yield server
