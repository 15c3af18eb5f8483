"""``websp replay`` and ``websp trace``: look at recorded traces and try them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from websp_gym.browser.confinement import require_display
from websp_gym.errors import ReplayError, SetupError
from websp_gym.paths import trace_dirs
from websp_gym.replay import EventReport, Trace, TraceEvent, load_trace, save_trace
from websp_gym.replay.library import all_traces, find_trace

if TYPE_CHECKING:
    from websp_gym.recording.dry_run import Rehearsal
    from websp_gym.replay.player import Set

_ON_OFF = {True: "on", False: "off", None: ""}


def replay_command(
    name: str,
    *,
    set: Set,
    signed_in: bool,
    headed: bool,
    picture: Path | None,
    as_json: bool,
) -> int:
    """Replays a trace in the sandbox and shows event by event what became of it.

    Args:
        name: The trace.
        set: What stateful targets end in.
        signed_in: Whether the browser starts signed in.
        headed: Whether the browser shows its window.
        picture: Where a screenshot of the last page goes.
        as_json: Print one JSON object instead of a table.

    Returns:
        Exit code: 0, or 1 when an event failed.
    """
    from websp_gym.recording.dry_run import rehearse

    trace = load_trace(find_trace(name))
    if headed:
        require_display("--headed")
    done: list[EventReport] = []
    result: Rehearsal | None = None
    failure: ReplayError | None = None
    try:
        result = rehearse(
            trace,
            set=set,
            signed_in=signed_in,
            headless=not headed,
            picture=picture,
            on_event=done.append,
        )
    except ReplayError as error:
        failure = error
    if as_json:
        _print_json(
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
        f"[bold green]replayed[/] {len(done)} event(s) in {result.seconds:.2f} s, set {set}; "
        "every state was read back from the page"
    )
    _show_changes(console, result)
    return 0


def show_command(name: str, *, as_json: bool) -> None:
    """Shows a trace event by event.

    Args:
        name: The trace.
        as_json: Print it as JSON instead.
    """
    path = find_trace(name)
    trace = load_trace(path)
    if as_json:
        _print_json(trace.model_dump(mode="json", by_alias=True, exclude_defaults=True))
        return
    console = Console(highlight=False)
    size = f"{trace.viewport.width}×{trace.viewport.height}"
    console.print(
        f"[bold]{escape(trace.name)}[/]  {escape(trace.site)} · {escape(trace.start_url)} · {size}",
        soft_wrap=True,
    )
    if trace.description:
        console.print(escape(trace.description))
    table = _table("#", "event", "state", "target")
    for number, event in enumerate(trace.events, 1):
        table.add_row(str(number), _what(event), _recorded_state(event), _where(event))
    console.print(table)
    notes = [
        f"{len(trace.events)} events",
        f"recorded with {trace.recorded_with}" if trace.recorded_with else "",
    ]
    if trace.omitted:
        notes.append(f"{trace.omitted} secret input(s) left out")
    console.print(" · ".join(note for note in notes if note), style="dim")


def list_command(*, as_json: bool) -> None:
    """Lists the traces that can be named, and where each is.

    Args:
        as_json: Print JSON instead of a table.
    """
    rows: dict[str, Path] = {}
    for folder in trace_dirs():
        for path in sorted(folder.rglob("*.json")):
            rows.setdefault(path.relative_to(folder).with_suffix("").as_posix(), path)
    if as_json:
        _print_json([{"trace": name, "file": str(path)} for name, path in rows.items()])
        return
    console = Console(highlight=False)
    for name, path in rows.items():
        console.print(f"[bold]{escape(name)}[/]  [dim]{escape(str(path))}[/]", soft_wrap=True)


def validate_command(names: list[str], *, as_json: bool) -> int:
    """Checks traces against the schema and the rules for secrets.

    Args:
        names: Files, folders (all ``*.json`` below) or names below ``traces/``.
        as_json: Print JSON instead of lines.

    Returns:
        Exit code: 0 when all are valid, else 1.
    """
    rows: list[dict[str, Any]] = []
    for path in _all_traces(names):
        try:
            trace = load_trace(path)
        except SetupError as error:
            rows.append({"trace": str(path), "ok": False, "detail": str(error)})
        else:
            detail = f"{len(trace.events)} events on {trace.site}"
            rows.append({"trace": str(path), "ok": True, "detail": detail})
    if as_json:
        _print_json(rows)
    else:
        console = Console(highlight=False)
        for row in rows:
            mark = "[green]✓[/]" if row["ok"] else "[red]✗[/]"
            console.print(f"{mark} [bold]{escape(row['trace'])}[/]  {escape(row['detail'])}", soft_wrap=True)
    return 0 if all(row["ok"] for row in rows) else 1


def import_command(source: Path, folder: Path, *, site: str | None, overwrite: bool) -> None:
    """Turns a foreign recording into traces.

    Args:
        source: A published WebSP trace, a Chrome DevTools Recorder flow, or a folder of them in order.
        folder: Where the traces go.
        site: Slug of the site, where the recording does not tell.
        overwrite: Whether files that are there may be replaced.

    Raises:
        SetupError: It is no such recording, or a file is already there; nothing has been written then.
    """
    from websp_gym.replay.importers import import_trace
    from websp_gym.tasks.instances import all_instances

    sites = {each.site.slug: each.site.start_url for each in all_instances()} if site is None else {}
    imported = import_trace(source, site=site, sites=sites)
    targets = [folder / f"{_file_name(item.trace.name)}.json" for item in imported]
    if len(set(targets)) < len(targets):
        targets = [path.with_stem(f"{path.stem}_{n}") for n, path in enumerate(targets, 1)]
    taken = [path for path in targets if path.exists() and not overwrite]
    if taken:
        raise SetupError(f"{taken[0]} is already there; --overwrite replaces it", path=str(taken[0]))
    console = Console(highlight=False)
    for item, path in zip(imported, targets, strict=True):
        save_trace(item.trace, path)
        console.print(f"[bold]{escape(str(path))}[/]  {len(item.trace.events)} events", soft_wrap=True)
        for note in item.notes:
            console.print(f"  [dim]{escape(note)}[/]", soft_wrap=True)


def export_command(name: str, target: Path | None) -> None:
    """Writes a trace as a Chrome DevTools Recorder flow.

    Args:
        name: The trace.
        target: The file; ``None`` prints it.
    """
    from websp_gym.replay.exporters import to_devtools

    text = json.dumps(to_devtools(load_trace(find_trace(name))), ensure_ascii=False, indent=1) + "\n"
    if target is None:
        sys.stdout.write(text)
        return
    try:
        target.write_text(text, "utf-8")
    except OSError as error:
        raise SetupError(f"cannot write {target}: {error.strerror}", path=str(target)) from error


def _replayed(trace: Trace, done: list[EventReport], failure: ReplayError | None) -> Table:
    table = _table("#", "event", "found by", "score", "state", "done", "ms")
    for event in done:
        table.add_row(
            str(event.number),
            escape(event.description),
            event.rung or "",
            f"{event.score:.2f}" if event.score is not None else "",
            _moved(event.before, event.after),
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
    table = _table("changed on the server", "before", "after")
    for change in result.changes:
        table.add_row(escape(change.key), _value(change.before), _value(change.after))
    console.print(table)


def _moved(before: bool | None, after: bool | None) -> str:
    if before is None and after is None:
        return ""
    return _ON_OFF[after] if before is after else f"{_ON_OFF[before]} → {_ON_OFF[after]}"


def _what(event: TraceEvent) -> str:
    value = {"type": event.value, "change": event.value, "key": event.key}.get(event.type)
    return escape(f"{event.type} {value!r}" if value is not None else event.type)


def _recorded_state(event: TraceEvent) -> str:
    before, after = event.before or None, event.after or None
    return _moved(before.on if before else None, after.on if after else None)


def _where(event: TraceEvent) -> str:
    return escape(event.target.short() if event.target else event.url)


def _value(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= 60 else text[:57] + "…")


def _all_traces(names: list[str]) -> list[Path]:
    if not names:
        return all_traces()
    found: list[Path] = []
    for name in names:
        path = Path(name)
        found += sorted(path.rglob("*.json")) if path.is_dir() else [find_trace(name)]
    if not found:
        raise SetupError(f"no trace in {', '.join(names)}")
    return found


def _file_name(name: str) -> str:
    words = "".join(char if char.isalnum() else " " for char in name).split()
    return "_".join(words).lower()[:80] or "trace"


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in ("#", "score", "ms") else "left")
    return table


def _print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
