"""``websp video``: an episode as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.output import Console
from websp_gym.report.film import KINDS, STEP, write_film


def video(
    record: Annotated[
        Path,
        typer.Argument(metavar="RECORD", help="Folder of a trajectory, such as runs/x/trajectories/ID/001."),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            help=f"The film: {', '.join(KINDS)}; the first two need the extra video. Default: episode.gif."
        ),
    ] = None,
    width: Annotated[int, typer.Option(min=200, max=4000, help="Width in pixels.")] = 960,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds of each step.")] = STEP,
) -> None:
    """Make a film of a recorded episode: what the agent saw, where it clicked, what it did, how it ended.

    Example: `websp video runs/gpt/trajectories/Steam-task-191-ON/001 --out steam.mp4`
    """
    folder = record.parent if record.suffix == ".json" else record
    target = write_film(folder, out or folder / "episode.gif", width=width, step=seconds)
    Console().print(f"{target}  {target.stat().st_size / 1e6:.1f} MB", markup=False, soft_wrap=True)
