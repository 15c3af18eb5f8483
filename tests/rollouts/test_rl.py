"""The code of the guide to reinforcement learning, run unchanged, and the splits it uses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.paths import DOCS
from websp_gym.errors import SetupError
from websp_gym.rollouts import advantages
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.splits import split_ids

GUIDE = DOCS / "reference/rl.md"


@pytest.mark.proof
def test_the_guides_examples_run_as_they_stand() -> None:
    instances, candidates, rollouts, *_ = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(instances, names)
    assert set(names["train"]) | set(names["test"]) == set(instance_ids())
    assert names["info"]["task_info"]["instance"] == names["balanced"][0]
    names = {}
    exec(candidates, names)
    assert (names["rows"].shape, names["terminated"]) == ((128, 512), True)
    names = {"__name__": "__main__"}
    exec(rollouts, names)
    rewards = [played.reward for played in names["group"]]
    assert rewards == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert {round(advantage, 1) for _played, advantage in advantages(names["group"])} == {-0.2, 0.8}


@pytest.mark.parametrize("by", ["site", "task", "state"])
def test_a_split_has_every_instance_on_one_side(by: str) -> None:
    train, test = split_ids(by)
    assert sorted([*train, *test]) == sorted(instance_ids())
    assert train
    assert test
    if by != "state":
        bare = [{name.removesuffix("-ON").removesuffix("-OFF") for name in side} for side in (train, test)]
        assert not bare[0] & bare[1]
    if by == "site":
        assert not {name.split("-task-")[0] for name in train} & {name.split("-task-")[0] for name in test}


def test_an_impossible_division_is_explained() -> None:
    with pytest.raises(SetupError, match="site, task, state"):
        split_ids("sites")
    with pytest.raises(SetupError, match="cannot be split"):
        split_ids("site", ids="Airbnb-*")
