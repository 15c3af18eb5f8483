"""Several agents in one `websp run`, files of options, and sides of splits."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command_support import websp_here
from websp_gym.cli.board import Board
from websp_gym.cli.output import Console
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, read_results, read_run, write_run
from websp_gym.runner.jobs import Job
from websp_gym.tasks.splits import split_ids

ONE = "Steam-task-194"
MATRIX = """\
tasks = ["Steam-task-194", "Goal-task-93-*"]
observation = "text"
trials = 2
max-actions = 7

[matrix]
agent = ["noop", "oracle"]
policies = [[], "standard", ["standard", "standard-explicit"]]
"""


def planned(*arguments: str) -> list[dict[str, object]]:
    """What a run would play."""
    done = websp_here("run", *arguments, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_agent_has_a_folder_and_a_summary_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "it's all"
    options = ("--agent", "noop", "--agent", "flawed:searches", "--observation", "text", "--out", str(out))
    done = websp_here("run", ONE, *options)
    assert done.returncode == 0, done.stderr
    assert {folder.name for folder in out.iterdir()} == {"noop", "flawed-searches"}
    for agent in ("noop", "flawed:searches"):
        (result,) = read_results(out / agent.replace(":", "-"))
        assert result.agent == agent
        assert f"{agent}: solved" in done.stdout
        assert any(line.startswith("[") and f"  {agent}" in line for line in done.stdout.splitlines())
    # As a shell reads it.
    assert f"together: websp report '{tmp_path}/it'\"'\"'s all'" in done.stderr
    again = websp_here("run", ONE, *options, "--resume")
    assert (again.returncode, "already there" in again.stdout) == (0, True)


def test_a_file_of_options_is_the_command_with_them(tmp_path: Path) -> None:
    file = tmp_path / "runs.toml"
    file.write_text(MATRIX)
    plan = planned(str(file))
    names = [
        f"{agent} policies={sets}"
        for agent in ("noop", "oracle")
        for sets in ("none", "standard", "standard+standard-explicit")
    ]
    assert list(dict.fromkeys(each["run"] for each in plan)) == names
    assert len(plan) == len(names) * 3 * 2
    # The command line comes before the file.
    assert {each["id"] for each in planned(str(file), ONE)} == {ONE}
    assert {each["trial"] for each in planned(str(file), "--trials", "1")} == {1}


def test_run_json_reads_back(tmp_path: Path) -> None:
    out, again = tmp_path / "run", tmp_path / "again"
    given = (
        "--agent",
        "noop",
        "--viewport",
        "800x600",
        "--observation",
        "text",
        "--seed",
        "3",
        "--trials",
        "2",
    )
    assert websp_here("run", ONE, *given, "--policies", "standard", "--out", str(out)).returncode == 0
    done = websp_here("run", str(out / "run.json"), "--out", str(again))
    assert done.returncode == 0, done.stderr
    first, second = read_run(out), read_run(again)
    assert first is not None
    assert second is not None
    assert (first.hash, first.planned, first.trials) == (second.hash, second.planned, second.trials)
    assert [each.trial for each in read_results(again)] == [1, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agnet = 'noop'", 'agnet is not an option here; did you mean "agent"?'),
        ("agent = [", "not valid TOML"),
        ("matrix = 3", "matrix must be a table"),
        ("[matrix]\nagent = 'noop'", "matrix.agent needs a list of values"),
        ("[matrix]\njobs = [1, 2]", "jobs is not an option here"),
        ("agent = ['noop', 'noop']", "noop is given twice"),
        ("agent = 'noop'\ntrials = 'two'", "trials"),
        ("agent = 'noop'\n[matrix]\ninstruction = ['backwards']", "backwards"),
    ],
)
def test_a_file_of_options_with_a_fault_plays_nothing(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "runs.toml"
    file.write_text(f"{text}\n")
    done = websp_here("run", str(file), "--tasks", ONE, "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert not (tmp_path / "out").exists()


def test_what_is_in_the_matrix_is_not_given_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "runs.toml"
    file.write_text(MATRIX)
    for given in (("--agent", "noop"), ("--policies=standard",)):
        done = websp_here("run", str(file), *given)
        assert (done.returncode, "is in the matrix of" in done.stderr) == (2, True)


def test_several_runs_do_not_go_into_the_folder_of_one(tmp_path: Path) -> None:
    out = tmp_path / "one"
    write_run(out, Run(agent="noop"))
    done = websp_here("run", ONE, "--agent", "noop", "--agent", "oracle", "--out", str(out), "--resume")
    assert (done.returncode, "is the folder of one run" in done.stderr) == (2, True)


def test_a_run_of_a_program_reads_back_without_its_command(tmp_path: Path) -> None:
    write_run(tmp_path, Run(agent="cdp:mine", planned=(ONE,)))
    done = websp_here("run", str(tmp_path / "run.json"))
    assert (done.returncode, "--agent: say who plays" in done.stderr) == (2, True)


def test_a_file_of_options_that_is_not_there_is_named(tmp_path: Path) -> None:
    for name in ("runs.toml", "run.json"):
        done = websp_here("run", str(tmp_path / name))
        assert (done.returncode, f"{name}: there is no such file" in done.stderr) == (2, True)


def test_a_side_of_a_split_is_played() -> None:
    test = split_ids("task")[1]
    assert [each["id"] for each in planned("--agent", "noop", "--split", "test")] == test
    by_site = [name for name in split_ids("site")[0] if name.startswith("Steam-")]
    assert [each["id"] for each in planned("Steam-*", "--agent", "noop", "--split", "train:site")] == by_site
    wrong = websp_here("run", "--agent", "noop", "--split", "tset")
    assert (wrong.returncode, "use one of train, test" in wrong.stderr) == (2, True)


def board(height: int) -> str:
    runs = [Run(agent=agent) for agent in ("a", "b")]
    ids = ("Steam-task-194", "Steam-task-191-ON", "Goal-task-93-ON")
    shown = Board([Job(name, run) for run in runs for name in ids], {run.hash: run.agent for run in runs})
    result = Result(
        id=ids[0], agent="a", reward=1.0, status="pass", run_hash=runs[0].hash, calls=2, cost=0.25
    )
    shown.add(result)
    shown.add(replace(result, id=ids[1], status="fail"))
    console = Console(file=io.StringIO(), width=80, height=height)
    console.print(shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_board_shows_each_agent_and_each_site_where_there_is_room() -> None:
    lines = [line.split() for line in board(40).splitlines()]
    assert ["Steam", "1/2", "0", "of", "2"] in lines
    assert ["Goal", "0", "of", "1", "0", "of", "1"] in lines
    assert ["a", "2/3", "50.0", "%", "$0.50"] in lines
    assert "2 of 6 episodes  ~" in board(40)
    assert "Steam" not in board(10)
    assert "50.0 %" in board(10)
