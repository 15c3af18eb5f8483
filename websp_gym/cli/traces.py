"""Commands about traces: recording, replaying, and the group ``trace``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.options import AsJson, Headed, TargetState


def replay(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    target: Annotated[
        TargetState, typer.Option("--set", help="What switches and check boxes end in.")
    ] = TargetState.RECORDED,
    headed: Headed = False,
    watch: Annotated[bool, typer.Option("--watch", hidden=True)] = False,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Write a screenshot of the last page to this PNG file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a trace on a fresh account of the sandbox: how each element was found, what changed on the server.

    Example: `websp replay steam/mature_content --set off`
    """
    from websp_gym.cli.replaying import replay_command

    code = replay_command(
        trace,
        set=target.value,
        signed_in=not signed_out,
        headed=headed or watch,
        picture=picture,
        as_json=as_json,
    )
    raise typer.Exit(code)


def record(
    where: Annotated[
        str, typer.Argument(metavar="SITE|URL", help="A sandbox site, or a page of the live web.")
    ],
    name: Annotated[str | None, typer.Option(help="Name of the trace.")] = None,
    out_file: Annotated[
        Path | None,
        typer.Option(
            "--out", help="The file, or a folder for NAME.json; traces/SITE of this folder otherwise."
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Page to begin on; the site's start page otherwise.")
    ] = None,
    signed_out: Annotated[bool, typer.Option("--signed-out", help="Begin signed out (sandbox).")] = False,
    screenshots: Annotated[
        bool, typer.Option("--screenshots/--no-screenshots", help="Keep a picture after each event.")
    ] = True,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Record a trace: a browser opens, you show the way, and what you did is saved.

    Account values of a live site become placeholders when WEBSP_ACCOUNT_EMAIL, WEBSP_ACCOUNT_USERNAME and
    WEBSP_ACCOUNT_NAME are set. Passwords, one-time codes and card numbers are never stored.

    Example: `websp record steam --name "my preferences" --start https://store.steampowered.com/account/preferences/`
    """
    from websp_gym.cli.recording import record_command

    record_command(
        where,
        out=out_file,
        name=name,
        signed_out=signed_out,
        start=start,
        screenshots=screenshots,
        overwrite=overwrite,
    )


traces = typer.Typer(
    help="Look at recorded traces, check them, import and export them.", no_args_is_help=True
)


@traces.command("show")
def trace_show(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    as_json: AsJson = False,
) -> None:
    """Show a trace event by event.

    Example: `websp trace show steam/email_preferences`
    """
    from websp_gym.cli.replaying import show_command

    show_command(trace, as_json=as_json)


@traces.command("list")
def trace_list(as_json: AsJson = False) -> None:
    """List the traces that can be named: those of this folder, of WEBSP_TRACES, and those that come along.

    Example: `websp trace list`
    """
    from websp_gym.cli.replaying import list_command

    list_command(as_json=as_json)


@traces.command("validate")
def trace_validate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TRACE]...", help="Files or folders; all of traces/ otherwise."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check traces against the schema and the rules for secrets; exit code 1 when one is not valid.

    Example: `websp trace validate traces/steam`
    """
    from websp_gym.cli.replaying import validate_command

    raise typer.Exit(validate_command(names or [], as_json=as_json))


@traces.command("import")
def trace_import(
    source: Annotated[
        Path,
        typer.Argument(help="A published WebSP trace, a Chrome DevTools Recorder flow, or a folder of them."),
    ],
    folder: Annotated[Path, typer.Option("--out", help="Folder for the traces.")] = Path("traces/imported"),
    site: Annotated[
        str | None, typer.Option(help="Slug of the site, where the recording does not tell.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")] = False,
) -> None:
    """Turn somebody else's recording into a trace.

    Example: `websp trace import flow.json --site steam --out traces/steam`
    """
    from websp_gym.cli.replaying import import_command

    import_command(source, folder, site=site, overwrite=overwrite)


@traces.command("export")
def trace_export(
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A file, or a name below traces/.")],
    target: Annotated[Path | None, typer.Option("--out", help="The file; printed otherwise.")] = None,
) -> None:
    """Write a trace as a flow that Chrome's DevTools Recorder can open.

    Example: `websp trace export steam/login --out login-flow.json`
    """
    from websp_gym.cli.replaying import export_command

    export_command(trace, target)
