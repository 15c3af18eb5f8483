"""Episodes made up for the report's tests, and the browser that watches them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from websp_gym.browser.launch import BrowserOptions, shared_browser
from websp_gym.records import verdict
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import ActionRecord, Step, Trajectory, View
from websp_gym.report import write_trajectory_html

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

COLOURS = ((200, 30, 30), (30, 160, 30), (30, 30, 200), (190, 170, 20))
SIZE: Any = {"width": 1280, "height": 900}
PATIENCE = 100_000
"""Milliseconds after which what is waited for does not come: only a page that is wrong makes a test wait that long."""
TODO = "Steam-task-191-ON"
Watch = Callable[..., "Page"]


@pytest.fixture(scope="module")
def window(browser_thread: None) -> Iterator[Page]:
    """A window like a reader's: the environment's own puts scripts into every frame."""
    context = shared_browser(BrowserOptions()).new_context(viewport=SIZE)
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    yield context.new_page()
    context.close()


class Watched:
    """What a page did beside showing itself: it must be nothing.

    Args:
        window: The window that it is shown in.
    """

    def __init__(self, window: Page) -> None:
        self.own = ["about:blank", "data:", "blob:"]
        """What the addresses that it may ask for begin with."""
        self._window = window
        self._troubles: list[str] = []
        self._asked: list[str] = []
        self._listeners: dict[str, Any] = {
            "console": lambda message: self._troubles.append(f"console: {message.text}"),
            "pageerror": lambda error: self._troubles.append(f"error: {error}"),
            "dialog": self._refuse,
            "request": lambda request: self._asked.append(request.url),
        }

    def __enter__(self) -> Self:
        for event, listener in self._listeners.items():
            self._window.on(event, listener)  # type: ignore[call-overload]
        self._window.goto("about:blank")
        self._window.mouse.move(0, 0)
        return self

    def __exit__(self, *error: object) -> None:
        for event, listener in self._listeners.items():
            self._window.remove_listener(event, listener)
        self._window.set_viewport_size(SIZE)
        if error == (None, None, None):
            assert self._troubles == []
            assert [url for url in self._asked if not url.startswith(tuple(self.own))] == []

    def _refuse(self, dialog: Dialog) -> None:
        self._troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()


_written: dict[str, Path] = {}


def page_of(record: Trajectory, parent: Path) -> Path:
    """Writes the report of an episode as a file, below the folder; of one that was written before it is there still."""
    key = repr(record)
    if key not in _written or not _written[key].exists():
        _written[key] = write_trajectory_html(save(parent, record))
    return _written[key]


@pytest.fixture
def watch(window: Page, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """Opens the report of an episode as a file; at the end, it must have done nothing but show itself."""
    with Watched(window) as watched:

        def open_(episode: Trajectory | Path, fragment: str = "") -> Page:
            path = (
                write_trajectory_html(episode)
                if isinstance(episode, Path)
                else page_of(episode, tmp_path_factory.mktemp("pages"))
            )
            watched.own.append(path.as_uri())
            window.goto(path.as_uri() + fragment)
            return window

        yield open_


def blank(**parts: Any) -> Trajectory:
    """A record of nothing yet."""
    facts = {
        "instance": TODO, "config_hash": "c", "instruction": "i", "ground_truth": ["g"], "world": "sandbox",
        "seed": 1, "started": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    return Trajectory(**{**facts, **parts})


def png(colour: tuple[int, int, int] = (240, 240, 240), size: tuple[int, int] = (320, 256)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def mark(number: int, name: str, **parts: Any) -> dict[str, Any]:
    """A marked button, 80 x 30, below the one before it."""
    box = [20, 10 + 40 * number, 80, 30]
    return {"number": number, "role": "button", "name": name, "box": box, "checked": None} | parts


MARKS = [
    mark(0, "Save"), mark(1, "Jam makers", role="checkbox", checked=False, mixed=True), mark(2, "Mute", checked=True),
    mark(3, "Home", role="link", href="https://site.test/home"),
]  # fmt: skip


def view(number: int, **parts: Any) -> View:
    facts: dict[str, Any] = {
        "url": f"https://site.test/{number}", "title": f"Page {number}", "tabs": [f"https://site.test/{number}"],
        "screenshot": f"step_{number:03d}.png", "marks": MARKS,
    }  # fmt: skip
    return View(**{**facts, **parts})


def step(number: int, action: str = "Click [0]", **parts: Any) -> Step:
    facts = {"number": number, "action": action, "seconds": 0.5, "view": view(number), **parts}
    return Step(**{"act": ActionRecord.read(str(facts["action"]), view(number - 1)), **facts})


def episode(**parts: Any) -> Trajectory:
    """Three steps: one on an element, one that failed, one that ended it."""
    facts: dict[str, Any] = {
        "initial": view(0), "options": {"viewport": [320, 256]}, "end_reason": "answer", "answer": "done",
        "steps": [
            step(1, "Click [3]", thought="Home first."), step(2, "Click [9]", error="no such element", counted=False),
            step(3, "ANSWER; done"),
        ],
        "verdict": verdict.passed("state", "Everything is as asked.").as_dict(),
    }  # fmt: skip
    return blank(**{**facts, **parts})


def save(parent: Path, record: Trajectory) -> Path:
    """Puts an episode on disk the way a real one gets there; one plain colour per observation."""
    recorder = Recorder(parent, record)
    for number in range(len(record.views)):
        recorder.screenshot(number, png(COLOURS[number % len(COLOURS)]))
    recorder.save()
    return recorder.folder


PIXEL = """async () => {
    const shot = document.querySelector("#shot"), pen = document.createElement("canvas").getContext("2d");
    await shot.decode();
    pen.drawImage(shot, 0, 0);
    return [...pen.getImageData(50, 50, 1, 1).data].slice(0, 3);
}"""


def assert_at(page: Page, number: int, last: int = 3) -> None:
    where = f"Step {number} of {last}" if number else f"Start, {last} to come"
    # What follows from an action is shown once the page has heard that its address changed.
    expect(page.locator("#where")).to_have_text(where)
    expect(page.locator("#url")).to_have_text(f"https://site.test/{number}")
    expect(page.locator("#page-title")).to_have_text(f"Page {number}")
    expect(page.locator(".strip a[aria-current]")).to_have_attribute("href", f"#step-{number}")
    assert np.allclose(page.evaluate(PIXEL), COLOURS[number], atol=12)
