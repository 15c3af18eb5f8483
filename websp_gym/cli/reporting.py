"""``websp report``: the tables in the terminal, as Markdown or JSON, and the page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from websp_gym.errors import SetupError
from websp_gym.report.pages.embedding import LIMIT
from websp_gym.report.pages.page import write_report_html
from websp_gym.report.tables.build import Report, read_report
from websp_gym.report.tables.render_text import markdown, show_report

_WIDTH = 160
"""Columns where no terminal says how many it has."""


def report_command(
    folders: Sequence[Path],
    *,
    html: Path | None,
    compare: str,
    max_megabytes: float,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Reports on runs.

    Args:
        folders: Folders with runs, at any depth.
        html: Where the page goes; None for none.
        compare: ``paper`` for the published figures beside ours, else empty.
        max_megabytes: How much of the page trajectories may be.
        as_json: Print JSON and nothing else.
        as_markdown: Print Markdown and nothing else.

    Raises:
        SetupError: No results, nothing of that name to compare with, or a file that cannot be written.
    """
    from websp_gym.cli.judging import write_json

    if as_json and as_markdown:
        raise SetupError("choose one of --json and --markdown")
    report = read_report(folders, compare=compare)
    console = Console(highlight=False, stderr=as_json or as_markdown)
    if not console.is_terminal:
        console = Console(highlight=False, stderr=as_json or as_markdown, width=_WIDTH)
    if as_json:
        write_json(report.as_dict())
    elif as_markdown:
        sys.stdout.write(markdown(report))
    else:
        show_report(report, console)
    if html is not None:
        write_page(report, html, console, limit=int(max_megabytes * 1e6))


def write_page(report: Report, html: Path, console: Console, *, limit: int = LIMIT) -> None:
    """Writes the page and says where it is and what it lacks.

    Args:
        report: The report.
        html: The file.
        console: Where progress and the outcome are shown.
        limit: Bytes of trajectories in it.

    Raises:
        SetupError: The file cannot be written.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("trajectories", total=None)
        page = write_report_html(
            report, html, limit=limit, progress=lambda done, of: bar.update(task, completed=done, total=of)
        )
    many = f"{page.embedded} {'trajectory' if page.embedded == 1 else 'trajectories'}"
    for note in page.notes:
        console.print(f"• {note}", style="dim", markup=False)
    console.print(f"page: {page.path}  {page.size / 1e6:.1f} MB, {many}", markup=False, soft_wrap=True)
