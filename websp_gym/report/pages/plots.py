"""Plots of some tables, as SVG by matplotlib.

matplotlib comes with the extra ``report``; without it, a page has no plots and a note says so.
"""

from __future__ import annotations

import io
import warnings
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from websp_gym.report.tables.build import Report
from websp_gym.report.tables.table import Table, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAME = 40
"""Most characters of an agent's name in a plot."""
_GROUPS = 6
"""Most agents in one plot; the table has all of them."""


@dataclass(frozen=True)
class Plot:
    """A plot for light and for dark pages, as ``data:`` URIs, with a description of what it shows."""

    table: str
    """Name of the plotted table."""
    caption: str
    light: str
    dark: str


@dataclass(frozen=True)
class _Ink:
    """The colours of a page; :attr:`series` are distinguishable with red-green colour blindness."""

    ink: str
    soft: str
    line: str
    series: tuple[str, ...]


_LIGHT = _Ink(
    "#1d2330", "#5c6575", "#dfe3ea", ("#2457c5", "#d97706", "#0f8a7e", "#a21caf", "#7a8699", "#b3261e")
)
_DARK = _Ink(
    "#e3e6ec", "#98a1b1", "#39414f", ("#8ab0ff", "#f0a94b", "#4fd1c1", "#e08bf0", "#a9b4c4", "#ff8f86")
)

Draw = Callable[["Axes", _Ink], None]


def plots(report: Report) -> list[Plot]:
    """Return the plots of a report; raise ImportError if matplotlib is missing."""
    found = []
    for table in report.tables:
        if table.key == "overall":
            found.append(_plot(table, "Success rate with 95 % interval", *_rates(table)))
        elif table.key == "elements" and table.rows:
            found.append(_plot(table, _caption(table), *_elements(table)))
        elif table.key == "kinds":
            found.append(_plot(table, "Failures by kind", *_kinds(table)))
    return found


def _plot(table: Table, caption: str, size: tuple[float, float], draw: Draw) -> Plot:
    return Plot(table.name, caption, _svg(size, draw, _LIGHT), _svg(size, draw, _DARK))


def _rates(table: Table) -> tuple[tuple[float, float], Draw]:
    at_rate, at_variant = table.place("Success rate"), table.place("Navigation")
    rows = [row for row in table.rows if row.cells[at_rate].value is not None]
    several = not table.columns[at_variant].silent

    def named(row: TableRow) -> str:
        return _short(row.label) + (f", {row.cells[at_variant].text}" if several else "")

    def draw(axes: Axes, ink: _Ink) -> None:
        for at, row in enumerate(rows):
            cell = row.cells[at_rate]
            colour = ink.soft if row.aside else ink.series[row.cells[at_variant].value == "with_navigation"]
            low, high = (100 * (end or 0.0) for end in (cell.low, cell.high))
            axes.plot([low, high], [at, at], color=colour, linewidth=2, solid_capstyle="round")
            hollow = "none" if row.aside else colour
            # Not cut off at 0 % and 100 %.
            axes.plot(
                [100 * cell.value],
                [at],
                "o",
                color=colour,
                markerfacecolor=hollow,
                markersize=6,
                clip_on=False,
            )
        axes.set_yticks(range(len(rows)), [named(row) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.grid(axis="x", color=ink.line, linewidth=0.8)
        _per_cent(axes.set_xlim, axes.set_xticks)

    return (6.4, 0.7 + 0.27 * len(rows)), draw


def _caption(table: Table) -> str:
    agents = sum(not column.reference for column in table.columns)
    best = f"; the best {_GROUPS} of {agents} agents" if agents > _GROUPS else ""
    return "Solved, by type of UI element" + best


def _best(table: Table) -> list[int]:
    """Return the columns of the agents to show, in the order of the table."""
    agents = [at for at, column in enumerate(table.columns) if not column.reference]
    solved = {at: sum(row.cells[at].share or 0.0 for row in table.rows) for at in agents}
    return sorted(sorted(agents, key=lambda at: -solved[at])[:_GROUPS])


def _elements(table: Table) -> tuple[tuple[float, float], Draw]:
    agents = _best(table)

    def draw(axes: Axes, ink: _Ink) -> None:
        wide = 0.8 / len(agents)
        for place, at in enumerate(agents):
            shares = [100 * (row.cells[at].share or 0.0) for row in table.rows]
            places = [index - 0.4 + wide * (place + 0.5) for index in range(len(shares))]
            label = _short(table.columns[at].label)
            axes.bar(places, shares, wide * 0.9, color=ink.series[place], label=label)
        size = 10 if len(table.rows) < 7 else 8  # points: "Dropdown" fits between its neighbors
        axes.set_xticks(range(len(table.rows)), [_broken(row.label) for row in table.rows], size=size)
        axes.grid(axis="y", color=ink.line, linewidth=0.8)
        _per_cent(axes.set_ylim, axes.set_yticks)
        _legend(axes, ink)

    return (6.4, 2.6), draw


def _kinds(table: Table) -> tuple[tuple[float, float], Draw]:
    rows = [row for row in table.rows if not row.aside]
    names = [column.label for column in table.columns[1:]]

    def draw(axes: Axes, ink: _Ink) -> None:
        # A failure may be of several kinds, so these are dots per agent and not parts of a whole.
        tall = 0.8 / len(names)
        for place, name in enumerate(names):
            counts = [_count(row, place + 1) for row in rows]
            places = [index - 0.4 + tall * (place + 0.5) for index in range(len(rows))]
            axes.barh(places, counts, tall * 0.86, color=ink.series[place % len(ink.series)], label=name)
        axes.set_yticks(range(len(rows)), [_short(row.label) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.locator_params(axis="x", integer=True)
        axes.grid(axis="x", color=ink.line, linewidth=0.8)
        _legend(axes, ink)

    return (6.4, 1.0 + 0.62 * len(rows)), draw


def _count(row: TableRow, at: int) -> int:
    value = row.cells[at].value
    return int(value["count"]) if isinstance(value, dict) else 0


def _per_cent(limit: Callable[..., Any], ticks: Callable[..., Any]) -> None:
    limit(-1, 101)
    ticks(range(0, 101, 20), [f"{share} %" for share in range(0, 101, 20)])


def _legend(axes: Axes, ink: _Ink) -> None:
    handles, labels = axes.get_legend_handles_labels()
    columns = max(1, min(len(labels), int(80 / (max(map(len, labels), default=1) + 5))))
    axes.figure.legend(
        handles, labels, loc="outside upper center", ncols=columns, frameon=False, labelcolor=ink.ink, handlelength=1
    )  # fmt: skip


def _svg(size: tuple[float, float], draw: Draw, ink: _Ink) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Text stays text in the reader's font, a dollar sign starts no formula, and equal data give equal files.
    fixed: Any = {"svg.fonttype": "none", "text.parse_math": False, "svg.hashsalt": "websp", "font.size": 10}
    with mpl.rc_context(), warnings.catch_warnings():
        # Glyphs missing in matplotlib's font do not matter: it does not draw the text.
        warnings.simplefilter("ignore")
        mpl.rcdefaults()
        mpl.rcParams.update(fixed)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.add_subplot()
        draw(axes, ink)
        _plain(axes, ink)
        return _uri(figure)


def _plain(axes: Axes, ink: _Ink) -> None:
    axes.set_axisbelow(True)
    axes.patch.set_alpha(0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(colors=ink.ink, length=0)


def _uri(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return "data:image/svg+xml;base64," + b64encode(buffer.getvalue()).decode()


def _short(name: str) -> str:
    """Return a name that fits; put a space before a leading underscore, which would hide it in a legend."""
    text = "".join(char for char in name if char.isprintable())
    text = f" {text}" if text.startswith("_") else text
    return text if len(text) <= _NAME else text[: _NAME - 1] + "…"


def _broken(name: str) -> str:
    return name.replace(" ", "\n", 1)
