"""AgentLab's summary of an episode as a result; needs no AgentLab."""

from __future__ import annotations

import runpy
from typing import Any

import pytest

from tests.paths import ROOT
from websp_gym.records.results import Result

# By its path: the package around it imports AgentLab.
_PATH = ROOT / "agents" / "agentlab" / "summary.py"
summarised = runpy.run_path(str(_PATH))["summarised"]

ENDED: dict[str, Any] = {
    "n_steps": 7,
    "cum_reward": 1.0,
    "cum_raw_reward": 0,
    "err_msg": None,
    "stack_trace": None,
    "stats.cum_step_elapsed": 3.5,
    "stats.cum_agent_elapsed": 0.25,
    "terminated": True,
    "truncated": False,
}


@pytest.mark.parametrize(
    ("changed", "outcome", "end_reason"),
    [
        ({}, "success", "answer"),
        ({"cum_reward": 0.0}, "failure", "answer"),
        ({"cum_reward": 0, "terminated": False, "truncated": True}, "time-out", "action_limit"),
    ],
)
def test_the_end_of_a_stock_episode_is_taken_from_its_summary(
    changed: dict[str, Any], outcome: str, end_reason: str
) -> None:
    result = Result(id="A-task-1", agent="x", **summarised(ENDED | changed))
    assert (result.outcome, result.end_reason, result.steps, result.seconds) == (outcome, end_reason, 7, 3.75)
    assert result.reason.startswith("no verdict")


@pytest.mark.parametrize(
    "changed",
    [
        {"err_msg": "WorldError: gone"},
        {"terminated": False},
        {"cum_reward": 0.5},
        {"cum_reward": None},
        {"terminated": False, "truncated": True},
        {"terminated": None},
    ],
)
def test_a_summary_without_an_ending_is_not_scored(changed: dict[str, Any]) -> None:
    assert summarised(ENDED | changed) is None
