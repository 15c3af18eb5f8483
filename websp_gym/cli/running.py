"""``websp run``: run an agent on instances."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from websp_gym.attach.players import named_run
from websp_gym.cli.completing import complete_agent, complete_id
from websp_gym.cli.environment_options import EnvironmentOptions
from websp_gym.cli.judging import outage_of_run
from websp_gym.cli.option_groups import with_groups
from websp_gym.cli.options import AsJson, Preflight, Seed
from websp_gym.cli.probing import try_models
from websp_gym.cli.progress import reporter, show_plan, summarise
from websp_gym.cli.run_limits import RunLimits
from websp_gym.cli.run_options import Batch, Selection
from websp_gym.cli.signals import INTERRUPTED
from websp_gym.datasets import in_dataset
from websp_gym.errors import SetupError
from websp_gym.models.probe import check_priced
from websp_gym.project import docs
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, count, read_results
from websp_gym.runner.batch import run_batch
from websp_gym.runner.hooks import load_hook, telling
from websp_gym.runner.jobs import Job, finished, plan_run
from websp_gym.runner.locking import locked
from websp_gym.runner.preflight import check_run, probes_of
from websp_gym.tasks.instances import load_instance

_LONGEST = 107 - len("/org.chromium.Chromium.123456/SingletonSocket")


@with_groups
def run(
    instances: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|GLOB]...", autocompletion=complete_id, help="Instances to run, by id or glob."
        ),
    ] = None,
    *,
    selection: Selection,
    agent: Annotated[
        str | None,
        typer.Option(
            help="oracle, noop, random, a model such as openai:gpt-6.2-sol, text:MODEL, flawed:KIND, or module:Class "
            f"({docs('agents')}).",
            autocompletion=complete_agent,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name of a program (cdp:COMMAND, mcp:COMMAND) in results and reports, in place of its command.",
        ),
    ] = None,
    batch: Batch,
    limits: RunLimits,
    preflight: Preflight = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything and print what would be played.")
    ] = False,
    environment: EnvironmentOptions,
    seed: Seed = Run.seed,
    on_episode: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:FUNCTION",
            help=f"Call this function with each finished episode, such as to log it elsewhere ({docs('exports')}).",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run an agent on instances; with --out, --resume continues a run that was interrupted.

    Exit code 0 when the episodes ran, whatever their reward; 1 when too many ended in an infrastructure error, some
    were not started, or an opinion of the judge is missing; 2 when nothing could run; 130 after Ctrl-C.

    Example: `websp run 'Steam-*' --agent oracle --jobs 2 --out runs/oracle`
    """
    ids = selection.matching(instances or ())
    batch = batch.continuing(selection.failed_of)
    options = environment.given()
    if agent is None:
        raise SetupError(
            "--agent: say who plays, such as openai:gpt-6.2-sol; without a key noop, random, or oracle, which knows "
            "the solutions and shows that the set-up works",
            option="agent",
        )
    ids = selection.narrowed(ids, seed)
    for each in ids if environment.dataset is not None else ():
        in_dataset(load_instance(each), environment.dataset)
    chosen = named_run(Run(agent=agent, options=options, seed=seed), name)
    hook = load_hook(on_episode) if on_episode is not None else None
    with _scratch(), ExitStack() as stack:
        # Fail here, once, on what would fail in every episode.
        browser = check_run(chosen, ids[0])
        probes = probes_of(chosen)
        if limits.max_cost is not None:
            check_priced(probe.model for probe in probes)
        if batch.backend == "ray":
            from websp_gym.cluster import connected

            stack.enter_context(connected(batch.jobs))
        todo = _not_done(chosen, ids, batch)
        if dry_run:
            show_plan(todo, as_json)
            return 0
        if preflight and todo:
            limits.add_probes(try_models(probes))
        if batch.out is not None:
            stack.enter_context(locked(batch.out))
        plan = plan_run(
            chosen,
            ids,
            trials=batch.trials,
            folder=batch.out,
            resume=batch.resume,
            retries=batch.retries,
            browser=browser,
        )
        tell = telling(hook, chosen, batch.out, _warn) if hook is not None else None
        results = _play(plan, batch, limits, as_json, tell)
    return _conclude(
        chosen.agent, results, len(ids) * batch.trials, len(plan), limits, folder=batch.out, as_json=as_json
    )


def _play(
    plan: Sequence[Job],
    batch: Batch,
    limits: RunLimits,
    as_json: bool,
    tell: Callable[[Result], None] | None,
) -> list[Result]:
    results: list[Result] = []
    with reporter(len(plan), as_json) as report:

        def keep(result: Result) -> None:
            results.append(result)
            report(result)
            if tell is not None:
                tell(result)
            limits.add(result)

        try:
            run_batch(plan, processes=batch.jobs, backend=batch.backend, on_result=keep, go_on=limits.go_on)
        except KeyboardInterrupt:
            limits.stopped = "interrupted"
    return results


def _warn(message: str) -> None:
    Console(stderr=True, highlight=False).print(message, style="bold red", markup=False, soft_wrap=True)


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
        _warn(failed)
    outage = outage_of_run(results, folder)
    if outage:
        _warn(outage)
    if limits.stopped == "interrupted":
        return INTERRUPTED
    return 1 if left or failed or outage else 0


def _not_done(run: Run, ids: Sequence[str], batch: Batch) -> list[Job]:
    done = finished(batch.out, run) if batch.resume and batch.out is not None else set()
    return [
        job for job in plan_run(run, ids, trials=batch.trials) if (job.instance_id, job.trial) not in done
    ]


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
