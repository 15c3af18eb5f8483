"""Draw trajectories for people to label, as the paper does (section 4): balanced by an early judge, and spread."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import find_results
from websp_gym.records.trajectory import FILE
from websp_gym.scoring.judge.judgements import judgements_of
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance

STATE = "state"
"""In place of a judge, to balance by the verdict in the results: that of the server state, in the sandbox."""


@dataclass(frozen=True)
class SampleCandidate:
    """A trajectory that may be drawn.

    Args:
        folder: Its folder.
        agent: The agent and the instruction variant.
        site: The website.
        said: Whether the early judge found that the task was done; None without an answer.
    """

    folder: Path
    agent: tuple[str, str]
    site: str
    said: bool | None


def candidates(folders: Iterable[Path], *, early: str = "") -> list[SampleCandidate]:
    """Return the trajectories of some runs in which the agent answered.

    Those that a limit ended fail without a judge, so they say nothing about one.

    Args:
        folders: Folders with runs, at any depth.
        early: The early judge: a part of its models and settings, as in ``judgements.jsonl``; :data:`STATE` for the
            verdict in the results; empty for the newest judgement by any judge.

    Raises:
        SetupError: A folder is missing, or there are no results.
    """
    known = set(instance_ids())
    return [
        SampleCandidate(
            folder,
            (result.agent, result.instruction),
            load_instance(result.id).site.site if result.id in known else result.id.partition("-task-")[0],
            _said(folder, result, early),
        )
        for run, result in find_results(folders).results
        if result.end_reason == "answer" and result.trajectory
        for folder in [run / result.trajectory]
        if (folder / FILE).is_file()
    ]


def draw(found: Sequence[SampleCandidate], size: int, *, balance: bool = False, seed: int = 0) -> list[Path]:
    """Draw trajectories, spread over agents with their instruction variants, and over websites.

    Args:
        found: The candidates.
        size: How many to draw.
        balance: Draw as many that the early judge accepts as that it rejects.
        seed: Seed of the draw.

    Returns:
        Their folders, in random order.

    Raises:
        SetupError: There are too few candidates, or an odd number is to be balanced.
    """
    rng = random.Random(seed)
    if balance and size % 2:
        raise SetupError(f"--size {size}: an odd number cannot be balanced", option="size")
    parts = (
        [("judged CORRECT", [each for each in found if each.said is True], size // 2),
         ("judged INCORRECT", [each for each in found if each.said is False], size // 2)]
        if balance else [("with an answer", list(found), size)]
    )  # fmt: skip
    lacking = [f"{len(those)} {name} for {wanted}" for name, those, wanted in parts if len(those) < wanted]
    if lacking:
        hint = ": judge more runs (`websp judge`), or draw fewer" if balance else ": add runs, or draw fewer"
        raise SetupError(f"too few trajectories ({', '.join(lacking)}){hint}", option="size")
    drawn = [each.folder for _, those, wanted in parts for each in _spread(those, wanted, rng)]
    rng.shuffle(drawn)
    return drawn


def _spread(found: Sequence[SampleCandidate], size: int, rng: random.Random) -> list[SampleCandidate]:
    """Draw one after another from the agent drawn least so far, and of its websites the one drawn least."""
    left = sorted(found, key=lambda each: each.folder.as_posix())
    rng.shuffle(left)
    agents: Counter[tuple[str, str]] = Counter()
    sites: Counter[str] = Counter()
    drawn = []
    for _ in range(size):
        best = min(left, key=lambda each: (agents[each.agent], sites[each.site]))
        left.remove(best)
        agents[best.agent] += 1
        sites[best.site] += 1
        drawn.append(best)
    return drawn


def _said(folder: Path, result: Result, early: str) -> bool | None:
    if early == STATE:
        return {"pass": True, "fail": False}.get(result.status)
    for judgement in reversed(judgements_of(folder)):
        if early in judgement.judge and judgement.status != "unscored":
            return judgement.status == "pass"
    return None
