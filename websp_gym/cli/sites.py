"""Commands about the sandbox's sites: browsing, proving and beginning them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.options import AsJson


def serve(
    site: Annotated[str | None, typer.Argument(help="Site to open, e.g. steam; the index otherwise.")] = None,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out.")] = False,
    headless: Annotated[bool, typer.Option("--no-browser", help="Only print how to reach it.")] = False,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65534, help="HTTPS on this port and HTTP on the next; free ones otherwise."),
    ] = None,
) -> None:
    """Browse the sandbox by hand, under the real host names.

    Example: `websp serve steam`
    """
    from websp_gym.cli.serving import serve_command

    serve_command(site, signed_in=not signed_out, browser=not headless, port=port)


def check(
    sites: Annotated[
        list[str] | None, typer.Argument(metavar="[SITE]...", help="Slugs; every site with tasks otherwise.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    offline: Annotated[bool, typer.Option("--offline", help="Read the files only; no browser.")] = False,
    screenshots: Annotated[
        Path | None, typer.Option(help="Folder for pictures of the pages and a contact sheet.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder with sites/, task_configs/ and traces/ of your own.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what passed, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a site and its tasks: files, initial states, proofs of every instance, every page and link.

    Exit code 0 when nothing failed, 1 when something did, 2 when there is no such site.

    Example: `websp check steam --jobs 2 --screenshots shots`
    """
    from websp_gym.cli.checking import check_command

    code = check_command(
        sites or [],
        places=places,
        online=not offline,
        processes=jobs,
        screenshots=screenshots,
        as_json=as_json,
        verbose=verbose,
    )
    raise typer.Exit(code)


def new_site(
    name: Annotated[str, typer.Argument(help="Name of the site as people write it, e.g. Example.")],
    host: Annotated[str | None, typer.Option(help="Its main host; www.NAME.com otherwise.")] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder for sites of your own, instead of this checkout.")
    ] = None,
) -> None:
    """Begin a new site: its folder, its tasks and a test, which pass `websp check` as they are.

    Example: `websp new-site Example --host www.example.com`
    """
    from websp_gym.cli.checking import new_site_command

    new_site_command(name, host=host, folder=places)
