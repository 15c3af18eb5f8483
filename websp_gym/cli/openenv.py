"""``websp serve-openenv``: serve environments to trainers over OpenEnv's protocol."""

from __future__ import annotations

import importlib.util
from typing import Annotated

import typer

from websp_gym.cli.environment_options import (
    SIZE,
    Instruction,
    MaxActions,
    MaxSeconds,
    ViewportSize,
    read_viewport,
)
from websp_gym.cli.output import Console
from websp_gym.env.options import Options
from websp_gym.errors import missing_extra
from websp_gym.records.runs import count
from websp_gym.rollouts import Pool
from websp_gym.runner.preflight import browser_version
from websp_gym.scoring.outcome import REWARDS
from websp_gym.serving import listen, place_of, run_server, token_for
from websp_gym.tasks.splits import SplitBy


def serve_openenv(
    *,
    sessions: Annotated[
        int, typer.Option(min=1, help="Sessions at once, each with a process and a browser.")
    ] = 1,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. One that other machines reach needs WEBSP_OPENENV_TOKEN."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for a free one.")] = 8000,
    pictures: Annotated[bool, typer.Option("--pictures", help="Send screenshots too.")] = False,
    split_by: Annotated[SplitBy, typer.Option(help="What the split `test` holds out.")] = "task",
    instruction: Instruction = Options.instruction,
    max_actions: MaxActions = Options.max_actions,
    max_seconds: MaxSeconds = Options.max_seconds,
    viewport: ViewportSize = None,
    idle_seconds: Annotated[
        float, typer.Option(min=1, help="Seconds without a message after which a session ends.")
    ] = 1800.0,
    reward: Annotated[
        str, typer.Option(help=f"One of {', '.join(REWARDS)}; strict pays nothing after a side effect.")
    ] = "strict",
    retries: Annotated[
        int, typer.Option(min=0, max=1, help="How often to repeat an episode whose world failed.")
    ] = 1,
) -> None:
    """Serve environments to trainers over OpenEnv's protocol, until Ctrl-C; needs the extra `openenv`.

    Example: `websp serve-openenv --sessions 4`
    """
    if importlib.util.find_spec("openenv") is None:
        raise missing_extra("serving over OpenEnv's protocol needs its package", "openenv")
    from websp_gym.trainers.openenv import make_app
    from websp_gym.trainers.openenv.gate import VARIABLE

    token = token_for(host, VARIABLE)
    # Fail here, once, on what would fail in every episode.
    browser_version(headless=True)
    with (
        listen(host, port) as listener,
        Pool(
            sessions,
            pictures=pictures,
            instruction=instruction,
            max_actions=max_actions,
            max_seconds=max_seconds,
            viewport=read_viewport(viewport or SIZE),
            reward=reward,
            retries=retries,
        ) as pool,
    ):
        app = make_app(pool, split_by=split_by, token=token, idle=idle_seconds)
        console = Console()
        served = f"serving {count(sessions, 'session')} at http://{place_of(listener)}"
        console.print(served, markup=False, soft_wrap=True)
        console.print("Press Ctrl-C to stop.", style="dim")
        run_server(app, listener)
