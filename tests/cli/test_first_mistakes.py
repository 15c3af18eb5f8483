"""The mistakes of a first hour: each message says what was meant, and nothing is lost or left behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command_support import websp, websp_here
from websp_gym import split_ids
from websp_gym.cli.output import Console, dollars
from websp_gym.env.options import read_options
from websp_gym.errors import SetupError
from websp_gym.report import make_report
from websp_gym.tasks.splits import side_of_split

ON = "Steam-task-191-ON"
ROBOT = """class Robot:
    name, observation, turns = "robot", "text", ()
    def begin(self, briefing): pass
    def act(self, observation): return observation["element_text"]
"""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("run", "Steem-*", "--agent", "noop"), 'did you mean "Steam-*"?'),
        (("run", ON, "--agent", "noop", "--n-tasks", "3"), "no option --n-tasks; did you mean --limit?"),
        (("report", "nothing-here"), "no folder nothing-here: give one that --out named"),
        (("report", "robot.py"), "no folder robot.py: it is a file"),
        (("run", ON, "--agent", "robot.py:robot"), 'module "robot" has no "robot"; did you mean "Robot"?'),
    ],
)
def test_a_command_says_what_was_meant(
    line: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "robot", raising=False)
    (tmp_path / "robot.py").write_text(ROBOT, "utf-8")
    done = websp_here(*line, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    monkeypatch.delitem(sys.modules, "robot", raising=False)


def test_an_option_says_what_was_meant() -> None:
    with pytest.raises(SetupError, match='"max_steps"; did you mean "max_actions"'):
        read_options({"max_steps": 5})
    with pytest.raises(SetupError, match="split_by='site' says what is held out"):
        side_of_split("site", "task")
    with pytest.raises(SetupError, match="returns both sides, train and test"):
        split_ids("test")
    with pytest.raises(SetupError, match='"paper" has those of WebSP-Eval'):
        make_report([], compare="published")


def test_an_error_of_an_agent_names_its_line_and_its_name_stays_text(tmp_path: Path) -> None:
    (tmp_path / "robot.py").write_text(ROBOT, "utf-8")
    done = websp("run", ON, "--agent", "robot.py:Robot", "--initial-state", "snapshot", cwd=tmp_path)
    assert "KeyError: 'element_text' (robot.py:4 in act)" in done.stdout
    assert "robot.py:Robot: no episode was scored" in done.stdout
    assert "1 of 1 episode ended in an error" in done.stderr


def test_a_run_that_could_not_start_leaves_its_folder_free(tmp_path: Path) -> None:
    line = ("run", ON, "--initial-state", "snapshot", "--out", tmp_path / "run")
    wrong = websp_here(*line, "--agent", f"cdp:{sys.executable} nofile.py")
    assert wrong.returncode == 2
    assert "nofile.py" in wrong.stderr
    assert [*(tmp_path / "run").iterdir()] == []
    right = websp_here(*line, "--agent", "noop")
    assert right.returncode == 0, right.stderr
    again = websp_here(*line, "--agent", "noop")
    assert "already has results; add --resume" in again.stderr


def test_small_costs_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert [dollars(cost) for cost in (0, 0.0042, 0.2, 1.239)] == ["$0.00", "$0.0042", "$0.20", "$1.24"]
    Console().print("bad2.py:A: 100 %")
    assert capsys.readouterr().out == "bad2.py:A: 100 %\n"
