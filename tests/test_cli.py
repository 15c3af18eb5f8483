"""The ``websp`` command as a user runs it: output, JSON, exit codes, help."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

COMMANDS = (
    "list",
    "show",
    "run",
    "report",
    "rescore",
    "collect",
    "judge",
    "judge-eval",
    "demo",
    "serve",
    "doctor",
    "xray",
)


def websp(
    *arguments: str, timeout: float = 150, cwd: Path | None = None, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, with some variables set differently."""
    code = "from websp_gym.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        cwd=cwd,
        env={**os.environ, **(variables or {})},
    )


def test_list_json_is_one_array_of_instances() -> None:
    result = websp("list", "--json")
    rows = json.loads(result.stdout)
    assert result.returncode == 0
    assert {"id", "site", "category", "instruction", "instruction_with_navigation", "element_types"} <= set(
        rows[0]
    )


def test_list_filters_by_site_and_category() -> None:
    rows = json.loads(websp("list", "--site", "steam", "--category", "cookie", "--json").stdout)
    assert [row["id"] for row in rows] == [
        f"Steam-task-{number}-{state}" for number in (191, 192, 193) for state in ("ON", "OFF")
    ]


def test_show_explains_one_instance() -> None:
    result = websp("show", "Steam_task-193_ON")
    assert result.returncode == 0
    for part in ("Steam-task-193-ON", "ground truth", "CLICK 'Reject All' button", "cookies.youtube"):
        assert part in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = websp(command, "--help")
    assert result.returncode == 0
    assert f"websp {command}" in result.stdout.split("Example")[1]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", "Steam-task-191-OM"], 'did you mean "Steam-task-191-ON"?'),
        (["run", "--tasks", "Stem-*"], "no instance matches"),
        (["run", "--tasks", "Steam-task-191-ON", "--agent", "orcle"], 'did you mean "oracle"?'),
        (["run", "--tasks", "Steam-*", "--resume"], "--out"),
        (["run"], "--tasks"),
        (["serve", "steem", "--no-browser"], 'did you mean "steam"?'),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_arguments_exit_with_2_and_say_what_to_do(arguments: list[str], hint: str) -> None:
    result = websp(*arguments)
    assert result.returncode == 2
    assert hint in result.stderr
    assert "Traceback" not in result.stderr


def test_run_json_prints_one_line_per_episode_and_keeps_results(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    arguments = ("--tasks", "Steam-task-200-*", "--agent", "noop", "--initial-state", "snapshot")
    result = websp("run", *arguments, "--out", str(folder), "--json", "--jobs", "2")
    lines = {row["id"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert result.returncode == 0
    assert set(lines) == {"Steam-task-200-ON", "Steam-task-200-OFF"}
    assert set(lines["Steam-task-200-ON"]) == {
        "id", "agent", "trial", "reward", "status", "end_reason", "steps", "seconds", "cost", "error"
    }  # fmt: skip
    assert (lines["Steam-task-200-ON"]["reward"], lines["Steam-task-200-OFF"]["reward"]) == (0.0, 1.0)
    assert len(list(folder.glob("trajectories/*/*/trajectory.json"))) == 2

    again = websp("run", *arguments, "--out", str(folder), "--json")
    assert again.returncode == 2
    assert "--resume" in again.stderr
    resumed = websp("run", *arguments, "--out", str(folder), "--json", "--resume")
    assert (resumed.returncode, resumed.stdout) == (0, "")
    more = websp("run", *arguments, "--out", str(folder), "--json", "--resume", "--trials", "2")
    assert {json.loads(line)["trial"] for line in more.stdout.splitlines()} == {2}
    other = websp("run", *arguments, "--out", str(folder), "--resume", "--max-actions", "5")
    assert other.returncode == 2
    assert "another run (max_actions 20 and not 5)" in other.stderr


def test_an_infrastructure_error_is_no_score_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSP_BROWSER", "/nonexistent/browser")
    result = websp("run", "--tasks", "Steam-task-200-ON", "--json")
    row = json.loads(result.stdout)
    assert result.returncode == 1
    assert (row["status"], row["reward"]) == ("error", None)
    assert "WEBSP_BROWSER" in row["error"]


def test_doctor_finds_everything_in_order() -> None:
    result = websp("doctor", "--json")
    assert [row["check"] for row in json.loads(result.stdout) if not row["ok"]] == []
    assert result.returncode == 0


def test_the_demo_shows_the_verdict_and_writes_a_page(tmp_path: Path) -> None:
    result = websp("demo", "--out", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "pass, reward 1.0" in result.stdout
    assert len(list(tmp_path.glob("*/*/trajectory.html"))) == 1
