"""The ``websp`` command: its subcommands, each imported when it is used."""

from __future__ import annotations

import os
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from websp_gym.cli.variables import unread
from websp_gym.errors import SetupError
from websp_gym.plugins import load_plugin, plugins

GROUPS = {
    "Start": {
        "demo": ("demo:demo", "Watch one instance run, and get a page of it."),
        "doctor": ("doctor:doctor", "Check that this machine can run everything."),
        "list": ("instances:list_instances", "List the instances."),
        "show": ("instances:show", "Show one instance: instruction, S0, goal, ground truth."),
        "play": ("playing:play", "Play instances yourself, scored like any agent."),
    },
    "Measure an agent": {
        "run": ("running:run", "Run agents on instances."),
        "report": ("reporting:report", "Report runs: rates, policies, cost, trajectories."),
        "judge": ("judging:judge", "Judge recorded runs with multimodal models."),
        "rescore": ("rescoring:rescore", "Score recorded runs again."),
        "video": ("filming:video", "Make a film of a recorded episode."),
        "export": ("exporting:export", "Write the episodes of runs as one flat table."),
        "pack": ("submitting:pack", "Verify a run and pack it for a leaderboard."),
        "verify": ("submitting:verify", "Verify a submission or a run."),
        "judge-eval": ("evaluating:judge_eval", "Measure a judge against the truth."),
        "label": ("labelling:label", "Label trajectories by hand."),
    },
    "Connect other programs": {
        "serve-episodes": (
            "episodes:serve_episodes",
            "Serve episodes to agents that drive a browser themselves.",
        ),
        "serve-openenv": ("openenv:serve_openenv", "Serve environments to trainers over OpenEnv's protocol."),
        "nemo": ("nemo:nemo", "Write the instances as an environment of NeMo Gym."),
        "harbor": ("harbor:harbor", "Write the instances as tasks of Harbor."),
        "collect": ("collecting:collect", "Convert an AgentLab study into runs."),
        "xray": ("collecting:xray", "Open AgentLab studies in AgentXRay."),
        "score": ("scoring:score", "Score episodes that another harness played."),
    },
    "Sites, tasks and policies": {
        "serve": ("serving:serve", "Browse the sandbox by hand."),
        "new-site": ("checking:new_site", "Create a new site with pages, tasks and a test."),
        "check": ("checking:check", "Check a site and its tasks."),
        "prove": ("checking:prove", "Prove every instance in the browser."),
        "policies": ("policies:policies", "List, show and check policies."),
        "record": ("recording:record", "Record a trace by doing it once."),
        "replay": ("replaying:replay", "Replay a trace, and show how each element was found."),
        "trace": ("traces:traces", "List, check and import traces."),
        "dataset": ("datasets:datasets", "Import the published dataset from your own clone."),
    },
    "The live web": {
        "accounts": ("accounts:accounts", "Manage your accounts on live websites."),
        "login": ("signing_in:login", "Sign an account in, and keep the sign-in."),
        "live": ("live_sites:live", "Check live websites with your accounts."),
    },
}
"""By group and name of each command: its module and function, and what it does, for a help that imports none of them.

The function's docstring is the help of the command; its return value is the exit code.
"""
COMMANDS = {name: place for group in GROUPS.values() for name, (place, _) in group.items()}
ADDED = "From other packages"


def _groups() -> dict[str, dict[str, tuple[str, str]]]:
    """Return :data:`GROUPS`, with the commands that other packages register as ``websp_gym.commands``."""
    added = {
        name: (each.value, f"Added by {each.dist.name if each.dist else each.module}.")
        for name, each in sorted(plugins("commands").items())
        if name not in COMMANDS
    }
    return {**GROUPS, ADDED: added} if added else GROUPS


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
    "--n-tasks": "--limit",
    "--num-tasks": "--limit",
    "--n": "--limit",
}
"""Names of some options in other tools, which no similarity of spelling would suggest."""


class _Command(TyperCommand):
    """A command that knows other tools' names for its options, and refuses a single-valued option given twice."""

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

            args = without_file(ctx, args, options.get("instances") or ())
        return super().parse_args(ctx, args)


class _OnDemand(TyperGroup):
    """Import a command when it is used: `websp list` does not wait for a browser's library."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for group in _groups().values() for name in group]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            self.commands = {
                name: TyperCommand(name, help=line, rich_help_panel=group)
                for group, commands in (GROUPS if cmd_name in COMMANDS else _groups()).items()
                for name, (_, line) in commands.items()
            }
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        found = super().resolve_command(ctx, args)
        return (name, load(name), found[2]) if found[1] is not None else found


def load(name: str) -> Any:
    """Return a command of :data:`COMMANDS` or of another package, imported."""
    ours = COMMANDS.get(name)
    command = resolve_name(f"websp_gym.cli.{ours}") if ours else load_plugin("commands", name)
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
