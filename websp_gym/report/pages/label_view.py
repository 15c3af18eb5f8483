"""The pages on which a person labels episodes without knowing agent, verdict or judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import jinja2
from markupsafe import Markup

from websp_gym.report.pages.document import digest, environment, sheet, source


@dataclass(frozen=True)
class OverviewRow:
    """An episode in the list: its address, instance, label (empty for none) and note."""

    address: str
    instance: str
    label: str
    note: str


def overview_html(rows: Sequence[OverviewRow], *, path: str, following: str) -> str:
    """Return the list of episodes and their labels as a page.

    Args:
        rows: The episodes.
        path: File of the labels.
        following: Address of the next episode to label; empty if all have a label.
    """
    style = sheet("trajectory.css") + source("label.css")
    return _template().render(
        rows=rows,
        done=sum(bool(row.label) for row in rows),
        path=path,
        next=following,
        style=Markup(style),
        policy=f"default-src 'none'; img-src data:; style-src '{digest(style)}'; base-uri 'none'; form-action 'none'",
    )


@cache
def _template() -> jinja2.Template:
    return environment().get_template("overview.html.j2")
