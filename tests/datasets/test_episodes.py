"""Episodes of an imported dataset, and the commands that import and prove it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest
from typer.testing import CliRunner

import websp_gym
from tests.dataset_support import ACCEPT, PASSWORD, ROWS, TRUTH, button, data_home, row, trace, write_clone  # noqa: F401
from websp_gym.authoring.dataset_proofs import prove_dataset
from websp_gym.cli.app import app
from websp_gym.datasets.importing import import_dataset
from websp_gym.env.options import Options
from websp_gym.errors import InitialStateError, SetupError
from websp_gym.records.runs import Run, read_results
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import finished, plan_run
from websp_gym.runner.rescoring import rescore
from websp_gym.tasks.datasets import in_dataset, load_dataset
from websp_gym.tasks.instances import load_instance

pytestmark = pytest.mark.usefixtures("data_home")
ID = "Steam-task-191-ON"


def websp(*args: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(args), catch_exceptions=False, standalone_mode=True)
    return done.exit_code, done.output


def test_a_run_in_the_dataset_is_played_recorded_resumed_and_scored_as_such(tmp_path: Path) -> None:
    import_dataset(write_clone(tmp_path / "clone"))
    folder = tmp_path / "run"
    run = Run(agent="oracle", options={"dataset": "official"})
    (result,) = run_batch(plan_run(run, [ID], folder=folder))
    assert (result.status, result.dataset) == ("pass", "official")
    theirs = in_dataset(load_instance(ID), "official")
    assert result.config_hash == theirs.config_hash
    record = websp_gym.load_trajectory(folder / result.trajectory)
    assert (record.instruction, record.ground_truth) == (ROWS[0]["ques"], TRUTH["Steam_task-191_ON"])
    assert Options.from_dict(record.options).dataset == "official"
    assert theirs.origin is not None
    assert record.versions["official"] == theirs.origin.digest
    assert finished(folder, run) == {(ID, 1)}
    (again,) = rescore(folder)
    assert (again.after, again.note) == (result, "")
    (line,) = (folder / "results.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["dataset"] == "official"
    assert read_results(folder) == [result]
    # With other words in the dataset, it is another instance.
    changed = write_clone(
        tmp_path / "clone", {"dataset/ground_truth_actions.json": {**TRUTH, "Steam_task-191_ON": ["EAT"]}}
    )
    import_dataset(changed, overwrite=True)
    assert finished(folder, run) == set()
    assert "has changed since the run" in rescore(folder)[0].note


def test_without_the_option_a_result_and_a_record_do_not_name_it(tmp_path: Path) -> None:
    (result,) = run_batch(plan_run(Run(agent="noop"), [ID], folder=tmp_path))
    record = websp_gym.load_trajectory(tmp_path / result.trajectory)
    assert "dataset" not in record.options
    assert "dataset" not in json.loads(result.line())
    assert record.config_hash == load_instance(ID).config_hash


def test_nothing_of_datasets_is_imported_for_ours() -> None:
    code = (
        "import sys, gymnasium, websp_gym; gymnasium.make(sys.argv[1]); "
        "print([name for name in sys.modules if name.startswith('websp_gym.datasets.')])"
    )
    command = [sys.executable, "-c", code, f"websp/{ID}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_gym_makes_environments_of_the_dataset(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r'there is no dataset "official".*websp dataset import'):
        gym.make(f"websp/{ID}", dataset="official")
    import_dataset(write_clone(tmp_path / "clone"))
    with gym.make(f"websp/{ID}", dataset="official") as env:
        observation, _ = env.reset()
        assert observation["goal"] == ROWS[0]["ques"]
    with gym.make("websp-v0", ids="Steam-task-191-*", dataset="official") as env:
        observation, _ = env.reset(options={"instance": "Steam_task-191_OFF"})
        assert observation["goal"] == ROWS[1]["ques"]


def test_s0_is_verified_whatever_a_published_trace_says(tmp_path: Path) -> None:
    import_dataset(write_clone(tmp_path / "clone", {ACCEPT: trace(button("Reject All"))}))
    with (
        gym.make(f"websp/{ID}", dataset="official") as env,
        pytest.raises(InitialStateError, match="S0 was not reached"),
    ):
        env.reset()


@pytest.mark.proof
def test_the_proof_tells_the_four_outcomes_apart_by_the_state_of_the_server(tmp_path: Path) -> None:
    missing = ACCEPT.replace("state1", "state3")
    nowhere = ACCEPT.replace("state1", "state4")
    wrong = ACCEPT.replace("state1", "state5")
    rows = [
        row("Steam_task-191_ON", "Jars.", (ACCEPT, True)),
        row("Steam_task-192_ON", "Jars.", (missing, True)),
        row("Steam_task-193_ON", "Jars.", (nowhere, True)),
        row("Steam_task-193_OFF", "Jars.", (wrong, True)),
        row("BBC_task-167", "Jars."),
    ]
    lines = "\n".join(map(json.dumps, rows))
    clone = write_clone(
        tmp_path / "clone",
        {
            "dataset/tasks_without_navigation.jsonl": lines,
            "dataset/tasks_with_navigation.jsonl": lines,
            nowhere: trace(button("Bake more of them")),
            wrong: trace(button("Accept All")),
        },
    )
    import_dataset(clone)
    heard: list[tuple[int, int]] = []
    proofs = prove_dataset("official", on_progress=lambda *done: heard.append(done))
    assert {proof.instance: proof.outcome for proof in proofs} == {
        "Steam-task-191-ON": "reached",
        "Steam-task-192-ON": "refused",
        "Steam-task-193-ON": "raised",
        "Steam-task-193-OFF": "wrong",
    }
    reasons = {proof.outcome: proof.reason for proof in proofs}
    assert not reasons["reached"]
    assert missing in reasons["refused"]
    assert "Bake more" in reasons["raised"]
    assert "cookies.state: expected 'reject_all', actual 'accept_all'" in reasons["wrong"]
    assert heard[-1] == (4, 4)
    assert prove_dataset("official", ["bbc"]) == []
    with pytest.raises(SetupError, match='no site "steem"; did you mean "steam"'):
        prove_dataset("official", ["steem"])


def test_where_the_clone_does_not_lead_to_s0_our_steps_can_take_its_place(tmp_path: Path) -> None:
    missing, wrong = ACCEPT.replace("state1", "state3"), ACCEPT.replace("state1", "state5")
    rows = [
        row("Steam_task-191_ON", "Jars.", (ACCEPT, True)),
        row("Steam_task-192_ON", "Jars.", (missing, True)),
        row("Steam_task-193_OFF", "Jars.", (wrong, True)),
    ]
    lines = "\n".join(map(json.dumps, rows))
    files = dict.fromkeys(
        ("dataset/tasks_without_navigation.jsonl", "dataset/tasks_with_navigation.jsonl"), lines
    )
    import_dataset(write_clone(tmp_path / "clone", {**files, wrong: trace(button("Accept All"))}))
    stored = load_dataset("official")
    code, said = websp("dataset", "check", "--use-ours", "--json")
    assert (code, [one["outcome"] for one in json.loads(said)]) == (1, ["reached", "refused", "wrong"])
    proofs = {proof.instance: proof for proof in prove_dataset("official")}
    assert [proof.outcome for proof in proofs.values()] == ["reached", "refused", "refused"]
    assert missing in proofs["Steam-task-192-ON"].reason
    assert "cookies.state: expected 'reject_all'" in proofs["Steam-task-193-OFF"].reason
    ours = load_instance("Steam-task-193-OFF")
    theirs = in_dataset(ours, "official")
    assert (theirs.config.initial_state, theirs.task.instruction) == (ours.config.initial_state, "Jars.")
    assert load_dataset("official").instances["Steam-task-191-ON"] == stored.instances["Steam-task-191-ON"]


def test_the_commands_import_list_check_show_and_remove(tmp_path: Path) -> None:
    clone = write_clone(tmp_path / "clone")
    code, said = websp("dataset", "import", str(clone))
    assert code == 0
    assert "CC BY-NC 4.0" in said
    assert "@official/login/steam.json" in said
    assert PASSWORD not in said
    code, said = websp("dataset", "list", "--json")
    (listed,) = json.loads(said)
    assert listed["sites"]["steam"] == {
        "instances": 2,
        "tasks": 0,
        "with_traces": 2,
        "login_trace": "@official/login/steam.json",
    }
    code, said = websp("dataset", "check", "steam", "--json")
    assert (code, [one["outcome"] for one in json.loads(said)]) == (0, ["reached", "reached"])
    code, said = websp("show", ID, "--dataset", "official", "--json")
    assert json.loads(said)["instruction"] == ROWS[0]["ques"]
    code, said = websp("show", ID, "--json")
    assert json.loads(said)["instruction"] == load_instance(ID).task.instruction
    write_clone(clone, {ACCEPT: None})
    code, said = websp("dataset", "import", str(clone), "--overwrite", "--json")
    assert code == 1
    assert {one["subject"] for one in json.loads(said)["left_out"] if one["matters"]} == {ID}
    assert websp("dataset", "remove")[0] == 0
    with pytest.raises(SetupError, match="none is imported"):
        websp("dataset", "remove")
