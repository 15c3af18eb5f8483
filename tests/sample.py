"""Choose which long proofs stay in ``make test``: a fixed smoke of each kind, and a little of what a change touches.

``make prove`` proves all of it. What ``make test`` proves is the same for the same tree: the files that changed since
:func:`base_of` are looked up in :data:`TABLE`, and of what they touch the first few cases come back, however much it is.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import pytest

from tests.paths import ROOT
from websp_gym.tasks.instances import Instance

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

BASE = "WEBSP_BASE"
"""Environment variable with the commit to compare with, instead of the one that :func:`base_of` finds."""
Kind = frozenset[tuple[str, str]]
"""Action and role of the controls that change state. It does not name the site, so that the number of kinds does not
grow with the number of sites."""
Row = TypeVar("Row")
Reach = Literal["site", "sites", "tasks", "policies", "every policy", "flows"]
TABLE: tuple[tuple[str, Reach], ...] = (
    # One site: all of its instances the long way, its pages, panels and sign-in.
    (r"websp_gym/sandbox/sites/(?P<slug>\w+)/", "site"),
    # The policies of one instance of the site, or of each site; the everyday tasks of the site.
    (r"task_configs/policies/standard/(?P<slug>\w+)\.yaml", "policies"),
    (r"task_configs/policies/|websp_gym/policies/|agents/guardian\.py", "every policy"),
    (r"task_configs/flows/(?P<slug>\w+)\.yaml", "flows"),
    (r"task_configs/work/(?P<slug>\w+?)(?:-boards)?\.yaml", "site"),
    (r"(?:task_configs|traces)/(?P<slug>\w+)[/.]", "site"),
    # Every site: its pages and panels, and each task once.
    (r"websp_gym/sandbox/(?:kit|schema|server)/", "sites"),
    # Each task of every site once.
    (r"websp_gym/(?:actions|browser|env|observation|replay|scoring|tasks|world)/", "tasks"),
    (r"websp_gym/sandbox/client/", "tasks"),
    (r"extension/(?!recorder|store|panel|background)\w+\.js", "tasks"),
)
"""Tests that a change of a file may break; the first matching pattern counts."""
PARTS: tuple[tuple[str, str], ...] = (
    (r"agents/agentlab/|tests/agentlab/|docs/examples/agentlab_", "agentlab"),
    (r"websp_gym/trainers/trl\b|tests/rl/test_trl|docs/examples/grpo_trl", "trl"),
    (r"websp_gym/trainers/openenv/|websp_gym/cli/openenv|tests/rl/test_openenv", "openenv"),
    (r"websp_gym/trainers/verifiers\b|websp_verifiers|tests/rl/test_verifiers", "verifiers"),
    (r"websp_gym/trainers/skyrl\b|tests/rl/test_skyrl", "skyrl"),
    (r"websp_gym/trainers/nemo|websp_gym/cli/nemo|tests/rl/test_nemo", "nemo"),
    (r"websp_gym/trainers/(?:sb3|candidates)\b|tests/rl/test_sb3|docs/examples/maskable_ppo", "sb3"),
    (r"websp_gym/(?:rollouts/ray|processes)\b|tests/rl/test_ray", "ray"),
    (r"websp_gym/harnesses/cube/|tests/rl/test_cube", "cube"),
    (r"websp_gym/attach/|tests/attach_programs/|docs/examples/attach/", "attach"),
    (r"benchmarks/.*\.py$", "bench"),
    (r"websp_gym/live/|tests/live_apps/", "live"),
    # Each room has long proofs of its own.
    (r"(?:websp_gym|agents|extension|task_configs|traces)/", "prove"),
)
"""Part of ``make night`` that runs the code of a file."""


@dataclass(frozen=True)
class Touched:
    """The scope of a change.

    Args:
        slugs: Sites to prove in full.
        sites: Whether the pages and panels of every site are to be visited.
        tasks: Whether each task is to be proven once.
        policies: Sites whose policies are to be proven on one instance.
        every_policy: Whether those of every site are.
        flows: Sites whose everyday tasks are to be proven.
    """

    slugs: frozenset[str] = frozenset()
    sites: bool = False
    tasks: bool = False
    policies: frozenset[str] = frozenset()
    every_policy: bool = False
    flows: frozenset[str] = frozenset()


def touched_by(files: Iterable[str]) -> Touched:
    """Return what changes of files, by their paths from the root of the repository, may have broken."""
    slugs: dict[Reach, set[str]] = {"site": set(), "policies": set(), "flows": set()}
    reaches: set[Reach] = set()
    for file in files:
        for pattern, reach in TABLE:
            if found := re.match(pattern, file):
                reaches.add(reach)
                if reach in slugs:
                    slugs[reach].add(found["slug"])
                break
    return Touched(
        frozenset(slugs["site"]),
        sites="sites" in reaches,
        tasks=bool(reaches & {"sites", "tasks"}),
        policies=frozenset(slugs["policies"]),
        every_policy="every policy" in reaches,
        flows=frozenset(slugs["flows"]),
    )


def parts_touched_by(files: Iterable[str]) -> set[str]:
    """Return the parts of ``make night`` that changes of files may have broken."""
    return {part for file in files for pattern, part in PARTS if re.match(pattern, file)}


def base_of(folder: Path) -> str:
    """Return the commit to compare with; "" where git knows none.

    It is the one of :data:`BASE`, else the last one of main that the checked-out one is built on, else, on main itself,
    the last tag, else the commit before.
    """
    if os.environ.get(BASE):
        return os.environ[BASE]
    head = _git(folder, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = _git(folder, "merge-base", "HEAD", main)
        if base and base != head:
            return base
    return _git(folder, "describe", "--tags", "--abbrev=0", "HEAD^") or _git(folder, "rev-parse", "HEAD^")


def changed_files(folder: Path, base: str) -> set[str]:
    """Return the files that differ from a commit, with those that are not committed yet; none without a commit."""
    if not base:
        return set()
    listed = _git(folder, "diff", "--name-only", "-z", base).split("\0")
    listed += _git(folder, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return {name for name in listed if name}


@cache
def _changed() -> frozenset[str]:
    return frozenset(changed_files(ROOT, base_of(ROOT)))


@cache
def touched() -> Touched:
    """Return what the changes of this checkout may have broken."""
    return touched_by(_changed())


def in_gate(smoke: Collection[Row], touched: Iterable[Row], *, most: int) -> list[Row]:
    """Return what ``make test`` tries of a long proof.

    Args:
        smoke: The cheapest cases that can fail for each kind, which are always tried.
        touched: Cases that a change may have broken, the first one first.
        most: How many of them are tried beyond the smoke, however many there are.
    """
    return [*smoke, *islice((row for row in touched if row not in smoke), most)]


def long_proof(rows: Iterable[Row], kept: Collection[Row]) -> list[Row | ParameterSet]:
    """Return the rows of a table, those that are not kept in ``make test`` with the mark of a long proof."""
    every = list(rows)
    if strangers := [row for row in kept if row not in every]:
        raise ValueError(f"no rows of the table: {strangers}")
    return [row if row in kept else left_to_prove(row) for row in every]


def left_to_prove(row: object) -> ParameterSet:
    """Return a row of a table, of one column or of several, with the mark of a long proof."""
    columns = row if isinstance(row, tuple) else (row,)
    return pytest.param(*columns, marks=pytest.mark.proof)


def long_table(rows: Iterable[Row], *rooms: str, every: int = 3, most: int = 10) -> list[Row | ParameterSet]:
    """Return the rows of a test that has very many: every third one is tried, the others are left to ``make prove``.

    Args:
        rows: All rows.
        *rooms: How the paths of files begin whose change brings some of the others back.
        every: Which share of the rows is tried.
        most: How many others a change brings back.
    """
    every_row = list(rows)
    changed = any(file.startswith(rooms) for file in _changed()) if rooms else False
    return long_proof(every_row, in_gate(every_row[::every], every_row if changed else (), most=most))


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def kind_of(instance: Instance) -> Kind:
    """Return what kinds of control an instance is about; empty if nothing has to be changed."""
    return frozenset(
        (step.action, step.target.role) for step in instance.config.ground_truth if step.changes_state
    )


def one_of_each_control(instances: Iterable[Instance]) -> list[str]:
    """Return the ids of a few cheap instances that have every action on every role among them."""
    found: dict[str, Kind] = {}
    for instance in sorted(instances, key=cost):
        if kind_of(instance) - frozenset().union(*found.values()):
            found[instance.id] = kind_of(instance)
    for name, kind in list(found.items()):
        if kind <= frozenset().union(*(others for other, others in found.items() if other != name)):
            del found[name]
    return list(found)


def one_of_each(instances: Iterable[Instance], key: Callable[[Instance], Hashable]) -> list[str]:
    """Return the id of the cheapest instance per key, the cheapest first."""
    found: dict[Hashable, str] = {}
    for instance in sorted(instances, key=cost):
        found.setdefault(key(instance), instance.id)
    return list(found.values())


def cost(instance: Instance) -> tuple[int, str]:
    """Return a key by which the cheapest instance comes first."""
    return sum(step.changes_state for step in instance.config.ground_truth), instance.id
