"""`make night` and `make prove`: one table of all parts, which a failing part does not end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import NIGHT, PROVE, Ran, checked_out, counted, keep, only, run_all
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
    kept = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("|")[1:6]] for line in kept.splitlines() if line[:2] == "| "]
    assert rows[1:] == [
        ["first", "FAILED", "2", "2", "0"],
        ["second", "ok", "4", "0", "1"],
        ["third", "ok", "–", "–", "–"],
    ]
    assert (code, "1 failed, 2 passed" in kept) == (1, True)
    assert "4 passed" in (tmp_path / "second.log").read_text("utf-8")
    assert run_all({"second": (sys.executable, "-c", good)}, tmp_path) == 0


def test_a_part_gets_none_of_the_variables_of_the_make_that_runs_it(tmp_path: Path) -> None:
    """`make night PARTS=prove ARGS=--again` would be `make prove PARTS=prove ARGS=--again`, and there is no such part."""
    makefile = tmp_path / "Makefile"
    here = f"'{sys.executable}' -c 'from tests.parts import run_all; from pathlib import Path; "
    there = f'run_all({{"it": ("make", "-f", "{makefile}", "it")}}, Path("{tmp_path}"))'
    makefile.write_text(f"night:\n\t{here}{there}'\nit:\n\t@echo 'parts=$(PARTS) arguments=$(ARGS)'\n")
    subprocess.run(
        ["make", "-f", makefile, "night", "PARTS=it", "ARGS=--again"],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    assert "parts= arguments=\n" in (tmp_path / "it.log").read_text("utf-8")


def test_a_part_that_passed_is_not_run_again_until_something_changes(tmp_path: Path) -> None:
    log = tmp_path / "ran"
    parts = {
        "good": (sys.executable, "-c", f"open({str(log)!r}, 'a').write('good ')"),
        "bad": (sys.executable, "-c", f"open({str(log)!r}, 'a').write('bad '); raise SystemExit(1)"),
    }

    def ran(commit: str, *, again: bool = False) -> str:
        log.write_text("")
        assert run_all(parts, tmp_path, commit=commit, again=again) == 1
        return log.read_text()

    assert ran("abc1") == "good bad "
    assert ran("abc1") == "bad "
    assert ran("abc1", again=True) == "good bad "
    assert ran("abc2") == "good bad "
    assert ran("abc2+") == ran("abc2+") == "good bad ", "with changes that are not committed nothing stands"


def test_the_page_of_the_night_keeps_the_rows_of_parts_that_did_not_run(tmp_path: Path) -> None:
    page = tmp_path / "night.md"
    keep([Ran("trl", True, 3.0, {"passed": 16}, "abc1", "2026-11-01")], page)
    keep([Ran("suite", False, 8.0, {"passed": 5, "failed": 1}, "abc2", "2026-11-02")], page)
    keep([Ran("suite", True, 7.5, {"passed": 6}, "abc3", "2026-11-03")], page)
    assert page.read_text("utf-8").splitlines()[-2:] == [
        "| suite | ok | 6 | 0 | 0 | 7.5 | abc3 | 2026-11-03 |",
        "| trl | ok | 16 | 0 | 0 | 3.0 | abc1 | 2026-11-01 |",
    ]


def test_a_commit_with_changes_beside_it_is_marked(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True)

    assert checked_out(tmp_path) == ""
    git("init")
    git("commit", "--allow-empty", "-m", "first")
    clean = checked_out(tmp_path)
    (tmp_path / "docs/about").mkdir(parents=True)
    (tmp_path / "docs/about/night.md").write_text("")
    assert (len(clean) > 6, checked_out(tmp_path)) == (True, clean), "its own page does not count"
    (tmp_path / "new.py").write_text("")
    assert checked_out(tmp_path) == f"{clean}+"


def test_summaries_of_several_runs_are_added_up() -> None:
    output = "== 3 passed, 1 warning in 61.20s (0:01:01) ==\nwaited in 3.0s\n2 passed, 1 xfailed in 0.41s\n"
    assert counted(output) == {"passed": 5, "warning": 1, "xfailed": 1}


def test_make_has_the_target_of_each_part() -> None:
    command = ["make", "-n", f"PYTHON={sys.executable}", *(asked[1] for asked in NIGHT.values())]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_trainer_of_the_makefile_is_a_part() -> None:
    (names,) = re.findall(r"^RL \?= (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(names.split()) <= set(NIGHT)


def test_a_part_that_there_is_not_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.parts", "night", "nope"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no part nope" in done.stderr
    assert all(part in done.stderr for part in NIGHT)


def test_a_site_is_handed_to_every_part_of_a_proof() -> None:
    assert [only("steam", command) for command in PROVE.values()] == [["steam"]] * 3 + [["-k", "steam"]]


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("agents/agentlab/reading.py", {"agentlab", "prove"}),
        ("tests/agentlab/study.py", {"agentlab"}),
        ("docs/examples/agentlab_study.py", {"agentlab"}),
        ("websp_gym/trainers/trl.py", {"trl", "prove"}),
        ("docs/examples/grpo_trl.py", {"trl"}),
        ("websp_gym/trainers/openenv/server.py", {"openenv", "prove"}),
        ("websp_gym/trainers/candidates.py", {"sb3", "prove"}),
        ("websp_verifiers.py", {"verifiers"}),
        ("websp_gym/trainers/nemo_folder.py", {"nemo", "prove"}),
        ("websp_gym/rollouts/ray.py", {"ray", "prove"}),
        ("websp_gym/processes.py", {"ray", "prove"}),
        ("tests/rl/test_skyrl.py", {"skyrl"}),
        ("websp_gym/harnesses/cube/task.py", {"cube", "prove"}),
        ("benchmarks/speed.py", {"bench"}),
        ("benchmarks/results.md", set()),
        ("websp_gym/attach/rules.py", {"attach", "prove"}),
        ("tests/attach_programs/model.py", {"attach"}),
        ("docs/examples/attach/mcp_agent.py", {"attach"}),
        ("websp_gym/live/sign_in.py", {"live", "prove"}),
        ("tests/live_apps/roundup.py", {"live"}),
        ("websp_gym/env/task.py", {"prove"}),
        ("extension/recorder.js", {"prove"}),
        ("docs/reference/agents.md", set()),
    ],
)
def test_a_file_touches_the_part_that_tests_it(file: str, parts: set[str]) -> None:
    assert parts_touched_by([file, "README.md"]) == parts <= set(NIGHT)


def test_every_trainer_and_its_tests_are_tested_where_they_change() -> None:
    tests = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/rl").glob("test_*.py")}
    assert len(tests) > 5
    assert [file for file in tests if not parts_touched_by([file])] == []
