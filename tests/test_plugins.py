"""What other packages add by entry points: docs/examples/plugin, found as an installed package is."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from tests.command_support import websp
from tests.paths import DOCS

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


def test_a_package_cannot_replace_what_is_ours(tmp_path: Path) -> None:
    nowhere = {
        "websp_gym.commands": {"list": "nowhere:at_all"},
        "websp_gym.agents": {"noop": "nowhere:at_all"},
    }
    listed = websp("list", "--site", "Steam", variables=installed(tmp_path, nowhere))
    assert "Steam-task-191-ON" in listed.stdout


@pytest.mark.parametrize(
    ("group", "arguments"),
    [
        ("agents", ["run", "--tasks", "Steam-task-191-ON", "--agent", "broken"]),
        ("worlds", ["run", "--tasks", "Steam-task-191-ON", "--agent", "noop", "--world", "broken"]),
        ("rewards", ["run", "--tasks", "Steam-task-191-ON", "--agent", "noop", "--reward", "broken"]),
        ("commands", ["broken"]),
        ("importers", ["trace", "import", "flow.json"]),
    ],
)
def test_a_broken_package_is_named(group: str, arguments: list[str], tmp_path: Path) -> None:
    variables = installed(tmp_path, {f"websp_gym.{group}": {"broken": "websp_nowhere:there"}})
    (tmp_path / "flow.json").write_text("{}")
    done = websp(*arguments, variables=variables, cwd=tmp_path)
    assert done.returncode == 2
    assert "of the package websp-acme (websp_nowhere:there) cannot be used" in done.stderr
