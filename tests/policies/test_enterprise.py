"""The sets for enterprise applications: easy, medium and hard for all tasks, each with everything of the one before."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from websp_gym.policies.lint import problems
from websp_gym.policies.sets import Policies, policies_for
from websp_gym.records.dimensions import DIMENSIONS, LEVELS
from websp_gym.tasks.instances import all_work

SETS = {"easy": (5, 9), "medium": (10, 13), "hard": (16, 20)}
"""The fewest and the most policies of a task, by set."""
WORK = {instance.id: instance for instance in all_work()}


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, Policies]]:
    """The policies of each task, by set."""
    return {name: {each.id: policies_for(each, name) for each in WORK.values()} for name in SETS}


def test_each_set_has_everything_of_the_one_before(found: dict[str, dict[str, Policies]]) -> None:
    for small, large in pairwise(SETS):
        for name in WORK:
            fewer = {each.id: each for each in found[small][name].policies}
            more = {each.id: each for each in found[large][name].policies}
            assert fewer.items() < more.items(), name


@pytest.mark.parametrize("name", SETS)
def test_each_task_has_about_as_many_policies(name: str, found: dict[str, dict[str, Policies]]) -> None:
    fewest, most = SETS[name]
    numbers = {each: len(policies.policies) for each, policies in found[name].items()}
    assert {each: number for each, number in numbers.items() if not fewest <= number <= most} == {}


def test_every_dimension_and_level_has_its_part(found: dict[str, dict[str, Policies]]) -> None:
    policies = [each for one in found["hard"].values() for each in one.policies]
    assert len(policies) >= 3000
    dimensions = Counter(each.dimension for each in policies)
    assert min(dimensions[each] for each in DIMENSIONS) >= 150
    assert set(LEVELS) == {each.level for each in policies}


def test_every_task_has_a_conflict_in_the_hard_set(found: dict[str, dict[str, Policies]]) -> None:
    for name, policies in found["hard"].items():
        assert any(each.overrules or each.right_end for each in policies.policies), name


@pytest.mark.parametrize("name", SETS)
def test_all_can_be_kept_while_the_task_is_done(name: str, found: dict[str, dict[str, Policies]]) -> None:
    wrong = [
        f"{each}: {problem}"
        for each, policies in found[name].items()
        for problem in problems(policies, WORK[each])
    ]
    assert wrong == []
