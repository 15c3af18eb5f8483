"""Runs of many episodes: interrupted and resumed, tried again, and scored again from what was kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import retry_support
from tests.recorded import run_folder
from websp_gym.errors import SetupError, WorldError
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.results import Result
from websp_gym.records.runs import RESULTS, Run, append_result, read_results
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import finished, forget, plan_run
from websp_gym.runner.rescoring import rescore
from websp_gym.scoring.judge.judgements import Judgement, keep_judgement

QUICK: dict[str, Any] = {"initial_state": "snapshot", "viewport": [640, 480]}
PASSES, FAILS = "Steam-task-191-OFF", "Steam-task-191-ON"
NOOP = Run(agent="noop", options=QUICK)


def test_trials_are_played_and_a_resumed_run_plays_only_what_is_missing(tmp_path: Path) -> None:
    (job,) = plan_run(NOOP, [PASSES.lower()], folder=tmp_path)
    first = run_batch([replace(job, instance_id=PASSES.upper())])
    again = plan_run(NOOP, [PASSES, FAILS], trials=2, folder=tmp_path, resume=True)
    assert [(job.instance_id, job.trial, job.seed) for job in again] == [
        (FAILS, 1, 0),
        (PASSES, 2, 1),
        (FAILS, 2, 1),
    ]
    second = run_batch(again)
    assert read_results(tmp_path) == first + second
    assert plan_run(NOOP, [PASSES.lower(), FAILS], trials=2, folder=tmp_path, resume=True) == []
    outcomes = {(one.id, one.trial): one.outcome for one in first + second}
    assert outcomes == {
        (PASSES, 1): "success",
        (PASSES, 2): "success",
        (FAILS, 1): "failure",
        (FAILS, 2): "failure",
    }
    for one in first + second:
        record = load_trajectory(tmp_path / one.trajectory)
        assert (record.instance, record.seed) == (one.id, one.seed)
        assert (one.steps, one.actions, one.end_reason) == (1, 1, "answer")


def test_a_folder_of_another_run_is_refused_and_unchanged(tmp_path: Path) -> None:
    plan_run(NOOP, [PASSES], folder=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(SetupError, match="already has results; add --resume"):
        plan_run(NOOP, [PASSES], folder=tmp_path)
    with pytest.raises(SetupError, match=r"another run.*agent 'noop', not 'oracle'"):
        plan_run(Run(agent="oracle", options=QUICK), [PASSES], folder=tmp_path, resume=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_results_of_another_configuration_or_of_an_error_are_played_again(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"agent": "noop", "run_hash": NOOP.hash}
    lines = [
        Result(id=PASSES, reward=1.0, status="pass", config_hash="of long ago", **facts),
        Result(id=FAILS, reward=None, status="error", error="WorldError: gone", **facts),
        Result(id="Gone-task-1", reward=1.0, status="pass", **facts),
    ]
    (tmp_path / RESULTS).write_text("".join(line.line() + "\n" for line in lines))
    assert finished(tmp_path, NOOP) == set()


class Flaky:
    """A reward that cannot be had the first time."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0

    def __call__(self, outcome: Any) -> float:
        self.asked += 1
        if self.asked == 1:
            raise self.error
        return 1.0


@pytest.mark.parametrize(
    ("error", "retries", "status", "asked"),
    [
        (WorldError("the network was away"), 1, "pass", 2),
        (WorldError("the network was away"), 0, "error", 1),
        (KeyError("a bug"), 3, "error", 1),
    ],
)
def test_only_what_may_pass_is_tried_again(error: Exception, retries: int, status: str, asked: int) -> None:
    reward = Flaky(error)
    run = Run(agent="noop", options={**QUICK, "reward": reward})
    (result,) = run_batch(plan_run(run, [PASSES], retries=retries))
    assert (result.status, reward.asked) == (status, asked)
    assert (result.reward is None, result.error is None) == (status == "error", status != "error")
    (told,) = result.tries  # also where the next one passed
    assert (told.stage, told.step) == ("scoring", 1)
    assert told.error.startswith(f"{type(error).__name__}: {error}")
    assert told.error.endswith(" in __call__)") == isinstance(error, KeyError), (
        "a bug is told of with its line"
    )
    assert result.config_hash


def test_a_setup_error_ends_the_run_without_a_result(tmp_path: Path) -> None:
    run = Run(agent="noop", options={**QUICK, "reward": Flaky(SetupError("no key"))})
    with pytest.raises(SetupError, match="no key"):
        run_batch(plan_run(run, [PASSES, FAILS], folder=tmp_path, retries=3))
    assert read_results(tmp_path) == []


@pytest.mark.parametrize("steps", ["", '{"number": 1}\n'])
def test_only_a_run_without_a_step_is_forgotten(tmp_path: Path, steps: str) -> None:
    plan_run(NOOP, [PASSES], folder=tmp_path)
    record = tmp_path / f"trajectories/{PASSES}/001"
    record.mkdir(parents=True)
    (record / "steps.jsonl").write_text(steps)
    before = set(tmp_path.rglob("*"))
    forget(tmp_path)
    assert set(tmp_path.rglob("*")) == (before if steps else set())


def test_a_second_try_repeats_the_actions_and_asks_the_agent_for_none_of_them_again(tmp_path: Path) -> None:
    run = Run(agent="tests.retry_support:Wrecker", options=QUICK)
    (result,) = run_batch(plan_run(run, [PASSES], folder=tmp_path))
    assert (result.status, result.steps, result.again) == ("pass", 4, 1)
    assert len(retry_support.LAST[-1].asked) == 4, "once for each action"
    (lost,) = result.tries
    assert (lost.stage, lost.step, lost.trajectory) == ("action", 2, f"trajectories/{PASSES}/001")
    assert lost.error.startswith("WorldError: ")
    assert result.trajectory == f"trajectories/{PASSES}/002"
    first, second = (load_trajectory(tmp_path / one) for one in (lost.trajectory, result.trajectory))
    assert first.seed == second.seed
    assert [step.action for step in second.steps] == ["Wait", "Wait", "Wait", "ANSWER; done"]
    assert read_results(tmp_path) == [result]


def test_an_action_that_ends_two_tries_is_the_agents_failure(tmp_path: Path) -> None:
    run = Run(agent="tests.retry_support:Poisoner", options=QUICK)
    (result,) = run_batch(plan_run(run, [PASSES], folder=tmp_path, retries=3))
    assert (result.status, result.reward, result.end_reason) == ("fail", 0.0, "error")
    assert (result.outcome, result.error, result.again) == ("failure", None, 1)
    assert [(one.stage, one.step) for one in result.tries] == [("action", 2), ("action", 2)]
    assert all(one.error.startswith("WorldError: ") for one in result.tries)
    assert result.tries[1].error in result.reason
    assert len(retry_support.LAST[-1].asked) == 2
    assert finished(tmp_path, run) == {(PASSES, 1)}, "it is not played again by --resume"
    (kept,) = rescore(tmp_path)
    assert (kept.note, kept.after) == ("", result), "nothing takes the failure back"


def test_without_a_second_try_nobody_is_blamed() -> None:
    run = Run(agent="tests.retry_support:Poisoner", options=QUICK)
    (result,) = run_batch(plan_run(run, [PASSES], retries=0))
    assert (result.status, result.reward, len(result.tries)) == ("error", None, 1)


INTERRUPTED = """
import signal
import sys
from pathlib import Path
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import plan_run

def tell(result):
    sys.stdout.write(result.summary() + "\\n")
    sys.stdout.flush()

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for jobs in the background
    run = Run(agent="noop", options={"initial_state": "snapshot", "viewport": [640, 480]})
    run_batch(plan_run(run, ["Steam-task-191-OFF"], trials=40, folder=Path(sys.argv[1])), processes=2, on_result=tell)
"""


@pytest.mark.parametrize("how", [pytest.param(signal.SIGINT, marks=pytest.mark.proof), signal.SIGKILL])
def test_an_interrupted_run_keeps_its_results_and_can_be_resumed(tmp_path: Path, how: signal.Signals) -> None:
    script, folder = tmp_path / "main.py", tmp_path / "run"
    script.write_text(INTERRUPTED)
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, how)
        more, error = process.communicate()
    assert first, error
    kept = read_results(folder)
    assert {*first.splitlines(), *more.splitlines()} <= {one.summary() for one in kept}
    assert len(kept) < 40
    # One that the machine had no time for has an error, and is played again as if it were not there.
    there = {one.trial for one in kept if one.status == "pass"}
    left = plan_run(NOOP, [PASSES], trials=40, folder=folder, resume=True)
    assert [job.trial for job in left] == [trial for trial in range(1, 41) if trial not in there]
    run_batch(left[:1])
    assert {one.trial for one in read_results(folder)} == {left[0].trial, *(one.trial for one in kept)}


def kept_run(parent: Path, *, lie: bool = False) -> tuple[Path, list[Result]]:
    """A kept run of two episodes, that fails and that passes; with a lie, both had a reward of 1."""
    folder = run_folder("untouched", parent)
    found = {one.id: one for one in read_results(folder) if one.trial == 1}
    results = [found[FAILS], found[PASSES]]
    if lie:
        results = [
            replace(one, reward=1.0, status="pass", source="custom", siblings=None, strict=None)
            for one in results
        ]
    (folder / RESULTS).write_text("".join(one.line() + "\n" for one in results))
    return folder, results


def test_a_kept_run_is_scored_again_by_its_state_and_by_a_judge(tmp_path: Path) -> None:
    folder, results = kept_run(tmp_path, lie=True)
    by_state = rescore(folder)
    assert [(one.changed, one.after.outcome) for one in by_state] == [(True, "failure"), (False, "success")]
    assert [(one.after.siblings, one.after.strict) for one in by_state] == [(0.0, 0.0), (1.0, 1.0)]
    assert read_results(folder) == results, "nothing is written unasked"
    rescore(folder, write=True)
    assert [(one.status, one.source) for one in read_results(folder)] == [
        ("fail", "state"),
        ("pass", "state"),
    ]

    with pytest.raises(SetupError, match="websp judge"):
        rescore(folder, by="judge")
    opinion = Judgement(
        run=results[1].trajectory,
        record=digest_of(folder / results[1].trajectory),
        instance=PASSES,
        judge="j",
        status="unscored",
        source="judge",
        reason="a tie",
    )
    keep_judgement(folder / results[1].trajectory, replace(opinion, status="pass"))
    judged = rescore(folder, by="judge")[1].after
    assert (judged.source, judged.siblings, judged.strict) == ("judge", 1.0, 1.0)
    keep_judgement(folder / results[1].trajectory, opinion)
    first, second = rescore(folder, by="judge")
    assert (first.note, first.after) == ("no judgement of its trajectory", first.before)
    assert (second.after.status, second.after.reward, second.after.reason) == ("unscored", None, "a tie")


def test_an_episode_that_cannot_be_rescored_is_named_without_affecting_others(tmp_path: Path) -> None:
    folder, (first, second) = kept_run(tmp_path)
    (folder / first.trajectory / "trajectory.json").write_text("{")
    append_result(folder, replace(second, id="Gone-task-1"))
    notes = {one.before.id: one.note for one in rescore(folder)}
    assert f"{first.trajectory}/trajectory.json: not a websp-trajectory/2 file" in notes[FAILS]
    assert (notes[PASSES], "Gone-task-1" in notes["Gone-task-1"]) == ("", True)


def test_a_run_without_trajectories_is_not_scored_again(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no results"):
        rescore(tmp_path)
    (tmp_path / RESULTS).write_text(Result(id=PASSES, agent="x", reward=1.0, status="pass").line() + "\n")
    (one,) = rescore(tmp_path)
    assert (one.note, one.changed) == ("no trajectory was kept", False)
