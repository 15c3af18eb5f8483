"""Opens the fixture pages of ``tests/pages`` in a real browser, served on two ports (two origins)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from tests.kept_tab import borrowed_tab
from websp_gym.browser.isolated import Frame, worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = Path(__file__).parent / "pages"

OpenPage = Callable[[str], "Page"]
ShowHtml = Callable[[str], "Page"]


def in_our_world(where: Page | Frame, function: str, given: Any = None) -> Any:
    """Calls a JavaScript function where ``__websp`` is, as ``page.evaluate`` does in the page's own world."""
    frame = where if isinstance(where, Frame) else worlds_of(where).main
    return frame.run(f"function (given) {{ return ({function})(given); }}", given)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def _served() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(PAGES))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def origins() -> Iterator[tuple[str, str]]:
    """Two origins that serve the same pages."""
    with _served() as first, _served() as second:
        yield first, second


@pytest.fixture
def blank_page(browser_thread: None) -> Iterator[Page]:
    """A blank page, 1280 x 1024."""
    with borrowed_tab() as tab:
        yield tab.page


@pytest.fixture
def open_page(blank_page: Page, origins: tuple[str, str]) -> OpenPage:
    """Opens a fixture page by its file name; ``?other=`` is the second origin."""

    def open_(name: str) -> Page:
        blank_page.goto(f"{origins[0]}/{name}?other={origins[1]}")
        return blank_page

    return open_


@pytest.fixture
def show(blank_page: Page) -> ShowHtml:
    """Shows a piece of HTML."""

    def show_(html: str) -> Page:
        blank_page.set_content(f"<!doctype html><html><body>{html}</body></html>")
        return blank_page

    return show_
