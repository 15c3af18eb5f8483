"""A website of a few settings without accounts, and an author who has tasks on it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition
from typing import Any

import pytest

from tests.http_support import Handler, listening
from tests.live_support import home, live_env

__all__ = ["author", "home", "site"]

PATIENCE = 90.0
"""Seconds for which a page waits for browsers that do not come."""
PAGE = """<!doctype html><title>Settings</title>
<button id=hide onclick="fetch('/set?hidden').then(() => location.reload())">%(hidden)s my profile</button>
<a href="/set?%(history)s">Turn %(history)s</a>
<button id=theme onclick="keep('theme'); name_it()"></button>
<div id=banner><button onclick="keep('consent'); banner.remove()">Reject all</button></div>
<button onclick="fetch('/set?mails'); for (const box of document.querySelectorAll('input')) box.checked = true">All mails</button>
<label><input type=checkbox %(mails)s>News</label><label><input type=checkbox %(mails)s>Tips</label>
<button aria-haspopup=menu onclick="menu.hidden = false">Menu</button><div id=menu hidden><a href=/help>Help</a></div>
<button onclick="more.hidden = false">More</button><div id=more hidden><a href=/about>About</a></div>
<button aria-expanded=false onclick="this.setAttribute('aria-expanded', 'true')">Details</button>
<a href=/privacy>Privacy</a>
<script>
  const keep = (key) => { if (%(keeps)s) document.cookie = key + '=yes;path=/'; };
  const kept = (key) => document.cookie.includes(key + '=yes');
  const name_it = () => { theme.textContent = kept('theme') ? 'Light theme' : 'Dark theme'; };
  name_it();
  if (kept('consent')) banner.remove();
</script>"""

OTHER = "<!doctype html><title>Page</title><a href=/>Settings</a>"
TASKS = """\
site: Small
slug: small
website_category: Developer tools
start_url: {url}/
account: {account}
tasks:
  - id: Small-task-1
    category: UI/UX Preferences
    instruction: Do it.
    instruction_with_navigation: Open the settings and do it.
    goal: {{settings: {{done: true}}}}
    instances:
      - instance: Small-task-1
        initial_state: [{{replay: small/press.json}}]
        expect: {{settings: {expect}}}
        ground_truth: [{{holds: {{role: button, name: Menu}}, element: Button}}]
"""


@dataclass
class Settings:
    """A site whose settings are set by the addresses of pages and in the browser.

    Args:
        url: Its address.
        forgets: Whether it answers well, and keeps nothing.
        on: What was set on the server.
        turned_away: Status of the answer for some paths, from the request with this number on.
        asked: The paths that were asked for.
        together: How many browsers, by their user agents, must have come before a page is answered.
        visitors: How often each browser came.
    """

    url: str = ""
    forgets: bool = False
    on: set[str] = field(default_factory=set)
    turned_away: dict[str, tuple[int, int]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    together: int = 1
    visitors: Counter[str] = field(default_factory=Counter)
    _came: Condition = field(default_factory=Condition)

    def meet(self, visitor: str) -> None:
        """Waits until enough browsers have come."""
        with self._came:
            self.visitors[visitor] += 1
            self._came.notify_all()
            self._came.wait_for(lambda: len(self.visitors) >= self.together, PATIENCE)

    def page(self) -> str:
        """Returns the page, as it is now."""
        return PAGE % {
            "hidden": "Show" if "hidden" in self.on else "Hide",
            "history": "on" if "off" in self.on else "off",
            "mails": "checked" if "mails" in self.on else "",
            "keeps": json.dumps(not self.forgets),
        }


class _Handler(Handler):
    site: Settings

    def do_GET(self) -> None:
        path, _, key = self.path.partition("?")
        self.site.meet(self.headers["user-agent"] or "")
        if path == "/set" and not self.site.forgets:
            self.site.on.add(key)
        body = (self.site.page() if path == "/" else OTHER).encode()
        self.site.asked.append(path)
        status, since = self.site.turned_away.get(path, (200, 0))
        self.send_response(status if self.site.asked.count(path) > since else 200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve() -> Iterator[Settings]:
    """A running site."""
    site = Settings()
    with listening(_Handler, site=site) as site.url:
        yield site


@pytest.fixture
def site() -> Iterator[Settings]:
    with serve() as site:
        yield site


def press(role: str, name: str, url: str, href: str | None = None) -> dict[str, Any]:
    """Returns the event of a press, as the recorder writes it."""
    target = {"tag": "a" if role == "link" else role, "role": role, "name": name, "text": name, "href": href}
    return {"type": "click", "url": url, "target": {key: each for key, each in target.items() if each}}


@dataclass(frozen=True)
class Author:
    """Who writes tasks on the site.

    Args:
        site: The site.
        folder: The folder of tasks and traces.
    """

    site: Settings
    folder: Path

    def reset(self, *events: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
        """Resets to S0, set by a trace of these events; returns what ``info`` says of it."""
        self.write(*events, expect=expect)
        with closing(live_env("Small-task-1")) as env:
            _, info = env.reset(seed=0)
        found: dict[str, Any] = info["initial_state"]
        return found

    def write(self, *events: dict[str, Any], expect: dict[str, Any], account: str = "none") -> None:
        """Writes the task, with a trace of these events for its S0."""
        url = self.site.url
        trace = {
            "schema": "websp-trace/2",
            "name": "press",
            "site": "small",
            "start_url": events[0]["url"],
            "events": events,
        }
        traces, tasks = self.folder / "traces" / "small", self.folder / "tasks"
        for path in (traces, tasks):
            path.mkdir(parents=True)
        (traces / "press.json").write_text(json.dumps(trace))
        (tasks / "small.yaml").write_text(TASKS.format(url=url, expect=json.dumps(expect), account=account))


@pytest.fixture
def author(site: Settings, home: Path, monkeypatch: pytest.MonkeyPatch) -> Author:
    monkeypatch.setenv("WEBSP_TASK_CONFIGS", str(home / "tasks"))
    monkeypatch.setenv("WEBSP_TRACES", str(home / "traces"))
    return Author(site, home)
