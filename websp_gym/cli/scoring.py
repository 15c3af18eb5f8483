"""``websp score``: score episodes of other harnesses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.options import AsJson
from websp_gym.cli.output import Console, print_line
from websp_gym.cli.progress import summarise
from websp_gym.exchange import scoring


def score(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder with a folder for each episode, at any depth.")
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="RUN", help="Folder for the run.")],
    agent: Annotated[
        str | None, typer.Option(help="Name of the agent in reports. Default: the name of DIR.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Score episodes that another harness played, by the recorded state of the server, and write them as a run.

    Each folder has `episode.json`, `state.json` and screenshots, or a record of this package. Exit code 0 when every
    episode was scored, else 1; an episode without the state of the server is not scored.

    Example: `websp score results/browser-use --out runs/browser-use`
    """
    name = agent or folder.resolve().name
    results = scoring.score(folder, out, agent=name)
    unscored = [result for result in results if result.reward is None]
    if as_json:
        for result in results:
            print_line(result.summary())
        return 1 if unscored else 0
    console = Console()
    for result in unscored:
        console.print(
            f"{result.id}: {result.error or result.reason}", style="dim", markup=False, soft_wrap=True
        )
    summarise(name, results, played=len(results), skipped=0, folder=out)
    if unscored:
        way = f"websp judge {out}, then websp rescore {out} --by judge --write"
        console.print(f"by a judge: {way}", style="dim", markup=False, soft_wrap=True)
    return 1 if unscored else 0
