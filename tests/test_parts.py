"""`make test-all`: one table of all parts, which a failing part does not end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.all import PARTS, counted, run_all
from tests.paths import ROOT
from tests.sample import parts_touched_by


def test_a_part_that_fails_does_not_end_the_run_and_the_table_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "print('=== 1 failed, 2 passed, 1 error in 3.10s ==='); raise SystemExit(2)"
    good = "print('4 passed, 1 skipped in 2.00s')"
    code = run_all(
        {
            "first": (sys.executable, "-c", bad),
            "second": (sys.executable, "-c", good),
            "third": (sys.executable, "-c", ""),
        },
        tmp_path,
    )
    kept = (tmp_path / "table.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-2]] for line in kept.splitlines()[2:]]
    assert rows == [
        ["first", "FAILED", "2", "2", "0"],
        ["second", "ok", "4", "0", "1"],
        ["third", "ok", "–", "–", "–"],
    ]
    shown = capsys.readouterr().out
    assert (code, kept in shown, "1 failed, 2 passed" in shown) == (1, True, True)
    assert "4 passed" in (tmp_path / "second.log").read_text("utf-8")
    assert run_all({"second": (sys.executable, "-c", good)}, tmp_path) == 0


def test_summaries_of_several_runs_are_added_up() -> None:
    output = "== 3 passed, 1 warning in 61.20s (0:01:01) ==\nwaited in 3.0s\n2 passed, 1 xfailed in 0.41s\n"
    assert counted(output) == {"passed": 5, "warning": 1, "xfailed": 1}


def test_make_has_the_target_of_each_part() -> None:
    command = ["make", "-n", f"PYTHON={sys.executable}", *(asked[0] for asked in PARTS.values())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_trainer_of_the_makefile_is_a_part() -> None:
    (names,) = re.findall(r"^RL \?= (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(names.split()) <= set(PARTS)


def test_a_part_that_there_is_not_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.all", "nope"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no part nope" in done.stderr


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("agents/agentlab/reading.py", {"agentlab"}),
        ("tests/agentlab/study.py", {"agentlab"}),
        ("docs/examples/agentlab_study.py", {"agentlab"}),
        ("websp_gym/trainers/trl.py", {"trl"}),
        ("docs/examples/grpo_trl.py", {"trl"}),
        ("websp_gym/trainers/openenv/server.py", {"openenv"}),
        ("websp_gym/trainers/candidates.py", {"sb3"}),
        ("websp_verifiers.py", {"verifiers"}),
        ("websp_gym/rollouts/ray.py", {"ray"}),
        ("tests/rl/test_skyrl.py", {"skyrl"}),
        ("benchmarks/speed.py", {"bench"}),
        ("benchmarks/results.md", set()),
        ("websp_gym/attach/rules.py", {"attach"}),
        ("tests/attach_programs/model.py", {"attach"}),
        ("docs/examples/attach/mcp_agent.py", {"attach"}),
        ("websp_gym/recording/live_sign_in.py", {"live"}),
        ("tests/live_apps/roundup.py", {"live"}),
        ("websp_gym/env/task.py", set()),
        ("docs/agents.md", set()),
    ],
)
def test_a_file_touches_the_part_that_tests_it(file: str, parts: set[str]) -> None:
    assert parts_touched_by([file, "README.md"]) == parts <= set(PARTS)


def test_every_trainer_and_its_tests_are_tested_where_they_change() -> None:
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/rl").glob("test_*.py")}
    assert len(tests) > 5
    assert [file for file in tests if not parts_touched_by([file])] == []
