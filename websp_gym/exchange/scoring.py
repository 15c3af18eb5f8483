"""Score episodes that were not played by ``websp run``, and make a run of them."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError, unwritable
from websp_gym.exchange.foreign import EPISODE, convert, read_episode
from websp_gym.exchange.packing import record_files
from websp_gym.files import MAX_PICTURE, read_file
from websp_gym.project import VERSION
from websp_gym.records.ending import Ending
from websp_gym.records.load import load_trajectory
from websp_gym.records.recorder import Recorder
from websp_gym.records.results import Result, facts_of
from websp_gym.records.runs import TRAJECTORIES, Run, append_result, write_run
from websp_gym.records.trajectory import FILE, Trajectory, now
from websp_gym.runner.rescoring import rescored_by_state
from websp_gym.tasks import DATASET_VERSION
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
        raise SetupError(f"{out} is there already; choose another --out", path=str(out))
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
    kept = [(_kept(path, out), path) for path in _found(folder)]
    records = [load_trajectory(out / name) for name, _ in kept]
    common = {name: value for name, value in records[0].options.items() if _shared(name, value, records)}
    ids = tuple(dict.fromkeys(record.instance for record in records))
    versions = {"websp-gym": VERSION, "dataset": DATASET_VERSION}
    run = Run(agent=agent, options=common, started=now(), versions=versions, planned=ids)
    write_run(out, run)
    trials, results = Counter[str](), []
    for (name, path), record in zip(kept, records, strict=True):
        trials[record.instance] += 1
        told = read_episode(path) if (path / EPISODE).exists() else None
        facts: dict[str, Any] = {
            "agent": agent,
            "trial": told.trial if told else trials[record.instance],
            "seconds": told.seconds if told else sum(step.seconds for step in record.steps),
            "trajectory": name,
            "run_hash": run.hash,
        }
        try:
            results.append(_scored(out, Result(**facts_of(record), **facts, **_unscored(record))))
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            # States and events by others may have any shape.
            what = f"{path}: its state cannot be scored: {type(error).__name__}: {error}"
            raise SetupError(what, path=str(path)) from error
    _check_trials(results)
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
    ended = record.end_reason is not None and Ending(record.end_reason).cause == "agent"
    error = None if ended else record.error or "the episode did not come to its end"
    return {"reward": None, "status": "unscored" if ended else "error", "source": "state", "error": error,
            "end_reason": record.end_reason, "strict": None, "siblings": None}  # fmt: skip


def _scored(out: Path, result: Result) -> Result:
    if result.status == "error":
        return result
    again = rescored_by_state(out, result)
    return replace(result, reason=again.note) if again.note else again.after


def _check_trials(results: Sequence[Result]) -> None:
    counts = Counter((result.id, result.trial) for result in results)
    twice = next((key for key, number in counts.items() if number > 1), None)
    if twice is not None:
        raise SetupError(
            f"{twice[0]} has trial {twice[1]} more than once; give each its own `trial`", option="trial"
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
