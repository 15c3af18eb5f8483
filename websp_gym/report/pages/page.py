"""The report as one HTML file: tables, plots, a list to filter and search, and every trajectory.

The file is self-contained and makes no request. A content security policy allows its scripts and style sheets
by hash; text of agents and websites is escaped or inert JSON. A trajectory is packed into a data block and
shown in a frame that can access neither the page nor the network.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from websp_gym.project import docs
from websp_gym.report.pages.document import digest, environment, inert_json, script, sheet, write_file
from websp_gym.report.pages.embedding import LIMIT, NOT_KEPT, TOO_LARGE, Packed, Progress, pack
from websp_gym.report.pages.episode_list import choices, filters_of, listed, wording
from websp_gym.report.pages.plots import Plot, plots
from websp_gym.report.tables.build import Report
from websp_gym.report.tables.rows import GROUPS

_TITLES = {
    "headline": "Results",
    "overall": "Overall",
    "wording": "Wordings",
    "sites": "Websites",
    "categories": "Categories",
    "elements": "UI elements",
    "states": "ON and OFF",
    "trials": "Trials",
    "kinds": "Failure kinds",
    "policy": "Under policy",
    "risk-dimension": "Risk",
    "risk-level": "by level",
    "policies": "Policies",
    "decisions": "Decisions",
    "effort": "Effort",
    "judges": "Judges",
}
"""Short titles of the tables, for the navigation."""


@dataclass(frozen=True)
class PageWritten:
    """A page on disk.

    Args:
        path: The file.
        size: Its size in bytes.
        embedded: Number of trajectories in it.
        notes: What is left out.
    """

    path: Path
    size: int
    embedded: int
    notes: tuple[str, ...]


def write_report_html(
    report: Report, html: Path | str, *, limit: int = LIMIT, progress: Progress = lambda done, of: None
) -> PageWritten:
    """Write the report as one self-contained HTML file.

    Args:
        report: The report.
        html: The file; its folder is created if missing.
        limit: Most bytes of trajectories in the file; the page marks those left out.
        progress: Called with the number of finished trajectories and their total.

    Returns:
        What was written.

    Raises:
        SetupError: The file cannot be written.
    """
    html = Path(html)
    packed = pack(report.episodes, limit=limit, progress=progress)
    pictures, notes = _pictures(report)
    notes += _left_out(packed)
    size = write_file(html, _render(report, packed, pictures, notes))
    return PageWritten(html, size, len(packed.pages), tuple(notes))


def _pictures(report: Report) -> tuple[list[Plot], list[str]]:
    try:
        return plots(report), []
    except ImportError:
        return [], [
            f"no plots: they need the extra “report”, which has Matplotlib ({docs('reference/reports#the-page')})"
        ]


def _left_out(packed: Packed) -> list[str]:
    lost = packed.count(TOO_LARGE)
    unread = sum(episode.folder is not None for episode in packed.missing) - lost
    notes = []
    if lost:
        notes.append(
            f"{lost} of {lost + len(packed.pages)} trajectories are left out to keep the page small: give it "
            "more megabytes with --max-size, or fewer runs."
        )
    if unread:
        notes.append(f"{unread} trajectories cannot be read; the list of episodes shows why.")
    return notes


def _absent(packed: Packed) -> list[tuple[str, int]]:
    """Return why episodes are without their trajectory, and how many."""
    words = {
        NOT_KEPT: "recorded none (they were run without a folder)",
        TOO_LARGE: "are left out to limit the size of the page",
    }
    return Counter(words.get(why, "cannot be read") for why in packed.missing.values()).most_common()


def _render(report: Report, packed: Packed, pictures: list[Plot], notes: list[str]) -> Iterator[str]:
    rows = listed(report.episodes, packed)
    style, code = sheet("report.css"), script("report.js")
    template = _templates().get_template("report.html.j2")
    return template.generate(
        report=report,
        tables=[table.for_people() for table in report.tables],
        sections=_sections(report),
        pictures=pictures,
        notes=[*report.notes, *notes],
        choices=choices(rows),
        pages=packed.pages,
        absent=_absent(packed),
        data=Markup(inert_json({"episodes": rows, "groups": GROUPS})),
        style=Markup(style),
        script=Markup(code),
        policy=_policy(style, code),
    )


def _sections(report: Report) -> list[tuple[str, str]]:
    """Yield the anchor and short title of the first table of each kind."""
    found: dict[str, str] = {}
    for table in report.tables:
        found.setdefault(table.key, table.name)
    return [(name, _TITLES.get(key, key)) for key, name in found.items()]


@cache
def _templates() -> jinja2.Environment:
    templates = environment()
    templates.globals.update(wording=wording, filters_of=filters_of)
    templates.filters["breakable"] = _breakable
    return templates


def _breakable(name: str) -> Markup:
    """Return a name that may be broken into lines where its parts meet, as in ``openai:gpt-5.2``."""
    return Markup("<wbr>").join(re.split(r"(?<=[:/#?&=_@])(?=\w)", name))


def _policy(style: str, code: str) -> str:
    """Return the content security policy; it also covers the trajectory's frame, which inherits it."""
    styles = (digest(style), digest(sheet("trajectory.css")))
    scripts = (digest(code), digest(script("trajectory.js")))
    return (
        f"default-src 'none'; img-src data:; frame-src blob:; style-src '{styles[0]}' '{styles[1]}'; "
        f"script-src '{scripts[0]}' '{scripts[1]}'; base-uri 'none'; form-action 'none'"
    )
