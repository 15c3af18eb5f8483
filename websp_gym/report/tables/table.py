"""Tables of the report, independent of the output format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from websp_gym.report.tables.intervals import Figure, wilson

DASH = "–"
"""Text of a cell without a figure."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Args:
        text: As it is shown.
        value: The same for a program.
        share: From 0 to 1, for shading; None where the cell is no share of anything.
        low: Lower end of the interval of ``share`` or ``value``.
        high: Its upper end.
        best: Whether no other of the row (or column) is better.
        episodes: Which episodes it counts: values of the page's filters, by their names.
    """

    text: str
    value: Any = None
    share: float | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    episodes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """A column: its heading, what it means, and whether it quotes a publication."""

    label: str
    hint: str = ""
    reference: bool = False


@dataclass(frozen=True)
class Row:
    """A row: what it is about, and its cells; ``reference`` where it quotes a publication."""

    label: str
    cells: tuple[Cell, ...]
    reference: bool = False
    total: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        key: Its name for a program, e.g. ``sites``.
        title: Its heading.
        paper: The paper's table it corresponds to; empty where there is none.
        instruction: The wording it is about; empty where about both.
        stub: Heading of the row labels.
        columns: The other columns.
        rows: The rows.
        about: What it says, in a sentence or two.
        notes: What a reader must know about these numbers in particular.
        every_trial: Whether further trials count in it.
    """

    key: str
    title: str
    paper: str
    instruction: str
    stub: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    about: str
    notes: tuple[str, ...] = ()
    every_trial: bool = False

    @property
    def name(self) -> str:
        """Name of the table, unique in the report."""
        return f"{self.key}-{self.instruction}" if self.instruction else self.key

    def cell(self, row: str, column: str) -> Cell:
        """One cell, by the labels of its row and its column.

        Args:
            row: The row's label.
            column: The column's label.

        Returns:
            The cell.

        Raises:
            KeyError: There is no such row or column.
        """
        at = {name.label: number for number, name in enumerate(self.columns)}[column]
        return {line.label: line for line in self.rows}[row].cells[at]

    def as_dict(self) -> dict[str, Any]:
        """The table as JSON data."""
        return {
            "key": self.key,
            "title": self.title,
            "paper_table": self.paper or None,
            "instruction": self.instruction or None,
            "about": self.about,
            "notes": list(self.notes),
            "columns": [column.label for column in self.columns],
            "rows": [self._row(row) for row in self.rows],
        }

    def _row(self, row: Row) -> dict[str, Any]:
        cells = {
            column.label: _plain(cell) | ({"reference": True} if column.reference else {})
            for column, cell in zip(self.columns, row.cells, strict=True)
        }
        return {"label": row.label, "reference": row.reference, "cells": cells}


def number(value: int, episodes: Mapping[str, str] | None = None) -> Cell:
    """A count.

    Args:
        value: The count.
        episodes: The filters that list what was counted.
    """
    return Cell(str(value), value, episodes=(episodes or {}) if value else {})


def part(hits: int, of: int, episodes: Mapping[str, str] | None = None, *, blamed: int | None = None) -> Cell:
    """Some of many, such as 9/17, with Wilson's interval of the share.

    Args:
        hits: How many.
        of: Of how many; 0 leaves the cell empty.
        episodes: The filters that list them.
        blamed: Shown in parentheses behind it.
    """
    rate = wilson(hits, of)
    if rate.value is None:
        return Cell(DASH)
    value = {"count": hits, "of": of, **({} if blamed is None else {"blamed": blamed})}
    text = f"{hits}/{of}" + ("" if blamed is None else f" ({blamed})")
    return Cell(text, value, rate.value, rate.low, rate.high, episodes=episodes or {})


def percent(hits: int, of: int) -> Cell:
    """A rate in per cent with Wilson's interval, such as ``53 % (31 to 74)``."""
    rate = wilson(hits, of)
    if rate.value is None or rate.low is None or rate.high is None:
        return Cell(DASH)
    text = f"{100 * rate.value:.1f} % ({100 * rate.low:.0f} to {100 * rate.high:.0f})"
    return Cell(text, rate.value, rate.value, rate.low, rate.high)


def figure(found: Figure, *, shown: str = "{:.2f}", shade: bool = False) -> Cell:
    """A figure with its interval.

    Args:
        found: The figure.
        shown: How each of its numbers is written.
        shade: Whether it is a share.
    """
    if found.value is None:
        return Cell(DASH)
    text = shown.format(found.value)
    if found.low is not None and found.high is not None:
        text += f" ({shown.format(found.low)} to {shown.format(found.high)})"
    return Cell(text, found.value, found.value if shade else None, found.low, found.high)


def crown(cells: Iterable[Cell], eligible: Iterable[bool]) -> tuple[Cell, ...]:
    """Marks the best cells, as the paper's tables do.

    Args:
        cells: The cells to compare, by their share.
        eligible: Which of them take part; one alone is no winner, nor is anybody at 0.

    Returns:
        The cells.
    """
    given, allowed = list(cells), list(eligible)
    shares = [cell.share for cell, may in zip(given, allowed, strict=True) if may and cell.share is not None]
    top = max(shares, default=0.0)
    if len(shares) < 2 or top == 0:
        return tuple(given)
    return tuple(
        replace(cell, best=True) if may and cell.share == top else cell
        for cell, may in zip(given, allowed, strict=True)
    )


def _plain(cell: Cell) -> dict[str, Any]:
    data: dict[str, Any] = {"value": cell.value, "text": cell.text}
    if cell.low is not None:
        data["interval"] = [cell.low, cell.high]
    return data
