"""What other packages add by entry points: docs/examples/plugin, found as an installed package is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.command_support import websp
from tests.paths import DOCS, ROOT

EXAMPLE = DOCS / "examples/plugin"


def installed(folder: Path, points: dict[str, dict[str, str]]) -> dict[str, str]:
    """Lay out what pip writes for a package with these entry points; return the variables that make it importable."""
    info = folder / "websp_acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: websp-acme\nVersion: 1.0\n")
    sections = [
        [f"[{group}]", *(f"{name} = {at}" for name, at in named.items())] for group, named in points.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(line for lines in sections for line in lines))
    return {"PYTHONPATH": os.pathsep.join([str(folder), str(EXAMPLE), os.environ.get("PYTHONPATH", "")])}


@pytest.fixture
def acme(tmp_path: Path) -> dict[str, str]:
    """The variables of a process in which the example is installed."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    return installed(tmp_path, project["entry-points"])


def test_a_package_adds_a_world_an_agent_and_a_reward(acme: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "runs"
    done = websp(
        "run", "--tasks", "Steam-task-191-*", "--agent", "hasty:fine", "--world", "dark", "--reward", "frugal",
        "--out", str(out), "--observation", "text", variables=acme,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in (out / "results.jsonl").read_text("utf-8").splitlines()]
    assert {one["agent"] for one in results} == {"hasty:fine"}
    # Of these two, one is done when it begins.
    assert {(one["status"], one["reward"], one["source"]) for one in results} == {
        ("pass", 1.0, "frugal"),
        ("fail", 0.0, "frugal"),
    }
    assert json.loads((out / "run.json").read_text("utf-8"))["options"]["world"] == "dark"


def test_help_names_the_package_of_a_command_and_the_command_runs(acme: dict[str, str]) -> None:
    listed = websp("--help", variables=acme).stdout
    assert "From other packages" in listed
    assert "Added by websp-acme." in listed
    assert websp("hello", "--name", "Ada", variables=acme).stdout == "Hello, Ada!\n"


GROUPS = ("agents", "commands", "importers", "rewards", "worlds")
USES = """
import pathlib, sys
from websp_gym import errors, make_agent, make_world
from websp_gym.cli.app import load
from websp_gym.replay.importers import import_trace
from websp_gym.scoring.rewards import make_reward

pathlib.Path("flow.json").write_text("{}")
for what, name in (
    (make_agent, sys.argv[1]), (load, sys.argv[2]), (import_trace, sys.argv[3]), (make_reward, sys.argv[4]),
    (make_world, sys.argv[5]),
):
    try:
        print("ok", type(what(name)).__name__)
    except errors.SetupError as error:
        print(error)
"""


def uses(folder: Path, points: dict[str, dict[str, str]], *names: str | Path) -> list[str]:
    """What using an agent, a command, a trace, a reward and a world says, in a process with a package."""
    environment = {**os.environ, **installed(folder, points)}
    command = [sys.executable, "-c", USES, *map(str, names)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder)
    return done.stdout.splitlines()


def test_a_broken_package_is_named(tmp_path: Path) -> None:
    points = {f"websp_gym.{group}": {"broken": "websp_nowhere:there"} for group in GROUPS}
    said = uses(tmp_path, points, "broken", "broken", "flow.json", "broken", "broken")
    where = '"broken" of the package websp-acme (websp_nowhere:there) cannot be used'
    assert len(said) == 5
    assert all(line.startswith(where) for line in said)


def test_a_package_neither_replaces_nor_disturbs_what_is_ours(tmp_path: Path) -> None:
    ours = {
        "agents": "noop",
        "commands": "list",
        "importers": "steam",
        "rewards": "strict",
        "worlds": "sandbox",
    }
    points = {f"websp_gym.{group}": {name: "websp_nowhere:there"} for group, name in ours.items()}
    trace = next((ROOT / "traces/steam").glob("*.json"))
    said = uses(tmp_path, points, "noop", "list", trace, "strict", "sandbox")
    assert [line.split()[0] for line in said] == ["ok"] * 5
