"""A hard set with known truth: many edited runs of a few recorded ones."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from websp_gym.calibration.cases import Case
from websp_gym.calibration.edits import SEEN, UNSEEN, Edit, retold
from websp_gym.calibration.truth import truth_of
from websp_gym.errors import SetupError, nearest
from websp_gym.instances import LoadedInstance, load_instance
from websp_gym.trajectory import Trajectory, load_trajectory

RETOLD = "another task"
KINDS = (*SEEN, RETOLD, *UNSEEN)
_PATIENCE = 60
"""Draws in a row that give nothing new, after which no more is expected."""


@dataclass(frozen=True)
class _Source:
    trajectory: Trajectory
    folder: Path
    loaded: LoadedInstance


def generate(
    folders: Iterable[Path], count: int, *, seed: int = 0, kinds: Sequence[str] | None = None
) -> list[Case]:
    """Makes runs of recorded ones.

    Args:
        folders: Runs in the sandbox that passed.
        count: How many to make.
        seed: The same seed makes the same runs of the same recordings.
        kinds: Which edits; those after which the screenshots are true, where none are named.

    Returns:
        So many different runs, in turn of every kind, with the truth by the state check; fewer where the recordings
        do not give as many.

    Raises:
        SetupError: An unknown kind, or no recording can be used.
    """
    chosen = list(kinds) if kinds is not None else [*SEEN, RETOLD]
    for kind in chosen:
        if kind not in KINDS:
            raise SetupError(
                f'no kind "{kind}"{nearest(kind, list(KINDS))} (kinds: {", ".join(KINDS)})', kind=kind
            )
    sources = _sources(folders)
    rng = random.Random(seed)
    made: dict[str, Case] = {}
    idle = dict.fromkeys(chosen, 0)
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


def _sources(folders: Iterable[Path]) -> list[_Source]:
    found = []
    for folder in folders:
        trajectory = load_trajectory(folder)
        loaded = load_instance(trajectory.instance)
        told = all(step.ended is not None for step in trajectory.steps)
        if told and trajectory.end_reason == "answer" and truth_of(trajectory, loaded).status == "pass":
            found.append(_Source(trajectory, folder, loaded))
    if not found:
        raise SetupError(
            "no run here passed in the sandbox with the tasks as they are now; "
            "record some with `websp run --agent oracle --tasks 'Steam-*' --out DIR`"
        )
    return found


def _seen(run: Trajectory, folder: Path) -> str:
    """Digest of what a judge can see of a run; two that look alike must not have two labels."""
    shown = {"instruction", "ground_truth", "initial", "steps"}
    return hashlib.sha256(f"{folder.name}/{run.model_dump_json(include=shown)}".encode()).hexdigest()


def _same_start(one: _Source, other: _Source) -> bool:
    return one.loaded.id != other.loaded.id and retold(one.trajectory, other.trajectory) is not None


def _draw(kind: str, sources: Sequence[_Source], rng: random.Random, number: int) -> Case | None:
    source = rng.choice(sources)
    loaded = source.loaded
    if kind == RETOLD:
        partners = [other for other in sources if other is not source and _same_start(source, other)]
        if not partners:
            return None
        other = rng.choice(partners)
        run, loaded = retold(source.trajectory, other.trajectory), other.loaded
        run = SEEN["oracle"](run, loaded, rng) if run is not None else None
    else:
        edit: Edit = (SEEN | UNSEEN)[kind]
        run = edit(source.trajectory, loaded, rng)
    if run is None:
        return None
    truth = truth_of(run, loaded)
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
