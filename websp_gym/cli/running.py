"""``websp run``: progress, results on disk, exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from websp_gym.agents import make_agent
from websp_gym.errors import SetupError
from websp_gym.rewards import make_reward
from websp_gym.runner import RESULTS, Job, Result, finished, run_batch, select_instances

_COLOURS = {"pass": "green", "fail": "yellow", "unscored": "magenta", "error": "red"}


def run_command(
    patterns: list[str],
    agent: str,
    *,
    processes: int,
    folder: Path | None,
    resume: bool,
    seed: int,
    options: Mapping[str, Any],
    as_json: bool,
) -> int:
    """Runs an agent on the instances that match.

    Args:
        patterns: Globs of ids.
        agent: Name of the agent.
        processes: How many processes.
        folder: Where results and trajectories go; ``None`` keeps nothing.
        resume: Leave out instances the folder already has a result of.
        seed: Seed of every episode.
        options: Options of the environments.
        as_json: One line of JSON per episode on standard output, nothing else.

    Returns:
        Exit code: 1 when an episode ended in an infrastructure error, else 0.

    Raises:
        SetupError: No instance matches, no such agent, a judge that cannot be asked, or an unusable folder.
    """
    ids = select_instances(patterns)
    make_agent(agent)
    make_reward(options.get("reward", "state"), judge=options.get("judge"))
    skip = _prepare(folder, agent, resume)
    env_options = {**options, **({"record_to": str(folder / "trajectories")} if folder else {})}
    jobs = [Job(name, agent, seed, env_options) for name in ids if name not in skip]
    with _reporter(len(jobs), as_json) as report:

        def keep(result: Result) -> None:
            if folder is not None:
                with (folder / RESULTS).open("a", encoding="utf-8") as file:
                    file.write(result.line() + "\n")
            report(result)

        results = run_batch(jobs, processes=processes, on_result=keep)
    if not as_json:
        _summarise(results, len(skip & set(ids)), folder)
    return 1 if any(result.status == "error" for result in results) else 0


def _prepare(folder: Path | None, agent: str, resume: bool) -> set[str]:
    if folder is None:
        if resume:
            raise SetupError("--resume needs --out DIR, the folder of the run to go on with")
        return set()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / RESULTS).open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise SetupError(f"cannot write to {folder}: {error.strerror}", path=str(folder)) from error
    if resume:
        return finished(folder, agent)
    if (folder / RESULTS).stat().st_size:
        raise SetupError(
            f"{folder} already has results; add --resume to go on with them, or choose another --out"
        )
    return set()


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
            cost = f"{result.steps} steps  {result.seconds:.1f} s"
            progress.console.print(f"[{colour}]{result.status:8}[/] [bold]{result.id}[/]  {cost}")
            if note:
                progress.console.print(f"         {note}", style="dim", markup=False)
            progress.advance(task)

        yield show


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
    if folder is not None:
        console.print(f"results: {folder / RESULTS}", style="dim", markup=False)
