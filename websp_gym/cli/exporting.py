"""``websp export``: the episodes of runs as a table for other tools."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.output import Console
from websp_gym.errors import SetupError
from websp_gym.records.runs import count
from websp_gym.report.frame import Format, read_episodes


def export(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders with runs, at any depth.")],
    *,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file. Default: CSV on standard output.")
    ] = None,
    kind: Annotated[
        Format | None, typer.Option("--format", help="Its format. Default: from the extension of FILE.")
    ] = None,
) -> None:
    """Write the episodes of runs as one flat table, for a spreadsheet, pandas, DuckDB or R.

    CSV needs nothing else; Parquet needs the extra `export`.

    Example: `websp export runs/* --to episodes.parquet`
    """
    table = read_episodes(folders)
    console = Console(stderr=True)
    for line in table.broken:
        console.print(f"left out: {line}", style="red", markup=False, soft_wrap=True)
    if to is not None:
        table.write(to, kind)
        console.print(f"{count(len(table), 'episode')}: {to}", markup=False, soft_wrap=True)
    elif kind == "parquet":
        raise SetupError("--format parquet needs --to FILE", option="to")
    else:
        sys.stdout.write(table.csv())
