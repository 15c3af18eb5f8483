"""``websp run``: run an agent on instances."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from websp_gym.cli.judging import outage_of_run
from websp_gym.cli.options import (
    AsJson,
    Category,
    Headed,
    Preflight,
    Processes,
    Quorum,
    Resume,
    Seed,
    SiteName,
)
from websp_gym.cli.probing import try_models
from websp_gym.cli.progress import reporter, show_plan, summarise
from websp_gym.cli.signals import INTERRUPTED
from websp_gym.env.options import InitialStateMode, Login, Options
from websp_gym.errors import SetupError
from websp_gym.models.probe import Probed, check_priced
from websp_gym.observation import ObservationKind
from websp_gym.project import docs
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, count, read_results
from websp_gym.runner.batch import Backend, run_batch
from websp_gym.runner.jobs import Job, finished, plan_run
from websp_gym.runner.locking import locked
from websp_gym.runner.preflight import check_run, probes_of
from websp_gym.runner.subset import failed_of as choose_failed
from websp_gym.scoring.judge.batch import Spending
from websp_gym.scoring.outcome import REWARDS
from websp_gym.tasks.instances import InstructionVariant
from websp_gym.tasks.selection import select_instances

_LONGEST = 107 - len("/org.chromium.Chromium.123456/SingletonSocket")
_SIZE = "x".join(map(str, Options.viewport))


def read_viewport(text: str) -> list[int]:
    """Parse the size of a viewport, such as ``1280x1024``, into width and height."""
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise SetupError(f'--viewport "{text}": give width and height, e.g. {_SIZE}', option="viewport")
    return [int(width), int(height)]


@dataclass
class RunLimits:
    """Decide when a run starts no further episode, and whether it has failed.

    Args:
        max_error_share: Share of episodes that may end in an infrastructure error.
        max_cost: US dollars that this call of the command may spend on the agent's model.
        fail_fast: Stop after the first episode that does not pass.
    """

    max_error_share: float = 0.05
    max_cost: float | None = None
    fail_fast: bool = False
    stopped: str = field(default="", init=False)
    """Why the run stopped early; empty if it did not."""
    _spending: Spending = field(init=False)
    _done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._spending = Spending(self.max_cost)

    def add(self, result: Result) -> None:
        """Count a result; raise SetupError if the cost is limited and the price unknown."""
        self._done += 1
        if self.fail_fast and result.status != "pass":
            self.stopped = f"--fail-fast: {result.id} did not pass"
        if result.lasting and not self.stopped:
            what = "played" if result.status == "error" else "judged"
            self.stopped = f"no other episode could be {what} either ({result.lasting})"
        if result.calls:
            self._spending.add(result.cost, [result.agent])

    def add_probes(self, probed: Sequence[Probed]) -> None:
        """Count what the first requests cost; raise SetupError if the cost is limited and a price unknown."""
        for each in probed:
            self._spending.add(each.reply.cost, [each.model])

    def go_on(self, running: int) -> bool:
        """Return whether another episode may start while `running` others run."""
        if self.stopped or (self.max_cost is not None and not self._done and running):
            # The first episode runs alone: the cost of one is not known yet.
            return False
        if self._spending.allows(running):
            return True
        if not running:
            self.stopped = f"--max-cost: ${self._spending.spent:.2f} spent"
        return False

    def failed(self, results: Sequence[Result]) -> str:
        """Return why the run has failed; empty if it has not."""
        errors = sum(result.status == "error" for result in results)
        if not results or errors / len(results) <= self.max_error_share:
            return ""
        return (
            f"{errors} of {count(len(results), 'episode')} ended in an infrastructure error, "
            f"more than --max-error-share {self.max_error_share:g}"
        )


def run(
    instances: Annotated[
        list[str] | None, typer.Argument(metavar="[ID|GLOB]...", help="Instances to run, by id or glob.")
    ] = None,
    *,
    tasks: Annotated[list[str] | None, typer.Option(help="The same as an option; may be repeated.")] = None,
    site: SiteName = None,
    category: Category = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first instances, in the order of `websp list`.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="oracle, noop, random, a model such as openai:gpt-6.2-sol, text:MODEL, flawed:KIND, or module:Class "
            f"({docs('agents')})."
        ),
    ] = None,
    jobs: Processes = 1,
    backend: Annotated[
        Backend,
        typer.Option(
            help="Where the processes are; ray: on the cluster in RAY_ADDRESS, whose nodes share the folder of --out."
        ),
    ] = "processes",
    trials: Annotated[int, typer.Option(min=1, help="Episodes per instance.")] = 1,
    failed_of: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Only what failed in trial 1 of this run, and a few successes (--per-site); continues that run.",
        ),
    ] = None,
    per_site: Annotated[
        int | None, typer.Option(min=0, help="Successes per website that --failed-of adds. Default: 2.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for results and trajectories.")] = None,
    resume: Resume = False,
    retries: Annotated[
        int, typer.Option(min=0, help="Retries of an episode after an infrastructure error.")
    ] = 1,
    max_error_share: Annotated[
        float,
        typer.Option(min=0, max=1, help="Exit with 1 if a larger share of the episodes ends in an error."),
    ] = RunLimits.max_error_share,
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0, help="Start no episode that could raise the total cost above this, in US dollars."
        ),
    ] = None,
    preflight: Preflight = True,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", "-x", help="Stop after the first episode that does not pass.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and print what would be played.")
    ] = False,
    instruction: Annotated[
        InstructionVariant, typer.Option(help="Instruction variant the agent gets.")
    ] = Options.instruction,
    max_actions: Annotated[
        int, typer.Option(min=1, help="Action limit; scrolls and waits are free.")
    ] = Options.max_actions,
    max_seconds: Annotated[float, typer.Option(min=1, help="Time limit in seconds.")] = Options.max_seconds,
    initial_state: Annotated[
        InitialStateMode, typer.Option(help="How S0 is reached.")
    ] = Options.initial_state,
    login: Annotated[
        Login | None, typer.Option(help="session starts signed in, replay signs in first.")
    ] = None,
    observation: Annotated[
        ObservationKind | None, typer.Option(help="Observation keys. Default: those the agent reads.")
    ] = None,
    viewport: Annotated[
        str | None,
        typer.Option(metavar="WxH", help=f"Size of the page in CSS pixels. Default: {_SIZE}."),
    ] = None,
    headed: Headed = False,
    seed: Seed = Run.seed,
    reward: Annotated[
        str | None, typer.Option(help=f"{', '.join(REWARDS)}. Default: state in the sandbox.")
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(help="Models of --reward judge, or `recommended`. Default: the paper's three."),
    ] = None,
    quorum: Quorum = None,
    as_json: AsJson = False,
) -> int:
    """Run an agent on instances; with --out, --resume continues a run that was interrupted.

    Exit code 0 when the episodes ran, whatever their reward; 1 when too many ended in an infrastructure error, some
    were not started, or an opinion of the judge is missing; 2 when nothing could run; 130 after Ctrl-C.

    Example: `websp run 'Steam-*' --agent oracle --jobs 2 --out runs/oracle`
    """
    patterns = (*(instances or ()), *(tasks or ()))
    if per_site is not None and failed_of is None:
        raise SetupError("--per-site needs --failed-of RUN, the run whose failures are played again")
    if failed_of is not None and out is None:
        out, resume = failed_of, True
    if not (patterns or site or category or limit or failed_of):
        raise SetupError(
            "choose what to run: ids or globs such as 'Steam-*' (--tasks), --site, --category or --limit; "
            "`websp list` shows all"
        )
    if resume and out is None:
        raise SetupError("--resume needs --out DIR, the folder of the run to continue")
    options = {
        "initial_state": initial_state,
        "instruction": instruction,
        "max_actions": max_actions,
        "max_seconds": max_seconds,
        "login": login,
        "observation": observation,
        "viewport": read_viewport(viewport) if viewport else None,
        "headless": False if headed else None,
        "reward": reward,
        "judge": _judges(judge),
        "quorum": quorum,
    }
    given = {name: value for name, value in options.items() if value is not None}
    ids = select_instances(patterns or ["*"], site=site, category=category)
    if agent is None:
        raise SetupError(
            "--agent: say who plays, such as openai:gpt-6.2-sol; without a key noop, random, or oracle, which knows "
            "the solutions and shows that the set-up works",
            option="agent",
        )
    if failed_of is not None:
        ids = _chosen(failed_of, ids, 2 if per_site is None else per_site, seed)
    ids = ids[:limit]
    chosen = Run(agent=agent, options=given, seed=seed)
    limits = RunLimits(max_error_share=max_error_share, max_cost=max_cost, fail_fast=fail_fast)
    with _scratch(), ExitStack() as stack:
        # Fail here, once, on what would fail in every episode.
        browser = check_run(chosen, ids[0])
        probes = probes_of(chosen)
        if max_cost is not None:
            check_priced(probe.model for probe in probes)
        if backend == "ray":
            from websp_gym.cluster import connected

            stack.enter_context(connected(jobs))
        todo = _not_done(chosen, ids, trials, out if resume else None)
        if dry_run:
            show_plan(todo, as_json)
            return 0
        if preflight and todo:
            limits.add_probes(try_models(probes))
        if out is not None:
            stack.enter_context(locked(out))
        plan = plan_run(
            chosen, ids, trials=trials, folder=out, resume=resume, retries=retries, browser=browser
        )
        results = _play(plan, jobs, backend, limits, as_json)
    return _conclude(agent, results, len(ids) * trials, len(plan), limits, folder=out, as_json=as_json)


def _judges(names: Sequence[str] | None) -> list[str] | None:
    """Return the models of a judge; a run records them, because what a name stands for may change."""
    if not names:
        return None
    # Imported here because it takes half a second, which other runs do not need.
    from websp_gym.scoring.judge.judge import expand

    return expand(names)


def _chosen(folder: Path, ids: Sequence[str], per_site: int, seed: int) -> list[str]:
    """Return those of the instances that failed in a run, and a few successes; print how many there are."""
    subset = choose_failed(folder, per_site=per_site, seed=seed)
    chosen = [name for name in subset.ids if name in set(ids)]
    if not chosen:
        raise SetupError(f"none of these instances was chosen from {folder}: {subset}")
    Console(stderr=True, highlight=False).print(
        f"from {folder}: {subset}", style="dim", markup=False, soft_wrap=True
    )
    return chosen


def _play(
    plan: Sequence[Job], processes: int, backend: Backend, limits: RunLimits, as_json: bool
) -> list[Result]:
    results: list[Result] = []
    with reporter(len(plan), as_json) as report:

        def keep(result: Result) -> None:
            results.append(result)
            report(result)
            limits.add(result)

        try:
            run_batch(plan, processes=processes, backend=backend, on_result=keep, go_on=limits.go_on)
        except KeyboardInterrupt:
            limits.stopped = "interrupted"
    return results


def _conclude(
    agent: str,
    results: Sequence[Result],
    asked: int,
    planned: int,
    limits: RunLimits,
    *,
    folder: Path | None,
    as_json: bool,
) -> int:
    if not as_json:
        kept = read_results(folder) if folder else results
        summarise(agent, kept, played=len(results), skipped=asked - planned, folder=folder)
    console = Console(stderr=True, highlight=False)
    left = planned - len(results)
    if left:
        way = (
            "to continue, add --resume to the same command"
            if folder
            else "nothing was kept; use --out DIR to keep results"
        )
        text = f"{limits.stopped}: {len(results)} of {count(planned, 'episode')} done; {way}"
        console.print(text, style="bold", markup=False, soft_wrap=True)
    failed = limits.failed(results)
    if failed:
        console.print(failed, style="bold red", markup=False, soft_wrap=True)
    outage = outage_of_run(results, folder)
    if outage:
        console.print(outage, style="bold red", markup=False, soft_wrap=True)
    if limits.stopped == "interrupted":
        return INTERRUPTED
    return 1 if left or failed or outage else 0


def _not_done(run: Run, ids: Sequence[str], trials: int, folder: Path | None) -> list[Job]:
    done = finished(folder, run) if folder is not None else set()
    return [job for job in plan_run(run, ids, trials=trials) if (job.instance_id, job.trial) not in done]


@contextmanager
def _scratch() -> Iterator[None]:
    """Keep temporary files of browsers in a folder that is removed with the run, also after Ctrl-C."""
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
    """Remove a folder, although a browser that is closing may still write to it."""
    from tenacity import RetryError, Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

    patiently = Retrying(
        retry=retry_if_exception_type(OSError), stop=stop_after_delay(5), wait=wait_fixed(0.05)
    )
    with suppress(RetryError):  # files left in a temporary folder do no harm
        patiently(shutil.rmtree, folder)
