"""Play right and wrong variants of instances in the sandbox, to record true screenshots of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from websp_gym.calibration.variant_agent import VariantAgent
from websp_gym.calibration.variants import Variant, is_played, keep, plays_of
from websp_gym.env.registration import make_env
from websp_gym.runner.batch import run_episode
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world

ACTIONS = 60
"""Maximum number of actions, enough for variants that continue after the task is done."""


@dataclass(frozen=True)
class PlayedVariant:
    """The outcome of playing a variant.

    Args:
        play: The variant.
        status: ``pass`` or ``fail`` by the server state; ``impossible`` where the site's pages do not offer
            what the variant needs, so that no trajectory is kept; ``error`` where it could not be played.
        error: Message of the error; empty otherwise.
    """

    play: Variant
    status: Literal["pass", "fail", "impossible", "error"]
    error: str = ""


@dataclass(frozen=True)
class _Job:
    play: Variant
    parent: Path


def plays_to_do(ids: Iterable[str], parent: Path) -> list[Variant]:
    """Return the variants of these instances that a folder lacks or has for an older configuration."""
    found = []
    for name in ids:
        instance = load_instance(name)
        found += [
            play
            for play in plays_of(instance)
            if not is_played(play, parent, config_hash=instance.config_hash)
        ]
    return found


def play_all(
    plays: Iterable[Variant],
    parent: Path,
    *,
    processes: int = 1,
    on_done: Callable[[PlayedVariant], None] = lambda played: None,
) -> list[PlayedVariant]:
    """Play variants in the sandbox and keep their trajectories.

    Args:
        plays: The variants.
        parent: Folder for the trajectories, each in ``NAME/INSTANCE``. Earlier files of the same variant are
            removed first.
        processes: Number of processes.
        on_done: Called with each outcome as it arrives.

    Returns:
        The outcomes. A variant that could not be played does not affect the others.
    """
    jobs = [_Job(play, parent) for play in plays]
    if processes > 1 and len(jobs) > 1:
        # Start the sandbox here, so that all processes share it.
        make_world("sandbox").browser_args()
    return map_unordered(Batch(_work, jobs, on_crash=_lost, on_result=on_done), processes)


def _work(job: _Job) -> PlayedVariant:
    try:
        return _play(job.play, job.parent)
    except Exception as error:
        # Any error concerns this variant only; the others go on.
        return PlayedVariant(job.play, "error", f"{type(error).__name__}: {error}")


def _lost(job: _Job) -> PlayedVariant:
    return PlayedVariant(job.play, "error", "the process that played it died twice")


def _play(play: Variant, parent: Path) -> PlayedVariant:
    place = play.place(parent)
    shutil.rmtree(place, ignore_errors=True)
    actor = VariantAgent(play)
    env = make_env(
        play.instance,
        reward="state",
        initial_state="snapshot",
        max_actions=ACTIONS,
        record_to=parent / play.name,
    )
    try:
        result = run_episode(env, actor)
        assert env.task is not None
        happened = actor.happened and _is_true_to_its_name(play, env.task.trajectory.events)
    finally:
        env.close()
    if not happened:
        shutil.rmtree(place, ignore_errors=True)
    keep(play, parent, config_hash=result.config_hash, happened=happened)
    if not happened:
        return PlayedVariant(play, "impossible")
    return PlayedVariant(play, "pass" if result.status == "pass" else "fail")


def _is_true_to_its_name(play: Variant, events: Iterable[dict[str, object]]) -> bool:
    """Whether a destructive variant did its damage; most sites offer no way to. True for other kinds."""
    return play.kind != "destructive" or any(event["kind"] == "destructive" for event in events)
