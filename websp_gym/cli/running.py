"""``websp run``: progress, results on disk, exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from websp_gym.errors import SetupError
from websp_gym.records.results import RESULTS, Result, Run, count
from websp_gym.runner.batch import Job, finished, plan_run, run_batch
from websp_gym.runner.locking import locked
from websp_gym.runner.preflight import check_run
from websp_gym.scoring.judge.batch import Spending
from websp_gym.tasks.selection import select_instances

_COLOURS = {"pass": "green", "fail": "yellow", "unscored": "magenta", "error": "red"}
INTERRUPTED = 130
"""Exit code after Ctrl-C, as of every command of a shell."""
_LONGEST = 107 - len("/org.chromium.Chromium.123456/SingletonSocket")


@dataclass(frozen=True)
class Choice:
    """Which instances are to be played.

    Args:
        patterns: Ids and globs; none stands for all where something else is said.
        site: Only this website.
        category: Only task categories that contain this text.
        limit: Only the first so many.
    """

    patterns: Sequence[str]
    _: KW_ONLY
    site: str | None = None
    category: str | None = None
    limit: int | None = None

    def ids(self) -> list[str]:
        """The instances, in file order.

        Raises:
            SetupError: Nothing is said, or nothing matches.
        """
        if not self.patterns and not (self.site or self.category or self.limit):
            raise SetupError(
                "say what to run: ids or globs such as 'Steam-*' (--tasks), --site, --category or --limit; "
                "`websp list` shows all"
            )
        found = select_instances(self.patterns or ["*"], site=self.site, category=self.category)
        return found[: self.limit]


@dataclass
class Limits:
    """When a run begins no further episode, and when it has failed.

    Args:
        max_error_share: The share of episodes that may end in an infrastructure error.
        max_cost: US dollars that the agent's model may take in this call of the command.
        fail_fast: Whether the first episode that does not pass is the last one.
    """

    max_error_share: float = 0.05
    max_cost: float | None = None
    fail_fast: bool = False
    stopped: str = field(default="", init=False)
    """Why no further episode was begun; empty where none was left."""
    _spending: Spending = field(init=False)
    _done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._spending = Spending(self.max_cost)

    def add(self, result: Result) -> None:
        """Takes a result into account.

        Args:
            result: The result.

        Raises:
            SetupError: There is a limit on the cost, and the price is unknown.
        """
        self._done += 1
        if self.fail_fast and result.status != "pass":
            self.stopped = f"--fail-fast: {result.id} did not pass"
        if result.calls:
            self._spending.add(result.cost, [result.agent])

    def go_on(self, running: int) -> bool:
        """Whether another episode may be begun while others run.

        Args:
            running: How many.
        """
        if self.stopped or (self.max_cost is not None and not self._done and running):
            # One alone first: nobody knows yet what an episode costs.
            return False
        if self._spending.allows(running):
            return True
        if not running:
            self.stopped = f"--max-cost: ${self._spending.spent:.2f} spent"
        return False

    def failed(self, results: Sequence[Result]) -> str:
        """Why the run has failed, for a person; empty where it has not.

        Args:
            results: Its results.
        """
        errors = sum(result.status == "error" for result in results)
        if not results or errors / len(results) <= self.max_error_share:
            return ""
        return (
            f"{errors} of {count(len(results), 'episode')} ended in an infrastructure error, "
            f"more than --max-error-share {self.max_error_share:g}"
        )


def run_command(
    choice: Choice,
    run: Run,
    *,
    trials: int,
    retries: int,
    processes: int,
    folder: Path | None,
    resume: bool,
    limits: Limits,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Runs an agent on the instances that match.

    Args:
        choice: The instances.
        run: Agent, options and seed.
        trials: How often each instance is played.
        retries: How often an episode is played again after an infrastructure error.
        processes: How many processes.
        folder: Where results and trajectories go; ``None`` keeps nothing.
        resume: Leave out episodes the folder already has a result of.
        limits: When no further episode is begun, and when the run has failed.
        dry_run: Say what would be played, and play nothing.
        as_json: One line of JSON per episode on standard output, nothing else.

    Returns:
        Exit code: 1 when too many episodes ended in an infrastructure error or some were not begun, 130 after Ctrl-C,
        else 0.

    Raises:
        SetupError: Nothing matches, something is missing that every episode needs, or the folder cannot be used.
    """
    ids = choice.ids()
    if resume and folder is None:
        raise SetupError("--resume needs --out DIR, the folder of the run to go on with")
    with _scratch(), ExitStack() as stack:
        # What would fail in every episode fails here, once.
        browser = check_run(run, ids[0])
        if dry_run:
            _show_plan(_not_done(run, ids, trials, folder if resume else None), as_json)
            return 0
        if folder is not None:
            stack.enter_context(locked(folder))
        jobs = plan_run(
            run, ids, trials=trials, folder=folder, resume=resume, retries=retries, browser=browser
        )
        results: list[Result] = []
        with _reporter(len(jobs), as_json) as report:

            def keep(result: Result) -> None:
                results.append(result)
                report(result)
                limits.add(result)

            try:
                run_batch(jobs, processes=processes, on_result=keep, go_on=limits.go_on)
            except KeyboardInterrupt:
                limits.stopped = "interrupted"
    return _conclude(results, len(ids) * trials, len(jobs), limits, folder=folder, as_json=as_json)


def _conclude(
    results: Sequence[Result],
    asked: int,
    planned: int,
    limits: Limits,
    *,
    folder: Path | None,
    as_json: bool,
) -> int:
    if not as_json:
        _summarise(results, asked - planned, folder)
    console = Console(stderr=True, highlight=False)
    left = planned - len(results)
    if left:
        way = (
            "the same command with --resume goes on"
            if folder
            else "nothing was kept: --out DIR would keep it"
        )
        text = f"{limits.stopped}: {len(results)} of {count(planned, 'episode')} done; {way}"
        console.print(text, style="bold", markup=False, soft_wrap=True)
    failed = limits.failed(results)
    if failed:
        console.print(failed, style="bold red", markup=False, soft_wrap=True)
    if limits.stopped == "interrupted":
        return INTERRUPTED
    return 1 if left or failed else 0


def _not_done(run: Run, ids: Sequence[str], trials: int, folder: Path | None) -> list[Job]:
    done = finished(folder, run) if folder is not None else set()
    return [job for job in plan_run(run, ids, trials=trials) if (job.instance_id, job.trial) not in done]


def _show_plan(jobs: Sequence[Job], as_json: bool) -> None:
    for job in jobs:
        facts = {"id": job.instance_id, "trial": job.trial, "seed": job.seed}
        trial = f"\ttrial {job.trial}" if job.trial > 1 else ""
        sys.stdout.write(json.dumps(facts) if as_json else f"{job.instance_id}{trial}")
        sys.stdout.write("\n")
    if not as_json:
        Console(stderr=True).print(f"{count(len(jobs), 'episode')} would be played", style="dim")


@contextmanager
def _scratch() -> Iterator[None]:
    """Has what browsers leave behind when Ctrl-C ends them in a folder that is gone with the run."""
    from websp_gym.browser.owner import shut_down

    kept = os.environ.get("TMPDIR")
    folder = tempfile.mkdtemp(prefix="websp-")
    # Chromium's socket in it must have a path of at most 107 bytes.
    if len(os.fsencode(folder)) <= _LONGEST:
        os.environ["TMPDIR"] = folder
    try:
        yield
    finally:
        shut_down()
        os.environ.pop("TMPDIR", None)
        os.environ.update({"TMPDIR": kept} if kept else {})
        _remove(folder)


def _remove(folder: str) -> None:
    """Removes a folder; a browser that is just ending may still write to it."""
    from tenacity import RetryError, Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

    patiently = Retrying(
        retry=retry_if_exception_type(OSError), stop=stop_after_delay(5), wait=wait_fixed(0.05)
    )
    with suppress(RetryError):  # what is left there harms nobody
        patiently(shutil.rmtree, folder)


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
    began, done = time.monotonic(), 0
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("episodes", total=total)

        def show(result: Result) -> None:
            nonlocal done
            done += 1
            left = (time.monotonic() - began) / done * (total - done)
            number = escape(f"[{done:{len(str(total))}}/{total}]")
            text = f"{number} {_line(result)}{_time_left(left) if total > done else ''}"
            progress.console.print(text, soft_wrap=True)
            for note in _notes(result):
                progress.console.print(f"         {note}", style="dim", markup=False, soft_wrap=True)
            progress.advance(task)

        yield show


def _line(result: Result) -> str:
    trial = f"  trial {result.trial}" if result.trial > 1 else ""
    again = f"  [magenta]played again {count(result.again, 'time')}[/]" if result.again else ""
    spent = f"{count(result.steps, 'step')}  {result.seconds:.1f} s" + _money(result.cost)
    return f"[{_COLOURS[result.status]}]{result.status:8}[/] [bold]{result.id}[/]{trial}  {spent}{again}"


def _notes(result: Result) -> Iterator[str]:
    for number, one in enumerate(result.tries[: result.again], 1):
        where = f"action {one.step}" if one.stage == "action" else one.stage
        yield f"try {number} ended during {where}: {one.error}"
    note = result.error or ("" if result.status == "pass" else result.reason)
    if note:
        yield note


def _time_left(seconds: float) -> str:
    if seconds < 60:
        return f"  ~{max(round(seconds), 1)} s left"
    minutes = round(seconds / 60)
    return f"  ~{minutes} min left" if minutes < 120 else f"  ~{round(seconds / 3600)} h left"


def _money(cost: float | None) -> str:
    return f"  ${cost:.3f}" if cost else ""


def _summarise(results: Sequence[Result], skipped: int, folder: Path | None) -> None:
    console = Console(highlight=False)
    table = Table(box=None, show_header=False, pad_edge=False)
    for status, colour in _COLOURS.items():
        number = sum(result.status == status for result in results)
        if number:
            table.add_row(f"[{colour}]{status}[/]", str(number))
    again = sum(result.again > 0 for result in results)
    if again:
        table.add_row("[magenta]played again[/]", str(again))
    if skipped:
        table.add_row("[dim]already there[/]", str(skipped))
    console.print(table)
    costs = [result.cost for result in results if result.calls]
    if costs:
        known = sum(cost for cost in costs if cost is not None)
        more = " and what has no known price" if None in costs else ""
        console.print(f"spent ${known:.2f}{more}")
    if folder is not None:
        console.print(f"results: {folder / RESULTS}", style="dim", markup=False, soft_wrap=True)
        console.print(f"tables:  websp report {folder}", style="dim", markup=False, soft_wrap=True)
