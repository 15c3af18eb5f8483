"""Tables of the report, independent of the output format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

from websp_gym.rates import Figure, wilson

DASH = "–"
"""Text of a cell without a figure."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    Args:
        text: Displayed text.
        value: Value in JSON.
        share: Value from 0 to 1 for shading; None if the cell is not a share.
        low: Lower end of the interval of `share` or `value`.
        high: Upper end.
        best: Whether no other cell of the row (or column) is better.
        episodes: The episodes that it counts, as values of the page's filters by name.
        words: Whether its text is a sentence, to be read in lines and not compared with others.
    """

    text: str
    value: Any = None
    share: float | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    episodes: Mapping[str, str] = field(default_factory=dict)
    words: bool = False


@dataclass(frozen=True)
class Column:
    """A column.

    Args:
        label: Its heading.
        hint: Its meaning.
        reference: Whether it quotes a publication.
        silent: Whether it is uninformative in this table, for example all zero; only JSON and `cell` have it.
    """

    label: str
    hint: str = ""
    reference: bool = False
    silent: bool = False


@dataclass(frozen=True)
class TableRow:
    """A row, with its label and cells.

    Args:
        label: Its label.
        cells: Its cells.
        reference: Whether it quotes a publication.
        computed: Whether nobody played it.
        measured: Whether it was played once and for all, and not in these runs.
        total: Whether it sums up the others.
    """

    label: str
    cells: tuple[Cell, ...]
    reference: bool = False
    computed: bool = False
    measured: bool = False
    total: bool = False

    @property
    def aside(self) -> bool:
        """Whether it is for comparison, and not of the results."""
        return self.reference or self.computed or self.measured


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        key: Its name in programs, e.g. ``sites``.
        title: Its heading.
        paper: Number of the corresponding table in the paper; empty if there is none.
        instruction: Its instruction variant; empty if it covers both.
        stub: Heading of the row labels.
        columns: The other columns.
        rows: The rows.
        about: Description in one or two sentences.
        notes: Notes on these numbers in particular.
        every_trial: Whether it counts further trials.
    """

    key: str
    title: str
    paper: str
    instruction: str
    stub: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    about: str
    notes: tuple[str, ...] = ()
    every_trial: bool = False

    @property
    def name(self) -> str:
        """Name of the table, unique in the report."""
        return f"{self.key}-{self.instruction}" if self.instruction else self.key

    def cell(self, row: str, column: str) -> Cell:
        """Return the cell with these labels; raise KeyError if there is none."""
        return {line.label: line for line in self.rows}[row].cells[self.place(column)]

    def place(self, column: str) -> int:
        """Return the index of the column with this label; raise KeyError if there is none."""
        return {name.label: number for number, name in enumerate(self.columns)}[column]

    def for_people(self) -> Table:
        """Return the table without its silent columns."""
        spoken = [not column.silent for column in self.columns]
        rows = (replace(row, cells=tuple(compress(row.cells, spoken))) for row in self.rows)
        return replace(self, columns=tuple(compress(self.columns, spoken)), rows=tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        """Return the table as JSON data."""
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

    def _row(self, row: TableRow) -> dict[str, Any]:
        cells = {
            column.label: _plain(cell) | ({"reference": True} if column.reference else {})
            for column, cell in zip(self.columns, row.cells, strict=True)
        }
        flags = {"reference": row.reference}
        flags |= {name: True for name in ("computed", "measured") if getattr(row, name)}
        return {"label": row.label, **flags, "cells": cells}


def number(value: int, episodes: Mapping[str, str] | None = None) -> Cell:
    """Return the cell of a count; `episodes` are the filters that list what was counted."""
    return Cell(str(value), value, episodes=(episodes or {}) if value else {})


def part(hits: int, of: int, episodes: Mapping[str, str] | None = None, *, blamed: int | None = None) -> Cell:
    """Return a cell such as 9/17, with Wilson's interval of the share.

    Args:
        hits: The numerator.
        of: The denominator; 0 leaves the cell empty.
        episodes: The filters that list the counted episodes.
        blamed: Number of attributed failures, shown in parentheses.
    """
    rate = wilson(hits, of)
    if rate.value is None:
        return Cell(DASH)
    value = {"count": hits, "of": of, **({} if blamed is None else {"blamed": blamed})}
    text = f"{hits}/{of}" + ("" if blamed is None else f" ({blamed})")
    return Cell(text, value, rate.value, rate.low, rate.high, episodes=episodes or {})


def percent(hits: int, of: int) -> Cell:
    """Return the cell of a rate in per cent with Wilson's interval, such as ``53.0 % (31 to 74)``."""
    return rated(wilson(hits, of))


def rated(rate: Figure) -> Cell:
    """Return the cell of a rate in per cent with its interval."""
    if rate.value is None or rate.low is None or rate.high is None:
        return Cell(DASH)
    text = f"{100 * rate.value:.1f} % ({100 * rate.low:.0f} to {100 * rate.high:.0f})"
    return Cell(text, rate.value, rate.value, rate.low, rate.high)


def figure(found: Figure, *, shown: str = "{:.2f}", shade: bool = False) -> Cell:
    """Return the cell of a value with its interval.

    Args:
        found: The value.
        shown: Format of each number.
        shade: Whether the value is a share.
    """
    if found.value is None:
        return Cell(DASH)
    text = shown.format(found.value)
    if found.low is not None and found.high is not None:
        text += f" ({shown.format(found.low)} to {shown.format(found.high)})"
    return Cell(text, found.value, found.value if shade else None, found.low, found.high)


def crown(cells: Iterable[Cell], eligible: Iterable[bool]) -> tuple[Cell, ...]:
    """Return the cells with the best ones marked, as in the paper's tables.

    Args:
        cells: The cells, compared by share.
        eligible: Which of them take part. Nothing is marked if only one has a share, or if the best share is 0.
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
