"""A browser with the fixture pages of replay, and what a recorder would have taken from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Frame, Page, Route

from tests.kept_tab import borrowed_tab
from websp_gym.browser.tabs import Tabs
from websp_gym.replay import ReplayReport, Trace, replay
from websp_gym.replay.locate import install

PAGES = Path(__file__).parent / "pages"
HOME = "https://replay.example"
ACCOUNT = {"email": "ada@example.com", "username": "ada", "name": "Ada", "password": "s3cret"}
HOSTS = {"frames.example": "frame", "login.example": "popup"}
Event = dict[str, Any]
ON = "el => { const state = __websp.stateOf(el); return state.checked ?? state.pressed; }"


def serve(route: Route) -> None:
    """The page a URL's host and last path segment stand for."""
    url = urlsplit(route.request.url)
    name = HOSTS.get(url.hostname or "") or url.path.strip("/")
    path = PAGES / f"replay_{name}.html"
    body = path.read_text("utf-8") if path.is_file() else "<!doctype html><title>Empty</title>"
    route.fulfill(body=body, content_type="text/html")


class Bench:
    """A browser context with the fixture pages, and what a recorder would have taken from them."""

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs

    @property
    def page(self) -> Page:
        return self.tabs.current

    def open(self, name: str) -> Page:
        self.page.goto(f"{HOME}/{name}")
        return self.page

    def show(self, html: str) -> Page:
        if not self.page.url.startswith(HOME):
            self.page.goto(f"{HOME}/empty")
        self.page.set_content(html)
        return self.page

    def target(self, css: str, frame: Frame | None = None, path: tuple[str, ...] = ()) -> dict[str, Any]:
        # What a recording keeps of it: the uncut texts stay with the recorder.
        script = "css => { const { uncut, ...print } = __websp.recordedPrint(__websp.allByCss(css)[0]); return print; }"
        frame = frame or self.page.main_frame
        install(frame)
        print_: dict[str, Any] = frame.evaluate(script, css)
        return print_ | {"framePath": path}

    def event(self, type_: str, css: str, **more: Any) -> Event:
        """An event on an element of the page that is open now."""
        return {"type": type_, "url": self.page.url, "target": self.target(css)} | more

    def play(
        self, *events: Event, set_: Any = "recorded", start: str | None = None, **options: Any
    ) -> ReplayReport:
        trace = Trace.model_validate(
            {
                "schema": "websp-trace/2",
                "name": "test",
                "site": "test",
                "start_url": f"{HOME}/{start or 'empty'}",
                "events": events,
            }
        )
        more: dict[str, Any] = {"account": ACCOUNT, "timeout": 30.0, **options}
        return replay(trace, self.tabs, set=set_, start=start is not None, **more)

    def checked(self, css: str) -> bool | None:
        install(self.page.main_frame)
        element = self.page.evaluate_handle("css => __websp.allByCss(css)[0]", css).as_element()
        assert element is not None
        return element.evaluate(ON)  # type: ignore[no-any-return]


@pytest.fixture
def bench(browser_thread: None) -> Iterator[Bench]:
    with borrowed_tab(viewport=(1280, 800), prepare=_serve_all, with_tabs=True) as tab:
        yield Bench(tab.tabs)


def _serve_all(context: BrowserContext) -> None:
    context.route("**/*", serve)
