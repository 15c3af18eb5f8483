"""The ``websp`` command as a user runs it: output, JSON, exit codes, help."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command_support import MAIN, websp, websp_here
from websp_gym.cli.app import COMMANDS
from websp_gym.cli.run_limits import RunLimits
from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import RESULTS, RUN, read_results
from websp_gym.runner.locking import locked
from websp_gym.tasks.ids import flow_ids

__all__ = ["MAIN", "websp", "websp_here"]


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


def test_every_command_has_help_with_an_example() -> None:
    wrong = []
    for command in COMMANDS.keys() - {"trace"}:
        result = websp_here(command, "--help")
        if result.returncode or f"websp {command}" not in result.stdout.partition("Example")[2]:
            wrong.append(command)
    assert wrong == []


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["show", "Steam-task-191-OM"], 'did you mean "Steam-task-191-ON"?'),
        (["run", "Steam-task-191"], 'did you mean "Steam-task-191-ON" or "Steam-task-191-OFF"?'),
        (["run", "--site", "Steem"], 'did you mean "Steam"?'),
        (["run", "Steam-task-191-ON", "--agent", "noop", "--viewport", "wide"], "1280x1024"),
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


class Played(NamedTuple):
    """Commands that played into one folder, one after the other: an episode, three more, and none."""

    folder: Path
    first: subprocess.CompletedProcess[str]
    more: subprocess.CompletedProcess[str]
    nothing: subprocess.CompletedProcess[str]


NOOP = ("--agent", "noop", "--initial-state", "snapshot", "--viewport", "640x480")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    folder = tmp_path_factory.mktemp("played") / "run"
    into = (*NOOP, "--out", str(folder))
    first = websp_here("run", "Steam-task-200-OFF", *into)
    more = websp_here("run", "Steam-task-200-*", *into, "--trials", "2", "--resume", "--json")
    nothing = websp_here("run", "Steam-task-200-*", *into, "--trials", "2", "--resume")
    return Played(folder, first, more, nothing)


def test_run_json_prints_one_line_per_episode_and_keeps_results(played: Played) -> None:
    lines = {(row["id"], row["trial"]): row for row in map(json.loads, played.more.stdout.splitlines())}
    assert played.more.returncode == 0
    assert set(lines) == {("Steam-task-200-ON", 1), ("Steam-task-200-ON", 2), ("Steam-task-200-OFF", 2)}
    assert set(lines["Steam-task-200-ON", 1]) == {
        "id", "agent", "trial", "reward", "siblings", "strict", "status", "end_reason", "steps", "seconds", "cost", "error", "tries",
        "under_policy", "policies_broken",
    }  # fmt: skip
    assert [row["reward"] for (name, _), row in sorted(lines.items())] == [1.0, 0.0, 0.0]
    assert len(list(played.folder.glob("trajectories/*/*/trajectory.json"))) == 4


def test_a_folder_is_continued_by_the_same_run_alone_and_only_when_asked(played: Played) -> None:
    into = ("run", "Steam-task-200-*", *NOOP, "--out", str(played.folder), "--trials", "2")
    again = websp_here(*into)
    assert again.returncode == 2
    assert "--resume" in again.stderr
    resumed = websp_here(*into, "--json", "--resume")
    assert (resumed.returncode, resumed.stdout) == (0, "")
    other = websp_here(*into, "--resume", "--max-actions", "5")
    assert other.returncode == 2
    assert "another run (max_actions 20, not 5)" in other.stderr


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
    options: Sequence[str], variables: dict[str, str], hint: str, tmp_path: Path
) -> None:
    arguments = ("run", "Steam-*", "--agent", "noop", "--out", str(tmp_path / "run"), *options)
    result = websp_here(*arguments, variables=variables)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count(hint) == 1
    assert not (tmp_path / "run").exists()


def test_the_summary_has_agent_and_rate_of_all_that_the_folder_has(played: Played) -> None:
    assert "noop: solved 1 of 1, 100.0 % (95 % interval 21 to 100)" in played.first.stdout
    assert counts(played.first) == [("pass", "1")]
    assert "noop: solved 1 of 2 first trials, 50.0 % (95 % interval 9 to 91)" in played.nothing.stdout
    assert counts(played.nothing) == [
        ("pass", "2"), ("fail", "2"), ("played now", "0"), ("already there", "4")
    ]  # fmt: skip


def counts(result: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    """The rows of a summary's table."""
    return re.findall(r"^(\w[\w ]+?) +(\d+)$", result.stdout, re.MULTILINE)


def test_too_many_infrastructure_errors_exit_with_1() -> None:
    agent = ("--agent", "tests.retry_support:Poisoner", "--retries", "0")
    result = websp_here("run", "Steam-task-200-OFF", *agent, "--initial-state", "snapshot", "--json")
    row = json.loads(result.stdout)
    assert (result.returncode, row["status"], row["reward"]) == (1, "error", None)
    assert "1 of 1 episode ended in an error" in result.stderr
    error = Result(id="A-task-1", agent="x", reward=None, status="error")
    assert [bool(RunLimits(max_error_share=share).failed([error])) for share in (0.99, 1)] == [True, False]


def test_a_replayed_episode_is_reported_as_such() -> None:
    agent = ("--agent", "tests.retry_support:Wrecker", "--initial-state", "snapshot")
    result = websp_here("run", "Steam-task-200-OFF", *agent)
    assert result.returncode == 0, result.stderr
    assert "played again 1 time" in result.stdout
    assert "try 1 ended during action 2: WorldError: " in result.stdout


def test_instances_are_chosen_in_many_ways_and_a_dry_run_plays_none(tmp_path: Path) -> None:
    def chosen(*arguments: str) -> list[str]:
        result = websp_here("run", *arguments, "--agent", "noop", "--dry-run", "--out", str(tmp_path / "run"))
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
    result = websp_here("run", "Steam-task-191-*", *NOOP, "-x", "--out", str(tmp_path))
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
    judged = RunLimits(max_cost=0.5)
    judged.add(replace(dear, judge_cost=0.2))
    assert judged.go_on(0) is False, "the models of the reward are paid too"
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
        result = websp_here("run", "Steam-task-200-OFF", "--agent", "noop", "--out", str(tmp_path))
        assert (result.returncode, result.stdout) == (2, "")
        assert f"another process is writing to {tmp_path}" in result.stderr
        process.kill()
    with locked(tmp_path):
        pass  # what a killed process held is free


def test_results_are_not_written_to_a_device(tmp_path: Path) -> None:
    # A full disk is tried in tests/env/test_endurance.py.
    (tmp_path / RESULTS).symlink_to("/dev/full")
    result = websp_here("run", "Steam-task-200-OFF", *NOOP, "--out", str(tmp_path))
    assert result.returncode == 2
    assert "it is a device and not a file" in result.stderr


def test_the_demo_shows_the_verdict_and_writes_a_page(tmp_path: Path) -> None:
    result = websp_here("demo", "--out", str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert "pass, reward 1.0" in result.stdout
    assert len(list(tmp_path.glob("*/*/trajectory.html"))) == 1
