"""Choose the instances to prove in full: a twentieth that depends on the commit, and one per other kind of control."""

from __future__ import annotations

import hashlib
import math
import subprocess
from collections.abc import Iterable
from pathlib import Path

from websp_gym.tasks.instances import Instance

_SHARE = 0.05
_NO_COMMIT = "no commit"

Kind = frozenset[tuple[str, str]]
"""Action and role of the controls that change state. It does not name the site, so that the number of kinds does not
grow with the number of sites."""


def kind_of(instance: Instance) -> Kind:
    """Return what kinds of control an instance is about; empty if nothing has to be changed."""
    return frozenset(
        (step.action, step.target.role) for step in instance.config.ground_truth if step.changes_state
    )


def one_of_each(instances: Iterable[Instance], but: Iterable[Instance] = ()) -> set[str]:
    """Return the id of one instance per kind of control, but for some kinds: the one with the fewest changes."""
    known = {kind_of(instance) for instance in but}
    found: dict[Kind, Instance] = {}
    for instance in sorted(instances, key=_cost):
        found.setdefault(kind_of(instance), instance)
    return {instance.id for kind, instance in found.items() if kind not in known}


def one_of_each_task(instances: Iterable[Instance], commit: str) -> set[str]:
    """Return the id of one instance per task; of two, ON and OFF, the one that a hash of the commit draws."""
    found: dict[str, list[str]] = {}
    for instance in instances:
        found.setdefault(instance.task.id, []).append(instance.id)
    return {min(names, key=lambda name: _order(name, commit)) for names in found.values()}


def _order(name: str, commit: str) -> bytes:
    return hashlib.sha256(f"{commit}:{name}".encode()).digest()


def _cost(instance: Instance) -> tuple[int, str]:
    return sum(step.changes_state for step in instance.config.ground_truth), instance.id


def drawn(ids: Iterable[str], commit: str, share: float = _SHARE) -> set[str]:
    """Return a share (a twentieth) of the ids, drawn by a hash of the commit, so that over many commits each is drawn."""
    every = sorted(ids, key=lambda name: _order(name, commit))
    return set(every[: math.ceil(len(every) * share)])


def commit_of(folder: Path) -> str:
    """Return the commit checked out in a folder; a fixed text where git finds none."""
    command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return _NO_COMMIT
