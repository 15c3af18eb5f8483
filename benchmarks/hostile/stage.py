"""A browser that shows the hostile pages, and what each tool makes of them."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import playwright
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Frame, Page, Route

from benchmarks.hostile.mutate import Timing
from benchmarks.hostile.tree import Node
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
    """Shows pages in the current tab of a context.

    Args:
        tabs: The tabs; every URL of the context is answered from here.
    """

    def __init__(self, tabs: Tabs) -> None:
        self.tabs = tabs
        self._numbers = itertools.count(1)
        self._frames: dict[str, dict[str, Any]] = {}
        self._shown: tuple[dict[str, Any], Timing, bool] | None = None
        self.memory: dict[str, dict[str, str]] | None = None
        """What the pages' server keeps of their controls, by key; None where they have none."""
        self.history: list[dict[str, dict[str, str]]] = []
        """What :attr:`memory` was after every change."""
        tabs.context.route("**/*", self._serve)

    @property
    def page(self) -> Page:
        """The tab."""
        return self.tabs.current

    def show(self, tree: Node, timing: Timing | None = None, *, key: str = "", hold: bool = False) -> None:
        """Shows a page.

        Args:
            tree: The page.
            timing: What it does while it is used.
            key: The target: what is late is the section it stands in.
            hold: What is late comes with :meth:`arrive`, not by the clock.
        """
        self.offer(tree, timing, key=key, hold=hold)
        self.page.goto(f"{HOME}page/{next(self._numbers)}", wait_until="load")

    def offer(self, tree: Node, timing: Timing | None = None, *, key: str = "", hold: bool = False) -> None:
        """Makes every address lead to a page, without going there; takes what :meth:`show` does."""
        timing = timing or Timing()
        self._frames.clear()
        self._shown = (self._plain(tree, timing, key), timing, hold)

    def forget(self) -> None:
        """Gives the pages shown from now on a server that knows nothing yet."""
        self.memory, self.history = {}, [{}]

    def remember(self) -> dict[str, dict[str, str]]:
        """What the server knows once it has been told of everything."""
        self._each("() => globalThis.__hostile?.sent()")
        return dict(self.memory or {})

    def arrive(self) -> None:
        """Renders what is late."""
        self.page.evaluate("() => __hostile.arrive()")

    def again(self) -> None:
        """Renders the page anew, with other ids."""
        self.page.evaluate("() => __hostile.again()")

    def frame_of(self, key: str) -> Frame:
        """The frame an operable element is in."""
        return next(
            frame for frame in self.page.frames if frame.evaluate("key => Boolean(__hostile.find(key))", key)
        )

    @property
    def log(self) -> list[str]:
        """The keys of what was operated, in order within each frame."""
        return [key for log in self._each("() => globalThis.__hostile?.log ?? []") for key in log]

    def _each(self, script: str) -> list[Any]:
        return [frame.evaluate(script) for frame in self.page.frames if frame.url]

    # ---------------------------------------------------------------- serving
    def _plain(self, tree: Node, timing: Timing, key: str) -> dict[str, Any]:
        """The tree as data, with what is late marked and what goes into iframes put behind a URL."""
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
            # A disabled switch that was pressed has no state to tell of.
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
    """A stage in a fresh browser context."""
    context = open_context(BrowserOptions(), viewport=(1280, 1024))
    try:
        tabs = Tabs(context)
        context.new_page()
        yield Stage(tabs)
    finally:
        context.close()


@cache
def script(name: str) -> str:
    """A script of this folder."""
    return (HERE / name).read_text("utf-8")


# ---------------------------------------------------------------- the tools

_KEY = "el => __hostile.keyOf(el)"
METHODS = ("cascade", *RUNGS, "devtools", "codegen")


class Recording:
    """What each tool notes down about an element of the page that is shown."""

    def __init__(self, on: Stage, key: str) -> None:
        frame = on.frame_of(key)
        element = frame.evaluate_handle("key => __hostile.find(key)", key)
        install(frame)
        self.url = on.page.url
        self.target = Fingerprint.model_validate(element.evaluate("el => __websp.fingerprint(el)"))
        frame.evaluate(script("devtools.js"))
        self.devtools: list[dict[str, Any]] = element.evaluate("el => __devtools.record(el)")
        frame.evaluate(_injected())
        self.codegen: str = element.evaluate(
            "el => __injected.generateSelector(el, { testIdAttributeName: 'data-testid' }).selector"
        )

    def find(self, method: str, on: Stage, *, rested: bool = True) -> str | None:
        """Looks for the element once.

        Args:
            method: One of :data:`METHODS`.
            on: The stage, with another version of the page.
            rested: Whether the page is complete; before, our cascade's weak matches do not count, as in a replay.

        Returns:
            The key of what the tool would operate (``""`` for something that is no control); None where it
            finds nothing, or cannot decide.
        """
        page = on.page
        if method == "cascade":
            found = locate(page, self.target)
            if not isinstance(found, Found) or (found.unsure and not rested):
                return None
            return str(found.handle.evaluate(_KEY))
        main = page.main_frame
        if method == "devtools":
            main.evaluate(script("devtools.js"))
            return _key(
                main,
                "list => { const el = __devtools.find(list); return el && __hostile.keyOf(el); }",
                self.devtools,
            )
        if method == "codegen":
            main.evaluate(_injected())
            # Strict: several elements are an error.
            return _key(
                main,
                """css => {
                  const found = __injected.querySelectorAll(__injected.parseSelector(css), document);
                  return found.length === 1 ? __hostile.keyOf(found[0]) : null;
                }""",
                self.codegen,
            )
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


def _key(frame: Frame, look: str, what: Any) -> str | None:
    try:
        answer = frame.evaluate(look, what)
    except PlaywrightError:
        return None
    return None if answer is None else str(answer)


@cache
def _injected() -> str:
    """Playwright's own selector generator and engine, out of its driver."""
    driver = Path(playwright.__file__).parent / "driver"
    source = driver / "package/lib/generated/injectedScriptSource.js"
    code = f"process.stdout.write(require({json.dumps(str(source))}).source)"
    text = subprocess.run(
        [str(driver / "node"), "-e", code], capture_output=True, text=True, check=True
    ).stdout
    return f"""() => {{
      if (globalThis.__injected) return;
      const module = {{}};
      {text}
      const Injected = module.exports.InjectedScript();
      globalThis.__injected = new Injected(globalThis, false, 'python', 'data-testid', 1, 'chromium', []);
    }}"""
