"""Output of ``websp run``: its plan, each episode, and a summary."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

from rich.live import Live
from rich.markup import escape

from websp_gym.cli.board import Board, time_left
from websp_gym.cli.output import STATUS_COLOURS, Console, dollars, plain_table, print_line
from websp_gym.rates import wilson
from websp_gym.records.results import Result
from websp_gym.records.runs import RESULTS, count
from websp_gym.runner.jobs import Job

_STATUS, _KEPT = len("unscored"), len("unscored, 10 of 10 policies broken")


def show_plan(jobs: Sequence[Job], names: Mapping[str, str], as_json: bool) -> None:
    """Print what would be played; with several runs, of which."""
    for job in jobs:
        name = names[job.run.hash]
        facts = {"id": job.instance_id, "trial": job.trial, "seed": job.seed}
        facts |= {"run": name} if len(names) > 1 else {}
        trial = f"\ttrial {job.trial}" if job.trial > 1 else ""
        text = f"{job.instance_id}{trial}" + (f"\t{name}" if len(names) > 1 else "")
        print_line(json.dumps(facts) if as_json else text)
    if not as_json:
        Console(stderr=True).print(f"{count(len(jobs), 'episode')} would be played", style="dim")


@contextmanager
def reporter(
    jobs: Sequence[Job], names: Mapping[str, str], as_json: bool, *, console: Console | None = None
) -> Iterator[Callable[[Result], None]]:
    """Yield a function that prints each result: as a line of JSON, or for people, with a table on a terminal.

    Args:
        jobs: All episodes.
        names: The names of the runs, by their hashes; a line has them where there are several.
        as_json: Whether a program reads it.
        console: Where it is printed; standard output by default.
    """
    if as_json:
        yield lambda result: print_line(result.summary())
        return
    console = console or Console()
    board = Board(jobs, names)

    def show(result: Result) -> None:
        board.add(result)
        number = escape(f"[{board.done:{len(str(board.total))}}/{board.total}]")
        name = f"  {escape(names[result.run_hash])}" if len(names) > 1 else ""
        left = board.seconds_left
        text = f"{number} {_line(result)}{name}{time_left(left) if left is not None else ''}"
        console.print(text, soft_wrap=True)
        for note in _notes(result):
            console.print(f"         {note}", style="dim", markup=False, soft_wrap=True)

    if not console.is_terminal:
        yield show
        return
    with Live(board, console=console, transient=True, refresh_per_second=2):
        yield show


def _line(result: Result) -> str:
    trial = f"  trial {result.trial}" if result.trial > 1 else ""
    again = f"  [magenta]played again {count(result.again, 'time')}[/]" if result.again else ""
    spent = f"{count(result.steps, 'step')}  {result.seconds:.1f} s" + _money(result.cost)
    return f"{_verdict(result)} [bold]{result.id}[/]{trial}  {spent}{again}"


def _verdict(result: Result) -> str:
    """Return how the episode ended, and under policies never without how those came out."""
    status = f"[{STATUS_COLOURS[result.status]}]{result.status}[/]"
    if not result.kept:
        return status + " " * (_STATUS - len(result.status))
    room = " " * (_KEPT - len(f"{result.status}, {result.kept}"))
    return f"{status}, [{'red' if result.broken else 'green'}]{result.kept}[/]{room}"


def _notes(result: Result) -> Iterator[str]:
    for number, one in enumerate(result.tries[: result.again], 1):
        where = f"action {one.step}" if one.stage == "action" else one.stage
        yield f"try {number} ended during {where}: {one.error}"
    note = result.error or ("" if result.status == "pass" else result.reason)
    if note:
        yield note


def _money(cost: float | None) -> str:
    return f"  ${cost:.3f}" if cost else ""


def _without_reading(results: Sequence[Result]) -> str:
    """Return what can be reached on the same instances without reading the instruction; empty if it is unknown."""
    from websp_gym.scoring.blunt import LABELS, blunt_rates, known

    ids = known(result.id for result in results)
    if not ids:
        return ""
    rates = blunt_rates(ids)
    parts = [f"{name} {rates[policy].solved}" for policy, name in LABELS.items()]
    return f"without reading the instruction (computed), of {len(ids)}: {', '.join(parts)}"


def _rate(agent: str, results: Sequence[Result]) -> str:
    """Return the success rate as `websp report` counts it: of the first trial of each instance that was scored.

    Under policies, completion under policy stands beside it: of every episode.
    """
    trials = sorted(results, key=lambda result: -result.trial)
    first = {result.id: result for result in trials}.values()
    scored = [result for result in first if result.status in ("pass", "fail")]
    rate = wilson(sum(result.status == "pass" for result in scored), len(scored))
    if rate.value is None or rate.low is None or rate.high is None:
        return f"{agent}: no episode was scored"
    low, high = (f"{100 * end:.0f}" for end in (rate.low, rate.high))
    solved = round(rate.value * len(scored))
    which = " first trials" if len(first) < len(results) else ""
    interval = f"{100 * rate.value:.1f} % (95 % interval {low} to {high})"
    return f"{agent}: solved {solved} of {len(scored)}{which}, {interval}{_under_policy(results)}"


def _under_policy(results: Sequence[Result]) -> str:
    if all(result.policies is None for result in results):
        return ""
    kept = sum(result.under_policy for result in results)
    rate = wilson(kept, len(results))
    return f"; with every policy kept {kept} of {len(results)}, {100 * (rate.value or 0):.1f} %"


def summarise(
    agent: str, results: Sequence[Result], *, played: int, skipped: int, folder: Path | None
) -> None:
    """Print the success rate, how many episodes ended how, what they cost, and where the results are.

    Args:
        agent: The agent.
        results: All results of the run, those that were there before included.
        played: Number of episodes played now.
        skipped: Number of episodes that were asked for and already there.
        folder: Folder of the run; None if nothing is kept.
    """
    console = Console()
    console.print(_rate(agent, results), style="bold", markup=False, soft_wrap=True)
    table = plain_table()
    for status, colour in STATUS_COLOURS.items():
        number = sum(result.status == status for result in results)
        if number:
            table.add_row(f"[{colour}]{status}[/]", str(number))
    again = sum(result.again > 0 for result in results)
    if again:
        table.add_row("[magenta]played again[/]", str(again))
    if skipped:
        table.add_row("[dim]played now[/]", str(played))
        table.add_row("[dim]already there[/]", str(skipped))
    console.print(table)
    if without := _without_reading(results):
        console.print(without, style="dim", markup=False, soft_wrap=True)
    costs = [result.cost for result in results if result.calls]
    if costs:
        known = sum(cost for cost in costs if cost is not None)
        more = " plus calls of unknown price" if None in costs else ""
        console.print(f"spent {dollars(known)}{more}")
    if folder is not None:
        console.print(f"results: {folder / RESULTS}", style="dim", markup=False, soft_wrap=True)
        console.print(
            f"tables:  websp report {quote(str(folder))}", style="dim", markup=False, soft_wrap=True
        )
