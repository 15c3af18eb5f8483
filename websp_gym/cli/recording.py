"""``websp record``: record a trace by hand."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.markup import escape

from websp_gym.browser.confinement import require_display
from websp_gym.cli.options import Overwrite, SignedOut
from websp_gym.errors import SetupError
from websp_gym.paths import own_traces
from websp_gym.recording import RecorderBrowser
from websp_gym.recording.dry_run import check_file, site_of
from websp_gym.recording.watch import watch
from websp_gym.replay import Trace, TraceEvent, save_trace
from websp_gym.tasks.instances import all_instances

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websp_gym.tasks.instances import Site


def record(
    where: Annotated[
        str, typer.Argument(metavar="SITE|URL", help="A sandbox site, or a page of the live web.")
    ],
    *,
    name: Annotated[str | None, typer.Option(help="Name of the trace.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file, or a folder for NAME.json. Default: traces/SITE.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Page to start on. Default: the site's start page.")
    ] = None,
    signed_out: SignedOut = False,
    screenshots: Annotated[
        bool, typer.Option("--screenshots/--no-screenshots", help="Keep a screenshot after each event.")
    ] = True,
    overwrite: Overwrite = False,
) -> None:
    """Record a trace: do it once in the browser that opens.

    Account values of a live site become placeholders when WEBSP_ACCOUNT_EMAIL, WEBSP_ACCOUNT_USERNAME and
    WEBSP_ACCOUNT_NAME are set. Passwords, one-time codes and card numbers are never stored.

    Example: `websp record steam --name "my preferences" --start https://store.steampowered.com/account/preferences/`
    """
    live = where.startswith(("https://", "http://"))
    slug = _slug_of(where) if live else where
    site = None if live else site_of(where)
    is_file = out is not None and out.suffix == ".json"
    title = name or (out.stem if out and is_file else "recording")
    path = out if out and is_file else (out or own_traces() / slug) / f"{_file_name(title)}.json"
    if path.exists() and not overwrite:
        raise SetupError(
            f"{path} is already there; choose another --name, or use --overwrite", path=str(path)
        )
    require_display("recording")
    check_file(path)
    console = Console(highlight=False)
    with (
        _place(site, signed_out) as (args, attach, account),
        RecorderBrowser(args=args, headless=False) as studio,
    ):
        attach(studio.context)
        studio.page.goto(start or (site.start_url if site else where), wait_until="commit")
        studio.start(title, slug, account=account, screenshots=screenshots)
        console.print(
            f"[bold red]●[/] recording [bold]{escape(title)}[/] on {escape(studio.page.url)}\n"
            "[dim]Do in the browser what the trace should do. To finish, press Stop in the recorder's popup "
            "or close the window.[/]"
        )

        def tell(number: int, event: TraceEvent) -> None:
            console.print(f"  {number:3} {escape(event.describe())}", soft_wrap=True)

        trace = watch(studio, on_event=tell)
        if studio.open:
            studio.save(path)
        else:
            _save_bare(trace, path)
    console.print(f"[bold green]saved[/] {path}  {len(trace.events)} event(s)", soft_wrap=True)
    if trace.omitted:
        console.print(f"[dim]{trace.omitted} secret input(s) left out; replay cannot type them[/]")
    if site is not None:
        console.print(f"try it: websp replay {path} --set on", soft_wrap=True)


@contextlib.contextmanager
def _place(site: Site | None, signed_out: bool) -> Iterator[tuple[tuple[str, ...], Any, Mapping[str, str]]]:
    """Yield browser flags, a function that attaches a context, and the account to replace by placeholders."""
    if site is None:
        yield (), lambda context: None, _live_account()
        return
    from websp_gym.world import make_world

    world = make_world("sandbox")
    episode = world.open_episode(site, signed_in=not signed_out)
    try:
        yield world.browser_args(), episode.attach, episode.account
    finally:
        episode.close()


def _file_name(title: str) -> str:
    """Return the title as a file name, without slashes or a leading dot."""
    return (
        "".join(char if char.isalnum() or char in "-." else "_" for char in title).lstrip(".") or "recording"
    )


def _live_account() -> dict[str, str]:
    """Return the account of a live site from the environment."""
    names = {
        "email": "WEBSP_ACCOUNT_EMAIL",
        "username": "WEBSP_ACCOUNT_USERNAME",
        "name": "WEBSP_ACCOUNT_NAME",
    }
    return {field: os.environ[name] for field, name in names.items() if os.environ.get(name)}


def _slug_of(url: str) -> str:
    """Return the slug of the configured site with the URL's host, else one made from the host."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    if not host:
        raise SetupError(f"{url} is not the address of a page", option="url")
    for instance in all_instances():
        if (urlsplit(instance.site.start_url).hostname or "").removeprefix("www.") == host:
            return instance.site.slug
    return host.rsplit(".", 1)[0].replace(".", "_").replace("-", "_")


def _save_bare(trace: Trace, path: Path) -> None:
    """Save a recording without screenshots; they were lost with its browser."""
    bare = [event.model_copy(update={"screenshot": None}) for event in trace.events]
    data = trace.model_copy(update={"events": tuple(bare)}).model_dump(by_alias=True)
    save_trace(Trace.model_validate(data), path)
