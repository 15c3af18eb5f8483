"""``websp harbor``: the instances as tasks of Harbor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.environment_options import Instruction, MaxActions, MaxSeconds
from websp_gym.cli.options import Seed
from websp_gym.cli.output import Console
from websp_gym.env.options import Options
from websp_gym.records.runs import Run, count
from websp_gym.tasks.selection import select_instances


def harbor(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID|GLOB]...", help="Instances, by id or glob. Default: all."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="New folder for the tasks.")],
    image: Annotated[str, typer.Option(help="Image of websp-gym with the extra `attach`.")] = "websp",
    instruction: Instruction = Options.instruction,
    max_actions: MaxActions = Options.max_actions,
    max_seconds: MaxSeconds = Options.max_seconds,
    policies: Annotated[
        list[str] | None, typer.Option(metavar="SET", help="A set of policies; may be repeated.")
    ] = None,
    seed: Seed = Run.seed,
) -> int:
    """Write the instances as tasks of Harbor, one folder each.

    Example: `websp harbor 'Steam-*' --out tasks`
    """
    from websp_gym.harnesses.harbor import export_tasks

    written = export_tasks(
        select_instances(ids or ["*"]),
        out,
        seed=seed,
        image=image,
        instruction=instruction,
        max_actions=max_actions,
        max_seconds=max_seconds,
        policies=policies or (),
    )
    said = f"{count(len(written), 'task')} in {out}; run: harbor run -p {out} -a AGENT -m MODEL"
    Console().print(said, markup=False, soft_wrap=True)
    return 0
