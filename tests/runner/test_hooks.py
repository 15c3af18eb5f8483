"""``websp run --on-episode``: a function of the user's is told of each finished episode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_support import websp_here
from tests.hook_support import leave
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, read_results
from websp_gym.runner.hooks import load_hook, telling

RUN = ("run", "Steam-task-191-*", "--agent", "noop", "--initial-state", "snapshot", "--viewport", "640x480")


def played(tmp_path: Path, hook: str, *more: str) -> tuple[int, str, str, list[str]]:
    """Play two episodes; return exit code, output, errors and what the hook noted."""
    done = websp_here(*RUN, "--out", "run", "--on-episode", f"tests.hook_support:{hook}", *more, cwd=tmp_path)
    return done.returncode, done.stdout, done.stderr, (tmp_path / "told.txt").read_text().splitlines()


@pytest.mark.proof
def test_a_hook_is_told_of_each_episode_with_its_record(tmp_path: Path) -> None:
    code, out, err, told = played(tmp_path, "log", "--json", "--jobs", "2")
    assert code == 0, err
    assert sorted(told) == [
        "('Steam-task-191-OFF', 'pass', 1.0, 'noop', True)",
        "('Steam-task-191-ON', 'fail', 0.0, 'noop', True)",
    ]
    assert [json.loads(line)["agent"] for line in out.splitlines()] == ["noop"] * 2, (
        "only what the run prints"
    )
    assert err.count("logged") == 2
    # A run that is done already has nothing to tell of.
    assert played(tmp_path, "log", "--resume")[3] == told


def test_an_error_of_the_hook_is_said_once_and_changes_nothing(tmp_path: Path) -> None:
    code, _, err, told = played(tmp_path, "fail")
    assert code == 0
    assert err.count("--on-episode failed") == 1
    assert "failed for Steam-task-191-ON: ConnectionError: no route to the logging service (" in err
    assert "hook_support.py:" in err
    assert len(told) == 2
    assert [result.reward for result in read_results(tmp_path / "run")] == [0.0, 1.0]


def test_a_hook_cannot_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    warned: list[str] = []
    tell = telling(leave, Run(agent="noop", options={}), None, warned.append)
    for _ in range(2):
        tell(Result(id="Steam-task-191-ON", agent="noop", reward=0.0, status="fail"))
    assert [text.partition(" (")[0] for text in warned] == [
        "--on-episode failed for Steam-task-191-ON: SystemExit: 3"
    ]


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("log", "write it as module:function"),
        ("tests.hook_support:", "write it as module:function"),
        ("no_such_module:log", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("tests.hook_support:no_such", 'has no "no_such"'),
        ("tests.hook_support:NO_FUNCTION", "it is not a function"),
        ("tests.hook_support:later", "without await"),
        ("tests.hook_support:nothing", "must take one argument"),
    ],
)
def test_a_bad_hook_is_an_error_before_anything_is_played(spec: str, reason: str, tmp_path: Path) -> None:
    done = websp_here(*RUN, "--out", str(tmp_path / "run"), "--on-episode", spec)
    assert (done.returncode, done.stdout) == (2, "")
    assert f'--on-episode "{spec}": ' in done.stderr
    assert reason in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_builtin_function_can_be_a_hook() -> None:
    assert load_hook("builtins:print") is print
