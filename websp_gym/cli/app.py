"""The ``websp`` command: its subcommands, each imported when it is used."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from websp_gym.cli.variables import unread
from websp_gym.errors import SetupError

COMMANDS = {
    "list": "instances:list_instances",
    "show": "instances:show",
    "run": "running:run",
    "judge": "judging:judge",
    "rescore": "rescoring:rescore",
    "score": "scoring:score",
    "report": "reporting:report",
    "export": "exporting:export",
    "pack": "submitting:pack",
    "verify": "submitting:verify",
    "collect": "collecting:collect",
    "xray": "collecting:xray",
    "judge-eval": "evaluating:judge_eval",
    "label": "labelling:label",
    "demo": "demo:demo",
    "play": "playing:play",
    "replay": "replaying:replay",
    "record": "recording:record",
    "serve": "serving:serve",
    "serve-episodes": "episodes:serve_episodes",
    "serve-openenv": "openenv:serve_openenv",
    "harbor": "harbor:harbor",
    "check": "checking:check",
    "prove": "checking:prove",
    "new-site": "checking:new_site",
    "doctor": "doctor:doctor",
    "trace": "traces:traces",
    "dataset": "datasets:datasets",
    "policies": "policies:policies",
    "accounts": "accounts:accounts",
    "login": "signing_in:login",
    "live": "live_sites:live",
}
"""Module and function of each command. The function's docstring is the help; its return value is the exit code."""


ELSEWHERE = {
    "--model": "--agent",
    "--models": "--agent",
    "--task": "--tasks",
    "--ids": "--tasks",
    "--output": "--out",
    "--output-dir": "--out",
    "--workers": "--jobs",
    "--n-jobs": "--jobs",
    "--max-steps": "--max-actions",
    "--budget": "--max-cost",
}
"""Names of some options in other tools, which no similarity of spelling would suggest."""


class _Command(TyperCommand):
    """A command that knows what other tools call its options, and takes each that has one value once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in parameter.opts}
        for name in (arg.partition("=")[0] for arg in args):
            ours = ELSEWHERE.get(name, "")
            if name not in known and ours in known:
                raise SetupError(f"no option {name}; did you mean {ours}?", option=name)
        options, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in given:
            single = isinstance(parameter, TyperOption) and not (parameter.multiple or parameter.is_flag)
            if single and given.count(parameter) > 1:  # the last one would win, and nobody would know
                raise SetupError(f"{parameter.opts[0]} is given twice; give it once", option=parameter.name)
        if self.name == "run":
            from websp_gym.cli.run_file import without_file

            args = without_file(ctx, args, options["instances"] or ())
        return super().parse_args(ctx, args)


class _OnDemand(TyperGroup):
    """Import a command when it is used: `websp list` does not wait for a browser's library."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # For an unknown name, load all commands: Typer suggests the nearest one.
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            self.commands.setdefault(name, _load(name))
        return self.commands.get(cmd_name)


def _load(name: str) -> Any:
    module, _, attribute = COMMANDS[name].partition(":")
    command = getattr(import_module(f"websp_gym.cli.{module}"), attribute)
    if isinstance(command, typer.Typer):
        for each in command.registered_commands:
            each.cls = _Command
        return get_command(command)
    single = typer.Typer(add_completion=False, rich_markup_mode="markdown")
    single.command(name, cls=_Command)(command)
    return get_command(single)


def _exit(code: int | None, **_: object) -> None:
    raise typer.Exit(code or 0)


def _version(wanted: bool) -> None:
    if wanted:
        from websp_gym.project import VERSION
        from websp_gym.tasks import DATASET_VERSION

        typer.echo(f"websp-gym {VERSION}, dataset {DATASET_VERSION}")
        raise typer.Exit


app = typer.Typer(
    name="websp",
    cls=_OnDemand,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    result_callback=_exit,
)


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Run web agents on website security and privacy tasks, and check their results."""
    for sentence in unread(os.environ):
        typer.echo(f"websp: {sentence}", err=True)
