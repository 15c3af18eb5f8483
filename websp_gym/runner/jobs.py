"""The episodes of a run: which there are, and which are still to be played."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError, unwritable
from websp_gym.files import check_writable_file
from websp_gym.records.results import Result, Try
from websp_gym.records.runs import RESULTS, RUN, TRAJECTORIES, Run, read_results, read_run, write_run
from websp_gym.records.trajectory import STEPS, now, versions
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.ids import all_ids, known_ids
from websp_gym.tasks.instances import load_instance


@dataclass(frozen=True)
class Job:
    """Everything that a process needs to play one episode.

    Args:
        instance_id: Id of the instance.
        run: What all episodes of the run share.
        trial: Number of the trial of this instance, from 1.
        folder: Folder of the run, where trajectories are written; None writes nothing.
        retries: Maximum number of retries after an infrastructure error that may be temporary.
        tries: Earlier attempts that an error ended, whose process died or of a run that is resumed.
    """

    instance_id: str
    run: Run
    _: KW_ONLY
    trial: int = 1
    folder: Path | None = None
    retries: int = 0
    tries: tuple[Try, ...] = ()

    @property
    def seed(self) -> int:
        """Seed of the episode."""
        return self.run.seed + self.trial - 1

    @property
    def options(self) -> dict[str, Any]:
        """Options of the environment."""
        # An unscored episode is a result here, not an exception.
        options: dict[str, Any] = {"on_unscored": "zero", **self.run.options}
        if self.folder is not None:
            options["record_to"] = str(self.folder / TRAJECTORIES)
        return options


def plan_run(
    run: Run,
    ids: Iterable[str],
    *,
    trials: int = 1,
    first: int = 1,
    folder: Path | None = None,
    resume: bool = False,
    retries: int = 1,
    browser: str = "",
) -> list[Job]:
    """Prepare the folder of a run and return the episodes to play.

    Args:
        run: What all episodes share.
        ids: Ids of the instances, in any spelling and case.
        trials: Number of episodes per instance.
        first: Number of the first trial.
        folder: Where results and trajectories are written; None writes nothing.
        resume: Whether to continue the run in the folder: only episodes that are missing or ended in an
            infrastructure error are played. The attempts of the latter count: a second error while the agent
            acts is its failure.
        retries: Maximum number of retries of an episode after an infrastructure error that may be temporary.
        browser: Version of the browser, noted in the folder.

    Returns:
        The jobs; the first trials of all instances come first.

    Raises:
        SetupError: No policy applies to any instance, or the folder has results and ``resume`` is False, belongs to
            another run, or cannot be written to.
    """
    names = known_ids(ids)
    spec = run.options.get("policies")
    if spec and names:
        _check_policies(spec, names)
    last = first + trials - 1
    known = _prepare(folder, run, names, last, resume, browser) if folder is not None else []
    done = _finished(known)
    tries = {(result.id, result.trial): result.tries for result in known}
    return [
        Job(name, run, trial=trial, folder=folder, retries=retries, tries=tries.get((name, trial), ()))
        for trial in range(first, last + 1)
        for name in names
        if (name, trial) not in done
    ]


def finished(folder: Path, run: Run) -> set[tuple[str, int]]:
    """Return the instance ids and trials that a run need not play again.

    They have a result of this run for the current configuration that is not an infrastructure error.
    """
    return _finished(_results(folder, run))


def _results(folder: Path, run: Run) -> list[Result]:
    """Return the results of a run for the current configuration, the last one of each trial."""
    known = set(all_ids())
    dataset = run.options.get("dataset")
    return [
        result
        for result in read_results(folder)
        if result.run_hash == run.hash
        and result.id in known
        and in_dataset(load_instance(result.id), dataset).config_hash == result.config_hash
    ]


def _finished(results: Iterable[Result]) -> set[tuple[str, int]]:
    return {(result.id, result.trial) for result in results if result.status != "error"}


def begun(folder: Path, run: Run, *, resume: bool) -> Run | None:
    """Return the run that a folder already has; ``None`` if it has none.

    Raises:
        SetupError: It is another run, or it is not to be continued.
    """
    there = read_run(folder)
    if not resume and (there is not None or read_results(folder)):
        raise SetupError(f"{folder} already has results; add --resume to continue, or choose another --out")
    if there is not None and there.hash != run.hash:
        raise SetupError(
            f"{folder} is another run ({there.difference(run)}); choose another --out", path=str(folder)
        )
    return there


def forget(folder: Path) -> None:
    """Remove a run without a result or a step, so that its folder can be used again."""
    played = any(steps.stat().st_size for steps in (folder / TRAJECTORIES).glob(f"*/*/{STEPS}"))
    if not played and not read_results(folder):
        for name in (RESULTS, RUN):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / TRAJECTORIES, ignore_errors=True)


def _check_policies(spec: Sequence[str], names: Sequence[str]) -> None:
    """Raise ``SetupError`` if no policy of some sets applies to any of these instances."""
    # Fifty modules, which a run without policies does not need.
    from websp_gym.policies.sets import policies_for

    if not any(policies_for(load_instance(name), spec).policies for name in names):
        raise SetupError(
            f"policies={spec}: none of them applies to any of the {len(names)} chosen instances",
            option="policies",
        )


def _prepare(
    folder: Path, run: Run, names: Iterable[str], trials: int, resume: bool, browser: str
) -> list[Result]:
    """Create or check the folder of the run; return the results it already has."""
    there = begun(folder, run, resume=resume) or replace(run, started=now(), versions=versions(browser))
    write_run(folder, there.also_planning(names, trials))
    try:
        check_writable_file(folder / RESULTS)
        (folder / RESULTS).open("ab").close()
    except OSError as error:
        raise unwritable(folder, error) from error
    return _results(folder, run)
