"""One environment over many instances, and which of them need nothing to be done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.env.sampled import SampledEnv
from websp_gym.errors import SetupError, UnknownInstanceError
from websp_gym.policies.sets import policies_for
from websp_gym.rollouts import choose_episodes
from websp_gym.scoring.solved_at_start import balance_solved, solved_at_start, without_solved
from websp_gym.tasks.ids import instance_ids, work_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.splits import split_ids

SMALL: dict[str, Any] = {"initial_state": "snapshot", "viewport": (400, 300), "observation": "text"}


@pytest.fixture(scope="module")
def both() -> Iterator[SampledEnv]:
    """Both instances of one task."""
    env = gym.make("websp-v0", ids="Steam-task-191-*", **SMALL).unwrapped
    assert isinstance(env, SampledEnv)
    yield env
    env.close()


def test_a_seed_draws_the_instance(both: SampledEnv) -> None:
    other = next(seed for seed in range(1, 20) if _drawn(seed) != _drawn(0))
    for seed in (0, other, 0):
        _observation, info = both.reset(seed=seed)
        assert info["task_info"] == {"instance": _drawn(seed), "seed": seed}
        assert both.instance.id == _drawn(seed)
    # Without a seed the draws go on from the last one, which cannot give the same instance forever.
    assert any(both.reset() and both.instance.id != _drawn(0) for _ in range(20))


def test_a_reset_chooses_the_instance(both: SampledEnv) -> None:
    for name, paid in (("Steam-task-191-OFF", 1.0), ("websp/Steam_task-191_ON", 0.0)):
        _observation, info = both.reset(options={"instance": name.lower(), "max_actions": 3})
        assert info["task_info"]["instance"] == both.instance.id
        *_, info = step = both.step("ANSWER; done")
        assert step[1] == paid
        assert info["verdict"]["status"] == ("pass" if paid else "fail")
    with pytest.raises(UnknownInstanceError, match="Steam-task-191-ON"):
        both.reset(options={"instance": "Steam-task-191-ONN"})
    with pytest.raises(UnknownInstanceError, match="2 instances"):
        both.reset(options={"instance": "Airbnb-task-180"})
    with pytest.raises(SetupError, match=r"max_action.*options: instance, "):
        both.reset(options={"instance": "Steam-task-191-ON", "max_action": 3})


def test_each_episode_has_the_policies_of_its_own_instance() -> None:
    ids = ["Steam-task-191-OFF", "GitHub-task-133"]
    env = gym.make("websp-v0", ids=ids, policies="standard", **SMALL).unwrapped
    assert isinstance(env, SampledEnv)
    try:
        for name in reversed(ids):
            expected = policies_for(load_instance(name), "standard")
            observation, _info = env.reset(options={"instance": name})
            assert observation["policies"] == tuple(each.as_dict() for each in expected.shown)
            assert env.task is not None
            assert env.task.trajectory.policies is not None
            assert env.task.trajectory.policies.digest == expected.digest
            *_, info = env.step("ANSWER; done")
            assert [each["id"] for each in info["verdict"]["policies"]] == [
                each.id for each in expected.policies
            ]
    finally:
        env.close()


def test_instances_are_chosen_by_split_site_and_category() -> None:
    def ids(**options: Any) -> list[str]:
        env = gym.make("websp-v0", **options, **SMALL).unwrapped
        assert isinstance(env, SampledEnv)
        return list(env.ids)

    assert ids() == instance_ids()
    train, test = split_ids("site")
    assert (ids(split="train", split_by="site"), ids(split="test", split_by="site")) == (train, test)
    assert ids(site="Steam", split="test") == [name for name in split_ids("task")[1] if "Steam-" in name]
    assert ids(ids=["BBC-*", "Goal-*"]) == [
        name for name in instance_ids() if name.startswith(("BBC", "Goal"))
    ]
    assert ids(site="SuiteCRM", split="test") == split_ids("task", ids="SuiteCRM-*")[1]
    assert ids(site="SuiteCRM", split="train", split_by="state") == [
        name for name in work_ids() if name.startswith("SuiteCRM-")
    ]
    flows = ids(ids="*-flow-*", split="test", split_by="site")
    assert {load_instance(one).site.slug for one in flows} <= {load_instance(one).site.slug for one in test}
    assert not set(ids(ids="*-flow-*", split="train")) & set(ids(ids="*-flow-*", split="test"))
    with pytest.raises(SetupError, match="train, test"):
        ids(split="valid")
    with pytest.raises(SetupError, match="no instance"):
        ids(site="Steam", split=("train" if any("Steam" in n for n in test) else "test"), split_by="site")
    with pytest.raises(UnknownInstanceError):
        ids(site="Stem")


@pytest.mark.proof
def test_a_vector_plays_other_instances_side_by_side_and_resets_those_that_it_is_told_to() -> None:
    env: Any = gym.make_vec(
        "websp-v0", num_envs=2, ids="Steam-task-191-*", autoreset_mode=AutoresetMode.DISABLED, **SMALL
    )
    try:
        seeds = [0, next(seed for seed in range(1, 20) if _drawn(seed) != _drawn(0))]
        _observations, infos = env.reset(seed=seeds)
        assert list(infos["task_info"]["instance"]) == [_drawn(seed) for seed in seeds]
        solved = [float(_drawn(seed).endswith("OFF")) for seed in seeds]
        _seen, rewards, terminated, _truncated, infos = env.step(("ANSWER; done", "Wait"))
        assert (list(rewards), list(terminated)) == ([solved[0], 0.0], [True, False])
        assert infos["verdict"]["status"][0] == ("pass" if solved[0] else "fail")
        env.reset(seed=[seeds[1], None], options={"reset_mask": np.array([True, False])})
        _seen, rewards, *_ = env.step(("ANSWER; done", "ANSWER; done"))
        assert list(rewards) == [solved[1], solved[1]]
    finally:
        env.close()


def _drawn(seed: int) -> str:
    ids = [name for name in instance_ids() if name.startswith("Steam-task-191-")]
    return ids[int(np.random.default_rng([seed, 1]).integers(len(ids)))]


def test_two_draws_from_one_seed_are_two_draws() -> None:
    env = SampledEnv(instance_ids(), **SMALL)
    same = 0
    for seed in range(200):
        first = env._draw(seed)
        gym.Env.reset(env, seed=seed)  # as the reset does that has drawn
        same += env._draw(None) == first
    assert same <= 5  # one in two hundred by chance


def test_splits_can_leave_out_or_balance_what_is_solved_at_the_start() -> None:
    # The proofs compare each instance with its verified S0; docs/reference/reports.md has the 43 from the sweep of `noop`.
    solved = [name for name in instance_ids() if solved_at_start(name)]
    assert len(solved) == 43
    assert solved_at_start("Steam-task-191-OFF")
    assert not solved_at_start("Steam-task-191-ON")
    train, _test = split_ids("task")
    todo = without_solved(train)
    assert set(todo) | (set(solved) & set(train)) == set(train)
    assert not set(todo) & set(solved)
    balanced = balance_solved(train)
    assert sum(solved_at_start(name) for name in balanced) * 2 == len(balanced) > 0
    assert balanced == sorted(balanced, key=train.index)
    assert balance_solved(train) == balanced != balance_solved(train, seed=1)
    assert balance_solved(todo) == []


def test_data_sets_of_trainers_are_chosen_in_the_same_way() -> None:
    both = ["Steam-task-191-ON", "Steam-task-191-OFF"]
    assert choose_episodes("Steam-task-191-*", trials=2) == [(name, seed) for seed in (0, 1) for name in both]
    assert choose_episodes(both, solved="drop") == [(both[0], 0)]
    assert choose_episodes([*both, "AlJazeera-task-179"], solved="balance") == choose_episodes(
        both, solved="balance"
    )
    assert [name for name, _ in choose_episodes(split="test", split_by="site")] == split_ids("site")[1]
    for wrong, said in (
        ({"solved": "leave out"}, "keep, drop, balance"),
        ({"trials": 0}, "from 1"),
        ({"ids": both[1], "solved": "drop"}, "no instance is left"),
        ({"ids": "Steam-task-1910"}, "no instance matches"),
    ):
        with pytest.raises(SetupError, match=said):
            choose_episodes(**wrong)
