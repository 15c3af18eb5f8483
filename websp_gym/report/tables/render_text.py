"""Render the report for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from websp_gym.report.tables.build import Report
from websp_gym.report.tables.table import DASH, Cell, Table, TableRow

_SENTENCE = 40
"""Width in columns that a sentence needs at least."""
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>#|~"} | {"\n": " ", "\r": " "})


def show_report(report: Report, console: Console) -> None:
    """Print a report: the headline of each agent, then the tables, none wider than the terminal."""
    for table in report.tables:
        show_table(table, console)
    for note in report.notes:
        console.print(Text("• " + note, style="dim"))


def show_table(table: Table, console: Console) -> None:
    """Print a table: in rows where these fit, else its cells in two lines, else each row as a block."""
    shown = table.for_people()
    heading = Text.assemble((shown.title, "bold"), (f"  {_source(shown)}", "dim"))
    layouts: Iterable[RenderableType] = (_rows(shown, broken=broken) for broken in (False, True))
    fitting = (each for each in layouts if _width(each, console) <= console.width)
    grid = None if shown.key == "headline" else next(fitting, None)
    notes = (Text(note, style="dim") for note in shown.notes)
    console.line()
    console.print(Group(heading, grid or _blocks(shown), *notes))


def _width(shown: RenderableType, console: Console) -> int:
    """Return the width that a grid needs: nothing in it is broken but sentences."""
    return console.measure(shown, options=console.options.update(width=10_000)).maximum


def _rows(table: Table, *, broken: bool) -> Grid:
    """Return a table as a grid; names of agents and tasks are not read as markup."""
    grid = Grid(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    grid.add_column(Text(table.stub), no_wrap=not broken, overflow="fold", min_width=10)
    for at, column in enumerate(table.columns):
        words = any(row.cells[at].words for row in table.rows)
        grid.add_column(
            Text(_broken(column.label) if broken or column.reference else column.label),
            justify="left" if words else "right",
            style="dim italic" if column.reference else "",
            overflow="fold",
            width=_SENTENCE if words else None,
        )
    for row in table.rows:
        grid.add_row(Text(row.label), *(_text(cell, broken=broken) for cell in row.cells), style=_style(row))
    return grid


def _blocks(table: Table) -> Group:
    """Return a table as one block per row: its label, and below it the cells by the names of their columns."""
    blocks: list[RenderableType] = []
    for row in table.rows:
        short: list[Text] = []
        lines: list[Text] = []
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell.text in ("", DASH):
                continue
            (lines if cell.words else short).append(
                Text.assemble((f"{column.label}{': ' if cell.words else ' '}", "dim"), _text(cell))
            )
        own: list[RenderableType] = [Columns(short, padding=(0, 3)), *lines] if short else [*lines]
        label = Text(row.label, style=_style(row) or "bold")
        blocks.append(Group(label, Padding(Group(*own), (0, 0, 0, 2))))
    return Group(*blocks)


def _style(row: TableRow) -> str:
    return "dim italic" if row.aside else "bold" if row.total else ""


def _broken(name: str) -> str:
    """Return a heading in lines."""
    return name.replace("-", "-\n").replace(" ", "\n")


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


def _markdown_row(row: TableRow, references: Iterable[bool]) -> str:
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


def _text(cell: Cell, *, broken: bool = False) -> Text:
    """Return a cell; what a rate has in brackets goes below it where it is to be narrow."""
    text = cell.text.replace(" (", "\n(") if broken and not cell.words else cell.text
    return Text(text, style="bold green" if cell.best else "")
