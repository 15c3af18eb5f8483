"""``websp judge``: progress, results on disk, exit code."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from websp_gym.errors import SetupError
from websp_gym.scoring.judge.batch import (
    CACHE,
    JUDGEMENTS,
    Judgement,
    Spending,
    already_judged,
    find_runs,
    judge_runs,
    keep_judgement,
    latest_by,
)
from websp_gym.scoring.judge.cache import Cache
from websp_gym.scoring.judge.judge import Judge
from websp_gym.scoring.judge.prompt import RULES

_COLOURS = {"pass": "green", "fail": "yellow", "unscored": "magenta"}


def judge_command(
    folder: Path,
    models: Sequence[str],
    *,
    jobs: int,
    asks: int,
    rules: Path | None,
    use_cache: bool,
    resume: bool,
    max_cost: float | None,
    ask_for_causes: bool,
    as_json: bool,
) -> int:
    """Judges the runs below a folder.

    Args:
        folder: The folder; gets the cache, and the folder of each run below it ``judgements.jsonl``.
        models: The models; none for the paper's three.
        jobs: Runs at a time.
        asks: How often a model is asked whose answer cannot be read.
        rules: A file with other rules.
        use_cache: Whether opinions already paid for are used.
        resume: Leave out runs this judge has a verdict on.
        max_cost: US dollars that may be spent.
        ask_for_causes: Ask the first model why a run failed.
        as_json: One line of JSON per run on standard output, nothing else.

    Returns:
        Exit code: 0 when every run has a verdict, else 1; one whose record cannot be read is unscored.

    Raises:
        SetupError: No runs, a model that cannot be asked, or files that cannot be used.
    """
    runs = find_runs(folder)
    cache = Cache(folder / CACHE) if use_cache else None
    judge = Judge.of(split(models) or None, asks=asks, rules=read_rules(rules), cache=cache)
    known = already_judged(judge, runs) if resume else set()
    todo = [run for run in runs if run not in known]
    spending = Spending(max_cost)
    with _reporter(len(todo), spending, as_json) as report:

        def keep(judgement: Judgement) -> None:
            keep_judgement(folder / judgement.run, judgement)
            report(judgement)

        done = judge_runs(
            judge,
            todo,
            parent=folder,
            jobs=jobs,
            spending=spending,
            ask_for_causes=ask_for_causes,
            on_result=keep,
        )
    left = len(todo) - len(done)
    if not as_json:
        _summarise(runs, judge, done, spending, skipped=len(known), left=left)
    return 1 if left or any(judgement.status == "unscored" for judgement in done) else 0


def split(models: Sequence[str]) -> list[str]:
    """Models given one by one or separated by commas.

    Args:
        models: What stood on the command line.

    Returns:
        One string per model.
    """
    return [name.strip() for given in models for name in given.split(",") if name.strip()]


def read_rules(path: Path | None) -> str:
    """Reads what judges are told.

    Args:
        path: A text file with the place of the fence, ``{word}``, in it; None for ours.

    Returns:
        The rules.

    Raises:
        SetupError: It cannot be read, or has no place for the fence.
    """
    if path is None:
        return RULES
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"cannot read the rules {path}: {error}", path=str(path)) from error
    if "{word}" not in text:
        raise SetupError(
            f"{path} does not say what fences evidence in: write {{word}} where the fence's word goes "
            "(docs/judge.md)",
            path=str(path),
        )
    return text


@contextmanager
def _reporter(total: int, spending: Spending, as_json: bool) -> Iterator[Callable[[Judgement], None]]:
    if as_json:

        def line(judgement: Judgement) -> None:
            sys.stdout.write(judgement.line() + "\n")
            sys.stdout.flush()

        yield line
        return
    console = Console(highlight=False)
    with progress_bar(console) as progress:
        task = progress.add_task("judging", total=total, cost=dollars(spending))
        # The cost of the last run is added after it was reported.
        shown = replace(spending, limit=None)

        def show(judgement: Judgement) -> None:
            shown.add(judgement.spent)
            colour = _COLOURS[judgement.status]
            text = f"[{colour}]{judgement.status:8}[/] [bold]{judgement.instance}[/]  [dim]{judgement.run}[/]"
            progress.console.print(text)
            if judgement.status != "pass":
                progress.console.print(f"         {judgement.reason}", style="dim", markup=False)
            progress.update(task, advance=1, cost=dollars(shown))

        yield show


def progress_bar(console: Console) -> Progress:
    """A progress bar with the cost so far.

    Args:
        console: Where it is shown, if that is a terminal.

    Returns:
        The bar; its tasks need a field ``cost``.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[cost]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def dollars(spending: Spending) -> str:
    """What was spent, for a person."""
    unknown = " and unknown prices" if spending.unknown else ""
    return f"${spending.spent:.4f}{unknown}"


def _summarise(
    runs: Sequence[Path],
    judge: Judge,
    done: Sequence[Judgement],
    spending: Spending,
    *,
    skipped: int,
    left: int,
) -> None:
    console = Console(highlight=False)
    table = Table(box=None, show_header=False, pad_edge=False)
    counts: Counter[str] = Counter(judgement.status for judgement in done)
    for status, colour in _COLOURS.items():
        if counts[status]:
            table.add_row(f"[{colour}]{status}[/]", str(counts[status]))
    if skipped:
        table.add_row("[dim]already there[/]", str(skipped))
    if left:
        table.add_row("[red]not judged: --max-cost[/]", str(left))
    table.add_row("cost", dollars(spending))
    console.print(table)
    compared = [
        judgement
        for run in runs
        if (judgement := latest_by(judge, run)) is not None
        and judgement.state in ("pass", "fail")
        and judgement.status != "unscored"
    ]
    if compared:
        same = sum(judgement.state == judgement.status for judgement in compared)
        console.print(f"agrees with the state reward on {same} of {len(compared)} runs")
    console.print(f"judgements: {JUDGEMENTS} in the folder of each run", style="dim", markup=False)


def write_json(data: Any) -> None:
    """Writes data for a program to read."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=1) + "\n")
