"""``websp record``: record a trace by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_site
from websp_gym.cli.live import live_account, new_password
from websp_gym.cli.options import Overwrite, SignedOut, Stream, StreamPort
from websp_gym.cli.output import Console
from websp_gym.cli.streaming import print_address, stream_port
from websp_gym.errors import ReplayError, SetupError, WorldError
from websp_gym.live.account_browser import account_named
from websp_gym.live.permission import require_live
from websp_gym.paths import own_traces
from websp_gym.recording.by_hand import record_by_hand
from websp_gym.recording.dry_run import check_file, dry_run, site_of
from websp_gym.recording.try_out import Sighting, look_for_targets
from websp_gym.replay import load_trace
from websp_gym.replay.importers.account_values import holds_value
from websp_gym.replay.left_out import places_of, way_out
from websp_gym.replay.library import find_trace, site_slug
from websp_gym.tasks.instances import all_instances

if TYPE_CHECKING:
    from websp_gym.recording import RecorderBrowser
    from websp_gym.replay import Trace, TraceEvent
    from websp_gym.window import StreamedWindow

_HOW_TO_STOP = {
    False: "press Stop in the recorder's popup, close the window, or press Ctrl-C here",
    True: "press Stop there, or Ctrl-C here",
}


def record(
    where: Annotated[
        str,
        typer.Argument(
            metavar="SITE|URL",
            autocompletion=complete_site,
            help="A sandbox site, or a page of the live web.",
        ),
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the trace.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file, or a folder for NAME.json. Default: traces/SITE.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Page to start on. Default: the site's start page.")
    ] = None,
    account: Annotated[
        str | None,
        typer.Option(help="Record on a live page as this account (`websp accounts`), with its kept sign-in."),
    ] = None,
    again: Annotated[
        str | None, typer.Option(metavar="TRACE", help="Record this trace again, from event --from on.")
    ] = None,
    first: Annotated[
        int, typer.Option("--from", metavar="N", min=1, help="The first event of --again to record again.")
    ] = 1,
    signed_out: SignedOut = False,
    screenshots: Annotated[
        bool, typer.Option("--screenshots/--no-screenshots", help="Keep a screenshot after each event.")
    ] = True,
    overwrite: Overwrite = False,
    stream: Stream = False,
    port: StreamPort = None,
    try_out: Annotated[
        bool,
        typer.Option(
            "--try/--no-try",
            help="Try the trace at once: replay it on another fresh account of the sandbox, or look for its elements "
            "on the live pages, where nothing is pressed.",
        ),
    ] = True,
) -> None:
    """Record a trace: do it once in the browser that opens, or in the page whose address is printed.

    On a live site, the account's values become placeholders: those of --account, or of WEBSP_ACCOUNT_EMAIL,
    WEBSP_ACCOUNT_USERNAME and WEBSP_ACCOUNT_NAME. Passwords, one-time codes and card numbers are never stored; the
    password (WEBSP_ACCOUNT_PASSWORD) is only compared with typed text, to tell a new one from the account's.

    With --again and --from, the events before the one that broke are replayed, and you go on from there.

    Afterwards the trace is tried in another browser, and an event that would not be found is named.

    Example: `websp record steam --name "my preferences" --start https://store.steampowered.com/account/preferences/`
    """
    live = where.startswith(("https://", "http://"))
    sites = {each.site.slug: each.site.start_url for each in all_instances()} if live else {}
    slug = account_named(account).site if account else site_slug(where, sites) if live else where
    site = None if live else site_of(where)
    is_file = out is not None and out.suffix == ".json"
    title = name or (out.stem if out and is_file else "recording")
    path = out if out and is_file else (out or own_traces() / slug) / f"{_file_name(title)}.json"
    if path.exists() and not overwrite:
        raise SetupError(f"{path} already exists; choose another --name, or use --overwrite", path=str(path))
    if account is not None:
        require_live("--account")
        if not live:
            raise SetupError(
                f"--account records on a live page: give its address in place of {where}", option="account"
            )
    begun = _begun(again, first)
    streamed_to = stream_port(stream, port)
    check_file(path)
    console = Console()

    def ready(studio: RecorderBrowser) -> None:
        console.print(
            f"[bold red]●[/] recording [bold]{escape(title)}[/] on {escape(studio.page.url)}\n"
            f"[dim]Do in the browser what the trace should do. To finish, {_HOW_TO_STOP[streamed_to is not None]}.[/]"
        )
        if begun is not None:
            was = begun[0].events[first - 1].describe()
            console.print(f"events 1 to {first - 1} were replayed; event {first} was: {escape(was)}")

    def show(window: StreamedWindow) -> None:
        windows.append(window)
        print_address(window, console)

    windows: list[StreamedWindow] = []

    def tell(number: int, event: TraceEvent) -> None:
        console.print(f"  {number:3} {escape(event.describe())}", soft_wrap=True)

    trace = record_by_hand(
        site or where,
        path,
        name=title,
        slug=slug,
        account=account or live_account(),
        start=start,
        signed_in=not signed_out,
        again=begun,
        screenshots=screenshots,
        stream=streamed_to,
        on_stream=show,
        on_ready=ready,
        on_event=tell,
    )
    for window in windows:
        if window.ended:
            console.print(f"[yellow]the recording was stopped:[/] {escape(window.ended)}", soft_wrap=True)
    console.print(f"[bold green]saved[/] {path}  {len(trace.events)} event(s)", soft_wrap=True)
    for number in places_of(trace):
        event = trace.events[number - 1]
        console.print(
            f"[yellow]left out[/] event {number}, {escape(event.describe())}: replay stops there; "
            f"{escape(way_out(event, number))}",
            soft_wrap=True,
        )
    own = account_named(account).shown if account else live_account() if live else {}
    for remark in remarks(trace, path, own):
        console.print(f"[yellow]check:[/] {escape(remark)}", soft_wrap=True)
    if try_out:
        _try_out(trace, console, live=live, account=account, signed_in=not signed_out)
    live_way = f"--account {account}" if account else f"--site-url {_origin(where)}"
    way = "--set on" if site is not None else f"{live_way}  (with WEBSP_LIVE=1)"
    console.print(f"try it: websp replay {path} {way}", soft_wrap=True)


def _try_out(trace: Trace, console: Console, *, live: bool, account: str | None, signed_in: bool) -> None:
    """Try a recording in a fresh browser, and say at once what replay would not find."""
    console.print("[dim]trying it in another browser (--no-try does not) …[/]")
    try:
        if live:
            _print_sightings(trace, look_for_targets(trace, account or live_account()), console)
        else:
            done = dry_run(trace, set="recorded", signed_in=signed_in, account=new_password())
            console.print(f"[bold green]tried[/] {len(done.events)} event(s) on another fresh account")
    except ReplayError as error:
        console.print(f"[bold red]does not replay[/] {escape(str(error))}", soft_wrap=True)
    except (SetupError, WorldError) as error:
        console.print(f"[yellow]not tried:[/] {escape(error.message)}", soft_wrap=True)


def _print_sightings(trace: Trace, sightings: Sequence[Sighting], console: Console) -> None:
    for one in sightings:
        if one.state == "missing":
            event = trace.events[one.number - 1]
            console.print(
                f"[bold red]not found[/] event {one.number}, {escape(event.describe())}: "
                f"it is not on {escape(event.url)} when that is opened",
                soft_wrap=True,
            )
    found = sum(one.state == "found" for one in sightings)
    later = [str(one.number) for one in sightings if one.state == "unreached"]
    rest = (
        f"; not looked for, as only a press or a sign-in leads to them: {', '.join(later)}" if later else ""
    )
    console.print(f"found the elements of {found} of {len(sightings)} event(s){rest}", soft_wrap=True)


def _begun(again: str | None, first: int) -> tuple[Trace, int] | None:
    if again is None:
        if first > 1:
            raise SetupError("--from needs --again TRACE, the trace to record again", option="from")
        return None
    trace = load_trace(find_trace(again))
    if first > len(trace.events):
        raise SetupError(f"there is no event {first}; {trace.name} has {len(trace.events)}", option="from")
    return trace, first


def remarks(trace: Trace, path: Path, account: Mapping[str, str]) -> list[str]:
    """Return what to check before a recording is replayed with another account or shared."""
    found = []
    for number, event in enumerate(trace.events, 1):
        field = holds_value(event.value or "", account)
        if field:
            found.append(
                f"event {number}: the account's {field} is part of {event.value!r:.60} and was left there; "
                f"if it stands for the account, write {{{{account.{field}}}}}"
            )
    pictures = sum(event.screenshot is not None for event in trace.events)
    if pictures:
        found.append(
            f"{pictures} screenshot(s) in {path.with_suffix('')} show what was on the pages, including names and "
            "keys; check them before you share the trace, delete the folder, or record with --no-screenshots"
        )
    return found


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _file_name(title: str) -> str:
    """Return the title as a file name, without slashes or a leading dot."""
    return (
        "".join(char if char.isalnum() or char in "-." else "_" for char in title).lstrip(".") or "recording"
    )
