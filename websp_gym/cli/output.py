"""How commands print: progress bars, plain tables and JSON."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import rich.console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

OK, FAILED = "[green]✓[/]", "[red]✗[/]"
STATUS_COLOURS = {"pass": "green", "fail": "yellow", "unscored": "magenta", "error": "red"}
_WIDTH = 160
"""Width in columns if the output is not a terminal."""
_NUMBERS = ("#", "score", "ms")


class Console(rich.console.Console):
    """A console that prints names as they are: no colours for numbers, and no pictures for ``robot.py:Robot``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, emoji=False, **options)


def wide_console(*, stderr: bool = False) -> Console:
    """Return a console for wide tables: as wide as the terminal or ``COLUMNS``, or 160 columns without either."""
    console = Console(stderr=stderr)
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(stderr=stderr, width=_WIDTH)


def progress_bar(console: Console, *, cost: bool = False) -> Progress:
    """Return a progress bar that shows on a terminal only; with `cost`, its tasks need a field of that name."""
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()]
    columns += [TextColumn("{task.fields[cost]}")] if cost else []
    return Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not console.is_terminal
    )


def dollars(cost: float) -> str:
    """Return a cost in dollars, to the cent from ten cents on."""
    return f"${cost:.2f}" if cost >= 0.1 or not cost else f"${cost:.4f}"


def plain_table(*columns: str) -> Table:
    """Return a table without lines; without columns, it has no header."""
    table = Table(box=None, header_style="bold", pad_edge=False, show_header=bool(columns))
    for column in columns:
        table.add_column(column, justify="right" if column in _NUMBERS else "left", overflow="fold")
    return table


def print_json(data: Any) -> None:
    """Print data for a program to read."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def print_line(line: str) -> None:
    """Print one line of JSON Lines at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
