"""``websp trace``: look at traces, check and import them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_site
from websp_gym.cli.options import AsJson, Overwrite, TraceName
from websp_gym.cli.output import FAILED, OK, Console, plain_table, print_json
from websp_gym.cli.replaying import state_change
from websp_gym.errors import SetupError
from websp_gym.paths import trace_dirs
from websp_gym.replay import TraceEvent, load_trace, save_trace
from websp_gym.replay.importers import Imported, import_trace
from websp_gym.replay.left_out import places_of
from websp_gym.replay.library import all_traces, find_trace
from websp_gym.tasks.instances import all_instances

traces = typer.Typer(
    name="trace",
    help="Look at recorded traces, check and import them.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)


@traces.command()
def show(name: TraceName, *, as_json: AsJson = False) -> None:
    """Show a trace event by event.

    Example: `websp trace show steam/email_preferences`
    """
    path = find_trace(name)
    trace = load_trace(path)
    if as_json:
        print_json(trace.model_dump(mode="json", by_alias=True, exclude_defaults=True))
        return
    console = Console()
    size = f"{trace.viewport.width}×{trace.viewport.height}"
    console.print(
        f"[bold]{escape(trace.name)}[/]  {escape(trace.site)} · {escape(trace.start_url)} · {size}",
        soft_wrap=True,
    )
    if trace.description:
        console.print(escape(trace.description))
    table = plain_table("#", "event", "state", "target")
    for number, event in enumerate(trace.events, 1):
        table.add_row(str(number), _what(event), _recorded_state(event), _where(event))
    console.print(table)
    notes = [
        f"{len(trace.events)} events",
        f"recorded with {trace.recorded_with}" if trace.recorded_with else "",
    ]
    if left_out := max(trace.omitted, len(places_of(trace))):
        notes.append(f"{left_out} input(s) left out")
    console.print(" · ".join(note for note in notes if note), style="dim")


@traces.command("list")
def list_traces(*, as_json: AsJson = False) -> None:
    """List the traces of the working folder, of WEBSP_TRACES and of the package, by the names commands take.

    Example: `websp trace list`
    """
    rows: dict[str, Path] = {}
    for folder in trace_dirs():
        for path in sorted(folder.rglob("*.json")):
            rows.setdefault(path.relative_to(folder).with_suffix("").as_posix(), path)
    if as_json:
        print_json([{"trace": name, "file": str(path)} for name, path in rows.items()])
        return
    console = Console()
    for name, path in rows.items():
        console.print(f"[bold]{escape(name)}[/]  [dim]{escape(str(path))}[/]", soft_wrap=True)


@traces.command()
def validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TRACE]...", help="Traces, files or folders. Default: all traces."),
    ] = None,
    *,
    as_json: AsJson = False,
) -> int:
    """Check traces against the schema and the rules for secrets; exit code 1 when one is not valid.

    Example: `websp trace validate traces/steam`
    """
    rows: list[dict[str, Any]] = []
    for path in _files(names or []):
        try:
            trace = load_trace(path)
        except SetupError as error:
            rows.append({"trace": str(path), "ok": False, "detail": str(error)})
        else:
            detail = f"{len(trace.events)} events on {trace.site}"
            rows.append({"trace": str(path), "ok": True, "detail": detail})
    if as_json:
        print_json(rows)
    else:
        console = Console()
        for row in rows:
            sign = OK if row["ok"] else FAILED
            console.print(f"{sign} [bold]{escape(row['trace'])}[/]  {escape(row['detail'])}", soft_wrap=True)
    return 0 if all(row["ok"] for row in rows) else 1


@traces.command("import")
def import_command(
    source: Annotated[
        Path,
        typer.Argument(help="The recording, or a folder of recordings that belong together."),
    ],
    *,
    out: Annotated[Path, typer.Option(help="Folder for the traces.")] = Path("traces/imported"),
    site: Annotated[
        str | None,
        typer.Option(
            help="Slug of the site, if the recording does not contain it.", autocompletion=complete_site
        ),
    ] = None,
    overwrite: Overwrite = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Write nothing if a step that may change the state was left out."),
    ] = False,
) -> int:
    """Convert a recording of another tool into traces.

    The format is recognized by the content; nothing in the file is executed:

    - Chrome's Recorder, *Export* as JSON: `websp trace import flow.json --site steam --out traces/steam`
    - `playwright codegen --target python-pytest`: `websp trace import test_example.py`
    - Selenium IDE, one trace per test: `websp trace import project.side`
    - a published WebSP-Eval trace, or the folder of its steps: `websp trace import session.json --site github`

    Each step that is left out is listed with its place and the reason. The exit code is 1 if one of them may change
    the state of the site: the trace is then incomplete.
    """
    sites = {each.site.slug: each.site.start_url for each in all_instances()} if site is None else {}
    imported = import_trace(source, site=site, sites=sites)
    targets = [out / f"{_file_name(item.trace.name)}.json" for item in imported]
    if len(set(targets)) < len(targets):
        targets = [path.with_stem(f"{path.stem}_{n}") for n, path in enumerate(targets, 1)]
    taken = [path for path in targets if path.exists() and not overwrite]
    if taken:
        raise SetupError(f"{taken[0]} already exists; use --overwrite to replace it", path=str(taken[0]))
    console = Console()
    missing = [one for item in imported for one in item.left_out if one.matters]
    if strict and missing:
        listed = "\n".join(f"  {one}" for one in missing)
        raise SetupError(
            f"{source}: steps that may change the state cannot be imported:\n{listed}", path=str(source)
        )
    for item, path in zip(imported, targets, strict=True):
        save_trace(item.trace, path)
        console.print(f"[bold]{escape(str(path))}[/]  {len(item.trace.events)} events", soft_wrap=True)
        _print_left_out(console, item)
        for note in item.notes:
            console.print(f"  [dim]{escape(note)}[/]", soft_wrap=True)
    if missing:
        console.print(
            f"[bold red]incomplete:[/] {len(missing)} step(s) that may change the state were left out "
            "(marked [bold red]![/]), and replay stops in their places (events [bold]omitted step[/]); record them "
            "again, or remove those events from the trace if nothing depends on them",
            soft_wrap=True,
        )
    return 1 if missing else 0


def _print_left_out(console: Console, item: Imported) -> None:
    """Print the steps that are not in a trace: one by one where the place is known, else counted."""
    for one in item.left_out:
        sign, style = ("[bold red]![/]", "red") if one.matters else ("-", "dim")
        console.print(f"  {sign} [{style}]left out: {escape(str(one))}[/]", soft_wrap=True)
    counted = Counter(item.dropped)
    counted.subtract(one.kind for one in item.left_out)
    rest = ", ".join(f"{count} {kind}" for kind, count in counted.items() if count > 0)
    if rest:
        console.print(f"  - [dim]left out, as replay does not need it: {escape(rest)}[/]", soft_wrap=True)


def _files(names: list[str]) -> list[Path]:
    """Return the files of traces and of folders with traces; all traces without names."""
    if not names:
        return all_traces()
    found: list[Path] = []
    for name in names:
        path = Path(name)
        found += sorted(path.rglob("*.json")) if path.is_dir() else [find_trace(name)]
    if not found:
        raise SetupError(f"no trace in {', '.join(names)}")
    return found


def _what(event: TraceEvent) -> str:
    value = {"type": event.value, "change": event.value, "key": event.key, "omitted": event.what}.get(
        event.type
    )
    return escape(f"{event.type} {value!r}" if value is not None else event.type)


def _recorded_state(event: TraceEvent) -> str:
    before, after = event.before or None, event.after or None
    return state_change(before.on if before else None, after.on if after else None)


def _where(event: TraceEvent) -> str:
    return escape(event.target.short() if event.target else event.url)


def _file_name(name: str) -> str:
    words = "".join(char if char.isalnum() else " " for char in name).split()
    return "_".join(words).lower()[:80] or "trace"
