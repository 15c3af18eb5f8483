"""``websp replay``: replay a trace in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from websp_gym.browser.confinement import require_display
from websp_gym.cli.options import AsJson, Headed, SignedOut, TraceName
from websp_gym.cli.output import plain_table, print_json
from websp_gym.errors import ReplayError
from websp_gym.recording.dry_run import Rehearsal, dry_run
from websp_gym.replay import EventReport, Trace, load_trace
from websp_gym.replay.library import find_trace
from websp_gym.replay.player import Set

_ON_OFF = {True: "on", False: "off", None: ""}


def replay(
    name: TraceName,
    *,
    set: Annotated[Set, typer.Option(help="Final state of switches and check boxes.")] = "recorded",
    headed: Headed = False,
    signed_out: SignedOut = False,
    picture: Annotated[
        Path | None, typer.Option(help="Write a screenshot of the last page to this PNG file.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Replay a trace on a fresh sandbox account; show how each element was found and what changed on the server.

    Exit code 0, or 1 when an event failed.

    Example: `websp replay steam/mature_content --set off`
    """
    trace = load_trace(find_trace(name))
    if headed:
        require_display("--headed")
    done: list[EventReport] = []
    result: Rehearsal | None = None
    failure: ReplayError | None = None
    try:
        result = dry_run(
            trace,
            set=set,
            signed_in=not signed_out,
            headless=not headed,
            picture=picture,
            on_event=done.append,
        )
    except ReplayError as error:
        failure = error
    if as_json:
        print_json(
            {
                "trace": trace.name,
                "ok": failure is None,
                "error": str(failure) if failure else None,
                "events": [event.as_dict() for event in done],
                "changes": [change.__dict__ for change in result.changes] if result else None,
            }
        )
        return 1 if failure else 0
    console = Console(highlight=False)
    console.print(_replayed(trace, done, failure))
    if failure is not None:
        console.print(f"[bold red]failed[/] {escape(str(failure))}", soft_wrap=True)
        return 1
    assert result is not None
    console.print(
        f"[bold green]replayed[/] {len(done)} event(s) in {result.seconds:.2f} s with --set {set}; "
        "every state was verified on the page"
    )
    _show_changes(console, result)
    return 0


def _replayed(trace: Trace, done: list[EventReport], failure: ReplayError | None) -> Table:
    table = plain_table("#", "event", "found by", "score", "state", "done", "ms")
    for event in done:
        table.add_row(
            str(event.number),
            escape(event.description),
            event.rung or "",
            f"{event.score:.2f}" if event.score is not None else "",
            state_change(event.before, event.after),
            event.action,
            f"{event.seconds * 1000:.0f}",
        )
    if failure is not None and len(done) < len(trace.events):
        failed = trace.events[len(done)]
        table.add_row(str(len(done) + 1), escape(failed.describe()), "", "", "", "[red]failed[/]", "")
    return table


def _show_changes(console: Console, result: Rehearsal) -> None:
    if not result.changes:
        console.print("[dim]nothing changed on the server[/]")
        return
    table = plain_table("changed on the server", "before", "after")
    for change in result.changes:
        table.add_row(escape(change.key), _value(change.before), _value(change.after))
    console.print(table)


def state_change(before: bool | None, after: bool | None) -> str:
    """Return a change such as ``off → on``; the state itself if it did not change."""
    if before is None and after is None:
        return ""
    return _ON_OFF[after] if before is after else f"{_ON_OFF[before]} → {_ON_OFF[after]}"


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= 60 else text[:57] + "…")
