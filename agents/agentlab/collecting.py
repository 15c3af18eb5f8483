"""Convert a study of AgentLab into runs for ``websp report``."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from websp_gym.agents.agentlab.reading import Experiment, read_study
from websp_gym.errors import SetupError, unwritable
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import AGENT_LOG, TRAJECTORIES, Run, append_result, write_run
from websp_gym.records.trajectory import FILE

FOLDER = "websp-run"
MARK = "collected.json"
"""File that marks a folder as a collection, which may be replaced."""


def collect(study: Path | str, out: Path | str | None = None) -> Path:
    """Convert a study into runs: one folder per agent, with results, trajectories and model replies.

    The study itself does not change. Episodes that it has not finished become infrastructure errors; convert it
    again when they are done.

    Args:
        study: The study's folder.
        out: Folder for the runs; by default ``websp-run`` in the study. An earlier collection there is replaced.

    Returns:
        The folder, for ``websp report``.

    Raises:
        SetupError: The study has no experiments on our instances, or `out` is another folder or not writable.
    """
    study = Path(study)
    folder = Path(out) if out is not None else study / FOLDER
    if folder.exists() and not (folder / MARK).is_file():
        raise SetupError(f"{folder} already exists; choose another --out", path=str(folder))
    runs = defaultdict(list)
    for one in read_study(study):
        runs[one.group].append(one)
    part = folder.with_name(folder.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        (part / MARK).write_text(json.dumps({"study": study.resolve().name}) + "\n", "utf-8")
        for experiments in runs.values():
            _write(_free(part, experiments[0].result.agent), experiments)
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(part, folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def _write(folder: Path, experiments: Sequence[Experiment]) -> None:
    """Write the run of one agent."""
    first = experiments[0]
    run = Run(
        agent=first.result.agent,
        options=dict(first.options),
        seed=min(one.result.seed for one in experiments),
        started=min((one.started for one in experiments if one.started), default=""),
        versions=_versions(experiments),
    )
    write_run(folder, run)
    for one in experiments:
        kept = _keep(folder, one)
        append_result(folder, replace(one.result, run_hash=run.hash, trajectory=kept))


def _keep(folder: Path, one: Experiment) -> str:
    """Copy the episode's trajectory into the run and return its path there; empty if there is none."""
    if not one.result.trajectory:
        return ""
    kept = f"{TRAJECTORIES}/{one.result.id}/{one.result.trial:03d}"
    shutil.copytree(one.folder / one.result.trajectory, folder / kept, copy_function=_link)
    if one.turns:
        data = {"agent": one.result.agent, "turns": one.turns}
        (folder / kept / AGENT_LOG).write_text(json.dumps(data, ensure_ascii=False, indent=1), "utf-8")
    return kept


def _link(source: str, target: str) -> None:
    """Create a hard link, or a copy where that fails: pictures make up most of a study."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _versions(experiments: Sequence[Experiment]) -> dict[str, str]:
    """Return the versions in the first trajectory."""
    for one in experiments:
        folder = one.folder / one.result.trajectory
        if one.result.trajectory and (folder / FILE).is_file():
            return load_trajectory(folder).versions
    return {}


def _free(folder: Path, agent: str) -> Path:
    """Return the path of a folder that does not exist yet, named after the agent."""
    plain = re.sub(r"[^\w.-]+", "-", agent).strip("-.") or "agent"
    path, number = folder / plain, 2
    while path.exists():
        path, number = folder / f"{plain}-{number}", number + 1
    return path
