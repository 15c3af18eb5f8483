"""Pages of the kinds that have privacy and security settings, before any mutation: the files in ``pages/``.

Attributes that begin with ``data-`` never reach a browser, except ``data-testid``. They are fields of a node
(``key``, ``group``) or what it says (``label``, ``note``, ``row``, ``section``); the label of an operable element is
its text where no ``data-label`` says otherwise. ``data-target`` marks what is recorded and replayed; half of them
have no identifying attribute. Space with a line break is no text.
"""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.hostile.tree import Node

PAGES = ("settings", "consent", "table", "form", "menus", "people", "feed", "inbox", "team")
_SAYS = ("label", "note", "row", "section")


def read_page(name: str) -> Node:
    """Return one of :data:`PAGES`."""
    return _read(name)[0].copy()


def targets(name: str) -> tuple[str, ...]:
    """Return the keys of what is recorded and replayed on a page."""
    return _read(name)[1]


@cache
def _read(name: str) -> tuple[Node, tuple[str, ...]]:
    reader = _Reader()
    reader.feed((Path(__file__).with_name("pages") / f"{name}.html").read_text("utf-8"))
    reader.close()
    (root,) = reader.root.nodes()
    return root, tuple(reader.targets)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("body")
        self.targets: list[str] = []
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        key, is_target = own.pop("data-key", ""), own.pop("data-target", None) is not None
        is_group = own.pop("data-group", None) is not None
        says = {kind: own.pop(f"data-{kind}") for kind in _SAYS if f"data-{kind}" in own}
        node = Node(tag, own, [], key, says, is_group)
        self._open[-1].children.append(node)
        if is_target:
            self.targets.append(key)
        if tag != "input":
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        node = self._open.pop()
        text = "".join(child for child in node.children if isinstance(child, str)).strip()
        if node.key and text:
            node.says.setdefault("label", text)

    def handle_data(self, data: str) -> None:
        if data.strip() or "\n" not in data:
            self._open[-1].children.append(data)
