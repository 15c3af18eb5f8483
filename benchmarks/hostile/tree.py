"""A page as a tree that can be changed before it is built; ``page.js`` builds it in a browser."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

IDENTITY = ("data-testid", "id", "name")
"""Attributes by which authors tell their elements apart."""
TEXTS = ("aria-label", "placeholder", "title")
"""Attributes a person can read."""


@dataclass
class Node:
    """One element.

    Args:
        tag: Its tag.
        attrs: Its attributes.
        children: Elements and texts.
        key: Who it is, for what can be operated. Never in the page's DOM: the page keeps it in a closure.
        says: What a person reads there: ``label`` and ``note`` on an operable element, ``row`` on a row of
            data, ``section`` on a section.
        group: Its children may come in any order.
        mode: How it is built: ``shadow`` (its content in an open shadow root), ``frame`` or ``far-frame`` (in an
            iframe of this or another origin), ``virtual`` (a list that renders what is scrolled to).
    """

    tag: str
    attrs: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)
    key: str = ""
    says: dict[str, str] = field(default_factory=dict)
    group: bool = False
    mode: str = ""

    def walk(self) -> Iterator[Node]:
        """Yields this element and all inside it, in reading order."""
        yield self
        for child in self.nodes():
            yield from child.walk()

    def nodes(self) -> list[Node]:
        """Its child elements."""
        return [child for child in self.children if isinstance(child, Node)]

    def copy(self) -> Node:
        """A tree of its own."""
        return copy.deepcopy(self)

    def path_to(self, key: str) -> list[Node]:
        """The elements from this one down to the one with the key; empty where it is not in here."""
        if self.key == key:
            return [self]
        for child in self.nodes():
            if path := child.path_to(key):
                return [self, *path]
        return []

    def retell(self, tell: Callable[[str], str]) -> None:
        """Puts every text a person can read in other words."""
        for node in self.walk():
            node.children = [tell(child) if isinstance(child, str) else child for child in node.children]
            for name in TEXTS:
                if name in node.attrs:
                    node.attrs[name] = tell(node.attrs[name])
            node.says = {kind: tell(text) for kind, text in node.says.items()}

    def plain(self) -> dict[str, Any]:
        """The tree as JSON for ``page.js``."""
        children = [child.plain() if isinstance(child, Node) else child for child in self.children]
        return {
            "tag": self.tag,
            "attrs": self.attrs,
            "key": self.key,
            "mode": self.mode,
            "children": children,
        }


def facts(page: Node) -> dict[str, dict[str, str]]:
    """What is literally true of each operable element of a page, by its key.

    Returns:
        For each key: its identifying attributes, where it leads, and what a person reads on it, beside it (the
        note), in its row and above it (the heading of its section). Positions are not among them.
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
    """What kind of control an element is."""
    return node.attrs.get("role") or f"{node.tag} {node.attrs.get('type', '')}".strip()


def identifiable(recorded: dict[str, str], page: Node, key: str) -> bool:
    """The rule by which a target counts as identifiable on a changed page; fixed before anything was measured.

    Of the facts recorded about the target (:func:`facts`: attributes, texts, row, section, never the position)
    those that still hold word for word must not all hold of another element of the same kind too. Where they
    do, or where none is left, nothing but its position tells the target apart, and a position is no evidence:
    it belongs to somebody else as soon as an element above is gone. Raising is then the right answer. It is the
    right answer too where the target is gone.
    """
    now = facts(page)
    if key not in now:
        return False

    def holding(of: dict[str, str]) -> set[str]:
        return {name for name, value in recorded.items() if name != "kind" and of.get(name) == value}

    own = holding(now[key])
    # The section alone says where to look, not what for.
    if not own - {"section"}:
        return False
    others = (other for name, other in now.items() if name != key and other["kind"] == recorded["kind"])
    return all(not holding(other) >= own for other in others)
