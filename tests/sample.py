"""Choose what is proven in full: a fixed sample always, and all that a change may have touched.

``make prove`` proves all of it. The sample and the table here decide what ``make test`` proves, which is the same for
the same tree: the files that changed since :func:`base_of` are looked up in :data:`TABLE`.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from tests.paths import ROOT
from websp_gym.replay.library import find_trace
from websp_gym.replay.trace_files import load_trace
from websp_gym.tasks.instances import Instance

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
    (r"websp_gym/trainers/(?:sb3|candidates)\b|tests/rl/test_sb3|docs/examples/maskable_ppo", "sb3"),
    (r"websp_gym/(?:rollouts|runner)/ray\b|websp_gym/cluster\b|tests/rl/test_ray", "ray"),
    (r"websp_gym/attach/|tests/attach_programs/|docs/examples/attach/", "attach"),
    (r"benchmarks/.*\.py$", "bench"),
    (r"websp_gym/(?:world/live/|env/live_|recording/live)|tests/live_apps/", "live"),
)
"""Part of ``make test-all``, beyond ``make test``, that runs the code of a file."""


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
    """Return the parts of ``make test-all``, beyond ``make test``, that changes of files may have broken."""
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


def long_table(rows: Iterable[Row], *rooms: str, every: int = 3) -> list[Row]:
    """Return the rows of a test that has very many: all if a room of it changed, else every third one, in their order.

    Args:
        rows: All rows.
        *rooms: How the paths of files begin that may break the test.
        every: Which share of the rows is tried if none of them changed.
    """
    every_row = list(rows)
    return every_row if any(file.startswith(rooms) for file in _changed()) else every_row[::every]


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


def way_to_sign_in(instance: Instance) -> tuple[str, ...]:
    """Return the kinds of steps that the login trace of an instance takes."""
    assert instance.site.login_trace is not None
    return tuple(event.type for event in load_trace(find_trace(instance.site.login_trace)).events)


def one_of_each(
    instances: Iterable[Instance], key: Callable[[Instance], Hashable], *, cheapest: bool = False
) -> set[str]:
    """Return the id of one instance per key: the one with the most changes, or with the fewest."""
    found: dict[Hashable, Instance] = {}
    for instance in sorted(instances, key=_cost, reverse=not cheapest):
        found.setdefault(key(instance), instance)
    return {instance.id for instance in found.values()}


def _cost(instance: Instance) -> tuple[int, str]:
    return sum(step.changes_state for step in instance.config.ground_truth), instance.id
