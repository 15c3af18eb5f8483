"""``websp demo --agents``: a page that compares scripted agents, each with one flaw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.text import Text

from websp_gym.agents.flawed import FLAWS
from websp_gym.cli.output import Console, progress_bar
from websp_gym.cli.reporting import write_page
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, count
from websp_gym.report import Report, read_report
from websp_gym.report.tables.render_text import show_table
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import plan_run
from websp_gym.tasks.selection import select_instances

AGENTS = ("oracle", "noop", *(f"flawed:{kind}" for kind in FLAWS))
INSTANCES = ("Steam-task-191-ON", "Steam-task-191-OFF", "Steam-task-194", "Steam-task-200-ON")
"""Each flaw shows on one of them: switches that are on, switches already off, many boxes, a form with Save."""
PAGE = "leaderboard.html"
_COLOURS = {
    "success": "green",
    "failure": "yellow",
    "time-out": "yellow",
    "stopped": "yellow",
    "unscored": "magenta",
    "error": "red",
}


def run_leaderboard(
    instance_id: str | None,
    folder: Path,
    *,
    agents: Sequence[str] = AGENTS,
    processes: int = 1,
    headed: bool = False,
) -> int:
    """Play a few instances with every scripted agent and write a page that compares them.

    Args:
        instance_id: The only instance to play; None for some instances of Steam.
        folder: Folder for the runs and the page; episodes that are already in it are not played again.
        agents: The agents.
        processes: Number of processes.
        headed: Show the browser windows.

    Returns:
        Exit code: 0 if every episode could be played, else 1.

    Raises:
        SetupError: There is no such instance, or the folder contains other runs or is not writable.
    """
    console = Console()
    ids = select_instances([instance_id] if instance_id else INSTANCES)
    console.print(
        f"{len(agents)} scripted agents on {count(len(ids), 'instance')} in the sandbox; no model, no key"
    )
    options = {"initial_state": "snapshot", **({"headless": False} if headed else {})}
    runs = [Run(agent=agent, options=options) for agent in agents]
    results = _play(console, runs, ids, folder, processes)
    report = read_report([folder])
    _show(console, report)
    write_page(report, folder / PAGE, console)
    return 1 if any(result.status == "error" for result in results) else 0


def _play(
    console: Console, runs: Sequence[Run], ids: Sequence[str], folder: Path, processes: int
) -> list[Result]:
    jobs = [
        job
        for run in runs
        for job in plan_run(run, ids, folder=folder / run.agent.replace(":", "-"), resume=True)
    ]
    with _reporter(console, len(jobs)) as report:
        return run_batch(jobs, processes=processes, on_result=report)


@contextmanager
def _reporter(console: Console, total: int) -> Iterator[Callable[[Result], None]]:
    with progress_bar(console) as progress:
        task = progress.add_task("episodes", total=total)

        def show(result: Result) -> None:
            outcome = (f"  {result.outcome:9}", _COLOURS[result.outcome])
            why = result.error or ", ".join(result.failure_kinds)
            if not why and result.outcome != "success":
                why = result.reason
            progress.console.print(
                Text.assemble(outcome, f"{result.agent:22} {result.id:20}", (f" {why}", "dim")),
                soft_wrap=True,
            )
            progress.advance(task)

        yield show


def _show(console: Console, report: Report) -> None:
    for table in report.tables:
        if table.key in ("overall", "kinds"):
            show_table(table, console)
