"""The commands. Each one only reads arguments, calls the library and shows what came back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from websp_gym.cli import instances, runs, sites, traces
from websp_gym.cli.options import out


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        out.print(f"websp-gym {version('websp-gym')}")
        raise typer.Exit


app = typer.Typer(
    name="websp",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Web agents on website security and privacy tasks: run, watch and check them."""


COMMANDS: dict[str, Callable[..., None]] = {
    "list": instances.list_instances,
    "show": instances.show,
    "run": runs.run,
    "judge": runs.judge,
    "rescore": runs.rescore,
    "report": runs.report,
    "collect": runs.collect,
    "xray": runs.xray,
    "judge-eval": runs.judge_eval,
    "demo": runs.demo,
    "replay": traces.replay,
    "record": traces.record,
    "serve": sites.serve,
    "check": sites.check,
    "new-site": sites.new_site,
    "doctor": instances.doctor,
}

for name, command in COMMANDS.items():
    app.command(name)(command)
app.add_typer(traces.traces, name="trace")
