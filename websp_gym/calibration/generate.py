"""Generate many hard cases with known labels by editing a few trajectories."""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from websp_gym.calibration.cases import Case
from websp_gym.calibration.edits import EDITS, for_another_task, reworded
from websp_gym.calibration.variants import kind_of
from websp_gym.errors import SetupError, nearest
from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import Trajectory
from websp_gym.scoring.truth import state_verdict_of_record
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import Instance, load_instance

OTHER_TASK = "another task"
PLAYED = ("opposite", "extra", "destructive")
"""Kinds that no edit can make, because no recorded screenshot shows the change."""
KINDS = (*EDITS, OTHER_TASK, *PLAYED)
_PATIENCE = 60
"""Number of consecutive draws without a new case after which a kind is given up."""


@dataclass(frozen=True)
class _Source:
    trajectory: Trajectory
    folder: Path
    instance: Instance


@dataclass(frozen=True)
class _Sources:
    """The trajectories that cases are made of.

    Args:
        right: Trajectories that passed and are not a wrong variant; they are edited.
        played: Trajectories of played variants, by kind; they get another answer.
    """

    right: Sequence[_Source]
    played: Mapping[str, Sequence[_Source]]


def generate(
    folders: Iterable[Path], count: int, *, seed: int = 0, kinds: Sequence[str] | None = None
) -> list[Case]:
    """Generate cases from recorded trajectories.

    Args:
        folders: Folders of trajectories recorded in the sandbox, some of which passed.
        count: Number of cases to generate.
        seed: Seed. The same seed and trajectories give the same cases.
        kinds: Kinds of cases; None means all.

    Returns:
        Different cases, of each kind in turn, labelled by the state check; fewer than ``count`` where the
        trajectories do not give more.

    Raises:
        SetupError: A kind is unknown, or no trajectory can be used.
    """
    for kind in kinds or ():
        if kind not in KINDS:
            raise SetupError(
                f'no kind "{kind}"{nearest(kind, list(KINDS))} (kinds: {", ".join(KINDS)})', option="kinds"
            )
    sources = _sources(folders)
    rng = random.Random(seed)
    made: dict[str, Case] = {}
    idle = dict.fromkeys(KINDS if kinds is None else kinds, 0)
    while len(made) < count and idle:
        for kind in list(idle):
            case = _draw(kind, sources, rng, len(made))
            known = case is None or case.key in made
            idle[kind] = idle[kind] + 1 if known else 0
            if case is not None and not known:
                made[case.key] = case
            if idle[kind] >= _PATIENCE:
                del idle[kind]
            if len(made) == count:
                break
    return list(made.values())


def _sources(folders: Iterable[Path]) -> _Sources:
    right: list[_Source] = []
    played: dict[str, list[_Source]] = defaultdict(list)
    for folder in folders:
        trajectory = load_trajectory(folder)
        instance = in_dataset(load_instance(trajectory.instance), trajectory.options.get("dataset"))
        if trajectory.end_reason != "answer" or any(step.ended is None for step in trajectory.steps):
            continue
        truth, kind = state_verdict_of_record(trajectory, instance), kind_of(folder)
        source = _Source(trajectory, folder, instance)
        if kind and truth.status != "unscored":
            played[kind].append(source)
        if truth.status == "pass" and kind in ("", "oracle"):
            right.append(source)
    if not right:
        raise SetupError(
            "no run here passed in the sandbox with the tasks as they are now; play some with `--play 'Steam-*'`, "
            "or record them with `websp run --agent oracle --tasks 'Steam-*' --out DIR`"
        )
    return _Sources(right, dict(played))


def _seen(run: Trajectory, folder: Path) -> str:
    """Return a digest of what a judge can see, so that cases that look alike do not get different labels."""
    shown = {"instruction", "ground_truth", "initial", "steps"}
    return hashlib.sha256(f"{folder.name}/{run.model_dump_json(include=shown)}".encode()).hexdigest()


def _same_start(one: _Source, other: _Source) -> bool:
    return (
        one.instance.id != other.instance.id
        and for_another_task(one.trajectory, other.trajectory) is not None
    )


def _draw(kind: str, sources: _Sources, rng: random.Random, number: int) -> Case | None:
    played = sources.played.get(kind, ())
    if kind in PLAYED and not played:
        return None
    if played and (kind in PLAYED or rng.random() < 0.5):
        source = rng.choice(played)
        return _made(kind, source, source.instance, reworded(source.trajectory, rng), number)
    source = rng.choice(sources.right)
    if kind == OTHER_TASK:
        return _draw_retold(source, sources.right, rng, number)
    return _made(kind, source, source.instance, EDITS[kind](source.trajectory, source.instance, rng), number)


def _draw_retold(source: _Source, sources: Sequence[_Source], rng: random.Random, number: int) -> Case | None:
    partners = [other for other in sources if other is not source and _same_start(source, other)]
    if not partners:
        return None
    other = rng.choice(partners)
    run = for_another_task(source.trajectory, other.trajectory)
    run = EDITS["oracle"](run, other.instance, rng) if run is not None else None
    return _made(OTHER_TASK, source, other.instance, run, number)


def _made(kind: str, source: _Source, instance: Instance, run: Trajectory | None, number: int) -> Case | None:
    if run is None:
        return None
    truth = state_verdict_of_record(run, instance)
    if truth.status == "unscored":
        return None
    run.verdict = truth.as_dict()
    return Case(
        name=f"{kind}-{number:05d}",
        key=_seen(run, source.folder),
        trajectory=run,
        folder=source.folder,
        passed=truth.status == "pass",
        kind=kind,
        origin=source.folder.as_posix(),
    )
