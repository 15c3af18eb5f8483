"""``websp run``: run an agent on instances."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from shlex import quote
from typing import Annotated

import typer

from websp_gym.cli.completing import complete_agent, complete_id
from websp_gym.cli.environment_options import EnvironmentOptions
from websp_gym.cli.judging import outage_of_run
from websp_gym.cli.option_groups import with_groups
from websp_gym.cli.options import AsJson, Preflight, Seed
from websp_gym.cli.output import Console
from websp_gym.cli.probing import try_models
from websp_gym.cli.progress import reporter, show_plan, summarise
from websp_gym.cli.run_file import KEY, RunFile
from websp_gym.cli.run_limits import RunLimits
from websp_gym.cli.run_options import BatchOptions, Selection
from websp_gym.cli.run_plan import PlannedRun, planned_runs
from websp_gym.cli.signals import INTERRUPTED
from websp_gym.errors import SetupError
from websp_gym.models.probe import Probe, check_priced
from websp_gym.project import docs
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, count, read_results
from websp_gym.runner.batch import run_batch
from websp_gym.runner.hooks import load_hook, telling
from websp_gym.runner.jobs import Job, begun, finished, forget, plan_run
from websp_gym.runner.locking import locked
from websp_gym.runner.preflight import check_run, probes_of
from websp_gym.tasks.datasets import in_dataset, of_dataset
from websp_gym.tasks.instances import load_instance

_LONGEST = 107 - len("/org.chromium.Chromium.123456/SingletonSocket")


@with_groups
def run(
    context: typer.Context,
    instances: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID|GLOB|FILE]...",
            autocompletion=complete_id,
            help="Instances to run, by id or glob; or a file of options, runs.toml or the run.json of a run "
            f"({docs('reference/runs#a-file-of-options')}).",
        ),
    ] = None,
    *,
    selection: Selection,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="oracle, noop, random, a model such as openai:gpt-6.2-sol, text:MODEL, flawed:KIND, or module:Class "
            f"({docs('reference/agents')}); may be repeated.",
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
    batch: BatchOptions,
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
            help="Call this function with each finished episode, for example to log it elsewhere "
            f"({docs('guides/export-and-submit')}).",
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run agents on instances; with --out, --resume continues a run that was interrupted.

    Several agents play in turn, each into its own folder below --out.

    Exit code 0 when the episodes ran, whatever their reward; 1 when too many ended in an infrastructure error, some
    were not started, or an opinion of the judge is missing; 2 when nothing could run; 130 after Ctrl-C.

    Example: `websp run 'Steam-*' --agent oracle --agent noop --jobs 2 --out runs/first`
    """
    ids = selection.matching(instances or ())
    batch = batch.continuing(selection.failed_of)
    file: RunFile = context.meta.get(KEY, RunFile())
    runs = planned_runs(agent or (), environment, seed, file, out=batch.out, name=name)
    names = {each.run.hash: each.name for each in runs}
    ids = selection.narrowed(ids, seed)
    for dataset in {each.run.options.get("dataset") for each in runs} - {None}:
        ids = of_dataset(ids, dataset, instances or ())
        for id_ in ids:
            in_dataset(load_instance(id_), dataset)
    hook = load_hook(on_episode) if on_episode is not None else None
    with _scratch(), ExitStack() as stack:
        # Fail here, once, on what would fail in every episode.
        browser = [check_run(each.run, ids[0]) for each in runs][-1]
        probes = [probe for each in runs for probe in probes_of(each.run)]
        if limits.max_cost is not None:
            check_priced(probe.model for probe in probes)
        if batch.backend == "ray":
            from websp_gym.rollouts.ray import connected

            stack.enter_context(connected(batch.jobs))
        todo = [job for each in runs for job in _not_done(each, ids, batch)]
        if dry_run:
            show_plan(todo, names, as_json)
            return 0
        folders = {each.folder: each.run for each in runs if each.folder is not None}
        for folder, planned in folders.items():
            begun(folder, planned, resume=batch.resume)  # before the first request costs anything
        unused = [folder for folder in folders if not folder.exists() or not any(folder.iterdir())]
        if preflight and todo:
            limits.add_probes(try_models(_each_once(probes)))
        for folder in folders:
            stack.enter_context(locked(folder))
        plan = [job for each in runs for job in _planned(each, ids, batch, browser)]
        tell = {
            each.run.hash: telling(hook, each.run, each.folder, _warn) for each in runs if hook is not None
        }
        try:
            results = _play(plan, names, batch, limits, as_json, tell)
        except SetupError:  # nothing could begin
            for folder in unused:
                forget(folder)
            raise
    return _conclude(runs, results, len(ids) * batch.trials, plan, limits, as_json=as_json)


def _each_once(probes: Iterable[Probe]) -> list[Probe]:
    """Return the probes of agents and judges, one for each model."""
    return list({each.model.spec: each for each in probes}.values())


def _planned(planned: PlannedRun, ids: Sequence[str], batch: BatchOptions, browser: str) -> list[Job]:
    return plan_run(
        planned.run,
        ids,
        trials=batch.trials,
        folder=planned.folder,
        resume=batch.resume,
        retries=batch.retries,
        browser=browser,
    )


def _play(
    plan: Sequence[Job],
    names: Mapping[str, str],
    batch: BatchOptions,
    limits: RunLimits,
    as_json: bool,
    tell: Mapping[str, Callable[[Result], None]],
) -> list[Result]:
    results: list[Result] = []
    with reporter(plan, names, as_json) as report:

        def keep(result: Result) -> None:
            results.append(result)
            report(result)
            if result.run_hash in tell:
                tell[result.run_hash](result)
            limits.add(result)

        try:
            run_batch(plan, processes=batch.jobs, backend=batch.backend, on_result=keep, go_on=limits.go_on)
        except KeyboardInterrupt:
            limits.stopped = "interrupted"
    return results


def _warn(message: str) -> None:
    Console(stderr=True).print(message, style="bold red", markup=False, soft_wrap=True)


def _conclude(
    runs: Sequence[PlannedRun],
    results: Sequence[Result],
    asked: int,
    plan: Sequence[Job],
    limits: RunLimits,
    *,
    as_json: bool,
) -> int:
    outages = []
    for each in runs:
        own = [result for result in results if result.run_hash == each.run.hash]
        if not as_json:
            planned = sum(job.run.hash == each.run.hash for job in plan)
            kept = read_results(each.folder) if each.folder else own
            summarise(each.name, kept, played=len(own), skipped=asked - planned, folder=each.folder)
        outages.append(outage_of_run(own, each.folder))
    console = Console(stderr=True)
    if len(runs) > 1 and runs[0].folder is not None and not as_json:
        text = f"together: websp report {quote(str(runs[0].folder.parent))}"
        console.print(text, style="dim", markup=False, soft_wrap=True)
    left = len(plan) - len(results)
    if left:
        way = (
            "to continue, add --resume to the same command"
            if runs[0].folder
            else "nothing was kept; use --out DIR to keep results"
        )
        text = f"{limits.stopped}: {len(results)} of {count(len(plan), 'episode')} done; {way}"
        console.print(text, style="bold", markup=False, soft_wrap=True)
    failed = limits.failed(results)
    for warning in filter(None, (failed, *outages)):
        _warn(warning)
    if limits.stopped == "interrupted":
        return INTERRUPTED
    return 1 if left or failed or any(outages) else 0


def _not_done(planned: PlannedRun, ids: Sequence[str], batch: BatchOptions) -> list[Job]:
    folder = planned.folder
    done = finished(folder, planned.run) if batch.resume and folder is not None else set()
    return [
        job
        for job in plan_run(planned.run, ids, trials=batch.trials)
        if (job.instance_id, job.trial) not in done
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
