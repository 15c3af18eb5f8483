"""Episodes of other harnesses: scored by the state that the environment wrote, and by nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import websp_here
from tests.judge_support import says
from tests.recorded import ON, run_folder
from websp_gym.errors import SetupError
from websp_gym.exchange.foreign import EPISODE, STATE
from websp_gym.exchange.scoring import score
from websp_gym.exchange.verifying import verify
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Result
from websp_gym.records.runs import TRAJECTORIES, read_results, read_run
from websp_gym.tasks.ids import instance_ids


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The records of one instance, by agent: the oracle passes with seed 0, noop fails with seed 1."""
    parent = tmp_path_factory.mktemp("runs")
    return {
        agent: run_folder(name, parent) / TRAJECTORIES / ON / number
        for agent, name, number in (("oracle", "solved", "001"), ("noop", "untouched", "002"))
    }


@pytest.fixture
def foreign(records: dict[str, Path], tmp_path: Path) -> Path:
    """The oracle's episode in the form of another harness, with the state that the environment wrote."""
    folder = tmp_path / "mine" / "episode-1"
    folder.mkdir(parents=True)
    record = load_trajectory(records["oracle"])
    actions: list[Any] = [{"action": step.action, "url": step.view.url} for step in record.steps[:-1]]
    actions[0] = actions[0]["action"]
    pictures = [f"{number}.png" for number in range(len(actions) + 1)]
    for name, view in zip(pictures, record.views, strict=False):
        shutil.copy(records["oracle"] / str(view.screenshot), folder / name)
    tell(folder, id=ON, actions=actions, answer="done", screenshots=pictures, seconds=12.5)
    shutil.copy(records["oracle"] / "trajectory.json", folder / STATE)
    return folder


def tell(folder: Path, **facts: Any) -> None:
    """Write ``episode.json``, or change it."""
    path = folder / EPISODE
    there = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**there, **facts}), "utf-8")


def scored(foreign: Path) -> Result:
    out = foreign.parent.parent / "run"
    (result,) = score(foreign.parent, out, agent="mine")
    assert read_results(out) == [result]
    return result


def test_an_episode_passes_by_the_state_and_becomes_a_record_that_verifies(
    foreign: Path, tmp_path: Path
) -> None:
    result = scored(foreign)
    assert (result.status, result.reward, result.siblings, result.source) == ("pass", 1.0, 1.0, "state")
    assert result.strict is None, "what happened on other sites is not in the file"
    record = load_trajectory(tmp_path / "run" / result.trajectory)
    number = len(json.loads((foreign / EPISODE).read_text("utf-8"))["actions"])
    assert (result.agent, result.id, result.steps, result.actions, result.seconds) == (
        "mine", ON, number + 1, number + 1, 12.5
    )  # fmt: skip
    assert [view.url for view in record.views][:2] == ["https://store.steampowered.com/"] * 2
    assert record.steps[-1].action == "ANSWER; done"
    assert {view.screenshot for view in record.views} == {
        f"step_{index:03d}.png" for index in range(number + 1)
    }
    assert verify(tmp_path / "run").problems == ()
    assert websp_here("rescore", str(tmp_path / "run")).stdout == "1 the same\n"


def test_the_state_decides_and_not_what_the_harness_says(foreign: Path, records: dict[str, Path]) -> None:
    shutil.copy(records["noop"] / "trajectory.json", foreign / STATE)
    result = scored(foreign)
    assert (result.status, result.reward) == ("fail", 0.0)
    assert "cookies.valve_analytics" in result.reason


@pytest.mark.parametrize(
    "more", [{}, {"end_reason": "action_limit"}, {"actions": ["Scroll"] * 30, "screenshots": []}]
)
def test_without_the_state_an_episode_is_neither_passed_nor_failed(
    foreign: Path, more: dict[str, Any]
) -> None:
    (foreign / STATE).unlink()
    tell(foreign, **more)
    result = scored(foreign)
    assert (result.status, result.reward, result.strict) == ("unscored", None, None)
    assert result.reason == "the run kept no state"


def test_the_state_of_another_version_of_the_instance_scores_nothing(foreign: Path) -> None:
    state = json.loads((foreign / STATE).read_text("utf-8"))
    (foreign / STATE).write_text(json.dumps({**state, "config_hash": "of long ago"}), "utf-8")
    result = scored(foreign)
    assert (result.status, result.reward) == ("unscored", None)
    assert "has changed since the run" in result.reason


@pytest.mark.parametrize(
    ("more", "end"),
    [
        ({"actions": [f"Click [{number}]" for number in range(20)]}, "action_limit"),
        ({"actions": ["Click [1]"] * 3, "seconds": 600.5}, "time_limit"),
        ({"actions": ["Click [1]"] * 3, "end_reason": "time_limit"}, "time_limit"),
    ],
)
def test_the_limits_of_every_agent_hold(foreign: Path, more: dict[str, Any], end: str) -> None:
    tell(foreign, screenshots=[], **more)
    result = scored(foreign)
    assert (result.status, result.reward, result.end_reason, result.source) == ("fail", 0.0, end, "limit")


def test_actions_that_count_nothing_do_not_use_up_the_limit(foreign: Path) -> None:
    tell(foreign, screenshots=[], actions=[{"action": "look", "counted": 0}] * 30)
    assert scored(foreign).reward == 1.0


def test_records_of_this_package_become_a_run(records: dict[str, Path], tmp_path: Path) -> None:
    for agent, folder in records.items():
        shutil.copytree(folder, tmp_path / "kept" / agent)
    (tmp_path / "kept/noop/secret.txt").write_text("not a file of a record")
    results = score(tmp_path / "kept", tmp_path / "run", agent="attached")
    assert [(each.seed, each.trial, each.reward) for each in results] == [(1, 2, 0.0), (0, 1, 1.0)]
    run = read_run(tmp_path / "run")
    assert run is not None
    assert (run.agent, run.options["initial_state"], run.planned) == ("attached", "snapshot", (ON,))
    assert verify(tmp_path / "run").problems == ()
    assert not list((tmp_path / "run").rglob("secret.txt"))
    assert websp_here("report", str(tmp_path / "run")).returncode == 0


def test_two_records_of_one_seed_are_an_error(records: dict[str, Path], tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(records["noop"], tmp_path / "kept" / name)
    with pytest.raises(
        SetupError, match=f"{ON} has seed 1 more than once, in .*first and in .*second; keep one"
    ):
        score(tmp_path / "kept", tmp_path / "run", agent="x")
    assert {path.name for path in tmp_path.iterdir()} == {"kept"}


def test_a_record_that_did_not_come_to_its_end_is_an_error(records: dict[str, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(records["noop"], tmp_path / "kept" / "1"))
    header = json.loads((folder / "trajectory.json").read_text("utf-8"))
    (folder / "trajectory.json").write_text(
        json.dumps({**header, "end_reason": None, "verdict": None}), "utf-8"
    )
    (result,) = score(folder, tmp_path / "run", agent="x")
    assert (result.status, result.reward, result.error) == (
        "error",
        None,
        "the episode did not reach its end",
    )


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"id": "Steam-task-191-OM"}, 'no instance "Steam-task-191-OM"; did you mean'),
        ({"score": 1.0}, "score: Extra inputs are not permitted"),
        ({"actions": [{"text": "Click"}]}, "actions.0"),
        ({"screenshots": ["0.png"]}, "1 screenshots for "),
        ({"screenshots": ["../../x.png"] * 3, "actions": ["a", "b"]}, "is not in its folder"),
        ({"screenshots": ["gone.png"] * 3, "actions": ["a", "b"]}, "No such file"),
        ({"screenshots": [EPISODE] * 3, "actions": ["a", "b"]}, "is not a PNG file"),
        ({"end_reason": "error"}, "end_reason: Input should be 'answer'"),
        ({"trial": 0}, "trial: Input should be greater"),
    ],
)
def test_an_episode_that_is_not_valid_is_an_error_and_nothing_is_written(
    foreign: Path, more: dict[str, Any], reason: str
) -> None:
    tell(foreign, **more)
    with pytest.raises(SetupError) as raised:
        scored(foreign)
    assert reason in str(raised.value)
    assert {path.name for path in foreign.parent.parent.iterdir()} == {"mine"}


def test_two_episodes_of_one_trial_a_run_that_is_there_and_an_empty_folder_are_errors(
    foreign: Path, tmp_path: Path
) -> None:
    second = Path(shutil.copytree(foreign, foreign.parent / "episode-2"))
    with pytest.raises(SetupError, match=f"{ON} has trial 1 more than once"):
        scored(foreign)
    tell(second, trial=2)
    assert [each.trial for each in score(foreign.parent, tmp_path / "run", agent="x")] == [1, 2]
    assert verify(tmp_path / "run").problems == ()
    with pytest.raises(SetupError, match="run already exists"):
        score(foreign.parent, tmp_path / "run", agent="x")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SetupError, match=r"no episode\.json or trajectory\.json in"):
        score(tmp_path / "empty", tmp_path / "other", agent="x")


@pytest.mark.parametrize("wrong", [{"end": {"settings": 3}}, {"events": [{"data": 3}]}, {"s0": []}])
def test_a_state_without_form_is_an_error_and_nothing_is_written(
    foreign: Path, wrong: dict[str, Any]
) -> None:
    state = json.loads((foreign / STATE).read_text("utf-8"))
    (foreign / STATE).write_text(json.dumps({**state, **wrong}), "utf-8")
    with pytest.raises(SetupError, match=r"its state cannot be scored|state\.json: s0: Input should be"):
        scored(foreign)
    assert {path.name for path in foreign.parent.parent.iterdir()} == {"mine"}


def test_a_link_out_of_the_folder_is_not_followed(foreign: Path, tmp_path: Path) -> None:
    (foreign / "0.png").rename(tmp_path / "outside.png")
    (foreign / "0.png").symlink_to(tmp_path / "outside.png")
    with pytest.raises(SetupError, match="a link that leads out of its folder"):
        score(foreign, tmp_path / "run", agent="x")


def test_what_has_no_state_is_scored_by_a_judge(foreign: Path, tmp_path: Path) -> None:
    (foreign / STATE).unlink()
    out, script = tmp_path / "run", tmp_path / "yes.yaml"
    script.write_text(json.dumps({"rules": [{"when": "", "say": says("CORRECT")}]}), "utf-8")
    done = websp_here("score", str(foreign.parent), "--out", str(out))
    assert done.returncode == 1
    assert f"by a judge: websp judge {out}, then websp rescore {out} --by judge --write" in done.stdout
    judged = websp_here("judge", str(out), "--models", f"scripted:{script}")
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert websp_here("rescore", str(out), "--by", "judge", "--write").returncode == 0
    (result,) = read_results(out)
    assert (result.agent, result.status, result.source, result.strict) == ("mine", "pass", "judge", None)


def test_the_command_prints_results_as_json(foreign: Path, tmp_path: Path) -> None:
    done = websp_here(
        "score", str(foreign.parent), "--out", str(tmp_path / "run"), "--agent", "mine-2", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert (facts["id"], facts["agent"], facts["reward"]) == (ON, "mine-2", 1.0)


def test_the_input_of_agents_has_neither_goal_nor_ground_truth() -> None:
    rows = json.loads(websp_here("list", "--agent-input").stdout)
    assert [row["id"] for row in rows] == instance_ids()
    assert {tuple(row) for row in rows} == {("id", "instruction", "start_url", "max_actions", "max_seconds")}
    (row,) = [row for row in rows if row["id"] == ON]
    assert (row["max_actions"], row["max_seconds"]) == (20, 600.0)
    assert row["instruction"].startswith("Turn off 'Valve's Analytics Cookies'")
    assert websp_here("list", "--agent-input", "--by", "category").returncode == 2
