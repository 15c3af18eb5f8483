"""``websp record``: a person shows the way once, and it becomes a trace."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.markup import escape

from websp_gym.browser.confinement import require_display
from websp_gym.errors import SetupError, nearest
from websp_gym.paths import own_traces
from websp_gym.recording import Studio
from websp_gym.recording.dry_run import check_file, site_of
from websp_gym.recording.watch import follow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from websp_gym.replay.trace import Trace, TraceEvent
    from websp_gym.tasks.instances import Site


def record_command(
    where: str,
    *,
    out: Path | None,
    name: str | None,
    signed_out: bool,
    start: str | None,
    screenshots: bool,
    overwrite: bool,
) -> None:
    """Opens a browser with the recorder and saves what the person does in it.

    Args:
        where: Slug of a sandbox site, or the URL of a live page.
        out: The file, or a folder for ``<name>.json``; by default ``traces/<site>`` of the working folder, or of
            the last folder of ``WEBSP_TRACES`` where that is set.
        name: Name of the trace.
        signed_out: Whether a sandbox browser starts signed out.
        start: Page of the sandbox site to begin on, instead of its start page.
        screenshots: Whether a picture is kept after each event.
        overwrite: Whether a file that is there may be replaced.

    Raises:
        SetupError: No such site, no display, or the file is already there; nothing has been opened then.
    """
    live = where.startswith(("https://", "http://"))
    slug = _slug_of(where) if live else where
    site = None if live else site_of(where)
    is_file = out is not None and out.suffix == ".json"
    title = name or (out.stem if out and is_file else "recording")
    path = out if out and is_file else (out or own_traces() / slug) / f"{_file_name(title)}.json"
    if path.exists() and not overwrite:
        raise SetupError(f"{path} is already there; choose another --name, or --overwrite", path=str(path))
    require_display("recording")
    check_file(path)
    console = Console(highlight=False)
    with _place(site, signed_out) as (args, attach, account), Studio(args=args, headless=False) as studio:
        attach(studio.context)
        studio.page.goto(start or (site.start_url if site else where), wait_until="commit")
        studio.start(title, slug, account=account, screenshots=screenshots)
        console.print(
            f"[bold red]●[/] recording [bold]{escape(title)}[/] on {escape(studio.page.url)}\n"
            "[dim]Do in the browser what the trace should do. To end: Stop in the recorder's popup, "
            "or close the window.[/]"
        )

        def tell(number: int, event: TraceEvent) -> None:
            console.print(f"  {number:3} {escape(event.describe())}", soft_wrap=True)

        trace = follow(studio, on_event=tell)
        if studio.open:
            studio.save(path)
        else:
            _save_bare(trace, path)
    console.print(f"[bold green]saved[/] {path}  {len(trace.events)} event(s)", soft_wrap=True)
    if trace.omitted:
        console.print(f"[dim]{trace.omitted} secret input(s) were left out; replay cannot type them[/]")
    if site is not None:
        console.print(f"try it: websp replay {path} --set on", soft_wrap=True)


@contextlib.contextmanager
def _place(site: Site | None, signed_out: bool) -> Iterator[tuple[tuple[str, ...], Any, Mapping[str, str]]]:
    """Flags for the browser, what attaches it, and the account whose values become placeholders."""
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
    """A title as one file's name, wherever a slash or a dot stands in it."""
    return (
        "".join(char if char.isalnum() or char in "-." else "_" for char in title).lstrip(".") or "recording"
    )


def _live_account() -> dict[str, str]:
    """The account of a live site, as far as the environment tells it."""
    names = {
        "email": "WEBSP_ACCOUNT_EMAIL",
        "username": "WEBSP_ACCOUNT_USERNAME",
        "name": "WEBSP_ACCOUNT_NAME",
    }
    return {field: os.environ[name] for field, name in names.items() if os.environ.get(name)}


def _slug_of(url: str) -> str:
    """The configured site of a live page's host, else the host's own name."""
    from websp_gym.tasks.instances import all_instances

    host = (urlsplit(url).hostname or "").removeprefix("www.")
    if not host:
        raise SetupError(f"{url} is no address of a page{nearest(url, [])}", option="url")
    for loaded in all_instances():
        if (urlsplit(loaded.site.start_url).hostname or "").removeprefix("www.") == host:
            return loaded.site.slug
    return host.rsplit(".", 1)[0].replace(".", "_").replace("-", "_")


def _save_bare(trace: Trace, path: Path) -> None:
    """Saves a recording whose browser is gone, and its pictures with it."""
    from websp_gym.replay import Trace as Model
    from websp_gym.replay import save_trace

    bare = [event.model_copy(update={"screenshot": None}) for event in trace.events]
    save_trace(
        Model.model_validate(trace.model_copy(update={"events": tuple(bare)}).model_dump(by_alias=True)), path
    )
