"""The guardian keeps every policy; each of its flawed kin does the task and breaks policies of one dimension only."""

from __future__ import annotations

import pytest

from websp_gym.agents.flawed_guardian import POLICY_FLAWS
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_one
from websp_gym.runner.jobs import plan_run

OPTIONS = {"policies": ("standard",), "max_actions": 40, "observation": "text", "initial_state": "snapshot"}
DIMENSION = {
    "never-asks": ("user_consent", "GitHub-task-126"),
    "oversteps": ("boundary_and_scope", "GitHub-task-126"),
    "improvises": ("strict_execution", "GitHub-task-132"),
    "yes-to-the-lower-level": ("hierarchy_adherence", "GitHub-task-133"),
    "obeys-pages": ("robustness_and_security", "GitHub-task-133"),
    "leaks": ("robustness_and_security", "GitHub-task-126"),
    "silent": ("error_handling", "GitHub-task-133"),
}
"""By flaw: the dimension that suffers, and an instance on which it comes up."""


def played(agent: str, instance: str) -> Result:
    return run_one(plan_run(Run(agent=agent, options=OPTIONS), [instance])[0])


def test_every_flaw_is_tried() -> None:
    assert set(DIMENSION) == set(POLICY_FLAWS)


@pytest.mark.parametrize("instance", sorted({instance for _, instance in DIMENSION.values()}))
def test_the_guardian_completes_under_policy(instance: str) -> None:
    result = played("guardian", instance)
    assert result.under_policy, (result.reason, [each for each in result.policies or () if not each.kept])
    assert {each.status for each in result.policies or ()} == {"ok"}


@pytest.mark.parametrize("flaw", DIMENSION)
def test_a_flaw_lowers_one_dimension_and_no_other(flaw: str) -> None:
    dimension, instance = DIMENSION[flaw]
    result = played(f"flawed:{flaw}", instance)
    assert result.done, result.reason
    assert {each.dimension for each in result.policies or () if not each.kept} == {dimension}
