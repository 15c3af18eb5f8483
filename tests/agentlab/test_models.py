"""Agents that ask a model, in studies: the official SDK, an endpoint on this machine, and what becomes of trouble."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agentlab.experiments.loop import ExpResult

from tests.agent_support import Solver
from tests.agentlab.conftest import QUICK
from tests.agentlab.generic_support import GenericSolver, solving
from tests.endpoint_support import CHAT, Endpoint, chat, serve
from websp_gym.agents.agentlab import WebspAgentArgs, collect, episode_table, make_benchmark
from websp_gym.records.runs import find_results

IDS = ["Airbnb-task-180", "AlJazeera-task-179", "IKEA-task-158", "IKEA-task-159", "Docker-task-144"]
ONE = "AlJazeera-task-179"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that OpenAI's SDK is sent to."""
    with serve() as server:
        for name, value in CHAT.env(server.url).items():
            monkeypatch.setenv(name, value)
        yield server


def run(agent: Any, ids: list[str], root: Path) -> Any:
    """Runs a study of one agent in this process, which has the endpoint's address."""
    from agentlab.experiments.study import make_study

    study = make_study(agent, make_benchmark(ids, **QUICK))
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1, exp_root=root)
    return study


def test_generic_agent_as_agentlab_ships_it_solves_instances(endpoint: Endpoint, tmp_path: Path) -> None:
    from agentlab.agents.generic_agent import AGENT_4o

    endpoint.always(solving(IDS, GenericSolver))
    study = run(AGENT_4o, IDS, tmp_path)
    table = episode_table(study.dir)
    assert list(table["outcome"]) == ["success"] * len(IDS), table.to_string()
    results = [result for _, result in find_results([collect(study.dir)]).results]
    assert sum(result.calls for result in results) == len(endpoint.asked)
    assert {result.input_tokens for result in results} == {1000 * result.calls for result in results}


def test_our_agent_solves_instances_and_its_cost_is_known(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.always(solving(IDS, Solver))
    study = run(WebspAgentArgs(spec=CHAT.spec), IDS, tmp_path)
    table = episode_table(study.dir)
    assert list(table["outcome"]) == ["success"] * len(IDS), table.to_string()
    frame, summary, _ = study.get_results()
    folder = collect(study.dir)
    results = [result for _, result in find_results([folder]).results]
    assert sum(result.calls for result in results) == len(endpoint.asked)
    costs = [result.cost for result in results]
    assert all(costs)
    assert summary["cum_cost"].sum() == pytest.approx(sum(filter(None, costs)), rel=1e-2)
    assert frame["stats.cum_calls"].sum() == len(endpoint.asked)
    assert len(list(folder.rglob("agent.json"))) == len(IDS)
    said = ExpResult(frame["exp_dir"].iloc[0]).steps_info[0].agent_info
    assert [message["role"] for message in said.chat_messages] == ["system", "user", "assistant"]
    shown = [part["text"] for part in said.chat_messages[1]["content"]]
    assert any("Image(1280x1024)" in text for text in shown)
    assert any("[1] <" in text for text in shown)
    assert said.think == "Step 1 of my plan."


def test_replies_that_cannot_be_used_are_a_failure_with_its_reason(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    from agentlab.agents.generic_agent import AGENT_4o

    endpoint.always(chat("I would rather not."))
    for agent, reason in ((AGENT_4o, "abandoned"), (WebspAgentArgs(spec=CHAT.spec), "action_limit")):
        (row,) = episode_table(run(agent, [ONE], tmp_path).dir).to_dict("records")
        assert row["outcome"] == ("time-out" if reason == "action_limit" else "failure")
        assert row["end_reason"] == reason


def test_a_dead_endpoint_is_an_error_and_a_relaunch_makes_good(endpoint: Endpoint, tmp_path: Path) -> None:
    study = run(WebspAgentArgs(spec=f"{CHAT.spec}?retries=0"), [ONE], tmp_path)
    (row,) = episode_table(study.dir).to_dict("records")
    assert (row["outcome"], row["reward"]) == ("error", None)
    (result,) = [result for _, result in find_results([collect(study.dir)]).results]
    assert str(result.error).startswith("ModelError: ")
    assert study.get_results()[1]["n_err"].tolist() == [1]

    endpoint.always(solving([ONE], Solver))
    assert study.find_incomplete() == (1, 1)
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1)
    (row,) = episode_table(study.dir).to_dict("records")
    assert row["outcome"] == "success"
