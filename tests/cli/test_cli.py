"""The ``websp`` command as a user runs it: output, JSON, exit codes, help."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from websp_gym.cli import main
from websp_gym.cli.app import COMMANDS
from websp_gym.cli.run_limits import RunLimits
from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import RESULTS, RUN, read_results
from websp_gym.runner.locking import locked
from websp_gym.tasks.ids import flow_ids

MAIN = "from websp_gym.cli import main; main()"


def websp(
    *arguments: str,
    timeout: float = 150,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    input: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs the command in a process of its own, with some variables set differently."""
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        cwd=cwd,
        input=input,
        env={**os.environ, **(variables or {})},
    )


def websp_here(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in this process, which costs half a second less: for what needs no process of its own."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["websp", *arguments])
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def test_list_json_is_one_array_of_instances() -> None:
    result = websp_here("list", "--json")
    rows = json.loads(result.stdout)
    assert result.returncode == 0
    assert {"id", "site", "category", "instruction", "instruction_with_navigation", "element_types"} <= set(
        rows[0]
    )


def test_a_piped_list_has_a_line_for_each_instance() -> None:
    lines = websp_here("list", "--site", "Steam").stdout.splitlines()
    assert len(lines) == 17
    assert {line.count("\t") for line in lines} == {2}
    assert lines[0].startswith("Steam-task-191-ON\tCookie")


def test_everyday_tasks_are_a_list_of_their_own() -> None:
    listed = websp_here("list", "--flows").stdout.splitlines()
    assert len(listed) == len(flow_ids())
    assert all("-flow-" in line.partition("\t")[0] for line in listed)
    shown = websp_here("show", "AllRecipes-flow-1").stdout
    assert "decision on the way, on www.allrecipes.com/recipe/**" in shown
    assert "Go on without: agrees to nothing" in shown
    assert (
        json.loads(websp_here("show", "AllRecipes-flow-1", "--json").stdout)["decision"]["kind"]
        == "consent wall"
    )


def test_lists_by_category_are_the_papers_tables_of_tasks_and_websites() -> None:
    """Tables 10 and 11; the paper lists Grammarly under two categories, and its text counts 21 tasks of one that has 20."""
    tasks = json.loads(websp_here("list", "--by", "category", "--json").stdout)
    assert (len(tasks), sum(map(len, tasks.values()))) == (9, 138)
    assert sum(name.endswith(" (2)") for names in tasks.values() for name in names) == 62
    assert len(tasks["Notification & Communication Preferences"]) == 29
    sites = json.loads(websp_here("list", "--by", "website", "--json").stdout)
    assert (len(sites), sum(map(len, sites.values()))) == (9, 28)
    assert sites["Travel"] == ["Airbnb", "AllRecipes", "OpenStreetMap"]
    text = " ".join(websp_here("list", "--by", "website", "--site", "steam").stdout.split())
    assert text == "website category # websites Entertainment & Games 1 Steam"


def test_list_filters_by_site_and_category() -> None:
    rows = json.loads(websp_here("list", "--site", "steam", "--category", "cookie", "--json").stdout)
    assert [row["id"] for row in rows] == [
        f"Steam-task-{number}-{state}" for number in (191, 192, 193) for state in ("ON", "OFF")
    ]


def test_the_package_is_the_command_too() -> None:
    command = [sys.executable, "-m", "websp_gym", "list", "--site", "bbc"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == websp_here("list", "--site", "BBC").stdout != ""


def test_show_explains_one_instance() -> None:
    result = websp_here("show", "Steam_task-193_ON")
    assert result.returncode == 0
    assert websp_here("show", "websp/steam-task-193-on").stdout == result.stdout
    for part in ("Steam-task-193-ON", "ground truth", "CLICK 'Reject All' button", "cookies.youtube"):
        assert part in result.stdout


def test_show_prints_goals_about_sessions_and_what_must_not_change() -> None:
    shown = websp_here("show", "Pinterest-task-68")
    assert shown.returncode == 0
    goal, unchanged = shown.stdout.split("\ngoal\n")[1].split("\nground truth\n")[0].split("\nunchanged\n")
    assert "signed_in: true" in goal
    assert unchanged.strip() == 'others 1: "sessions"'


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "trace"])
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = websp_here(command, "--help")
    assert result.returncode == 0
    assert f"websp {command}" in result.stdout.split("Example")[1]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", "Steam-task-191-OM"], 'did you mean "Steam-task-191-ON"?'),
        (["run", "Steam-task-191"], 'did you mean "Steam-task-191-ON" or "Steam-task-191-OFF"?'),
        (["run", "--site", "Steem"], 'did you mean "Steam"?'),
        (["run", "Steam-task-191-ON", "--viewport", "wide"], "1280x1024"),
        (["run", "Steam-task-191-ON", "--agent", "no_such.module:Agent"], 'no module "no_such.module"'),
        (["run", "Steam-task-191-ON", "--agent", "json:JSONDecoder"], "has no name, observation"),
        (["run", "--tasks", "Stem-*"], "no instance matches"),
        (["run", "steam"], "for all instances of that website, use --site Steam or 'Steam-*'"),
        (["run", "USA TODAY"], "use --site USAToday or 'USAToday-*'"),
        (["run", "Steam-task-191-ON"], "--agent: say who plays"),
        (["run", "Steam-*", "--model", "x"], "no option --model; did you mean --agent?"),
        (["run", "Steam-*", "--output=x"], "no option --output; did you mean --out?"),
        (["run", "--tasks", "Steam-task-191-ON", "--agent", "orcle"], 'did you mean "oracle"?'),
        (["run", "--tasks", "Steam-*", "--resume"], "--out"),
        (["run"], "--site"),
        (["serve", "steem", "--no-browser"], 'did you mean "steam"?'),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_arguments_exit_with_2_and_a_remedy(arguments: list[str], hint: str) -> None:
    result = websp_here(*arguments)
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
        "id", "agent", "trial", "reward", "siblings", "strict", "status", "end_reason", "steps", "seconds", "cost", "error", "tries"
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


@pytest.mark.parametrize(
    ("options", "variables", "hint"),
    [
        ((), {"WEBSP_BROWSER": "/nonexistent/browser"}, "WEBSP_BROWSER"),
        ((), {"WEBSP_BROWSER": "/bin/false"}, "/bin/false is not Chromium"),
        ((), {"WEBSP_REWARD": "junk"}, "WEBSP_REWARD"),
        (("--seed", "-1"), {}, "seed=-1"),
        (("--observation", "mark"), {}, "'mark' is not one of"),
    ],
)
def test_an_error_common_to_all_episodes_is_reported_once(
    options: Sequence[str],
    variables: dict[str, str],
    hint: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = websp("run", "Steam-*", "--agent", "noop", "--out", str(tmp_path / "run"), *options)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count(hint) == 1
    assert not (tmp_path / "run").exists()


def test_the_summary_has_agent_and_rate_of_all_that_the_folder_has(tmp_path: Path) -> None:
    arguments = ("--agent", "noop", "--initial-state", "snapshot", "--out", str(tmp_path))
    first = websp("run", "Steam-task-200-OFF", *arguments).stdout
    assert "noop: solved 1 of 1, 100.0 % (95 % interval 21 to 100)" in first
    more = websp("run", "Steam-task-200-*", *arguments, "--trials", "2", "--resume").stdout
    assert "noop: solved 1 of 2 first trials, 50.0 % (95 % interval 9 to 91)" in more
    assert re.findall(r"^(\w[\w ]+?) +(\d+)$", more, re.MULTILINE) == [
        ("pass", "2"), ("fail", "2"), ("played now", "3"), ("already there", "1")
    ]  # fmt: skip
    nothing = websp("run", "Steam-task-200-OFF", *arguments, "--resume").stdout
    assert "noop: solved 1 of 2 first trials" in nothing


def test_too_many_infrastructure_errors_exit_with_1() -> None:
    agent = ("--agent", "tests.retry_support:Poisoner", "--retries", "0")
    arguments = ("Steam-task-200-OFF", *agent, "--initial-state", "snapshot", "--json")
    result = websp("run", *arguments)
    row = json.loads(result.stdout)
    assert (result.returncode, row["status"], row["reward"]) == (1, "error", None)
    assert "1 of 1 episode ended in an infrastructure error" in result.stderr
    assert websp("run", *arguments, "--max-error-share", "1").returncode == 0


def test_a_replayed_episode_is_reported_as_such() -> None:
    arguments = (
        "Steam-task-200-OFF",
        "--agent",
        "tests.retry_support:Wrecker",
        "--initial-state",
        "snapshot",
    )
    result = websp("run", *arguments)
    assert result.returncode == 0, result.stderr
    assert "played again 1 time" in result.stdout
    assert "try 1 ended during action 2: WorldError: " in result.stdout


def test_instances_are_chosen_in_many_ways_and_a_dry_run_plays_none(tmp_path: Path) -> None:
    def chosen(*arguments: str) -> list[str]:
        result = websp("run", *arguments, "--agent", "noop", "--dry-run", "--out", str(tmp_path / "run"))
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    assert chosen("steam-task-191-*", "--tasks", "BBC-task-167") == [
        "BBC-task-167",
        "Steam-task-191-ON",
        "Steam-task-191-OFF",
    ]
    assert chosen("--site", "steam", "--category", "cookie", "--limit", "1", "--trials", "2") == [
        "Steam-task-191-ON",
        "Steam-task-191-ON\ttrial 2",
    ]
    assert not (tmp_path / "run").exists()


def test_the_first_failure_can_be_the_last_episode(tmp_path: Path) -> None:
    arguments = ("Steam-task-191-*", "--agent", "noop", "--initial-state", "snapshot", "-x")
    result = websp("run", *arguments, "--out", str(tmp_path))
    assert result.returncode == 1
    assert result.stdout.startswith("[1/2] fail     Steam-task-191-ON")
    assert "--fail-fast: Steam-task-191-ON did not pass: 1 of 2 episodes done" in result.stderr
    assert len(read_results(tmp_path)) == 1
    versions = json.loads((tmp_path / RUN).read_text())["versions"]
    assert versions["chromium"].count(".") == 3


def test_no_episode_is_begun_past_the_limit_on_the_cost() -> None:
    limits = RunLimits(max_cost=0.5)
    dear = Result(id="A-task-1", agent="x", reward=1.0, status="pass", calls=1, cost=0.2)
    assert (limits.go_on(0), limits.go_on(1)) == (True, False), "the first one alone: its price is not known"
    limits.add(dear)
    assert (limits.go_on(0), limits.go_on(1), limits.stopped) == (True, False, "")
    limits.add(dear)
    assert (limits.go_on(0), limits.stopped) == (False, "--max-cost: $0.40 spent")
    with pytest.raises(SetupError, match="no price is known for x"):
        RunLimits(max_cost=0.5).add(replace(dear, cost=None))


def test_two_commands_do_not_write_into_one_folder(tmp_path: Path) -> None:
    holder = (
        "import sys, time; from pathlib import Path; from websp_gym.runner.locking import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", holder, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        result = websp("run", "Steam-task-200-OFF", "--agent", "noop", "--out", str(tmp_path))
        assert (result.returncode, result.stdout) == (2, "")
        assert f"another process is writing into {tmp_path}" in result.stderr
        process.kill()
    with locked(tmp_path):
        pass  # what a killed process held is free


def test_results_are_not_written_to_a_device(tmp_path: Path) -> None:
    # A full disk is tried in tests/benchmarks/test_endurance.py.
    (tmp_path / RESULTS).symlink_to("/dev/full")
    arguments = ("Steam-task-200-OFF", "--agent", "noop", "--initial-state", "snapshot")
    result = websp("run", *arguments, "--out", str(tmp_path))
    assert result.returncode == 2
    assert "it is a device and not a file" in result.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_explains_how_to_resume_and_leaves_nothing_behind(tmp_path: Path, jobs: str) -> None:
    # A short path, as Chromium's sockets need it.
    temporary, folder = Path(tempfile.mkdtemp(prefix="ctrl-c-")), tmp_path / "run"
    arguments = ("run", "Steam-*", "--agent", "noop", "--initial-state", "snapshot", "--trials", "9")
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments, "--jobs", jobs, "--out", str(folder)],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/153] ")
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    done = len(read_results(folder))
    assert process.returncode == 130
    told = re.search(
        r"interrupted: (\d+) of 153 episodes done; to continue, add --resume to the same command", said
    )
    # It may strike when a result is on disk and not counted yet.
    assert told is not None
    assert done - int(told[1]) in (0, 1)
    temporary.rmdir()  # fails where anything is left in it


def test_doctor_finds_everything_in_order() -> None:
    result = websp("doctor", "--json")
    assert [row["check"] for row in json.loads(result.stdout) if not row["ok"]] == []
    assert result.returncode == 0


def test_the_demo_shows_the_verdict_and_writes_a_page(tmp_path: Path) -> None:
    result = websp("demo", "--out", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "pass, reward 1.0" in result.stdout
    assert len(list(tmp_path.glob("*/*/trajectory.html"))) == 1
