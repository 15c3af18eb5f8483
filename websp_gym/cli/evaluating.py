"""``websp judge-eval``: measure a judge against labels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.calibration.calibrate import Judged, JudgeReport, evaluate, judge_cases
from websp_gym.calibration.cases import Case, label_by_state, read_labels
from websp_gym.calibration.generate import generate
from websp_gym.calibration.run_variants import PlayedVariant, play_all, plays_to_do
from websp_gym.cli.judging import budget, dollars, make_judge, show_models, show_outage, show_stop, split
from websp_gym.cli.options import AsJson, Asks, MaxCost, Models, Preflight, Quorum, Rules, Seed
from websp_gym.cli.output import Console, plain_table, print_json, progress_bar, wide_console
from websp_gym.errors import SetupError
from websp_gym.rates import Figure
from websp_gym.report.tables.paper import Paper, label, reference
from websp_gym.scoring.judge.batch import CACHE, Spending, find_runs
from websp_gym.scoring.judge.judge import Judge
from websp_gym.tasks.selection import select_instances


def judge_eval(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|LABELS",
            help="Folder with sandbox runs, or a CSV or JSONL of trajectories and labels.",
        ),
    ],
    *,
    models: Models = None,
    quorum: Quorum = None,
    play: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="First play these instances, right and wrong, into DIR; skips runs already there.",
        ),
    ] = None,
    make: Annotated[
        int, typer.Option(min=0, help="Number of right and wrong runs to make from those in DIR.")
    ] = 0,
    kinds: Annotated[
        list[str] | None,
        typer.Option(help="Kinds of runs to make, separated by commas. Default: all."),
    ] = None,
    seed: Seed = 0,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Runs at a time. Default: 1 when playing, 4 when judging."),
    ] = None,
    asks: Asks = 3,
    rules: Rules = None,
    max_cost: MaxCost = None,
    preflight: Preflight = True,
    out: Annotated[
        Path | None, typer.Option(help="Folder for report, cases and opinions already paid for.")
    ] = None,
    compare: Annotated[
        str, typer.Option(help="Show published figures below yours; `paper` for table 1 of WebSP-Eval.")
    ] = "",
    as_json: AsJson = False,
) -> int:
    """Measure a judge against the truth: each model and every ensemble of them, with intervals.

    Without labels, the truth is the server state that sandbox runs record. Exit code 1 when the budget did not last
    for all cases, a run could not be played, or a model gave no opinion; with --out, the same command then asks only
    the missing models.

    Example: `websp judge-eval runs/hard --play 'Steam-*' --make 1000 --models openai:gpt-6.2-sol --out runs/eval`
    """
    console = wide_console(stderr=as_json)
    paper = reference(compare)
    begun = out is not None and (out / CACHE).exists()
    judge = make_judge(models, quorum=quorum, asks=asks, rules=rules, cache=out)
    spending = budget(judge, max_cost, preflight=preflight and not begun)
    unplayed = _play(source, play, jobs or 1, console) if play else 0
    cases = _cases(source, make, kinds, seed)
    judged = _judge(judge, cases, jobs or 4, spending, console)
    report = evaluate(judge, judged)
    spent = None if spending.unknown else spending.spent
    ballots = [each.ballot for each in judged]
    data = {"judge": judge.identity, **report.as_dict(), "spent": spent}
    if out:
        _write(out / "cases.jsonl", "".join(json.dumps(each.as_dict()) + "\n" for each in judged))
        _write(out / "report.json", json.dumps(data, indent=1) + "\n")
    if as_json:
        print_json(data)
    else:
        show_report(console, report, paper)
        show_outage(console, ballots)
        if len(judged) < len(cases):
            why = "stopped" if spending.stopped else "--max-cost"
            console.print(f"[red]{why}: {len(cases) - len(judged)} cases were not judged[/]")
        console.print(f"cost {dollars(spending)}")
    show_stop(spending)
    lacking = not all(ballot.complete for ballot in ballots)
    return 1 if unplayed or lacking or len(judged) < len(cases) else 0


def _judge(
    judge: Judge, cases: Sequence[Case], jobs: int, spending: Spending, console: Console
) -> list[Judged]:
    with progress_bar(console, cost=True) as progress:
        task = progress.add_task("judging", total=len(cases), cost=dollars(spending))

        def step(judged: Judged) -> None:
            progress.update(task, advance=1, cost=dollars(spending))

        return judge_cases(judge, cases, jobs=jobs, spending=spending, on_result=step)


def _play(folder: Path, patterns: Sequence[str], processes: int, console: Console) -> int:
    """Play the runs missing from the folder; return how many could not be played."""
    if folder.is_file():
        raise SetupError("--play needs a folder for the runs, not a labelled set", path=str(folder))
    todo = plays_to_do(select_instances(split(patterns)), folder)
    with progress_bar(console, cost=True) as progress:
        task = progress.add_task("playing", total=len(todo), cost="")

        def step(played: PlayedVariant) -> None:
            progress.advance(task)
            if played.status == "error":
                name = f"{played.play.instance} {played.play.name}"
                progress.console.print(f"could not play {name}: {played.error}", markup=False)

        done = play_all(todo, folder, processes=processes, on_done=step)
    counts = Counter(played.status for played in done)
    if done:
        parts = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        console.print(f"played {len(done)}: {parts}", style="dim", markup=False)
    return counts["error"]


def _cases(source: Path, make: int, kinds: Sequence[str] | None, seed: int) -> list[Case]:
    if source.is_file():
        if make:
            raise SetupError("--make needs a folder with recorded runs, not a labelled set")
        return read_labels(source)
    runs = find_runs(source)
    return (
        generate(runs, make, seed=seed, kinds=split(kinds) or None) if make else label_by_state(runs, source)
    )


def show_report(console: Console, report: JudgeReport, paper: Paper | None = None) -> None:
    """Print the tables of a calibration, with published figures (table 1) if a publication is given."""
    columns = (
        "n",
        "precision",
        "recall",
        "F1",
        "accuracy",
        "kappa",
        "false accepts",
        "false rejects",
        "unscored",
    )
    table = plain_table("judge", *columns)
    for models, found in report.ensembles.items():
        figures = (found.precision, found.recall, found.f1, found.accuracy, found.kappa)
        rates = (found.false_accept_rate, found.false_reject_rate)
        cells = [*map(_percent, figures), *map(_percent, rates), str(found.counts.unscored)]
        table.add_row(escape(" + ".join(models)), str(found.counts.scored), *cells)
    for name, published in paper.judge.rows.items() if paper else ():
        cells = [f"{value:g}" for value in published]
        table.add_row(label(escape(name)), "200", *cells, *["–"] * 4, style="dim italic")
    console.print(table)
    console.print("percent, with 95 % intervals; kappa times 100", style="dim")
    correct, incorrect = report.labels
    console.print(f"labels: {correct} CORRECT, {incorrect} INCORRECT", style="dim")
    if report.warning:
        console.print(report.warning, style="bold yellow")
    table = plain_table("all models, by", "", "n", "false accepts", "false rejects", "unscored")
    for (dimension, value), counts in report.groups.items():
        wrong = (counts.false_accepts, counts.false_rejects, counts.unscored)
        table.add_row(dimension, value, str(counts.scored), *map(str, wrong))
    console.print(table)
    show_models(console, report.models)
    for model, usage in report.usage.items():
        tokens = usage["input_tokens_mean"]
        shown = "unknown" if tokens is None else f"{tokens:.0f}"
        console.print(f"{model}: {shown} tokens read per trajectory on average", style="dim", markup=False)
    console.print(
        f"{report.cases} cases; not counted: {report.without_a_call} decided by a limit, without a call, and "
        f"{report.not_shown} that could not be shown"
    )


def _percent(figure: Figure) -> str:
    if figure.value is None or figure.low is None or figure.high is None:
        return "–"
    return f"{100 * figure.value:.1f}\n{100 * figure.low:.1f}–{100 * figure.high:.1f}"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error
