"""``websp judge-eval``: a judge against labels, as tables or JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from websp_gym.calibration.calibrate import Judged, Report, evaluate, judge_cases
from websp_gym.calibration.cases import Case, label_by_state, read_labels
from websp_gym.calibration.generate import generate
from websp_gym.calibration.metrics import Figure
from websp_gym.calibration.run_variants import Played, play_all, plays_to_do
from websp_gym.cli.judging import dollars, progress_bar, read_rules, split, write_json
from websp_gym.errors import SetupError
from websp_gym.scoring.judge.batch import CACHE, Spending, find_runs
from websp_gym.scoring.judge.cache import Cache
from websp_gym.scoring.judge.judge import Judge
from websp_gym.tasks.selection import select_instances


def eval_command(
    source: Path,
    models: Sequence[str],
    *,
    make: int,
    kinds: Sequence[str],
    seed: int,
    jobs: int,
    asks: int,
    rules: Path | None,
    max_cost: float | None,
    out: Path | None,
    as_json: bool,
    play: Sequence[str] = (),
    processes: int = 1,
) -> int:
    """Measures a judge against labels.

    Args:
        source: A labelled set (CSV or JSON Lines), or a folder with runs in the sandbox, whose truth the state tells.
        models: The models; none for the paper's three.
        make: How many runs to make of those in the folder; 0 takes them as they are.
        kinds: Which kinds to make.
        seed: Of what is made.
        jobs: Runs at a time.
        asks: How often a model is asked whose answer cannot be read.
        rules: A file with other rules.
        max_cost: US dollars that may be spent.
        out: Folder for the report, the cases and the cache.
        as_json: The report as JSON on standard output, nothing else.
        play: Globs of instances to play first, right and wrong, in the sandbox; the runs stay in the folder, and
            those that are there are not played again.
        processes: Plays at a time.

    Returns:
        Exit code: 0, or 1 when the money did not last for all cases, or something could not be played.

    Raises:
        SetupError: The set cannot be used, or a model cannot be asked.
    """
    console = Console(highlight=False, stderr=as_json)
    if not console.is_terminal:
        console.width = 160
    cache = Cache(out / CACHE) if out else None
    judge = Judge.of(split(models) or None, asks=asks, rules=read_rules(rules), cache=cache)
    unplayed = _play(source, play, processes, console) if play else 0
    cases = _cases(source, make, kinds, seed)
    spending = Spending(max_cost)
    judged = _judge(judge, cases, jobs, spending, console)
    report = evaluate(judge, judged)
    spent = None if spending.unknown else spending.spent
    data = {"judge": judge.identity, **report.as_dict(), "spent": spent}
    if out:
        _write(out / "cases.jsonl", "".join(json.dumps(each.as_dict()) + "\n" for each in judged))
        _write(out / "report.json", json.dumps(data, indent=1) + "\n")
    if as_json:
        write_json(data)
    else:
        show_report(console, report)
        if len(judged) < len(cases):
            console.print(f"[red]--max-cost: {len(cases) - len(judged)} cases were not judged[/]")
        console.print(f"cost {dollars(spending)}")
    return 1 if unplayed or len(judged) < len(cases) else 0


def _judge(
    judge: Judge, cases: Sequence[Case], jobs: int, spending: Spending, console: Console
) -> list[Judged]:
    with progress_bar(console) as progress:
        task = progress.add_task("judging", total=len(cases), cost=dollars(spending))

        def step(judged: Judged) -> None:
            progress.update(task, advance=1, cost=dollars(spending))

        return judge_cases(judge, cases, jobs=jobs, spending=spending, on_result=step)


def _play(folder: Path, patterns: Sequence[str], processes: int, console: Console) -> int:
    """Plays what the folder lacks; says how many could not be played."""
    if folder.is_file():
        raise SetupError("--play wants a folder for the runs, not a labelled set", path=str(folder))
    todo = plays_to_do(select_instances(split(patterns)), folder)
    with progress_bar(console) as progress:
        task = progress.add_task("playing", total=len(todo), cost="")

        def step(played: Played) -> None:
            progress.advance(task)
            if played.status == "error":
                name = f"{played.play.instance} {played.play.name}"
                progress.console.print(f"could not play {name}: {played.error}", markup=False)

        done = play_all(todo, folder, processes=processes, on_done=step)
    counts = Counter(played.status for played in done)
    if done:
        told = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        console.print(f"played {len(done)}: {told}", style="dim", markup=False)
    return counts["error"]


def _cases(source: Path, make: int, kinds: Sequence[str], seed: int) -> list[Case]:
    if source.is_file():
        if make:
            raise SetupError("--make wants a folder with recorded runs, not a labelled set")
        return read_labels(source)
    runs = find_runs(source)
    return (
        generate(runs, make, seed=seed, kinds=split(kinds) or None) if make else label_by_state(runs, source)
    )


def show_report(console: Console, report: Report) -> None:
    """Shows what a calibration found.

    Args:
        console: Where.
        report: What it found.
    """
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
    table = Table("judge", *columns, box=None, header_style="bold", pad_edge=False)
    for models, found in report.ensembles.items():
        figures = (found.precision, found.recall, found.f1, found.accuracy, found.kappa)
        rates = (found.false_accept_rate, found.false_reject_rate)
        cells = [*map(_percent, figures), *map(_percent, rates), str(found.counts.unscored)]
        table.add_row(" + ".join(models), str(found.counts.scored), *cells)
    console.print(table)
    console.print("percent, with 95 % intervals; kappa times 100", style="dim")
    table = Table(
        "all models, by", "", "n", "false accepts", "false rejects", "unscored", box=None, pad_edge=False
    )
    for (dimension, value), counts in report.groups.items():
        wrong = (counts.false_accepts, counts.false_rejects, counts.unscored)
        table.add_row(dimension, value, str(counts.scored), *map(str, wrong))
    console.print(table)
    for model, usage in report.usage.items():
        tokens = usage["input_tokens_mean"]
        shown = "unknown" if tokens is None else f"{tokens:.0f}"
        console.print(f"{model}: {shown} tokens read per trajectory on average", style="dim", markup=False)
    console.print(
        f"{report.cases} cases; beside them {report.without_a_call} decided by a limit, without a call, and "
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
