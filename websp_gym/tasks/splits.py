"""Train/test splits of the instances, by site, by task or by initial state.

A site or task is assigned by a digest of its name and the seed, so a split is the same on every machine. When
other sites or tasks are added, assignments stay the same as far as the requested share allows.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from websp_gym.errors import SetupError, nearest
from websp_gym.tasks.ids import flow_ids, is_everyday, is_work, work_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import select_instances

SplitBy = Literal["site", "task", "state"]
WAYS: tuple[SplitBy, ...] = ("site", "task", "state")
SIDES = ("train", "test")

Row = Mapping[str, str]
"""An instance, with the keys ``task_name``, ``site``, ``task`` and ``state``."""


def split_ids(
    by: str, *, share: float = 0.3, seed: int = 0, ids: str | Iterable[str] = "*"
) -> tuple[list[str], list[str]]:
    """Split instances into a training set and a test set.

    Args:
        by: What to hold out for the test: ``site``, ``task`` or ``state`` (see :func:`held_out`).
        share: Approximate share of the instances in the test set, between 0 and 1; not used for ``state``.
        seed: Seed of the split.
        ids: A glob, or several, of the ids to split.

    Returns:
        The training ids and the test ids, each in the order of the files.

    Raises:
        SetupError: ``by`` or ``share`` is not valid, a glob matches nothing, or one of the sets would be
            empty.
    """

    names = select_instances([ids] if isinstance(ids, str) else list(ids))
    instances = [load_instance(name) for name in names]
    rows = [
        {"task_name": one.id, "site": one.site.site, "task": one.task.id, "state": one.config.state or ""}
        for one in instances
    ]
    test = held_out(rows, by, share=share, seed=seed)
    if not test or len(test) == len(names):
        raise SetupError(f"these {len(names)} instances cannot be split by {by}", option="by")
    return [name for name in names if name not in test], [name for name in names if name in test]


def side_of_split(side: str, by: str) -> list[str]:
    """Return the ids of one side (``train`` or ``test``) of :func:`split_ids` over all 200 instances.

    Raises:
        SetupError: There is no such side, or ``by`` is not valid.
    """
    if side not in SIDES:
        way = f"; split_by={side!r} says what is held out" if side in WAYS else ""
        raise SetupError(f"split={side!r}: use one of {', '.join(SIDES)}{way}", option="split")
    return split_ids(by)[SIDES.index(side)]


def on_side(names: Iterable[str], side: str, by: str) -> list[str]:
    """Return those of some ids that are on one side of a split.

    The instances, the tasks of applications and the everyday tasks are split each by themselves, so one kind does not
    change the others. Everyday tasks are on their site's side of the split by site, and in ``train`` by state.

    Args:
        names: Ids of any kind.
        side: ``train`` or ``test``.
        by: What is held out: ``site``, ``task`` or ``state``.

    Raises:
        SetupError: There is no such side, or ``by`` is not valid.
    """
    listed = list(names)
    chosen = set(side_of_split(side, by))
    if any(map(is_work, listed)):
        chosen.update(work_ids() * (side == "train") if by == "state" else _side(side, by, "*-stwab-*"))
    if any(map(is_everyday, listed)):
        if by == "task":
            chosen.update(_side(side, by, "*-flow-*"))
        elif by == "site":
            sites = {load_instance(name).site.slug for name in chosen}
            chosen.update(name for name in flow_ids() if load_instance(name).site.slug in sites)
        else:
            chosen.update(flow_ids() * (side == "train"))
    return [name for name in listed if name in chosen]


def _side(side: str, by: str, ids: str) -> list[str]:
    return split_ids(by, ids=ids)[SIDES.index(side)]


def held_out(rows: Iterable[Row], by: str, *, share: float = 0.3, seed: int = 0) -> set[str]:
    """Choose the instances of the test set.

    Args:
        rows: All instances, as mappings with ``task_name``, ``site``, ``task`` and ``state``.
        by: ``site`` holds out whole sites. ``task`` holds out some tasks of every site, each with all its
            instances, so that no task is trained on from ON and tested from OFF. ``state`` holds out all
            instances that start from OFF; instances with a single initial state stay in the training set.
        share: Approximate share of the instances to hold out, between 0 and 1; not used for ``state``.
        seed: Seed of the split.

    Returns:
        The ``task_name`` of each instance of the test set.

    Raises:
        SetupError: ``by`` or ``share`` is not valid.
    """
    if by not in WAYS:
        hint = "; split_ids() returns both sides, train and test" if by in SIDES else nearest(by, WAYS)
        raise SetupError(f'no split by "{by}"{hint} (by: {", ".join(WAYS)})', option="by")
    if not 0 < share < 1:
        raise SetupError(f"share={share!r}: give a number between 0 and 1", option="share")
    listed = list(rows)
    if by == "state":
        return {row["task_name"] for row in listed if row["state"] == "OFF"}
    if by == "site":
        return _draw(listed, "site", share, seed)
    sites = defaultdict(list)
    for row in listed:
        sites[row["site"]].append(row)
    return {name for rows_of_site in sites.values() for name in _draw(rows_of_site, "task", share, seed)}


def _draw(rows: list[Row], key: str, share: float, seed: int) -> set[str]:
    """Draw each whole group, in order of its digest, that brings the size closer to the share."""
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row["task_name"])
    wanted = share * len(rows)
    drawn: set[str] = set()
    for name in sorted(groups, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest()):
        if abs(len(drawn) + len(groups[name]) - wanted) < abs(len(drawn) - wanted):
            drawn.update(groups[name])
    return drawn
