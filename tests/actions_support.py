"""Acts on pages in a real browser, served by two small sites (two origins) that can be slow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.kept_tab import borrowed_tab
from websp_gym.actions import parse_action
from websp_gym.actions.perform import perform
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ActionError
from websp_gym.observation.marks import Mark, Marks, collect_marks

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = Path(__file__).parent / "pages"


@dataclass(frozen=True)
class Reply:
    """A site's answer: after ``delay`` seconds, its body ``pause`` seconds later, and without an end if ``endless``."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pause: float = 0.0
    endless: bool = False


class Site:
    """A web server; pages of ``tests/pages`` and whatever a test puts there.

    Args:
        server: The listening server.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.replies: dict[str, Reply] = {}
        self.requests: list[str] = []
        self.closing = Event()

    def put(self, path: str, body: str = "", **options: Any) -> str:
        """Serves a reply under a path; returns its URL."""
        self.replies[path] = Reply(body, **options)
        return self.url + path

    def reply(self, path: str) -> Reply:
        """The answer under a path."""
        found = self.replies.get(path)
        if found is not None:
            return found
        file = PAGES / path.lstrip("/")
        return Reply(file.read_text(encoding="utf-8")) if file.is_file() else Reply(status=404)


def _handler(site: dict[str, Site]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = site["here"]
            here.requests.append(f"{self.command} {self.path}")
            self.rfile.read(int(self.headers.get("content-length", 0)))
            reply = here.reply(self.path.split("?", 1)[0])
            here.closing.wait(reply.delay)
            body = reply.body.encode()
            self.send_response(reply.status)
            for name, value in {"content-type": "text/html; charset=utf-8", **reply.headers}.items():
                self.send_header(name, value)
            if not reply.endless:
                self.send_header("content-length", str(len(body)))
            self.end_headers()
            here.closing.wait(reply.pause)
            self.wfile.write(body)
            if reply.endless:
                self.wfile.flush()
                here.closing.wait()

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):  # the browser hung up
                super().handle()

    return Handler


@contextmanager
def serve() -> Iterator[Site]:
    """A running site."""
    holder: dict[str, Site] = {}
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(holder)) as server:
        server.daemon_threads = True
        site = holder["here"] = Site(server)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield site
        site.closing.set()
        server.shutdown()
        thread.join()


class Hands:
    """An agent's view of a browser: marks to look at, actions to take.

    Args:
        tabs: The open tabs.
        site: The site pages are shown from.
        other: A site of another origin.
    """

    def __init__(self, tabs: Tabs, site: Site, other: Site) -> None:
        self.tabs = tabs
        self.site = site
        self.other = other
        self._pages = 0
        self.rested = True
        """Whether the page came to rest before it was last looked at."""
        self.told: list[str] = []
        """The notices after the last action, without its error."""
        self.marks = Marks((), ())

    @property
    def page(self) -> Page:
        """The current tab."""
        return self.tabs.current

    def show(self, body: str) -> Page:
        """Shows a piece of HTML as a page of the site."""
        self._pages += 1
        return self.open(self.site.put(f"/shown-{self._pages}", f"<!doctype html><body>{body}"))

    def open(self, url: str) -> Page:
        """Opens a page and looks at it; a bare name is one of ``tests/pages``, told the other origin."""
        self.page.goto(url if "://" in url else f"{self.site.url}/{url}?other={self.other.url}")
        self.look()
        return self.page

    def look(self) -> None:
        """Waits for the page to rest and takes its marks."""
        self.rested = settle(self.tabs)
        self.marks = collect_marks(self.page)

    def mark(self, name: str, role: str | None = None) -> Mark:
        """The mark with this name."""
        found = [mark for mark in self.marks if mark.name == name and role in (None, mark.role)]
        assert len(found) == 1, f"{name}: {self.marks.text()}"
        return found[0]

    def names(self) -> list[str]:
        """The names of all marks."""
        return [mark.name for mark in self.marks]

    def do(self, action: str, name: str | None = None, rest: str = "") -> None:
        """Performs an action, on the mark with this name if one is given, and looks at what came of it."""
        text = action if name is None else f"{action} [{self.mark(name).number}]{rest}"
        self.tabs.begin_step()
        perform(parse_action(text), self.tabs, self.marks)
        self.told = self.tabs.notices.texts
        self.look()

    def click(self, name: str) -> None:
        """Clicks a mark."""
        self.do("Click", name)

    def type(self, name: str, text: str) -> None:
        """Types into a mark."""
        self.do("Type", name, f"; {text}")

    def refused(self, action: str, name: str | None = None, rest: str = "") -> str:
        """Performs an action that must fail; returns the error's message."""
        with pytest.raises(ActionError) as caught:
            self.do(action, name, rest)
        return str(caught.value)


@pytest.fixture(scope="session")
def sites() -> Iterator[tuple[Site, Site]]:
    """Two sites of different origins."""
    with serve() as first, serve() as second:
        yield first, second


@pytest.fixture
def hands(browser_thread: None, sites: tuple[Site, Site]) -> Iterator[Hands]:
    """A browser of 1280 x 1024 with one blank tab."""
    with borrowed_tab(with_tabs=True) as tab:
        yield Hands(tab.tabs, *sites)
