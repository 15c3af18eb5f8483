"""The loop that plays an episode, and who may not bring another one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

import pytest

from tests.conftest import MakeEnv
from tests.paths import ROOT
from websp_gym.agents.oracle import OracleAgent
from websp_gym.env.rollout import Briefing, Rollout
from websp_gym.errors import WorldError

PASSES = "Steam-task-191-OFF"
QUICK: dict[str, Any] = {"initial_state": "snapshot", "viewport": (640, 480)}


class Waiter:
    """Waits twice, or fails at the given stage."""

    def __init__(self, fails_at: str = "") -> None:
        self.actions = ["Wait", "Wait", "ANSWER; done"]
        self.fails_at = fails_at

    def begin(self, briefing: Briefing) -> None:
        if self.fails_at == "begin":
            raise RuntimeError(briefing.instance.id)

    def act(self, observation: Mapping[str, Any]) -> str:
        if self.fails_at == "act" and len(self.actions) == 1:
            raise RuntimeError("no idea")
        return self.actions.pop(0)


def test_iterating_over_a_rollout_plays_the_episode_and_shows_each_step(make: MakeEnv) -> None:
    rollout = Rollout(make(PASSES, **QUICK), Waiter(), seed=5)
    steps = list(rollout)
    assert [step.action for step in steps] == ["Wait", "Wait", "ANSWER; done"]
    assert [step.terminated for step in steps] == [False, False, True]
    assert steps[1].before is steps[0].observation
    assert (steps[-1].reward, rollout.actions) == (1.0, 3)
    assert rollout.task is not None
    assert rollout.task.trajectory.seed == 5


@pytest.mark.parametrize(("fails_at", "stage", "actions"), [("begin", "agent", 0), ("act", "agent", 2)])
def test_a_rollout_that_an_agent_broke_reports_the_stage(
    make: MakeEnv, fails_at: str, stage: str, actions: int
) -> None:
    rollout = Rollout(make(PASSES, **QUICK), Waiter(fails_at))
    with pytest.raises(RuntimeError):
        list(rollout)
    assert (rollout.stage, rollout.actions) == (stage, actions)


def test_a_rollout_whose_scoring_failed_reports_it_and_keeps_its_record(make: MakeEnv) -> None:
    def away(outcome: Any) -> float:
        raise WorldError("away")

    rollout = Rollout(make(PASSES, reward=away, **QUICK), Waiter())
    with pytest.raises(WorldError, match="away"):
        list(rollout)
    assert (rollout.stage, rollout.actions) == ("scoring", 3)
    assert rollout.task is not None
    assert rollout.task.trajectory.end_reason == "answer"


def test_a_failing_oracle_names_its_step(make: MakeEnv) -> None:
    env, oracle = make("Steam-task-191-ON", **QUICK), OracleAgent()
    at = [oracle.at for _step in Rollout(env, oracle)]
    assert at == sorted(at)
    assert at[-1] == len(env.instance.config.ground_truth) - 1


def test_only_the_loop_steps_an_environment() -> None:
    """AgentLab and learners bring loops of their own, through wrappers; pools step environments of other processes."""
    stepping = {
        path.relative_to(ROOT).as_posix()
        for folder in ("websp_gym", "agents", "docs/examples")
        for path in (ROOT / folder).rglob("*.py")
        if path.is_relative_to(ROOT) and any(_steps(node) for node in ast.walk(ast.parse(path.read_text())))
    }
    assert stepping - {name for name in stepping if name.startswith("websp_gym/agents/")} == {
        "agents/agentlab/episode.py",
        "docs/examples/maskable_ppo.py",
        "websp_gym/env/rollout.py",
        "websp_gym/rollouts/pool.py",
        "websp_gym/rollouts/ray.py",
        "websp_gym/rollouts/remote.py",
        "websp_gym/trainers/candidates.py",
    }


def _steps(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="step", value=ast.Attribute(attr="env") | ast.Name(id="env"))):
            return True
    return False
