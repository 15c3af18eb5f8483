"""A small web server with a memory and a studio, for the tests of the recorder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from tests.kept_tab import borrowed_tab
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, replay

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs

PAGES = Path(__file__).parent / "pages" / "recorder"
ACCOUNT = {"email": "carol.jones@example.org", "username": "carolj", "name": "Carol Jones"}
PASSWORD = "Tr0ub4dor&3-horse"
PATIENCE = 150.0
"""Seconds after which a wait is given up; only what never comes takes as long."""


@dataclass
class Server:
    """Serves the fixture pages on two origins and keeps what they say they would have saved."""

    base: str = ""
    other: str = ""
    state: dict[str, Any] = field(default_factory=dict)

    def url(self, page: str) -> str:
        """Address of a fixture page, which gets the second origin as ``?other=``."""
        return f"{self.base}/{page}?other={self.other}" if "?" not in page else f"{self.base}/{page}"

    def wait_for(self, page: Page, expected: dict[str, Any]) -> None:
        """Waits until the server holds a state, while the browser goes on."""
        end = time.monotonic() + PATIENCE
        while self.state != expected and time.monotonic() < end:
            page.wait_for_timeout(5)
        assert self.state == expected, f"{self.state} is not {expected}"


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, *args: Any, server_state: Server, **options: Any) -> None:
        self.memory = server_state
        super().__init__(*args, **options)

    def do_GET(self) -> None:
        if self.path.startswith("/account?"):  # asks to sign in first
            self.send_response(303)
            self.send_header("location", "/form.html?client=1&state=Xy7Qk2Lm9PvR")
            self.end_headers()
        else:
            super().do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self.path == "/state":
            self.memory.state = json.loads(body)
            self.send_response(204)
        else:
            self.memory.state = {
                key: values[0] for key, values in parse_qs(body, keep_blank_values=True).items()
            }
            self.send_response(303)
            self.send_header("location", "/form_other.html")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """The server, for a whole module."""
    memory = Server()
    handler = partial(_Handler, directory=str(PAGES), server_state=memory)
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as one,
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as two,
    ):
        for each in (one, two):
            Thread(target=each.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        memory.base = f"http://127.0.0.1:{one.server_address[1]}"
        # Another site, not only another port.
        memory.other = f"http://localhost:{two.server_address[1]}"
        yield memory
        one.shutdown()
        two.shutdown()


@pytest.fixture(scope="module")
def opened_studio(browser_thread: None) -> Iterator[RecorderBrowser]:
    """One studio for a whole module: starting a browser takes a second."""
    with RecorderBrowser() as studio:
        yield studio


@pytest.fixture
def studio(opened_studio: RecorderBrowser, server: Server) -> Iterator[RecorderBrowser]:
    """The studio with nothing recorded and one tab."""
    server.state = {}
    yield opened_studio
    opened_studio.discard()
    first = opened_studio.page
    for page in opened_studio.context.pages:
        if page is not first:
            page.close()
    first.goto("about:blank")


Record = Callable[..., "Page"]


@pytest.fixture
def record(studio: RecorderBrowser, server: Server) -> Record:
    """Opens a fixture page and starts recording."""

    def record_(page: str, **options: Any) -> Page:
        studio.page.goto(server.url(page))
        studio.start("a test", "local", account=ACCOUNT, **options)
        return studio.page

    return record_


@pytest.fixture
def replayed(server: Server) -> Iterator[Callable[[Trace], Tabs]]:
    """Replays a trace in a fresh tab, with the server's state forgotten."""
    with ExitStack() as open_:

        def replayed_(trace: Trace) -> Tabs:
            server.state = {}
            tabs = open_.enter_context(borrowed_tab(with_tabs=True)).tabs
            replay(trace, tabs, set="recorded", account={**ACCOUNT, "password": PASSWORD}, timeout=PATIENCE)
            return tabs

        yield replayed_


def recorded(studio: RecorderBrowser) -> Trace:
    """Stop and return the recording, without loading its pages once more to see what they kept (a second of CPU)."""
    studio.call("stop")
    return studio.trace()


def facts(trace: Trace) -> list[tuple[Any, ...]]:
    """Type, role and name, and value or key of every event."""
    return [
        (
            event.type,
            (event.target.role, event.target.name or event.target.text) if event.target else event.url,
            event.value if event.value is not None else event.key,
        )
        for event in trace.events
    ]


def rest(page: Page) -> None:
    """Waits a few frames, as a hand does between two things."""
    page.evaluate(
        "() => new Promise(done => { let n = 6; const turn = () => (n-- ? requestAnimationFrame(turn) : done()); turn(); })"
    )
