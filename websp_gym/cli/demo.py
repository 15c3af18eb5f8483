"""``websp demo``: play one instance end to end, step by step."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from websp_gym.agents import Briefing, make_agent
from websp_gym.cli.leaderboard import run_leaderboard
from websp_gym.cli.options import Headed, Processes
from websp_gym.env.registration import make_env
from websp_gym.report import write_trajectory_html


def demo(
    instance_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Default: Steam-task-191-ON; with --agents, a few instances."),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder for the trajectories.")] = Path("runs/demo"),
    headed: Headed = False,
    agent: Annotated[str, typer.Option(help="oracle, noop or random.")] = "oracle",
    agents: Annotated[
        bool, typer.Option("--agents", help="Compare scripted agents, each with one flaw; no key needed.")
    ] = False,
    jobs: Processes = 1,
) -> int:
    """Watch one instance run: sandbox, replay to S0, agent, verdict, and a page that shows all of it.

    With --agents, play a few instances with eight scripted agents and write a leaderboard page.

    Example: `websp demo Steam-task-198-ON`, `websp demo --agents --jobs 2`
    """
    if agents:
        return run_leaderboard(instance_id, out / "agents", processes=jobs, headed=headed)
    return run_demo(instance_id or "Steam-task-191-ON", out, agent=agent, headed=headed)


def run_demo(instance_id: str, folder: Path, *, agent: str, headed: bool) -> int:
    """Plays one instance and shows what happens.

    Args:
        instance_id: The instance.
        folder: Where the trajectory goes.
        agent: Name of the agent.
        headed: Whether the browser shows its window.

    Returns:
        Exit code: 0 when the agent passed, else 1.
    """
    console = Console(highlight=False)
    player = make_agent(agent)
    env = make_env(instance_id, record_to=folder, headless=not headed)
    try:
        console.print(f"[bold]{env.loaded.id}[/]  {escape(env.loaded.task.instruction)}")
        began = time.monotonic()
        observation, info = env.reset(seed=0)
        start = info["initial_state"]
        console.print(
            f"[dim]sandbox, browser and S0 in {time.monotonic() - began:.1f} s; "
            f"S0: {start['events']} recorded event(s) replayed, every setting verified on the server[/]"
        )
        assert env.task is not None
        player.begin(Briefing(env.loaded, env.task.episode.account, 0))
        done = False
        while not done:
            action = player.act(observation)
            console.print(f"  {escape(_described(action, observation))}", soft_wrap=True)
            observation, reward, terminated, truncated, info = env.step(action)
            if observation["last_action_error"]:
                console.print(f"    [yellow]{escape(observation['last_action_error'])}[/]")
            done = terminated or truncated
        return _conclude(console, folder, env.loaded.id, reward, info)
    finally:
        env.close()


def _described(action: str, observation: dict[str, object]) -> str:
    """An action with the name of the element it is about, for a reader who has no picture."""
    from websp_gym.actions import parse_action
    from websp_gym.errors import ActionError

    try:
        number = parse_action(action).number
    except ActionError:
        return action
    elements = observation["elements"]
    if number is None or not isinstance(elements, tuple) or number >= len(elements):
        return action
    return f"{action:<22} {elements[number]['role']} {elements[number]['name']!r}"


def _value(value: object) -> str:
    """A value as the page of the episode spells it."""
    return escape(json.dumps(value, ensure_ascii=False))


def _conclude(
    console: Console, folder: Path, instance_id: str, reward: float, info: dict[str, object]
) -> int:
    verdict = info["verdict"]
    assert isinstance(verdict, dict)
    for check in verdict["checks"]:
        mark = "[green]✓[/]" if check["passed"] else "[red]✗[/]"
        console.print(f"  {mark} {escape(str(check['name']))}: {_value(check['actual'])}")
    colour = "green" if verdict["status"] == "pass" else "red"
    console.print(f"[bold {colour}]{verdict['status']}[/], reward {reward}: {escape(verdict['reason'])}")
    page = write_trajectory_html(sorted((folder / instance_id).iterdir())[-1])
    console.print(f"open {page}", soft_wrap=True)
    return 0 if verdict["status"] == "pass" else 1
