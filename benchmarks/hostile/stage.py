"""A browser that shows the changing pages, and what each tool finds on them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Frame, Page, Route

from benchmarks.hostile.mutate import Timing
from benchmarks.hostile.tree import Node
from benchmarks.tools import TOOLS, find, record
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.replay import Fingerprint, Found, locate
from websp_gym.replay.locate import RUNGS, install

HERE = Path(__file__).parent
HOME = "https://hostile.example/"
FAR = "https://elsewhere.example/"
_STYLE = "<style>.row, .line { margin: 6px }</style>"
_BLANK = f"<!doctype html><html lang=en><meta charset=utf-8><title>Hostile</title>{_STYLE}<body>"


class Stage:
    """A browser context that shows the pages in its current tab.

    Args:
        tabs: The tabs; every URL of their context is answered from here.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs
        self._numbers = itertools.count(1)
        self._frames: dict[str, dict[str, Any]] = {}
        self._shown: tuple[dict[str, Any], Timing, bool] | None = None
        self.memory: dict[str, dict[str, str]] | None = None
        """State of the controls on the pages' server, by key; None without a server."""
        self.history: list[dict[str, dict[str, str]]] = []
        """Copies of :attr:`memory` after every change."""
        tabs.context.route("**/*", self._serve)

    @property
    def page(self) -> Page:
        """The current tab."""
        return self.tabs.current

    def show(self, tree: Node, timing: Timing | None = None, *, key: str = "", hold: bool = False) -> None:
        """Show a page.

        Args:
            tree: The page.
            timing: Its changes while it is used.
            key: The target; a late page renders the target's section late.
            hold: Render the late section on :meth:`arrive` instead of after a time.
        """
        self.offer(tree, timing, key=key, hold=hold)
        self.page.goto(f"{HOME}page/{next(self._numbers)}", wait_until="load")

    def offer(self, tree: Node, timing: Timing | None = None, *, key: str = "", hold: bool = False) -> None:
        """Make every address lead to a page, without opening it; arguments as of :meth:`show`."""
        timing = timing or Timing()
        self._frames.clear()
        self._shown = (self._plain(tree, timing, key), timing, hold)

    def forget(self) -> None:
        """Give the pages shown from now on a server with an empty state."""
        self.memory, self.history = {}, [{}]

    def remember(self) -> dict[str, dict[str, str]]:
        """Return the server's state after all pending messages."""
        self._each("() => globalThis.__hostile?.sent()")
        return dict(self.memory or {})

    def arrive(self) -> None:
        """Render the late section."""
        self.page.evaluate("() => __hostile.arrive()")

    def again(self) -> None:
        """Render the page again, with other ids."""
        self.page.evaluate("() => __hostile.again()")

    def frame_of(self, key: str) -> Frame:
        """Return the frame of an operable element."""
        return next(
            frame for frame in self.page.frames if frame.evaluate("key => Boolean(__hostile.find(key))", key)
        )

    @property
    def log(self) -> list[str]:
        """Keys of the operated elements, in order within each frame."""
        return [key for log in self._each("() => globalThis.__hostile?.log ?? []") for key in log]

    def _each(self, script: str) -> list[Any]:
        return [frame.evaluate(script) for frame in self.page.frames if frame.url]

    # ---------------------------------------------------------------- serving
    def _plain(self, tree: Node, timing: Timing, key: str) -> dict[str, Any]:
        """Return the tree as data, with the late section marked and iframe contents moved to their own URLs."""
        late = {id(node) for node in tree.path_to(key) if "section" in node.says} if timing.late_ms else set()

        def enter(node: Node) -> dict[str, Any]:
            plain = node.plain() | {
                "children": [c if isinstance(c, str) else enter(c) for c in node.children]
            }
            if node.mode in ("frame", "far-frame"):
                address = f"{HOME if node.mode == 'frame' else FAR}part/{next(self._numbers)}"
                self._frames[address] = plain | {"mode": ""}
                plain = {"tag": "iframe", "attrs": {}, "key": "", "mode": "", "children": [], "src": address}
            if id(node) in late:
                late.clear()
                plain["late"] = True
            return plain

        return enter(tree)

    def _script(self, plain: dict[str, Any], timing: Timing, *, hold: bool) -> str:
        data = json.dumps([plain, asdict(timing) | {"wait": hold}, self.memory]).replace("<", "\\u003c")
        return f"<script>{script('page.js')}\n__hostile.show(...{data})</script>"

    def _serve(self, route: Route) -> None:
        url = route.request.url
        kind = urlsplit(url).path.split("/")[1]
        content = ""
        if kind == "memory" and self.memory is not None:
            told = json.loads(route.request.post_data or "{}")
            # A pressed but disabled switch has no state.
            self.memory |= {key: state for key, state in told.items() if state}
            self.history.append(dict(self.memory))
        elif kind == "page" and self._shown:
            plain, timing, hold = self._shown
            content = self._script(plain, timing, hold=hold)
        elif kind == "part" and url in self._frames:
            content = self._script(self._frames[url], Timing(), hold=False)
        route.fulfill(body=_BLANK + content, content_type="text/html")


@contextmanager
def stage() -> Iterator[Stage]:
    """Yield a stage in a new browser context."""
    context = open_context(BrowserOptions(), viewport=(1280, 1024))
    try:
        tabs = Tabs(context)
        context.new_page()
        yield Stage(tabs)
    finally:
        context.close()


@cache
def script(name: str) -> str:
    """Return a script of this folder."""
    return (HERE / name).read_text("utf-8")


# ---------------------------------------------------------------- the tools

_KEY = "el => __hostile.keyOf(el)"
_RECORDED = "el => { const { uncut, ...print } = __websp.recordedPrint(el); return print; }"
"""What the recorder keeps of an element; the uncut texts never leave it."""
METHODS = ("cascade", *RUNGS, *TOOLS)


class Recording:
    """Each tool's record of one element of the current page."""

    def __init__(self, on: Stage, key: str) -> None:
        frame = on.frame_of(key)
        element = frame.evaluate_handle("key => __hostile.find(key)", key)
        install(frame)
        self.url = on.page.url
        self.target = Fingerprint.model_validate(element.evaluate(_RECORDED))
        handle = element.as_element()
        assert handle is not None
        self.tools = {tool: record(tool, frame, handle) for tool in TOOLS}

    def find(self, method: str, on: Stage, *, rested: bool = True) -> str | None:
        """Search for the element once.

        Args:
            method: One of :data:`METHODS`.
            on: The stage, with a changed version of the page.
            rested: Whether the page is complete; if not, weak matches of the cascade do not count, as in a
                replay.

        Returns:
            Key of the element that the tool would operate (``""`` for one that is no control); None if it finds
            none or cannot decide.
        """
        page = on.page
        if method == "cascade":
            found = locate(page, self.target)
            if not isinstance(found, Found) or (found.unsure and not rested):
                return None
            return str(found.handle.evaluate(_KEY))
        if method in TOOLS:
            handle = find(method, page.main_frame, self.tools[method])
            return None if handle is None else str(handle.evaluate(_KEY))
        keys = [key for frame in page.frames if frame.url for key in self._rung(frame, method)]
        return keys[0] if len(keys) == 1 else None

    def _rung(self, frame: Frame, rung: str) -> list[str]:
        install(frame)
        query = {
            "print": self.target.model_dump(by_alias=True, exclude_none=True),
            "loose": False,
            "hidden": False,
        }
        found: list[str] = frame.evaluate(
            "([query, rung]) => __webspReplay.candidates(query, rung).map(__hostile.keyOf)", [query, rung]
        )
        return found
