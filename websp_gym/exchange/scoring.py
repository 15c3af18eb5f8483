"""Score episodes that were not played by ``websp run``, and make a run of them."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError, WorldError, unwritable
from websp_gym.exchange.foreign import EPISODE, ForeignEpisode, convert, read_episode
from websp_gym.exchange.packing import record_files
from websp_gym.files import MAX_PICTURE, read_file
from websp_gym.project import VERSION
from websp_gym.records.load import load_trajectory
from websp_gym.records.recorder import Recorder
from websp_gym.records.results import Result, facts_of
from websp_gym.records.runs import TRAJECTORIES, Run, append_result, write_run
from websp_gym.records.trajectory import FILE, Trajectory, now
from websp_gym.runner.rescoring import rescored_by_state
from websp_gym.scoring.truth import policies_of_record
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import load_instance


def score(folder: Path, out: Path, *, agent: str) -> list[Result]:
    """Score the episodes in or below a folder by the recorded state of the server, and write them as a run.

    An episode without that state is not scored.

    Args:
        folder: A folder for each episode, at any depth, with ``episode.json`` or with a record of this package.
        out: Folder for the run; it must not exist.
        agent: Name of the agent in reports.

    Returns:
        The results.

    Raises:
        SetupError: There is no episode, one is not valid, or the run cannot be written. Nothing is written then.
    """
    if out.exists():
        raise SetupError(f"{out} already exists; choose another --out", path=str(out))
    part = out.with_name(out.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        results = _write(folder, part, agent)
        os.replace(part, out)
    except OSError as error:
        raise unwritable(out, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return results


def _write(folder: Path, out: Path, agent: str) -> list[Result]:
    paths = _found(folder)
    kept = [_kept(path, out) for path in paths]
    records = [load_trajectory(out / name) for name in kept]
    told = [read_episode(path) if (path / EPISODE).exists() else None for path in paths]
    trials = _trials(told, records)
    names = [record.instance for record in records]
    _check_once("trial", zip(names, trials, strict=True), paths)
    _check_once("seed", zip(names, (record.seed for record in records), strict=True), paths)
    common = {name: value for name, value in records[0].options.items() if _shared(name, value, records)}
    ids, seed = tuple(dict.fromkeys(names)), _first_seed(records, trials)
    versions = {"websp-gym": VERSION, "dataset": DATASET_VERSION}
    run = Run(agent=agent, options=common, seed=seed, started=now(), versions=versions, planned=ids)
    write_run(out, run)
    results = []
    for path, name, record, trial, episode in zip(paths, kept, records, trials, told, strict=True):
        facts: dict[str, Any] = {
            "agent": agent,
            "trial": trial,
            "seconds": episode.seconds if episode else sum(step.seconds for step in record.steps),
            "trajectory": name,
            "run_hash": run.hash,
        }
        try:
            results.append(_scored(out, Result(**facts_of(record), **facts, **_unscored(record)), record))
        except (TypeError, ValueError, LookupError, AttributeError, WorldError) as error:
            # States and events by others may have any shape.
            what = f"{path}: its state cannot be scored: {type(error).__name__}: {error}"
            raise SetupError(what, path=str(path)) from error
    for result in results:
        append_result(out, result)
    return results


def _found(folder: Path) -> list[Path]:
    """Return the folders of episodes."""
    found = sorted({path.parent for name in (EPISODE, FILE) for path in folder.rglob(name)})
    if not found:
        raise SetupError(f"no {EPISODE} or {FILE} in {folder} or below", path=str(folder))
    return found


def _shared(name: str, value: object, records: Sequence[Trajectory]) -> bool:
    return all(name in record.options and record.options[name] == value for record in records)


def _unscored(record: Trajectory) -> dict[str, Any]:
    ended = record.came_to_its_end
    error = None if ended else record.error or "the episode did not reach its end"
    return {"reward": None, "status": "unscored" if ended else "error", "source": "state", "error": error,
            "end_reason": record.end_reason, "strict": None, "siblings": None}  # fmt: skip


def _scored(out: Path, result: Result, record: Trajectory) -> Result:
    if result.status == "error":
        return result
    again = rescored_by_state(out, result)
    if not again.note:
        return again.after
    with contextlib.suppress(SetupError):  # its policies are not here
        instance = in_dataset(load_instance(record.instance), record.options.get("dataset"))
        result = replace(result, policies=policies_of_record(record, instance))
    return replace(result, reason=again.note)


def _trials(told: Sequence[ForeignEpisode | None], records: Sequence[Trajectory]) -> list[int]:
    """Return the trial of each record: the one that was told, else its place by seed among those of its instance."""
    found, count = [0] * len(records), Counter[str]()
    for index in sorted(range(len(records)), key=lambda index: records[index].seed):
        episode, record = told[index], records[index]
        count[record.instance] += 1
        found[index] = episode.trial if episode else count[record.instance]
    return found


def _first_seed(records: Sequence[Trajectory], trials: Sequence[int]) -> int:
    """Return the seed of the first trial, to which each further one adds 1; 0 if the seeds have gaps."""
    first = {record.seed - trial + 1 for record, trial in zip(records, trials, strict=True)}
    return first.pop() if len(first) == 1 else 0


def _check_once(what: str, keys: Iterable[tuple[str, int]], paths: Iterable[Path]) -> None:
    """Raise ``SetupError`` if two episodes have the same instance and the same seed or trial."""
    there: dict[tuple[str, int], Path] = {}
    for key, path in zip(keys, paths, strict=True):
        other = there.setdefault(key, path)
        if other is not path:
            raise SetupError(
                f"{key[0]} has {what} {key[1]} more than once, in {other} and in {path}; "
                f"keep one, or give each its own `{what}`",
                option=what,
            )


def _kept(path: Path, out: Path) -> str:
    """Write the record of an episode into the run; return its folder there."""
    if (path / EPISODE).exists():
        folder = convert(path, out / TRAJECTORIES)
    else:
        record = load_trajectory(path)
        folder = Recorder(out / TRAJECTORIES / load_instance(record.instance).id, record).folder
        for file in record_files(path):
            (folder / file.name).write_bytes(read_file(file, MAX_PICTURE))
    return folder.relative_to(out).as_posix()
