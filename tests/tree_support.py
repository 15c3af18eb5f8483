"""Compares marks with the browser's own view of the same page: its accessibility tree, layout and hit test.

Nothing here uses a script of ours. Every difference is a complaint, or has its reason here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import session_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.observation.marks import Mark, Marks

OPERABLE = frozenset(
    [
        "button",
        "link",
        "checkbox",
        "switch",
        "radio",
        "textbox",
        "searchbox",
        "combobox",
        "slider",
        "spinbutton",
        "option",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "tab",
        "treeitem",
    ]
)
# Focusable for the keyboard only: what can be operated is in them.
CONTAINERS = frozenset(
    [
        "RootWebArea",
        "tabpanel",
        "region",
        "dialog",
        "alertdialog",
        "main",
        "article",
        "document",
        "group",
        "tablist",
        "table",
        "grid",
        "listbox",
        "menu",
        "menubar",
        "navigation",
        "form",
        "radiogroup",
        "toolbar",
        "tree",
        "complementary",
        "log",
        "list",
        "application",
        "Iframe",
        "image",
    ]
)
_STATES = {"checked": "checked", "pressed": "checked", "expanded": "expanded"}
_VALUED = frozenset(["textbox", "searchbox", "slider", "spinbutton"])
_LEAST = 3  # pixels that anybody would aim at
_POINTS = [(0.5, 0.5), (0.2, 0.5), (0.8, 0.5), (0.5, 0.2), (0.5, 0.8)]


@dataclass
class _Element:
    """An element of the DOM, in whatever document or shadow root."""

    tag: str
    parent: int
    attributes: dict[str, str]
    internal: bool
    """Whether it is a part of a native control, which no page can reach."""


@dataclass
class Tree:
    """The browser's accessibility tree of a page, by node id."""

    page: Page
    elements: dict[int, _Element] = field(default_factory=dict)
    nodes: dict[int, dict[str, Any]] = field(default_factory=dict)
    clickable: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._read(self._send("DOM.getDocument", depth=-1, pierce=True)["root"], 0, internal=False)
        for frame in _frames(self._send("Page.getFrameTree")["frameTree"]):
            for node in self._send("Accessibility.getFullAXTree", frameId=frame)["nodes"]:
                if not node["ignored"] and "backendDOMNodeId" in node:
                    self.nodes.setdefault(node["backendDOMNodeId"], node)
        for document in self._send("DOMSnapshot.captureSnapshot", computedStyles=[])["documents"]:
            ids = document["nodes"]["backendNodeId"]
            self.clickable |= {ids[index] for index in document["nodes"]["isClickable"]["index"]}

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return session_of(self.page).send(method, parameters)

    def _read(self, node: dict[str, Any], parent: int, *, internal: bool) -> None:
        here = node["backendNodeId"]
        internal = internal or node.get("shadowRootType") == "user-agent"
        given = node.get("attributes", [])
        attributes = dict(zip(given[::2], given[1::2], strict=True))
        self.elements[here] = _Element(node["localName"], parent, attributes, internal)
        inner = [*node.get("children", []), *node.get("shadowRoots", [])]
        if "contentDocument" in node:
            inner.append(node["contentDocument"])
        for child in inner:
            self._read(child, here, internal=internal)

    def around(self, node: int) -> Iterator[int]:
        """A node and those around it."""
        while node in self.elements:
            yield node
            node = self.elements[node].parent

    def labels(self, node: int) -> list[int]:
        """The labels of a native check box or field."""
        if self.elements[node].tag not in ("input", "textarea"):
            return []
        wanted = self.elements[node].attributes.get("id")
        named = [
            each
            for each, element in self.elements.items()
            if wanted and element.tag == "label" and element.attributes.get("for") == wanted
        ]
        return [*named, *(each for each in self.around(node) if self.elements[each].tag == "label")]

    def boxes(self, node: int) -> list[tuple[float, float, float, float]]:
        """Left, top, width and height of the boxes of a node, in pixels of the page."""
        try:
            quads = self._send("DOM.getContentQuads", backendNodeId=node)["quads"]
        except PlaywrightError:
            return []
        spans = [(min(quad[::2]), min(quad[1::2]), max(quad[::2]), max(quad[1::2])) for quad in quads]
        boxes = [(left, top, right - left, bottom - top) for left, top, right, bottom in spans]
        return [box for box in boxes if min(box[2:]) >= _LEAST]

    def is_seen(self, node: int) -> bool:
        """Whether the browser's hit test finds a node, or something in it, somewhere in the viewport."""
        size = self.page.viewport_size
        assert size is not None
        for x, y, width, height in self.boxes(node):
            left, right = max(x, 0), min(x + width, size["width"])
            top, bottom = max(y, 0), min(y + height, size["height"])
            if right - left < _LEAST or bottom - top < _LEAST:
                continue
            for across, down in _POINTS:
                x, y = int(left + (right - left) * across), int(top + (bottom - top) * down)
                try:
                    hit = self._send("DOM.getNodeForLocation", x=x, y=y)["backendNodeId"]
                except PlaywrightError:  # the margin of the document
                    continue
                if node in self.around(hit):
                    return True
        return False


def _frames(tree: dict[str, Any]) -> Iterator[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", []):
        yield from _frames(child)


def complaints(page: Page, marks: Marks) -> list[str]:
    """Operable, visible nodes without a mark, and marks that contradict the tree."""
    tree = Tree(page)
    marked = _marked(marks)
    return [*_without_mark(tree, set(marked)), *_otherwise(tree, marked)]


def _marked(marks: Marks) -> dict[int, Mark]:
    found: dict[int, Mark] = {}
    for number, frame in enumerate(marks.frames):
        here = [mark for mark in marks if mark.frame == number]
        nodes = frame.nodes("elementsOf", [mark.index for mark in here])
        found |= {node["backendNodeId"]: mark for node, mark in zip(nodes, here, strict=True)}
    return found


def _without_mark(tree: Tree, marked: set[int]) -> Iterator[str]:
    holding = {above for node in marked for above in tree.around(node)}
    for node, said in tree.nodes.items():
        element = tree.elements.get(node)
        if element is None or element.internal or node in marked or not _is_operable(said, element):
            continue
        if node in holding and said["role"]["value"] not in OPERABLE:
            continue  # focusable around controls, such as a scrolling box or a custom element
        # A control that is not drawn itself is operated by its label.
        shown_by = [node] if tree.boxes(node) else tree.labels(node)
        if any(tree.is_seen(each) for each in shown_by):
            yield f"no mark: {said['role']['value']} {_text(said, 'name')!r} <{element.tag}>"
    for node in tree.clickable:
        element = tree.elements[node]
        if element.internal or element.tag in ("html", "body", "label") or node in holding:
            continue
        if not marked.isdisjoint(tree.around(node)) or _is_disabled(tree, node):
            continue
        if tree.is_seen(node):
            yield f"no mark: clickable <{element.tag}> {element.attributes}"


def _is_operable(said: dict[str, Any], element: _Element) -> bool:
    role = said["role"]["value"]
    if role in OPERABLE:
        return element.tag != "option" or "selected" in _properties(said)
    focusable = _properties(said).get("focusable") is True and role not in CONTAINERS
    return (
        focusable
        and not element.attributes.get("tabindex", "").startswith("-")
        and "tabindex" in element.attributes
    )


def _is_disabled(tree: Tree, node: int) -> bool:
    return any(
        _properties(tree.nodes[above]).get("disabled") for above in tree.around(node) if above in tree.nodes
    )


def _otherwise(tree: Tree, marked: dict[int, Mark]) -> Iterator[str]:
    for node, mark in marked.items():
        said = tree.nodes.get(node)
        if said is None or said["role"]["value"] not in OPERABLE:
            continue
        told = _properties(said)
        role = said["role"]["value"]
        # A closed dropdown is collapsed by nature; a mark says so only while its options are in the page.
        if mark.tag == "select":
            told.pop("expanded", None)
        for theirs, ours in _STATES.items():
            if theirs in told and told[theirs] != _state(mark, ours):
                yield f"{mark.line()}: the tree says {theirs}={told[theirs]}"
        if mark.checked is not None and not {"checked", "pressed"} & told.keys():
            yield f"{mark.line()}: the tree has no such state"
        if mark.disabled is not bool(told.get("disabled")):
            yield f"{mark.line()}: the tree says disabled={told.get('disabled')}"
        if role in ("tab", "option") and bool(mark.selected) is not bool(told.get("selected")):
            yield f"{mark.line()}: the tree says selected={told.get('selected')}"
        # An <a> without href is no link in HTML; Chromium calls it one if it listens for a click.
        if mark.role != role and not (mark.tag == "a" and not mark.href):
            yield f"{mark.line()}: the tree says role={role}"
        texts = {"name": mark.name} | ({"value": mark.value} if role in _VALUED else {})
        for what, text in texts.items():
            # Only punctuation may differ: a tree joins the texts of blocks without a space, and cuts none.
            if _plain(_text(said, what)) != _plain(text) and _text(said, what):
                yield f"{mark.line()}: the tree says {what}={_text(said, what)!r}"


def _state(mark: Mark, ours: str) -> Any:
    """A state in the words of the tree: ``checked`` and ``pressed`` are texts, ``expanded`` is a boolean."""
    if ours == "expanded":
        return mark.expanded
    return "mixed" if mark.mixed else str(bool(mark.checked)).lower()


def _properties(said: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each["value"].get("value") for each in said.get("properties", [])}


def _text(said: dict[str, Any], what: str) -> str:
    return str(said.get(what, {}).get("value", ""))


def _plain(name: str) -> str:
    return re.sub(r"\W+", "", name).lower()[:280]
