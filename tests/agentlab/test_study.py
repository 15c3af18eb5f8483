"""A finished study in its tables, in AgentXRay and in `websp report`."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.agentlab.conftest import QUICK
from websp_gym.agents.agentlab import (
    WebspAgentArgs,
    collect,
    episode_table,
    make_benchmark,
    make_enterprise_benchmark,
    outcome_table,
)
from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import find_results, read_run
from websp_gym.records.verdict import Verdict, unscored
from websp_gym.report.tables.build import read_report
from websp_gym.scoring.outcome import EpisodeEnd

ON, OFF = "Steam-task-191-ON", "Steam-task-191-OFF"


def row(frame: Any, agent: str, instance: str) -> dict[str, Any]:
    flat = frame.reset_index()
    (found,) = flat[
        (flat["agent.agent_name"] == agent) & (flat["env.task_name"] == f"websp.{instance}")
    ].to_dict("records")
    return {str(name): value for name, value in found.items()}


def test_verdict_failure_kind_and_side_effects_are_columns_of_agentlabs_table(small_study: Path) -> None:
    from agentlab.analyze.inspect_results import load_result_df

    frame = load_result_df(small_study, progress_fn=None)
    solved, missed = row(frame, "oracle", ON), row(frame, "noop", ON)
    assert (solved["websp.status"], solved["websp.outcome"], solved["cum_reward"]) == ("pass", "success", 1.0)
    assert (missed["websp.status"], missed["websp.outcome"], missed["cum_reward"]) == ("fail", "failure", 0.0)
    assert "hallucinated success" in missed["websp.failure_kinds"]
    assert "expected False, found True" in missed["websp.reason"]
    assert (missed["websp.site"], missed["websp.state"]) == ("Steam", "ON")
    assert missed["websp.side_effects"] == ""
    harmful = row(frame, "flawed:deactivates", ON)
    assert "steam: removed in sessions" in harmful["websp.side_effects"]
    assert "steam: signed out" in harmful["websp.side_effects"]
    assert "account deleted" in harmful["websp.reason"]
    assert (missed["stats.cum_failure"], missed["stats.cum_kind_hallucinated_success"]) == (1, 1)


def test_outcomes_are_counted_by_agent(small_study: Path) -> None:
    table = outcome_table(small_study)
    assert table.loc["oracle"].to_dict() == {
        "success": 2,
        "failure": 0,
        "time-out": 0,
        "unscored": 0,
        "error": 0,
    }
    assert table.loc["noop"].to_dict()["failure"] == 1
    episodes = episode_table(small_study)
    assert episodes.loc[("noop", OFF, 1), "outcome"] == "success"


def test_agentxray_shows_an_episode_in_all_its_tabs(
    small_study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gradio as gr
    from agentlab.analyze import agent_xray as xray

    monkeypatch.setattr(xray, "info", xray.Info(results_dir=small_study.parent))
    agents, agent_id, constants, variables, stats, errors = xray.new_exp_dir(
        [small_study.name], gr.Progress()
    )
    assert sorted(agents["agent.\nagent_name"]) == ["flawed:deactivates", "noop", "oracle"]
    assert len(constants) > 5
    assert "websp.outcome" in set(variables["Name"])
    assert stats.set_index("agent.agent_name").loc["oracle", "cum_success"] == 2
    assert stats.set_index("agent.agent_name").loc["flawed:deactivates", "cum_side_effects"] >= 1
    assert errors == ""
    tasks, (agent_id, task) = xray.new_agent_id(agent_id)
    assert len(tasks) == 2
    _, episode = xray.update_seeds((agent_id, task))
    profile, step = xray.new_episode(episode, gr.Progress())
    assert profile.size[0] > 100
    assert step.step == 0

    about, action, error = xray.update_step_info()
    assert "Error while getting" not in about
    assert "websp." in about
    assert "None" not in action.split("**Action:**")[1].strip().splitlines()[0]
    assert "No Error" in error
    assert xray.update_screenshot("Raw Screenshots").size == (1280, 1024)
    assert all(xray.update_screenshot_pair("Raw Screenshots"))
    assert xray.update_screenshot_gallery("Raw Screenshots").value
    assert "Step" in xray.update_episode()
    assert "scripted" in xray.update_chat_messages()
    assert xray.update_agent_info_md().startswith("**")
    assert xray.update_agent_info_html()[0]
    assert all(xray.update_prompt_tests())
    assert len(xray.update_stats()) > 0
    for tab in (xray.update_html, xray.update_pruned_html, xray.update_axtree, xray.update_task_error):
        assert tab()
    xray.update_logs()

    info = xray.info
    info.step = len(info.exp_result.steps_info) - 1
    assert "'verdict'" in xray.get_episode_info(info)


def test_agentxrays_server_starts_with_the_versions_of_the_extra(small_study: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    # Neither of the shell's nor what this folder's conftest has set: the command finds all by itself.
    spared = ("NLTK_DATA", "TIKTOKEN_CACHE_DIR", "HF_HUB_OFFLINE", "AGENTLAB_EXP_ROOT")
    variables = {name: value for name, value in os.environ.items() if name not in spared}
    code = "from websp_gym.cli import main; main()"
    command = [sys.executable, "-c", code, "xray", str(small_study.parent)]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command, env={**variables, "AGENTXRAY_APP_PORT": port}, stdout=log, stderr=log
        ) as server,
    ):
        try:
            page = wait_for_page(f"http://127.0.0.1:{port}/", server)
        finally:
            server.kill()
        log.seek(0)
        assert small_study.name in page, log.read().decode()[-2000:]


def wait_for_page(url: str, server: subprocess.Popen[bytes]) -> str:
    until = time.monotonic() + 300
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                return str(answer.read().decode())
        except OSError:
            time.sleep(0.1)
    return ""


def nobody_knows(outcome: EpisodeEnd) -> Verdict:
    """A reward without a verdict."""
    return unscored("nobody", "nobody knows")


def test_an_unscored_episode_is_an_error_to_agentlab_and_unscored_to_us(tmp_path: Path) -> None:
    from agentlab.experiments.study import make_study

    benchmark = make_benchmark("Airbnb-task-180", reward=nobody_knows, **QUICK)
    study = make_study(WebspAgentArgs(spec="noop"), benchmark)
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1, exp_root=tmp_path)
    frame, summary, _ = study.get_results()
    assert list(summary["n_err"]) == [1]
    assert list(frame["websp.outcome"]) == ["unscored"]
    (episode,) = episode_table(study.dir).to_dict("records")
    assert (episode["outcome"], episode["reward"], episode["reason"]) == ("unscored", None, "nobody knows")


def test_a_study_of_an_application_is_played_under_policies(tmp_path: Path) -> None:
    from agentlab.experiments.study import make_study

    benchmark = make_enterprise_benchmark("SuiteCRM-stwab-47", policies="easy", max_steps=40, **QUICK)
    study = make_study([WebspAgentArgs(spec=spec) for spec in ("guardian", "noop")], benchmark)
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1, exp_root=tmp_path)
    collected = find_results([collect(study.dir, tmp_path / "runs")]).results
    found = {result.agent: result for _, result in collected}
    assert [found[name].status for name in ("guardian", "noop")] == ["pass", "fail"]
    for result in found.values():
        assert len(result.policies or ()) == 7
        assert all(policy.kept for policy in result.policies or ())


def test_a_collected_study_is_read_as_runs_of_ours(small_study: Path, tmp_path: Path) -> None:
    folder = collect(small_study, tmp_path / "runs")
    found = find_results([folder]).results
    outcomes = {(result.agent, result.id): result.outcome for _, result in found}
    assert len(outcomes) == 6
    assert outcomes["oracle", ON] == outcomes["oracle", OFF] == outcomes["noop", OFF] == "success"
    assert outcomes["noop", ON] == outcomes["flawed:deactivates", ON] == "failure"
    for run_folder, result in found:
        run = read_run(run_folder)
        assert run is not None
        assert (run.agent, run.hash) == (result.agent, result.run_hash)
        assert run.options == {"initial_state": "snapshot"}
        record = load_trajectory(run_folder / result.trajectory)
        assert (record.instance, record.config_hash) == (result.id, result.config_hash)
        assert len(record.steps) == result.steps
        assert result.reset_seconds > 0
    report = read_report([folder]).as_dict()
    assert (report["episodes"], sorted(report["agents"])) == (6, ["flawed:deactivates", "noop", "oracle"])


def test_collecting_again_replaces_a_collection_and_nothing_else(small_study: Path, tmp_path: Path) -> None:
    folder = collect(small_study, tmp_path / "runs")
    before = [result for _, result in find_results([folder]).results]
    assert [result for _, result in find_results([collect(small_study, folder)]).results] == before
    (tmp_path / "mine").mkdir()
    with pytest.raises(SetupError, match="already exists"):
        collect(small_study, tmp_path / "mine")
    with pytest.raises(SetupError, match="no folder"):
        collect(tmp_path / "nowhere")
    with pytest.raises(SetupError, match="holds no experiment"):
        collect(tmp_path / "mine")


def test_the_command_collects_and_prints_the_folder(
    small_study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from websp_gym.cli.collecting import collect as command

    command(small_study, out=tmp_path / "a", as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "folder": str(tmp_path / "a"),
        "agents": ["flawed:deactivates", "noop", "oracle"],
        "episodes": 6,
    }
    command(small_study, out=tmp_path / "b", as_json=False)
    assert "websp report" in capsys.readouterr().out
