"""A browser that shows the changing pages, and what each tool finds on them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
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

HOME = "https://hostile.example/"
FAR = "https://elsewhere.example/"
_STYLE = "<style>.row, .line { margin: 6px }</style>"
_BLANK = f"<!doctype html><html lang=en><meta charset=utf-8><title>Hostile</title>{_STYLE}<body>"
_SCRIPT = Path(__file__).with_name("page.js").read_text("utf-8")


class Stage:
    """A browser context that shows the pages in its current tab.

    Args:
        tabs: The tabs; every URL of their context is answered from here.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs
        self._numbers = itertools.count(1)
        self._contents: dict[str, str] = {}
        self._offered: tuple[dict[str, Any], dict[str, Any]] = Node("p").plain(), {}
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
            hold: Render the late section when the page is told so, instead of after a time.
        """
        self.offer(tree, timing, key=key, hold=hold)
        self.page.goto(f"{HOME}page/{next(self._numbers)}", wait_until="load")

    def offer(self, tree: Node, timing: Timing | None = None, *, key: str = "", hold: bool = False) -> None:
        """Make every address lead to a page, without opening it; arguments as of :meth:`show`."""
        timing = timing or Timing()
        path = tree.path_to(key) if timing.late_ms else []
        late = next((node for node in path if "section" in node.says), None)
        self._contents.clear()
        self._offered = self._plain(tree, late), asdict(timing) | {"wait": hold}

    def forget(self) -> None:
        """Give the pages shown from now on a server with an empty state."""
        self.memory, self.history = {}, [{}]

    def remember(self) -> dict[str, dict[str, str]]:
        """Return the server's state after all pending messages."""
        self._each("() => globalThis.__hostile?.sent()")
        return dict(self.memory or {})

    def frame_of(self, key: str) -> Frame:
        """Return the frame of an operable element."""
        is_there = "key => Boolean(__hostile.find(key))"
        return next(frame for frame in self.page.frames if frame.evaluate(is_there, key))

    @property
    def log(self) -> list[str]:
        """Keys of the operated elements, in order within each frame."""
        return [key for log in self._each("() => globalThis.__hostile?.log ?? []") for key in log]

    def _each(self, script: str) -> list[Any]:
        return [frame.evaluate(script) for frame in self.page.frames if frame.url]

    def _plain(self, node: Node, late: Node | None) -> dict[str, Any]:
        """Return the tree as data, with the late section marked and the contents of iframes at their own URLs."""
        plain = node.plain()
        plain["children"] = [
            each if isinstance(each, str) else self._plain(each, late) for each in node.children
        ]
        if node.mode in ("frame", "far-frame"):
            address = f"{HOME if node.mode == 'frame' else FAR}part/{next(self._numbers)}"
            self._contents[address] = self._script(plain | {"mode": ""}, asdict(Timing()) | {"wait": False})
            plain = Node("iframe").plain() | {"src": address}
        return plain | ({"late": True} if node is late else {})

    def _script(self, plain: dict[str, Any], timing: dict[str, Any]) -> str:
        data = json.dumps([plain, timing, self.memory]).replace("<", "\\u003c")
        return f"<script>{_SCRIPT}\n__hostile.show(...{data})</script>"

    def _serve(self, route: Route) -> None:
        url = route.request.url
        kind = urlsplit(url).path.split("/")[1]
        content = self._contents.get(url, "")
        if kind == "memory" and self.memory is not None:
            told = json.loads(route.request.post_data or "{}")
            # A pressed but disabled switch has no state.
            self.memory |= {key: state for key, state in told.items() if state}
            self.history.append(dict(self.memory))
        elif kind == "page":
            content = self._script(*self._offered)
        route.fulfill(body=_BLANK + content, content_type="text/html")


@contextmanager
def stage() -> Iterator[Stage]:
    """Yield a stage in a new browser context."""
    with closing(open_context(BrowserOptions(), viewport=(1280, 1024))) as context:
        tabs = Tabs(context)
        context.new_page()
        yield Stage(tabs)


# ---------------------------------------------------------------- the tools

_RECORDED = "el => { const { uncut, ...print } = __websp.recordedPrint(el); return print; }"
"""What the recorder keeps of an element; the uncut texts never leave it."""
_KEY = "el => __hostile.keyOf(el)"
_KEYS = "([query, rung]) => __webspReplay.candidates(query, rung).map(__hostile.keyOf)"
METHODS = ("cascade", *RUNGS, *TOOLS)


class Recording:
    """Each tool's record of one element of the current page."""

    def __init__(self, on: Stage, key: str) -> None:
        frame = on.frame_of(key)
        element = frame.evaluate_handle("key => __hostile.find(key)", key).as_element()
        assert element is not None
        self.url = on.page.url
        install(frame)
        self.target = Fingerprint.model_validate(element.evaluate(_RECORDED))
        self.tools = {tool: record(tool, frame, element) for tool in TOOLS}

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
        if method in RUNGS:
            keys = [key for frame in on.page.frames if frame.url for key in self._rung(frame, method)]
            return keys[0] if len(keys) == 1 else None
        if method in TOOLS:
            handle = find(method, on.page.main_frame, self.tools[method])
        else:
            found = locate(on.page, self.target)
            is_sure = isinstance(found, Found) and (rested or not found.unsure)
            handle = found.handle if isinstance(found, Found) and is_sure else None
        return None if handle is None else str(handle.evaluate(_KEY))

    def _rung(self, frame: Frame, rung: str) -> list[str]:
        install(frame)
        own = self.target.model_dump(by_alias=True, exclude_none=True)
        found: list[str] = frame.evaluate(_KEYS, [{"print": own, "loose": False, "hidden": False}, rung])
        return found
