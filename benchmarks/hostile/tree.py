"""A page as a tree that can be changed before ``page.js`` builds it in a browser."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

IDENTITY = ("data-testid", "id", "name")
"""Attributes that identify an element for the authors of a page."""
TEXTS = ("aria-label", "placeholder", "title")
"""Attributes with text for the user."""


@dataclass
class Node:
    """One element.

    Args:
        tag: Its tag.
        attrs: Its attributes.
        children: Elements and texts.
        key: Identity of an operable element. It is never in the page's DOM: the page keeps it in a closure.
        says: Visible texts: ``label`` and ``note`` of an operable element, ``row`` of a row of data,
            ``section`` of a section.
        group: Whether its children may be reordered.
        mode: How it is built: ``shadow`` (content in an open shadow root), ``frame`` or ``far-frame`` (in an
            iframe of this or another origin), ``virtual`` (a list that renders only its visible rows).
    """

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)
    key: str = ""
    says: dict[str, str] = field(default_factory=dict)
    group: bool = False
    mode: str = ""

    def walk(self) -> Iterator[Node]:
        """Yield this element and all elements inside it, in reading order."""
        yield self
        for child in self.nodes():
            yield from child.walk()

    def nodes(self) -> list[Node]:
        """Return its child elements."""
        return [child for child in self.children if isinstance(child, Node)]

    def copy(self) -> Node:
        """Return a deep copy."""
        return copy.deepcopy(self)

    def path_to(self, key: str) -> list[Node]:
        """Return the elements from this one down to the one with the key; empty if it is not inside."""
        if self.key == key:
            return [self]
        for child in self.nodes():
            if path := child.path_to(key):
                return [self, *path]
        return []

    def retell(self, tell: Callable[[str], str]) -> None:
        """Apply a function to every visible text."""
        for node in self.walk():
            node.children = [tell(child) if isinstance(child, str) else child for child in node.children]
            for name in TEXTS:
                if name in node.attrs:
                    node.attrs[name] = tell(node.attrs[name])
            node.says = {kind: tell(text) for kind, text in node.says.items()}

    def plain(self) -> dict[str, Any]:
        """Return the tree as JSON data for ``page.js``."""
        children = [child.plain() if isinstance(child, Node) else child for child in self.children]
        return {
            "tag": self.tag,
            "attrs": self.attrs,
            "key": self.key,
            "mode": self.mode,
            "children": children,
        }


def facts(page: Node) -> dict[str, dict[str, str]]:
    """Return the facts about each operable element of a page, by key.

    They are its identifying attributes, its destination, and the texts on it, beside it (the note), in its row
    and above it (the heading of its section). Its position is not a fact.
    """
    known: dict[str, dict[str, str]] = {}

    def visit(node: Node, around: dict[str, str]) -> None:
        around = around | {kind: text for kind, text in node.says.items() if kind in ("row", "section")}
        if node.key:
            attrs = {
                name: node.attrs[name] for name in (*IDENTITY, "href", "placeholder") if name in node.attrs
            }
            known[node.key] = around | node.says | attrs | {"kind": kind_of(node)}
        for child in node.nodes():
            visit(child, around)

    visit(page, {})
    return known


def kind_of(node: Node) -> str:
    """Return the kind of control of an element."""
    return node.attrs.get("role") or f"{node.tag} {node.attrs.get('type', '')}".strip()


def identifiable(recorded: dict[str, str], page: Node, key: str) -> bool:
    """Return whether a target is identifiable on a changed page; this rule was fixed before any measurement.

    Take the recorded facts about the target (see :func:`facts`) that are still literally true. They must not
    all be true of another element of the same kind as well. If they are, or if none is left, only the position
    tells the target apart. A position is no evidence: it belongs to another element as soon as one above is
    removed. Raising an error is then the right answer, as it is for a target that is gone.
    """
    now = facts(page)
    if key not in now:
        return False

    def holding(of: dict[str, str]) -> set[str]:
        return {name for name, value in recorded.items() if name != "kind" and of.get(name) == value}

    own = holding(now[key])
    # The section alone identifies a place, not an element.
    if not own - {"section"}:
        return False
    others = (other for name, other in now.items() if name != key and other["kind"] == recorded["kind"])
    return all(not holding(other) >= own for other in others)
