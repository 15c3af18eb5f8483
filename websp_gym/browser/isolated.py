"""Page scripts in an isolated world, where the page can neither replace nor observe them.

Like the content scripts of an extension they share the document but have their own built-ins, globals and
prototypes. A page that replaces ``Array.prototype.map``, ``JSON`` or ``Promise`` does not affect them, and it
cannot find them. Their results are plain data. Callers still validate what they use, because numbers and text
in it come from the page.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.internals import Session
from websp_gym.browser.scripts import event_names, listener_script, page_scripts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page

MAX_FRAMES = 50
"""Maximum number of child frames to inspect; only hostile pages have more."""
WORLD = "websp"
"""Name of the isolated world of each frame."""
_ASK = "function (name, ...given) { return this[name](...given); }"
_IFRAME = "function (number) { return this.iframe(number); }"
_NODES = {
    "serialization": "deep",
    "maxDepth": 2,
    "additionalParameters": {"includeShadowTree": "all", "maxNodeDepth": 0},
}
_NO_FRAME = re.compile("No frame (for|with) given id|Frame with the given", re.IGNORECASE)
_REPLACED = re.compile(
    "Cannot find context|Could not find object|context was destroyed|target navigated|Promise was collected"
    f"|was detached|Not attached to an active page|{_NO_FRAME.pattern}",
    re.IGNORECASE,
)
_GONE = re.compile(
    "No target with given id|(Target|Session|page, context or browser has been) closed|Cannot find session",
    re.IGNORECASE,
)

# Attributes of a page. A weak dictionary would keep every page for ever, because the values lead back to it.
_SESSION, _WORLDS, _TARGET = "_websp_session", "_websp_worlds", "_websp_target"


class ScriptError(PlaywrightError):
    """Raised when a page script fails on content of the page that it cannot read."""


def session_of(page: Page) -> Session:
    """Return the one DevTools session of this package for a page; it survives navigations."""
    session: Session | None = vars(page).get(_SESSION)
    if session is None:
        session = vars(page)[_SESSION] = Session(page)
    return session


def target_of(page: Page) -> str:
    """Return the DevTools id of a page, which it keeps; empty if the page is gone."""
    if _TARGET not in vars(page):
        with contextlib.suppress(PlaywrightError):
            vars(page)[_TARGET] = session_of(page).send("Target.getTargetInfo")["targetInfo"]["targetId"]
    return str(vars(page).get(_TARGET, ""))


def worlds_of(page: Page) -> Worlds:
    """Return the isolated worlds of a page, always the same object."""
    worlds: Worlds | None = vars(page).get(_WORLDS)
    if worlds is None:
        worlds = vars(page)[_WORLDS] = Worlds(page)
    return worlds


def is_replaced(error: PlaywrightError) -> bool:
    """Whether an error means that the document was replaced during the call; the call may be repeated."""
    return _REPLACED.search(str(error)) is not None


def is_gone(error: PlaywrightError) -> bool:
    """Whether an error means that the tab closed, perhaps before Playwright noticed."""
    return _GONE.search(str(error)) is not None


@dataclass(frozen=True)
class Frame:
    """One frame of a page, accessed through its isolated world.

    Args:
        worlds: Isolated worlds of the page.
        id: Id of the frame in the browser.
        parent: Parent frame; None for the main frame, or if unknown.
        number: Number of its iframe in the parent's page scripts.
    """

    worlds: Worlds
    id: str
    parent: Frame | None = None
    number: int = -1

    @property
    def page(self) -> Page:
        """The tab of the frame."""
        return self.worlds.page

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call a page script function with plain data, and return its result (for a promise: its value).

        Raises:
            ScriptError: The function failed on this page.
            playwright.sync_api.Error: The frame or the page is gone.
        """
        return self.run(_ASK, function, *arguments)

    def run(self, function: str, *arguments: Any) -> Any:
        """Call JavaScript of the form ``function (…) { … }`` in the isolated world, with ``__websp`` as ``this``.

        Arguments and result are plain data. Raises the same errors as :meth:`ask`.
        """
        return self.worlds.call(self.id, function, arguments).get("value")

    def nodes(self, function: str, *arguments: Any) -> list[dict[str, Any]]:
        """Call a page script function that returns elements, and return the browser's description of each.

        Each is a node as WebDriver BiDi serializes it, with ``backendNodeId`` and ``shadowRoot``, open or closed.
        """
        return self.worlds.nodes(self.id, function, arguments)

    def give(self, function: str, node: int) -> None:
        """Call a page script function with a node of the frame's document, given by its backend id."""
        self.worlds.give(self.id, function, node)

    def child(self, number: int) -> Frame | None:
        """Return the frame in the iframe with this number, or None if there is no such iframe or frame."""
        id_ = self.worlds.frame_in(self.id, number)
        return None if id_ is None else Frame(self.worlds, id_, self, number)


@dataclass
class _World:
    """Page scripts in one document.

    They have an object handle that is unique to this document, an execution context, and ids of known child frames.
    """

    handle: str
    context: int
    frames: dict[int, str]


class Worlds:
    """Isolated worlds of one page's frames; scripts are injected into a document when it is first used."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._known: dict[str, _World] = {}
        self._main = ""
        self._prepared = False

    @property
    def main(self) -> Frame:
        """The main frame."""
        if not self._main:
            self._main = str(self._tree()["frame"]["id"])
        return Frame(self, self._main)

    def children(self) -> list[Frame]:
        """Return the frames inside the main frame in document order, :data:`MAX_FRAMES` at most."""
        # Playwright knows without a call whether there are any.
        if len(self.page.frames) < 2:
            return []
        ids = list(_ids(self._tree()))
        self._known = {id_: self._known[id_] for id_ in ids if id_ in self._known}
        return [Frame(self, id_) for id_ in ids[1 : MAX_FRAMES + 1]]

    def call(self, frame: str, function: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        """Call a function in a frame; if its document was replaced since the last call, inject the scripts again."""
        try:
            return self._call(frame, function, arguments)
        except ScriptError:
            raise
        except PlaywrightError as error:
            if not is_replaced(error):
                raise
            self._known.pop(frame, None)
            for world in self._known.values():
                # An iframe that a script moves gets another frame.
                world.frames = {number: id_ for number, id_ in world.frames.items() if id_ != frame}
            if frame == self._main and _NO_FRAME.search(str(error)):
                # A document in another process may have another main frame.
                self._main = ""
                frame = self.main.id
        return self._call(frame, function, arguments)

    def frame_in(self, frame: str, number: int) -> str | None:
        """Return the id of the frame in an iframe, or None if there is none."""
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

    def nodes(self, frame: str, function: str, arguments: tuple[Any, ...]) -> list[dict[str, Any]]:
        """Return the browser's description of the elements that a page script function returns."""
        found = _checked(
            self._send(
                "Runtime.callFunctionOn",
                objectId=self._enter(frame).handle,
                functionDeclaration=_ASK,
                arguments=[{"value": value} for value in (function, *arguments)],
                serializationOptions=_NODES,
            )
        )
        self._send("Runtime.releaseObject", objectId=found["objectId"])
        return [node["value"] for node in found["deepSerializedValue"]["value"]]

    def give(self, frame: str, function: str, node: int) -> None:
        """Call a page script function with a node of the document."""
        world = self._enter(frame)
        given = self._send("DOM.resolveNode", backendNodeId=node, executionContextId=world.context)["object"]
        _checked(
            self._send(
                "Runtime.callFunctionOn",
                objectId=world.handle,
                functionDeclaration=_ASK,
                arguments=[{"value": function}, {"objectId": given["objectId"]}],
            )
        )
        self._send("Runtime.releaseObject", objectId=given["objectId"])

    def _handle(self, world: _World, number: int) -> str | None:
        """Return the object handle of an iframe element."""
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
            self._prepare()
            context = self._context(frame)
            begun = self._send("Runtime.evaluate", contextId=context, expression=_script())
            # A context id is unique only within its process: check that the frame still has this one.
            if self._context(frame) != context:
                raise PlaywrightError("the document's context was destroyed on entry")
            world = self._known[frame] = _World(_checked(begun)["objectId"], context, {})
        return world

    def _prepare(self) -> None:
        """Give ``handlers.js`` what it reads listeners with, in all documents of the page from now on."""
        if self._prepared:
            return
        self._prepared = True
        # Scripts of a session run in later documents only if it is enabled.
        self._send("Page.enable")
        self._send(
            "Page.addScriptToEvaluateOnNewDocument",
            source=listener_script(),
            includeCommandLineAPI=True,
            runImmediately=True,
        )

    def _context(self, frame: str) -> int:
        return int(
            self._send("Page.createIsolatedWorld", frameId=frame, worldName=WORLD)["executionContextId"]
        )

    def _tree(self) -> dict[str, Any]:
        tree: dict[str, Any] = self._send("Page.getFrameTree")["frameTree"]
        return tree

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        answer: dict[str, Any] = session_of(self.page).send(method, parameters)
        return answer


@cache
def _script() -> str:
    heed = f"__websp.heed(...{json.dumps(event_names('handlers.js'))});"
    attend = f"__websp.attend(...{json.dumps(event_names('asks.js'))});"
    return "\n".join([page_scripts(), heed, attend, "__websp"])


def _ids(tree: dict[str, Any]) -> Iterator[str]:
    yield str(tree["frame"]["id"])
    for child in tree.get("childFrames", []):
        yield from _ids(child)


def _plain(value: Any) -> Any:
    """Return a value that the DevTools protocol accepts: lone surrogates are replaced."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        thrown = details.get("exception", {}).get("description") or details.get("text", "")
        raise ScriptError(f"a script of websp-gym failed on the page: {str(thrown)[:300]}")
    result: dict[str, Any] = answer["result"]
    return result
