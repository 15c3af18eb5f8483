"""``websp nemo``: the instances as an environment of NeMo Gym."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.environment_options import Instruction, MaxActions
from websp_gym.cli.output import Console
from websp_gym.env.options import Options
from websp_gym.records.runs import count
from websp_gym.rollouts.episodes import Solved, choose_episodes
from websp_gym.tasks.splits import SplitBy, on_side


def nemo(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID|GLOB]...", help="Instances, by id or glob. Default: all."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="New folder, in which NeMo Gym is started.")],
    split_by: Annotated[SplitBy, typer.Option(help="What the data set `validation` holds out.")] = "task",
    solved: Annotated[
        Solved, typer.Option(help="What to do with instances that are solved at the start.")
    ] = "keep",
    trials: Annotated[int, typer.Option(min=1, help="Seeds of each instance.")] = 1,
    processes: Annotated[int, typer.Option(min=1, help="Environments, each with a browser.")] = 1,
    instruction: Instruction = Options.instruction,
    max_actions: MaxActions = Options.max_actions,
) -> int:
    """Write the instances as an environment of NeMo Gym: a resources server and its data sets.

    Example: `websp nemo 'Steam-*' --out gym --processes 4`
    """
    from websp_gym.trainers.nemo_folder import CONFIG, write_folder

    episodes = choose_episodes(ids or ["*"], solved=solved, trials=trials)
    held_out = set(on_side({name for name, _ in episodes}, "test", split_by))
    sides = {
        "train": [one for one in episodes if one[0] not in held_out],
        "validation": [one for one in episodes if one[0] in held_out],
    }
    datasets = {name: side for name, side in sides.items() if side}
    write_folder(datasets, out, processes=processes, instruction=instruction, max_actions=max_actions)
    rows = " and ".join(f"{count(len(side), 'row')} of {name}" for name, side in datasets.items())
    said = f"{rows} in {out}; run there: gym env start --config {CONFIG} --model-type openai_model"
    Console().print(said, markup=False, soft_wrap=True)
    return 0
