"""``websp demo``: play one instance end to end, step by step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.agents import make_agent
from websp_gym.cli.completing import complete_agent, complete_id
from websp_gym.cli.leaderboard import run_leaderboard
from websp_gym.cli.options import Headed, Processes
from websp_gym.cli.output import Console
from websp_gym.env.registration import make_env
from websp_gym.env.rollout import Rollout
from websp_gym.records.trajectory import ActionRecord
from websp_gym.records.verdict import Verdict
from websp_gym.report import write_trajectory_html


def demo(
    instance_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            autocompletion=complete_id,
            help="Default: Steam-task-191-ON; with --agents, a few instances.",
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(help="Folder for the trajectories.")] = Path("runs/demo"),
    headed: Headed = False,
    agent: Annotated[
        str, typer.Option(help="oracle, noop or random.", autocompletion=complete_agent)
    ] = "oracle",
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
    """Play one instance and show what happens; return exit code 0 if the agent passed, else 1."""
    console = Console()
    player = make_agent(agent)
    env = make_env(instance_id, record_to=folder, headless=not headed)
    try:
        console.print(f"[bold]{env.instance.id}[/]  {escape(env.instance.task.instruction)}")
        rollout = Rollout(env, player)
        for step in rollout:
            if rollout.actions == 1:
                console.print(_started(rollout))
            assert rollout.task is not None
            act = rollout.task.trajectory.steps[-1].act
            console.print(f"  {escape(_described(step.action, act))}", soft_wrap=True)
            if step.observation["last_action_error"]:
                console.print(f"    [yellow]{escape(step.observation['last_action_error'])}[/]")
        assert rollout.task is not None
        assert rollout.task.verdict is not None
        return _conclude(console, rollout.task.folder, rollout.task.verdict, step.reward)
    finally:
        env.close()


def _started(rollout: Rollout) -> str:
    assert rollout.task is not None
    assert rollout.task.s0 is not None
    return (
        f"[dim]sandbox, browser and S0 in {rollout.reset_seconds:.1f} s; S0: {len(rollout.task.s0.events)} recorded "
        "event(s) replayed, every setting verified on the server[/]"
    )


def _described(action: str, act: ActionRecord | None) -> str:
    """Return an action with the role and name of its element, for a reader who has no picture."""
    return action if act is None or not act.role else f"{action:<22} {act.role} {act.name!r}"


def _value(value: object) -> str:
    """Return a value as the episode's page shows it."""
    return escape(json.dumps(value, ensure_ascii=False))


def _conclude(console: Console, folder: Path | None, verdict: Verdict, reward: float) -> int:
    for check in verdict.checks:
        mark = "[green]✓[/]" if check.passed else "[red]✗[/]"
        console.print(f"  {mark} {escape(check.name)}: {_value(check.actual)}")
    colour = "green" if verdict.status == "pass" else "red"
    console.print(f"[bold {colour}]{verdict.status}[/], reward {reward}: {escape(verdict.reason)}")
    if folder is not None:
        console.print(f"open {write_trajectory_html(folder)}", soft_wrap=True)
    return 0 if verdict.status == "pass" else 1
