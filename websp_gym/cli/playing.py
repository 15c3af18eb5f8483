"""``websp play``: a person plays instances, and is scored like any agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from websp_gym.cli.completing import complete_id
from websp_gym.cli.environment_options import Instruction, MaxActions, MaxSeconds
from websp_gym.cli.options import Seed
from websp_gym.cli.output import Console
from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, append_line, append_result
from websp_gym.tasks.selection import select_instances

_COLOURS = {"pass": "green", "fail": "red"}


def play(
    instances: Annotated[
        list[str],
        typer.Argument(
            metavar="ID|GLOB...", autocompletion=complete_id, help="Instances to play, by id or glob."
        ),
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results and trajectories; continues a run that is there.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the person in results and reports.")] = "person",
    collect: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Add what you solve to this file as demonstrations: chat messages, one JSON line each; needs --out.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the window's page; 0 for a free one.")
    ] = 0,
    instruction: Instruction = Options.instruction,
    max_actions: MaxActions = Options.max_actions,
    max_seconds: MaxSeconds = Options.max_seconds,
    seed: Seed = Run.seed,
) -> int:
    """Play instances yourself, in a page of your own browser; scored by the account's state, like any agent.

    The page shows the instruction, the time (which starts when you see it), the actions left, and the buttons Done
    and Give up. Several instances follow one another at the same address. With --out, it is a run, which
    `websp report` compares with agents. Needs the extra `attach`.

    Example: `websp play 'Steam-*' --out runs/me`
    """
    from websp_gym.attach.person import PersonAgent, TaskPlace
    from websp_gym.attach.players import check_extra
    from websp_gym.runner.batch import play_job
    from websp_gym.runner.jobs import plan_run
    from websp_gym.runner.locking import locked
    from websp_gym.runner.preflight import check_options

    check_extra("playing yourself")
    if collect is not None and out is None:
        raise SetupError("--collect needs --out DIR, where the record is kept", option="collect")
    ids = select_instances(instances)
    given = {"instruction": instruction, "max_actions": max_actions, "max_seconds": max_seconds}
    options = {key: value for key, value in given.items() if value != getattr(Options, key)}
    run = Run(agent=name, options=options, seed=seed)
    browser = check_options(run, "text", ids[0])
    console = Console()
    with locked(out) if out is not None else nullcontext():
        place = TaskPlace(port)
        jobs = plan_run(run, ids, folder=out, resume=True, retries=0, browser=browser)
        for number, job in enumerate(jobs, 1):
            console.print(f"[bold]{job.instance_id}[/]  {number} of {len(jobs)}")
            place.left = len(jobs) - number
            result = play_job(job, lambda: PersonAgent(name, place))
            if out is not None:
                append_result(out, result)
            console.print(_summary(result), soft_wrap=True)
            if collect is not None and out is not None and result.reward == 1.0:
                _collect(collect, out / result.trajectory, result, options, console)
    if not jobs:
        raise SetupError(f"all of them are in {out} already; choose others, or another --out", option="out")
    if out is not None:
        console.print(f"tables:  websp report {out}", style="dim", markup=False, soft_wrap=True)
    return 0


def _collect(file: Path, record: Path, result: Result, options: Mapping[str, Any], console: Console) -> None:
    """Add an episode that was solved to a file of demonstrations, or say why it is none."""
    from websp_gym.attach.demonstrate import DemonstrationError, demonstrate
    from websp_gym.records.load import load_trajectory

    try:
        played = demonstrate(load_trajectory(record), result.seed, **options)
    except DemonstrationError as error:
        console.print(f"no demonstration: {error}", style="yellow", markup=False, soft_wrap=True)
        return
    line = {"instance": played.instance, "seed": result.seed, "messages": played.messages()}
    append_line(file, json.dumps(line, ensure_ascii=False))
    console.print(
        f"demonstration of {len(played.replies)} actions added to {file}", markup=False, soft_wrap=True
    )


def _summary(result: Result) -> str:
    """Return what the person is told of the outcome."""
    why = result.error or result.reason
    colour = _COLOURS.get(result.status, "yellow")
    spent = f"{result.actions} actions, {result.seconds:.0f} s"
    return f"[bold {colour}]{result.status}[/]  {spent}  {escape(why)}"
