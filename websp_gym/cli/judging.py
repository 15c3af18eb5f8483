"""``websp judge``: judge recorded runs with models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.cli.options import AsJson, Asks, MaxCost, Models, Preflight, Quorum, Resume, Rules
from websp_gym.cli.output import STATUS_COLOURS, Console, plain_table, print_line, progress_bar, wide_console
from websp_gym.cli.probing import try_models
from websp_gym.errors import SetupError
from websp_gym.models.probe import check_priced
from websp_gym.models.usage import sum_known
from websp_gym.project import docs
from websp_gym.records.results import Result
from websp_gym.records.runs import count
from websp_gym.scoring.judge.batch import CACHE, Spending, find_runs, judge_runs
from websp_gym.scoring.judge.cache import Cache
from websp_gym.scoring.judge.judge import SOURCE, Judge
from websp_gym.scoring.judge.judgements import (
    JUDGEMENTS,
    Judgement,
    already_judged,
    judgements_of,
    keep_judgement,
    latest_by,
)
from websp_gym.scoring.judge.prompt import RULES
from websp_gym.scoring.judge.tally import Ballot, ModelTally, outage, tally
from websp_gym.texts import decoded


def judge(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with recorded runs, at any depth.")],
    *,
    models: Models = None,
    quorum: Quorum = None,
    resume: Resume = False,
    max_cost: MaxCost = None,
    preflight: Preflight = True,
    jobs: Annotated[int, typer.Option(min=1, help="Number of runs judged at a time.")] = 4,
    asks: Asks = 3,
    rules: Rules = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Reuse opinions already paid for.")
    ] = True,
    why: Annotated[
        bool, typer.Option("--why", help="Ask the first model for the kind and cause of each failure.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Judge recorded runs with multimodal models; needs no browser and no sandbox.

    Verdicts are added to judgements.jsonl next to each trajectory. Exit code 0 when every run has one and every
    model gave its opinion; 1 when a run is unscored or an opinion is missing. --resume then asks the missing models.

    Example: `websp judge runs/oracle --models openai:gpt-6.2-sol --max-cost 5`
    """
    runs = find_runs(folder)
    begun = cache and (folder / CACHE).exists()
    voters = make_judge(models, quorum=quorum, asks=asks, rules=rules, cache=folder if cache else None)
    known = already_judged(voters, runs) if resume else set()
    todo = [run for run in runs if run not in known]
    spending = budget(voters, max_cost, preflight=preflight and bool(todo) and not begun)
    with _reporter(len(todo), spending, as_json) as report:

        def keep(judgement: Judgement) -> None:
            keep_judgement(folder / judgement.run, judgement)
            report(judgement)

        done = judge_runs(
            voters,
            todo,
            parent=folder,
            jobs=jobs,
            spending=spending,
            ask_for_causes=why,
            on_result=keep,
        )
    left = len(todo) - len(done)
    if as_json:
        show_outage(Console(stderr=True), [judgement.ballot for judgement in done])
    else:
        _summarise(runs, voters, done, spending, skipped=len(known), left=left)
    lacking = any(each.status == "unscored" or not each.complete for each in done)
    return 1 if left or lacking else 0


def budget(judge: Judge, max_cost: float | None, *, preflight: bool) -> Spending:
    """Return the budget for a judge; with `preflight`, try each of its models first and count what that costs.

    Raises:
        SetupError: A price is unknown although there is a limit, or a model does not answer.
    """
    spending = Spending(max_cost)
    if max_cost is not None:
        check_priced(judge.models)
    for each in try_models(judge.probes) if preflight else ():
        spending.add(each.reply.cost, [each.model])
    return spending


def split(names: Sequence[str] | None) -> list[str]:
    """Return the values of an option that may be repeated and may hold several, separated by commas."""
    return [name.strip() for given in names or () for name in given.split(",") if name.strip()]


def make_judge(
    models: Sequence[str] | None, *, quorum: int | None, asks: int, rules: Path | None, cache: Path | None
) -> Judge:
    """Return the judge of a command's options; `cache` is the folder for its cache."""
    kept = Cache(cache / CACHE) if cache else None
    return Judge.of(split(models) or None, quorum=quorum, asks=asks, rules=_read_rules(rules), cache=kept)


def _read_rules(path: Path | None) -> str:
    if path is None:
        return RULES
    try:
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"cannot read the rules {path}: {error}", path=str(path)) from error
    if "{word}" not in text:
        raise SetupError(
            f"{path} has no {{word}}: write it where the rules explain the fence around evidence "
            f"({docs('reference/judges')})",
            path=str(path),
        )
    return text


@contextmanager
def _reporter(total: int, spending: Spending, as_json: bool) -> Iterator[Callable[[Judgement], None]]:
    if as_json:
        yield lambda judgement: print_line(judgement.line())
        return
    console = Console()
    with progress_bar(console, cost=True) as progress:
        task = progress.add_task("judging", total=total, cost=dollars(spending))
        # The cost of the last run is added after it was reported.
        shown = replace(spending, limit=None)

        def show(judgement: Judgement) -> None:
            shown.add(judgement.spent)
            colour = STATUS_COLOURS[judgement.status]
            text = f"[{colour}]{judgement.status:8}[/] [bold]{judgement.instance}[/]  [dim]{judgement.run}[/]"
            progress.console.print(text)
            if judgement.status != "pass" or not judgement.complete:
                progress.console.print(f"         {judgement.reason}", style="dim", markup=False)
            progress.update(task, advance=1, cost=dollars(shown))

        yield show


def dollars(spending: Spending) -> str:
    """Return what was spent as text."""
    unknown = " and unknown prices" if spending.unknown else ""
    return f"${spending.spent:.4f}{unknown}"


def show_stop(spending: Spending) -> None:
    """Print why no further run could be judged, if that is so."""
    if spending.stopped:
        text = f"stopped, because no other run could be judged either: {spending.stopped}"
        Console(stderr=True).print(text, style="bold red", markup=False, soft_wrap=True)


def show_models(
    console: Console, tallies: Sequence[ModelTally], *, causes: Sequence[float | None] = ()
) -> None:
    """Print a line per model: its answers, and what was spent on it. `causes` is what --why cost for each run."""
    if not tallies:
        return
    columns = ("opinions", "unreadable answers", "failed", "agrees with the verdict", "spent")
    table = plain_table("model", *columns)
    for each in tallies:
        counts = (f"{each.opinions} of {each.asked}", str(each.unreadable), str(each.failed))
        table.add_row(escape(each.model), *counts, f"{each.agreed} of {each.judged}", _amount(each.spent))
    if causes:
        table.add_row(f"--why, for {count(len(causes), 'failure')}", *[""] * 4, _amount(sum_known(causes)))
    console.print(table)


def _amount(dollars: float | None) -> str:
    return "unknown" if dollars is None else f"${dollars:.4f}"


def outage_of_run(results: Sequence[Result], folder: Path | None) -> str:
    """Return which opinions of its judge the episodes of a run lack, and what to do; empty if none is missing."""
    unjudged = [result for result in results if result.status == "unscored" and result.source == SOURCE]
    missing = outage([
        judgement.ballot
        for result in results
        if folder and result.source == SOURCE and result.trajectory
        for judgement in judgements_of(folder / result.trajectory)[:1]
    ])  # fmt: skip
    if not missing and not unjudged:
        return ""
    said = (
        missing or f"{count(len(unjudged), 'episode')} without a verdict from the judge: {unjudged[0].reason}"
    )
    if folder is None:
        return said
    run = quote(str(folder))
    return (
        f"{said}; ask again with `websp judge {run} --resume` and the same models, then `websp rescore {run} --by "
        "judge --write`"
    )


def show_outage(console: Console, ballots: Sequence[Ballot]) -> None:
    """Print which opinions are missing, why, and what to do; nothing if none is."""
    missing = outage(ballots)
    if not missing:
        return
    console.print(missing, style="bold red", markup=False, soft_wrap=True)
    for each in tally(ballots):
        if each.error:
            error = each.error if each.error.startswith(f"{each.model}: ") else f"{each.model}: {each.error}"
            console.print(f"  {error}", style="dim", markup=False, soft_wrap=True)


def _summarise(
    runs: Sequence[Path],
    judge: Judge,
    done: Sequence[Judgement],
    spending: Spending,
    *,
    skipped: int,
    left: int,
) -> None:
    console = wide_console()
    table = plain_table()
    counts: Counter[str] = Counter(judgement.status for judgement in done)
    for status, colour in STATUS_COLOURS.items():
        if counts[status]:
            table.add_row(f"[{colour}]{status}[/]", str(counts[status]))
    if skipped:
        table.add_row("[dim]already there[/]", str(skipped))
    if left:
        table.add_row(f"[red]not judged{'' if spending.stopped else ': --max-cost'}[/]", str(left))
    table.add_row("cost", dollars(spending))
    console.print(table)
    show_stop(spending)
    ballots = [judgement.ballot for judgement in done]
    show_models(console, tally(ballots), causes=[each.why.get("cost") for each in done if each.why])
    show_outage(console, ballots)
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
    console.print(f"judgements: {JUDGEMENTS} next to each trajectory", style="dim", markup=False)
