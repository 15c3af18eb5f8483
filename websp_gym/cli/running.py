"""``websp run``: progress, results on disk, exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from websp_gym.agents import make_agent
from websp_gym.errors import SetupError
from websp_gym.results import RESULTS, Result, Run
from websp_gym.rewards import default_reward, make_reward
from websp_gym.runner import plan_run, run_batch, select_instances

_COLOURS = {"pass": "green", "fail": "yellow", "unscored": "magenta", "error": "red"}


def run_command(
    patterns: list[str],
    run: Run,
    *,
    trials: int,
    retries: int,
    processes: int,
    folder: Path | None,
    resume: bool,
    as_json: bool,
) -> int:
    """Runs an agent on the instances that match.

    Args:
        patterns: Globs of ids.
        run: Agent, options and seed.
        trials: How often each instance is played.
        retries: How often an episode is played again after an infrastructure error.
        processes: How many processes.
        folder: Where results and trajectories go; ``None`` keeps nothing.
        resume: Leave out episodes the folder already has a result of.
        as_json: One line of JSON per episode on standard output, nothing else.

    Returns:
        Exit code: 1 when an episode ended in an infrastructure error, else 0.

    Raises:
        SetupError: No instance matches, no such agent, a judge that cannot be asked, or an unusable folder.
    """
    ids = select_instances(patterns)
    # What would fail in every episode fails here, once.
    make_agent(run.agent)
    world = str(run.options.get("world", "sandbox"))
    make_reward(run.options.get("reward") or default_reward(world), judge=run.options.get("judge"))
    if resume and folder is None:
        raise SetupError("--resume needs --out DIR, the folder of the run to go on with")
    jobs = plan_run(run, ids, trials=trials, folder=folder, resume=resume, retries=retries)
    with _reporter(len(jobs), as_json) as report:
        results = run_batch(jobs, processes=processes, on_result=report)
    if not as_json:
        _summarise(results, len(ids) * trials - len(jobs), folder)
    return 1 if any(result.status == "error" for result in results) else 0


@contextmanager
def _reporter(total: int, as_json: bool) -> Iterator[Callable[[Result], None]]:
    if as_json:

        def line(result: Result) -> None:
            sys.stdout.write(result.summary() + "\n")
            sys.stdout.flush()

        yield line
        return
    console = Console(highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("episodes", total=total)

        def show(result: Result) -> None:
            colour = _COLOURS[result.status]
            note = result.error or ("" if result.status == "pass" else result.reason)
            trial = f"  trial {result.trial}" if result.trial > 1 else ""
            spent = f"{result.steps} steps  {result.seconds:.1f} s" + _money(result.cost)
            progress.console.print(f"[{colour}]{result.status:8}[/] [bold]{result.id}[/]{trial}  {spent}")
            if note:
                progress.console.print(f"         {note}", style="dim", markup=False)
            progress.advance(task)

        yield show


def _money(cost: float | None) -> str:
    return f"  ${cost:.3f}" if cost else ""


def _summarise(results: list[Result], skipped: int, folder: Path | None) -> None:
    console = Console(highlight=False)
    table = Table(box=None, show_header=False, pad_edge=False)
    for status, colour in _COLOURS.items():
        count = sum(result.status == status for result in results)
        if count:
            table.add_row(f"[{colour}]{status}[/]", str(count))
    if skipped:
        table.add_row("[dim]already there[/]", str(skipped))
    console.print(table)
    costs = [result.cost for result in results if result.calls]
    if costs:
        known = sum(cost for cost in costs if cost is not None)
        more = " and what has no known price" if None in costs else ""
        console.print(f"spent ${known:.2f}{more}")
    if folder is not None:
        console.print(f"results: {folder / RESULTS}", style="dim", markup=False)
        console.print(f"tables:  websp report {folder}", style="dim", markup=False)
