"""``websp rescore``: score a recorded run again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, plain_table, print_line
from websp_gym.runner import rescoring
from websp_gym.runner.rescoring import By, Rescored


def rescore(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.")],
    *,
    by: Annotated[
        By, typer.Option(help="Score the recorded server state, or use the verdicts of `websp judge`.")
    ] = "state",
    write: Annotated[bool, typer.Option("--write", help="Replace the scores of the run.")] = False,
    as_json: AsJson = False,
) -> int:
    """Score a recorded run again, without browser and sandbox, and show what changes.

    Exit code 0 when every result was scored, else 1.

    Example: `websp rescore runs/oracle --by judge --write`
    """
    done = rescoring.rescore(folder, by=by, write=write)
    if as_json:
        for one in done:
            print_line(_line(one))
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
    console = Console()
    table = plain_table("instance", "before", "now", "why")
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
        console.print("nothing was written; use --write to replace the scores", style="dim")
