"""Reading a page as text on request: its accessibility tree with references, a search in it, and its visible text."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import worlds_of
from websp_gym.errors import ActionError
from websp_gym.observation.browsergym import extract
from websp_gym.observation.marks import quoted

if TYPE_CHECKING:
    from playwright.sync_api import Page

Shown = Literal["in view", "interactive", "all"]
"""Elements of a tree: those in view, those of them that can be operated, or those outside of the view too."""

MOST_CHARACTERS = 50_000
MOST_FOUND = 20
DEPTH = 15
"""Levels of a tree where none are asked for."""
_INTERACTIVE = {
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "option", "checkbox", "radio", "switch",
    "slider", "spinbutton", "menuitem", "menuitemcheckbox", "menuitemradio", "tab", "treeitem", "Date", "DateTime",
    "InputTime", "ColorWell", "DisclosureTriangle",
}  # fmt: skip
_UNPRINTED = {"none", "InlineTextBox", "LineBreak", "MenuListPopup"}
_PLAIN = {"generic", "presentation"}
"""Roles that are left out unless they have a name."""
_STATES = {
    "checked": "checked",
    "pressed": "pressed",
    "expanded": "expanded",
    "selected": "selected",
    "disabled": "disabled",
    "required": "required",
    "focused": "focused",
}
_TOLD_IF_NOT = {"checked": "not checked", "pressed": "not pressed", "expanded": "collapsed"}
_CALLED = {
    "textbox": "text field input box",
    "searchbox": "search bar field input box",
    "combobox": "dropdown select list menu field",
    "listbox": "dropdown select list",
    "checkbox": "check box tick",
    "switch": "toggle",
    "heading": "title headline",
    "image": "picture icon",
    "menuitem": "menu item",
    "Iframe": "frame",
}
"""What people call elements of a role, besides its name."""
_TEXT = """function () {
  // A frame that is not drawn has its text too.
  return innerWidth * innerHeight && document.body ? this.kit.cut(document.body.innerText, 60000) : '';
}"""


@dataclass(frozen=True)
class _Node:
    """An element or a text of the tree that is told, and its level among those."""

    level: int
    role: str
    name: str
    value: str
    states: tuple[str, ...]
    bid: str
    in_view: bool
    interactive: bool

    def line(self, ref: Callable[[str], str]) -> str:
        parts = [self.role]
        if self.name:
            parts.append(quoted(self.name))
        if self.bid:
            parts.append(f"[{ref(self.bid)}]")
        if self.value:
            parts.append(f"value={quoted(self.value)}")
        if self.states:
            parts.append(f"({', '.join(self.states)})")
        return " ".join(parts)


def read_tree(
    page: Page, ref: Callable[[str], str], *, shown: Shown = "in view", depth: int = DEPTH, root: str = ""
) -> str:
    """Return the accessibility tree of a page as text, one element a line, indented under what contains it.

    Args:
        page: The page, which must have settled.
        ref: Returns the reference to an element with a ``bid``.
        shown: Which elements.
        depth: Levels; deeper ones are left out.
        root: ``bid`` of the element to begin with; empty for the whole page.

    Raises:
        ActionError: The element to begin with is not in the tree.
    """
    nodes = list(_nodes(extract(page), root))
    if root and not nodes:
        raise ActionError(
            "the element to read from has nothing in the accessibility tree; read the page without ref"
        )
    lines: list[str] = []
    above: list[_Node] = []
    for node in nodes:
        while above and above[-1].level >= node.level:
            above.pop()
        if _is_shown(node, shown):
            if len(above) < depth:
                lines.append("  " * len(above) + node.line(ref))
            above.append(node)
    return _cut("\n".join(lines), "narrow it with ref or a smaller depth") or "nothing of that kind"


def find_elements(page: Page, ref: Callable[[str], str], query: str) -> str:
    """Return the elements of a page whose role, name or value have words of a query, the best first.

    Args:
        page: The page, which must have settled.
        ref: Returns the reference to an element with a ``bid``.
        query: Words, such as ``save button``.
    """
    wanted = {*_words(query)} - _FILLERS
    scored = [
        (score, node) for node in _nodes(extract(page), "") if node.bid and (score := _score(node, wanted))
    ]
    best = max((score for score, _ in scored), default=0.0)
    found = sorted((each for each in scored if 2 * each[0] >= best), key=lambda each: -each[0])
    if not found:
        return "no element has one of these words in its role, name or value; read_page lists the elements"
    lines = [node.line(ref) + ("" if node.in_view else " (out of view)") for _, node in found[:MOST_FOUND]]
    if len(found) > MOST_FOUND:
        lines.append(f"and {len(found) - MOST_FOUND} more; give more words")
    return "\n".join(lines)


def read_text(page: Page) -> str:
    """Return the visible text of a page and of the frames in it."""
    worlds = worlds_of(page)
    texts = [str(worlds.main.run(_TEXT))]
    for frame in worlds.children():
        with contextlib.suppress(PlaywrightError):  # it is being replaced
            texts.append(str(frame.run(_TEXT)))
    return _cut("\n\n".join(filter(None, map(str.strip, texts))), "read_page tells the rest") or "no text"


def _nodes(found: Mapping[str, Any], root: str) -> Iterator[_Node]:
    """Yield what is told of a tree in document order, or of the part below an element."""
    nodes = {node["nodeId"]: node for node in found["axtree_object"]["nodes"]}
    more = found["extra_element_properties"]
    first = (
        next((key for key, node in nodes.items() if node.get("browsergym_id") == root), None)
        if root
        else None
    )
    if root and first is None:
        return
    # Level, name of what contains it, and whether that is in view.
    waiting = [(first if first is not None else next(iter(nodes)), 0, "", True)]
    while waiting:
        key, level, around, in_view = waiting.pop()
        raw = nodes.get(key)
        if raw is None:
            continue
        node = _node(raw, level, more, in_view)
        told = _is_printed(node, around)
        if told:
            yield node
        inside = (level + 1, node.name, node.in_view) if told else (level, around, node.in_view)
        waiting += [(child, *inside) for child in reversed(raw.get("childIds", ()))]


def _node(raw: Mapping[str, Any], level: int, more: Mapping[str, Any], in_view: bool) -> _Node:
    role = str(raw.get("role", {}).get("value", "none"))
    bid = str(raw.get("browsergym_id") or "")
    properties = {each["name"]: each["value"].get("value") for each in raw.get("properties", ())}
    known = more.get(bid) or {}
    name = _text(raw, "name")
    return _Node(
        level=level,
        role="none" if raw.get("ignored") else role,
        name=name,
        value=_text(raw, "value"),
        states=tuple(_states(properties)),
        bid=bid,
        in_view=bool(known["visibility"]) if known.get("visibility") is not None else in_view,
        interactive=role in _INTERACTIVE or bool(known.get("clickable") and name),
    )


def _text(raw: Mapping[str, Any], field: str) -> str:
    value = raw.get(field, {}).get("value", "")
    return " ".join(str(value).split())


def _states(properties: Mapping[str, Any]) -> Iterator[str]:
    for name, said in _STATES.items():
        value = properties.get(name)
        if value == "mixed":
            yield f"partly {said}"
        elif value in (True, "true"):
            yield said
        elif value in (False, "false") and name in _TOLD_IF_NOT:
            yield _TOLD_IF_NOT[name]


def _is_printed(node: _Node, around: str) -> bool:
    if node.role == "StaticText":
        return bool(node.name) and node.name not in around
    return node.role not in _UNPRINTED and (node.role not in _PLAIN or bool(node.name))


def _is_shown(node: _Node, shown: Shown) -> bool:
    return shown == "all" or (node.in_view and (shown == "in view" or node.interactive))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


_FILLERS = {*_words("a an and at by for from in is it my of on or that the this to with your element page")}


def _score(node: _Node, wanted: set[str]) -> float:
    """Return how many of the words an element has; one in its name counts twice, and half a one if it is operable."""
    named = wanted & {*_words(node.name), *_words(node.value)}
    called = wanted & {*_words(node.role), *_CALLED.get(node.role, "").split()}
    score = 2.0 * len(named) + len(called - named)
    return score + node.interactive / 2 if score else 0.0


def _cut(text: str, way_out: str) -> str:
    if len(text) <= MOST_CHARACTERS:
        return text
    kept = text[:MOST_CHARACTERS].rpartition("\n")[0] or text[:MOST_CHARACTERS]
    return f"{kept}\n[cut at {MOST_CHARACTERS:,} characters: {way_out}]"
