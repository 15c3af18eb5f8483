"""Play each page under each system and write the table of docs/about/pages.md: `make compare-pages`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.stock import find_browser_for_stock
from benchmarks.tables import fill, table
from benchmarks.ways import in_process
from tests.awkward_pages.cases import CASES, pages_served
from tests.awkward_pages.ours import ours
from tests.awkward_pages.programs import browser_use, playwright_mcp
from tests.awkward_pages.stock import stock
from tests.awkward_pages.system import Cell, play

PAGE = Path(__file__).resolve().parents[2] / "docs/about/pages.md"
SYSTEMS = (stock, playwright_mcp, browser_use, ours)
ROUNDS = 3
"""How often each page is played under each system: what depends on the moment varies, and the cell says so."""
CONTROLS = ("plain-button", "plain-field")
Column = tuple[str, Sequence[Sequence[Cell]]]
"""Name of a system, and what came of each page in each round."""


def main() -> None:
    """Write the table, unless a system fails on a page without any difficulty: then the machine is too busy."""
    find_browser_for_stock()
    columns: list[Column] = []
    with pages_served() as url:
        for system in SYSTEMS:
            columns.append(in_process(_column, system, url))
            _say(columns[-1])
    if failed := failed_controls(columns):
        raise SystemExit(f"nothing was written; run it again on an idle machine, as these failed: {failed}")
    fill(PAGE, {"pages": compared(columns)})


def _column(system: Callable[[str], Any], url: str) -> Column:
    with system("about:blank") as playing:
        return playing.name, [[play(playing, case, url) for _ in range(ROUNDS)] for case in CASES]


def _say(column: Column) -> None:
    name, pages = column
    for case, cells in zip(CASES, pages, strict=True):
        for cell in cells:
            error = f": {cell.answer.error.partition('Call log')[0].strip()}" if cell.answer else ""
            sys.stderr.write(f"{name}, {case.name}: {cell}{error.rstrip(': ')}\n")


def failed_controls(columns: Sequence[Column]) -> list[str]:
    """Return the systems and controls that were not simply done in every round."""
    return [
        f"{name}, {case.name}"
        for name, pages in columns
        for case, cells in zip(CASES, pages, strict=True)
        if case.name in CONTROLS and any(str(cell) != "done" for cell in cells)
    ]


def shown(cells: Sequence[Cell]) -> str:
    """Return the text of a cell of the table; results that differ stand with their numbers."""
    counts = Counter(map(str, cells)).most_common()
    return counts[0][0] if len(counts) == 1 else "; ".join(f"{each} {times}×" for each, times in counts)


def compared(columns: Sequence[Column]) -> str:
    """Return the table, with a line of what it was measured with. A page counts if every round of it does."""
    rows = [[case.kind, *(shown(pages[at]) for _, pages in columns)] for at, case in enumerate(CASES)]
    for what, counts in (("as seen, or refused", _as_seen), ("told", _told)):
        sums = (sum(all(map(counts, cells)) for cells in pages) for _, pages in columns)
        rows.append([f"**{what}**", *(f"{number} of {len(CASES)}" for number in sums)])
    command = [os.environ["WEBSP_BENCH_CHROMIUM"], "--version"]
    browser = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(" built")[0]
    played = f"Played on {time.strftime('%Y-%m-%d')} with {browser.strip()}, each page {ROUNDS} times"
    names = [name for name, _ in columns]
    return f"{table(['page', *names], rows)}\n\n{played}; a result that varied stands with its numbers."


def _as_seen(cell: Cell) -> bool:
    """Whether what was seen was pressed, or nothing was, with an error."""
    return cell.outcome in ("done", "error")


def _told(cell: Cell) -> bool:
    return cell.told


if __name__ == "__main__":
    main()
