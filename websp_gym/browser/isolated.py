"""Our scripts in a page, where the page can neither replace nor hear them.

They run in an isolated world, as the content scripts of an extension do: the same document, but built-ins, globals
and prototypes of its own. What a page makes of ``Array.prototype.map``, ``JSON`` or ``Promise`` is not what they use,
and nothing of them can be found in the page. The answers are plain data; who asks still checks what it needs of them,
because numbers and texts in them are the page's.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.scripts import handler_events, page_scripts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import CDPSession, Page

MAX_FRAMES = 50
"""Frames of a page that are looked into; a page has more only to keep somebody busy."""
_WORLD = "websp"
_ASK = "function (name, ...given) { return this[name](...given); }"
_IFRAME = "function (number) { return this.iframe(number); }"
_NO_FRAME = re.compile("No frame (for|with) given id|Frame with the given", re.IGNORECASE)
_REPLACED = re.compile(
    "Cannot find context|Could not find object|context was destroyed|target navigated|Promise was collected"
    f"|was detached|{_NO_FRAME.pattern}",
    re.IGNORECASE,
)

_sessions: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()
_worlds: WeakKeyDictionary[Page, Worlds] = WeakKeyDictionary()


class ScriptError(PlaywrightError):
    """A script of ours failed in a page: the page is made of something that it cannot read."""


def session_of(page: Page) -> CDPSession:
    """The one DevTools session of ours that a page has.

    Args:
        page: An open page.

    Returns:
        Always the same; it follows the page from document to document.
    """
    session = _sessions.get(page)
    if session is None:
        session = _sessions[page] = page.context.new_cdp_session(page)
    return session


def worlds_of(page: Page) -> Worlds:
    """Our scripts in a page.

    Args:
        page: An open page.

    Returns:
        Always the same for a page.
    """
    worlds = _worlds.get(page)
    if worlds is None:
        worlds = _worlds[page] = Worlds(page)
    return worlds


def is_replaced(error: PlaywrightError) -> bool:
    """Whether an error says that a document went away while it was asked; its successor may be asked instead."""
    return _REPLACED.search(str(error)) is not None


@dataclass(frozen=True)
class Frame:
    """One frame of a page, asked in our world.

    Args:
        worlds: The page's.
        id: What the browser calls the frame.
        parent: The frame it stands in; None for the main frame and where nobody asked for it.
        number: What the parent's scripts call its iframe.
    """

    worlds: Worlds
    id: str
    parent: Frame | None = None
    number: int = -1

    @property
    def page(self) -> Page:
        """The tab it is in."""
        return self.worlds.page

    def ask(self, function: str, *arguments: Any) -> Any:
        """Calls a function of our scripts.

        Args:
            function: Its name.
            *arguments: Plain data.

        Returns:
            Its answer, plain data; what a promise came to.

        Raises:
            ScriptError: It failed on this page.
            playwright.sync_api.Error: The frame or the page is gone.
        """
        return self.run(_ASK, function, *arguments)

    def run(self, function: str, *arguments: Any) -> Any:
        """Calls a JavaScript function in our world, with the object of our scripts as ``this``.

        Args:
            function: ``function (…) { … }``.
            *arguments: Plain data.

        Returns:
            Its answer, plain data.

        Raises:
            ScriptError: It failed on this page.
            playwright.sync_api.Error: The frame or the page is gone.
        """
        return self.worlds.call(self.id, function, arguments).get("value")

    def child(self, number: int) -> Frame | None:
        """The frame in an iframe of this one.

        Args:
            number: What our scripts call the iframe.

        Returns:
            None where there is no such iframe, or no frame in it.
        """
        id_ = self.worlds.frame_in(self.id, number)
        return None if id_ is None else Frame(self.worlds, id_, self, number)


@dataclass
class _World:
    """Our scripts in one document: a handle of theirs, which no other document and no other process knows."""

    handle: str
    frames: dict[int, str]


class Worlds:
    """Our scripts in the frames of one page; each document gets them when it is first asked.

    Args:
        page: The page.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self._known: dict[str, _World] = {}
        self._main = ""

    @property
    def main(self) -> Frame:
        """The main frame."""
        if not self._main:
            self._main = str(self._tree()["frame"]["id"])
        return Frame(self, self._main)

    def children(self) -> list[Frame]:
        """The frames inside the main frame, in the order of the documents, :data:`MAX_FRAMES` at most."""
        # Playwright knows without asking whether there are any.
        if len(self.page.frames) < 2:
            return []
        ids = list(_ids(self._tree()))
        self._known = {id_: self._known[id_] for id_ in ids if id_ in self._known}
        return [Frame(self, id_) for id_ in ids[1 : MAX_FRAMES + 1]]

    def call(self, frame: str, function: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """Calls a function in a frame; one whose document was replaced since it was last asked is entered anew."""
        try:
            return self._call(frame, function, arguments)
        except ScriptError:
            raise
        except PlaywrightError as error:
            if not is_replaced(error):
                raise
            self._known.pop(frame, None)
            if frame == self._main and _NO_FRAME.search(str(error)):
                # A document of another process may be in another main frame.
                self._main = ""
                frame = self.main.id
        return self._call(frame, function, arguments)

    def frame_in(self, frame: str, number: int) -> str | None:
        """Which frame is in an iframe."""
        world = self._enter(frame)
        if number not in world.frames:
            iframe = self._handle(world, number)
            if iframe is None:
                return None
            node = self._send("DOM.describeNode", objectId=iframe)["node"]
            if "frameId" not in node:
                return None
            world.frames[number] = str(node["frameId"])
        return world.frames[number]

    def _handle(self, world: _World, number: int) -> str | None:
        """A handle of an iframe element."""
        result = _checked(
            self._send(
                "Runtime.callFunctionOn",
                objectId=world.handle,
                functionDeclaration=_IFRAME,
                arguments=[{"value": number}],
            )
        )
        handle = result.get("objectId")
        return None if handle is None else str(handle)

    def _call(self, frame: str, function: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        world = self._enter(frame)
        answer = self._send(
            "Runtime.callFunctionOn",
            objectId=world.handle,
            functionDeclaration=function,
            arguments=[{"value": _plain(argument)} for argument in arguments],
            returnByValue=True,
            awaitPromise=True,
        )
        return _checked(answer)

    def _enter(self, frame: str) -> _World:
        world = self._known.get(frame)
        if world is None:
            context = self._context(frame)
            begun = self._send("Runtime.evaluate", contextId=context, expression=_script())
            # The number of a context is one of its process only: asked again, it is seen to be still ours.
            if self._context(frame) != context:
                raise PlaywrightError("the document's context was destroyed while it was entered")
            world = self._known[frame] = _World(_checked(begun)["objectId"], {})
        return world

    def _context(self, frame: str) -> int:
        return int(
            self._send("Page.createIsolatedWorld", frameId=frame, worldName=_WORLD)["executionContextId"]
        )

    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = self._send("Page.getFrameTree")["frameTree"]
        return tree

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        answer: dict[str, Any] = session_of(self.page).send(method, parameters)
        return answer


@cache
def _script() -> str:
    return f"{page_scripts()}\n__websp.heed(...{json.dumps(handler_events())});\n__websp"


def _ids(tree: dict[str, Any]) -> Iterator[str]:
    yield str(tree["frame"]["id"])
    for child in tree.get("childFrames", []):
        yield from _ids(child)


def _plain(value: Any) -> Any:
    """A value as the browser's protocol takes it: half a character is none."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        thrown = details.get("exception", {}).get("description") or details.get("text", "")
        raise ScriptError(f"a script of ours failed on the page: {str(thrown)[:300]}")
    result: dict[str, Any] = answer["result"]
    return result
