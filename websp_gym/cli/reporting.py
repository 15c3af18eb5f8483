"""``websp report``: tables in the terminal, as Markdown, JSON or one HTML page."""

from __future__ import annotations

import csv as csv_module
import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, print_json, progress_bar, wide_console
from websp_gym.errors import SetupError
from websp_gym.report.pages.document import write_file
from websp_gym.report.pages.embedding import LIMIT
from websp_gym.report.pages.page import write_report_html
from websp_gym.report.tables import decisions, policies
from websp_gym.report.tables.build import Report, read_report
from websp_gym.report.tables.render_text import markdown, show_report


def report(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="Folders with runs, at any depth.")],
    *,
    html: Annotated[
        Path | None, typer.Option(help="Write one HTML file with tables, plots and every trajectory.")
    ] = None,
    compare: Annotated[
        str, typer.Option(help="Show published figures next to yours; `paper` for those of WebSP-Eval.")
    ] = "",
    max_size: Annotated[
        float, typer.Option(min=0, help="Megabytes of trajectories in the page; the rest is left out.")
    ] = LIMIT / 1e6,
    csv: Annotated[
        Path | None,
        typer.Option(
            help="Write the verdict on each policy of each planned episode to this file, and what agents decided in "
            "everyday tasks to NAME-decisions.csv."
        ),
    ] = None,
    as_json: AsJson = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Report success rates with confidence intervals: the paper's tables, from any number of run folders.

    Example: `websp report runs/oracle runs/noop --html report.html --compare paper`
    """
    if as_json and as_markdown:
        raise SetupError("choose one of --json and --markdown")
    made = read_report(folders, compare=compare)
    console = wide_console(stderr=as_json or as_markdown)
    if as_json:
        print_json(made.as_dict())
    elif as_markdown:
        sys.stdout.write(markdown(made))
    else:
        show_report(made, console)
    if csv is not None:
        for what, path in write_csv(made, csv).items():
            console.print(f"{what}: {path}", markup=False, soft_wrap=True)
    if html is not None:
        write_page(made, html, console, limit=int(max_size * 1e6))


def write_csv(report: Report, target: Path) -> dict[str, Path]:
    """Write the verdicts on policies and the decisions of everyday tasks as CSV, each if there are any.

    Returns:
        The files, by what they have.

    Raises:
        SetupError: There are neither, or a file cannot be written.
    """
    beside = target.with_name(f"{target.stem}-decisions{target.suffix}")
    tables = {
        "policies": (target, policies.COLUMNS, policies.verdict_lines(report.planned.episodes)),
        "decisions": (beside, decisions.COLUMNS, decisions.decision_lines(report.decided)),
    }
    written = {}
    for what, (path, columns, found) in tables.items():
        if lines := list(found):
            text = io.StringIO()
            csv_module.writer(text, lineterminator="\n").writerows([columns, *lines])
            write_file(path, text.getvalue())
            written[what] = path
    if not written:
        raise SetupError(
            "these runs have no policies and no decisions: there is nothing to write as CSV", option="csv"
        )
    return written


def write_page(report: Report, html: Path, console: Console, *, limit: int = LIMIT) -> None:
    """Write the page and print where it is and what it leaves out."""
    with progress_bar(console) as bar:
        task = bar.add_task("trajectories", total=None)
        page = write_report_html(
            report, html, limit=limit, progress=lambda done, of: bar.update(task, completed=done, total=of)
        )
    many = f"{page.embedded} {'trajectory' if page.embedded == 1 else 'trajectories'}"
    for note in page.notes:
        console.print(f"• {note}", style="dim", markup=False)
    console.print(f"page: {page.path}  {page.size / 1e6:.1f} MB, {many}", markup=False, soft_wrap=True)
