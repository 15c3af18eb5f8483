"""``websp rescore``: what kept runs are worth now."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from websp_gym.runner.rescoring import By, Rescored, rescore


def rescore_command(folder: Path, by: By, *, write: bool, as_json: bool) -> int:
    """Scores the results of a run again and shows what changed.

    Args:
        folder: The run's folder.
        by: What they are scored by.
        write: Whether the new scores count from now on.
        as_json: One line of JSON per result on standard output, nothing else.

    Returns:
        Exit code: 0 when every result was scored, else 1.

    Raises:
        SetupError: The folder has no results, no judgements, or cannot be written.
    """
    done = rescore(folder, by=by, write=write)
    if as_json:
        sys.stdout.writelines(_line(one) + "\n" for one in done)
    else:
        _show(done, written=write)
    return 1 if any(one.note or one.after.reward is None for one in done) else 0


def _line(one: Rescored) -> str:
    facts = {
        "id": one.before.id,
        "trial": one.before.trial,
        "before": one.before.status,
        "after": one.after.status,
    }
    return json.dumps({**facts, "changed": one.changed, "reason": one.after.reason, "note": one.note or None})


def _show(done: list[Rescored], *, written: bool) -> None:
    console = Console(highlight=False)
    table = Table("instance", "before", "now", "why", box=None, header_style="bold", pad_edge=False)
    for one in done:
        if one.changed or one.note:
            now = "–" if one.note else one.after.outcome
            table.add_row(
                f"[bold]{one.before.id}[/]", one.before.outcome, now, escape(one.note or one.after.reason)
            )
    if table.row_count:
        console.print(table)
    counts = Counter("not scored" if one.note else "changed" if one.changed else "the same" for one in done)
    console.print(", ".join(f"{count} {name}" for name, count in counts.most_common()))
    if counts["changed"] and not written:
        console.print("nothing was written; --write lets the new scores count", style="dim")
