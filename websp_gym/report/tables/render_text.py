"""Render the report for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from websp_gym.report.tables.build import Report
from websp_gym.report.tables.table import Cell, Column, Row, Table

_UNBOUNDED = 10_000
"""Width in columns that every table fits into."""
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>#|~"} | {"\n": " ", "\r": " "})


def show_report(report: Report, console: Console) -> None:
    """Print a report."""
    for table in report.tables:
        show_table(table, console)
    for note in report.notes:
        console.print(Text("• " + note, style="dim"))


def show_table(table: Table, console: Console) -> None:
    """Print a table, wider than the terminal if necessary rather than without its last columns."""
    shown = terminal_table(table.for_people())
    whole = console.measure(shown, options=console.options.update(width=_UNBOUNDED)).maximum
    given = console.width
    console.width = max(given, whole)
    try:
        console.print(shown, crop=False)
    finally:
        console.width = given


def terminal_table(table: Table) -> RenderableType:
    """Return a table for a terminal; names of agents and tasks are not read as markup."""
    grid = Grid(box=None, pad_edge=False, header_style="bold", title_justify="left", collapse_padding=True)
    grid.add_column(Text(table.stub), overflow="fold", min_width=20)
    for column in table.columns:
        style = "dim italic" if column.reference else ""
        grid.add_column(Text(_broken(column)), justify="right", style=style, overflow="fold")
    for row in table.rows:
        style = "dim italic" if row.aside else "bold" if row.total else ""
        grid.add_row(Text(row.label), *(_text(cell) for cell in row.cells), style=style)
    heading = Text.assemble((table.title, "bold"), (f"  {_source(table)}", "dim"))
    return Padding(
        Group(heading, grid, *(Text(note, style="dim") for note in table.notes)), (1, 0, 0, 0), expand=False
    )


def _broken(column: Column) -> str:
    """Return a heading; the name of a published model is broken into lines, as there are many in a row."""
    return column.label.replace("-", "-\n").replace(" ", "\n") if column.reference else column.label


def markdown(report: Report) -> str:
    """Return the report as Markdown; agents' names and ids are escaped."""
    parts = ["# WebSP results", _bullets(report.notes)]
    parts += [markdown_table(table.for_people()) for table in report.tables]
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: Table) -> str:
    """Return one table as Markdown, with heading and notes."""
    lines = [
        _line(_escaped(table.stub), [_escaped(column.label) for column in table.columns]),
        _line("---", ["---:"] * len(table.columns)),
        *(_markdown_row(row, [column.reference for column in table.columns]) for row in table.rows),
    ]
    parts = [
        f"## {table.title}{_bracketed(_source(table))}",
        table.about,
        "\n".join(lines),
        _bullets(table.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _markdown_row(row: Row, references: Iterable[bool]) -> str:
    def shown(cell: Cell, reference: bool) -> str:
        text = _escaped(cell.text)
        if cell.text and (row.aside or reference):
            return f"*{text}*"
        return f"**{text}**" if cell.best else text

    cells = [shown(cell, reference) for cell, reference in zip(row.cells, references, strict=True)]
    return _line(f"*{_escaped(row.label)}*" if row.aside else _escaped(row.label), cells)


def _line(first: str, cells: Iterable[str]) -> str:
    return "| " + " | ".join([first, *cells]) + " |"


def _escaped(text: str) -> str:
    return text.translate(_SPECIAL)


def _bullets(notes: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(note)}" for note in notes)


def _source(table: Table) -> str:
    return f"table {table.paper} of the paper" if table.paper else ""


def _bracketed(text: str) -> str:
    return f" ({text})" if text else ""


def _text(cell: Cell) -> Text:
    return Text(cell.text, style="bold green" if cell.best else "")
