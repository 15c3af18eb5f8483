"""Dividing instances into those to learn from and those to be tested on.

Which side a site or a task is on follows from a digest of its name and the seed, so it is the same on every machine,
and stays when other sites or tasks are added as far as the share asked for allows.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from websp_gym.errors import SetupError, nearest
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import select_instances

SplitBy = Literal["site", "task", "state"]
WAYS: tuple[SplitBy, ...] = ("site", "task", "state")

Row = Mapping[str, str]
"""An instance: ``task_name``, ``site``, ``task`` and ``state``."""


def split_ids(
    by: str, *, share: float = 0.3, seed: int = 0, ids: str | Iterable[str] = "*"
) -> tuple[list[str], list[str]]:
    """Divides instances into those to learn from and those to be tested on.

    Args:
        by: ``site``, ``task`` or ``state``: see :func:`held_out`.
        share: Which part is tested on, about.
        seed: Another seed divides otherwise.
        ids: Globs of ids to divide.

    Returns:
        The ids to learn from, and those to be tested on, in the usual order.

    Raises:
        SetupError: No such way, a glob that matches nothing, or one of the parts would be empty.
    """

    names = select_instances([ids] if isinstance(ids, str) else list(ids))
    instances = [load_instance(name) for name in names]
    rows = [
        {"task_name": one.id, "site": one.site.site, "task": one.task.id, "state": one.config.state or ""}
        for one in instances
    ]
    test = held_out(rows, by, share=share, seed=seed)
    if not test or len(test) == len(names):
        raise SetupError(f"by {by} these {len(names)} instances cannot be divided", option="by")
    return [name for name in names if name not in test], [name for name in names if name in test]


def held_out(rows: Iterable[Row], by: str, *, share: float = 0.3, seed: int = 0) -> set[str]:
    """Chooses the instances to be tested on.

    Args:
        rows: All instances.
        by: ``site``: whole sites are tested on, none of which is learned from. ``task``: of every site some tasks
            are, each with all its instances, so that nobody learns from ON what is asked about OFF. ``state``: all
            that begin with OFF are; instances that have one state only are learned from.
        share: Which part of the instances is tested on, about; not for ``state``.
        seed: Another seed divides otherwise.

    Returns:
        Task names.

    Raises:
        SetupError: No such way, or a share that is not between 0 and 1.
    """
    if by not in WAYS:
        raise SetupError(f'no split by "{by}"{nearest(by, WAYS)} (by: {", ".join(WAYS)})', option="by")
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
    """Takes whole groups, in an order of no meaning, as long as that brings their part nearer to the share."""
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row["task_name"])
    wanted = share * len(rows)
    drawn: set[str] = set()
    for name in sorted(groups, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest()):
        if abs(len(drawn) + len(groups[name]) - wanted) < abs(len(drawn) - wanted):
            drawn.update(groups[name])
    return drawn
