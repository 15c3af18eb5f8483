"""Every task proves its own check: the target passes, untouched and opposite fail, each single omission fails."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeEnv
from websp_gym.agents.oracle import OracleAgent
from websp_gym.agents.simple import NoopAgent
from websp_gym.ground_truth import Step
from websp_gym.instances import all_instances, load_instance
from websp_gym.runner import Result, run_episode

INSTANCES = [loaded.id for loaded in all_instances() if loaded.site.site == "Steam"]
S0_IS_THE_GOAL = {
    "Steam-task-191-OFF",
    "Steam-task-193-OFF",
    "Steam-task-197-ON",
    "Steam-task-200-OFF",
}
OMISSIONS = [
    pytest.param(name, index, id=f"{name}-step-{index + 1}")
    for name in INSTANCES
    for index, step in enumerate(load_instance(name).instance.ground_truth)
    if step.changes_state
]
CHANGING = {str(param.values[0]) for param in OMISSIONS}


def _play(
    make: MakeEnv, name: str, agent: OracleAgent | NoopAgent, initial_state: str = "snapshot"
) -> Result:
    return run_episode(make(name, initial_state=initial_state), agent)


@pytest.mark.parametrize("name", INSTANCES)
def test_the_oracle_solves_it_from_a_replayed_s0(make: MakeEnv, name: str) -> None:
    result = _play(make, name, OracleAgent(), "replay")
    assert (result.status, result.reward) == ("pass", 1.0), result.reason


@pytest.mark.parametrize("name", INSTANCES)
def test_doing_nothing_passes_exactly_where_s0_already_is_the_goal(make: MakeEnv, name: str) -> None:
    result = _play(make, name, NoopAgent())
    assert result.reward == (1.0 if name in S0_IS_THE_GOAL else 0.0), result.reason


@pytest.mark.parametrize(("name", "left_out"), OMISSIONS)
def test_leaving_out_one_state_changing_step_fails(make: MakeEnv, name: str, left_out: int) -> None:
    result = _play(make, name, OracleAgent(skip=[left_out]))
    assert (result.status, result.reward) == ("fail", 0.0), result.reason


def _steps(name: str, way: int, *steps: dict[str, Any]) -> tuple[Step, ...]:
    """The first steps of an instance's ground truth, and others behind them."""
    return (*load_instance(name).instance.ground_truth[:way], *map(Step.model_validate, steps))


ALWAYS = {"within": "Always filter these words"}
OPPOSITES = {
    # Where a click on what already holds is not the opposite of leaving it alone.
    "Steam-task-197-ON": _steps(
        "Steam-task-197-ON",
        2,
        {"click": {"role": "button", "name": "View custom words", **ALWAYS}, "element": "Button"},
        {"click": {"role": "generic", "name": "Clear custom words"}, "element": "Link"},
        {"submit": {"role": "button", "name": "Yes"}, "element": "Button"},
    ),
    "Steam-task-197-OFF": _steps(
        "Steam-task-197-OFF",
        2,
        {
            "type": {"role": "textbox", "name": "Never filter these words"},
            "element": "Text Input",
            "value": "scam, spoiler",
        },
        {
            "submit": {"role": "button", "name": "Add", "within": "Never filter these words"},
            "element": "Button",
        },
    ),
    "Steam-task-200-OFF": _steps(
        "Steam-task-200-OFF",
        3,
        {
            "turn": {"role": "radio", "name": "Send me an email when:"},
            "element": "Radio Button",
            "state": "on",
        },
        {"submit": {"role": "button", "name": "Save"}, "element": "Button"},
    ),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_doing_the_opposite_fails(make: MakeEnv, name: str) -> None:
    steps = OPPOSITES.get(name)
    result = _play(make, name, OracleAgent(opposite=steps is None, steps=steps))
    assert (result.status, result.reward) == ("fail", 0.0), result.reason


@pytest.mark.parametrize("name", ["Steam-task-198-ON", "Steam-task-199", "Steam-task-200-ON"])
def test_leaving_the_email_page_without_save_changes_nothing(make: MakeEnv, name: str) -> None:
    save = len(load_instance(name).instance.ground_truth) - 1
    env = make(name)
    result = run_episode(env, OracleAgent(skip=[save]))
    assert result.reward == 0.0
    assert env.task is not None
    assert env.task.trajectory.end["settings"] == env.task.trajectory.s0["settings"]


def test_every_changing_instance_is_covered() -> None:
    assert set(INSTANCES) == CHANGING | S0_IS_THE_GOAL
    assert len(INSTANCES) == 17
