"""Choose the instances to prove in full: one per kind of page, and a tenth that depends on the commit."""

from __future__ import annotations

import hashlib
import math
import subprocess
from collections.abc import Iterable
from pathlib import Path

from websp_gym.tasks.instances import Instance

_SHARE = 0.1
_NO_COMMIT = "no commit"

PageKind = tuple[str, str, bool]
"""The site, the name of the link that leads to the page, and whether a Save ends the changes on it."""


def page_kind(instance: Instance) -> PageKind:
    """Return the kind of page that an instance's settings are on, derived from its ground truth."""
    steps = instance.config.ground_truth
    first = next((index for index, step in enumerate(steps) if step.action not in ("click", "hover")), 0)
    page = steps[first - 1].target.name if first else ""
    return instance.site.slug, page, any(step.action == "submit" for step in steps)


def one_of_each(instances: Iterable[Instance]) -> set[str]:
    """Return the id of one instance per kind of page: the shortest one with a step that changes state."""
    found: dict[PageKind, Instance] = {}
    for instance in sorted(instances, key=_cost):
        found.setdefault(page_kind(instance), instance)
    return {instance.id for instance in found.values()}


def _cost(instance: Instance) -> tuple[bool, int, str]:
    changing = sum(step.changes_state for step in instance.config.ground_truth)
    return not changing, changing, instance.id


def drawn(ids: Iterable[str], commit: str) -> set[str]:
    """Return a tenth of the ids, drawn by a hash of the commit, so that over many commits each is drawn."""
    every = sorted(ids, key=lambda name: hashlib.sha256(f"{commit}:{name}".encode()).digest())
    return set(every[: math.ceil(len(every) * _SHARE)])


def commit_of(folder: Path) -> str:
    """Return the commit checked out in a folder; a fixed text where git finds none."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return _NO_COMMIT
