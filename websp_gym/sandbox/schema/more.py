"""The names under ``more``, which a site declares for its own templates, so that a misspelt one is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

from .did_you_mean import nearest
from .panels import Control, ItemList, Panel, Section

Part: TypeAlias = Literal["panel", "section", "control", "list"]

_Parts: TypeAlias = Iterator[tuple[Part, str, Panel | Section | Control | ItemList]]


def more_problems(
    declared: Mapping[Part, list[str]], panels: list[Panel], lists: Mapping[str, ItemList]
) -> Iterator[str]:
    """Yield a message for each name in a ``more`` that the site does not declare.

    Args:
        declared: The declared names, by kind of part.
        panels: The panels, resolved.
        lists: The lists, by collection.
    """
    for kind, where, part in _parts(panels, lists):
        known = declared.get(kind, [])
        for name in part.more:
            if name not in known:
                yield f'{where}: more: unknown name "{name}"{nearest(str(name), known) or _declare(kind)}'


def _declare(kind: Part) -> str:
    return f"; names that templates use are declared in the site's `more: {{{kind}: [...]}}`"


def _parts(panels: list[Panel], lists: Mapping[str, ItemList]) -> _Parts:
    for panel in panels:
        yield "panel", f"panels {panel.path}", panel
        for section in panel.sections:
            yield "section", f'panels {panel.path}: section "{section.heading}"', section
            for control in section.controls:
                yield "control", f"panels {panel.path}: {control.key}", control
    for name, spec in lists.items():
        yield "list", f"lists {name}", spec
