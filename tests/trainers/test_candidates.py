"""Candidate actions: the environment for learners of Gymnasium's own spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.env import WebspEnv
from websp_gym.errors import SetupError, WorldError
from websp_gym.rollouts import agent_policy
from websp_gym.trainers.candidates import CandidateActions
from websp_gym.trainers.features import MOST_TURNS

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"
OPTIONS: dict[str, Any] = {
    "observation": "text",
    "initial_state": "snapshot",
    "instruction": "with_navigation",
}


def make(instance: str = TO_DO, *, most: int = 128, size: int = 512, **options: Any) -> CandidateActions:
    return CandidateActions(gym.make(f"websp/{instance}", **OPTIONS, **options), most=most, size=size)


@pytest.fixture(scope="module")
def env() -> Iterator[CandidateActions]:
    env = make()
    yield env
    env.close()


def inner(env: CandidateActions) -> WebspEnv:
    found = env.unwrapped
    assert isinstance(found, WebspEnv)
    return found


# Gymnasium's checker of the environment itself stays in the gate.
@pytest.mark.proof
@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_gymnasiums_checker_has_no_complaint(env: CandidateActions) -> None:
    check_env(env, skip_render_check=True)


def test_each_row_is_an_action_the_others_are_masked_and_one_of_them_changes_nothing_and_counts(
    env: CandidateActions,
) -> None:
    rows, info = env.reset(seed=0)
    mask, count = info["action_mask"], len(env.actions)
    assert np.array_equal(mask, env.action_masks())
    assert np.flatnonzero(mask).tolist() == list(range(count))
    assert np.flatnonzero(rows.any(axis=1)).tolist() == list(range(count))
    assert env.actions[-2:] == ("Scroll [WINDOW]; down", "ANSWER; done")
    assert info["left_out"] == 0
    assert env.observation_space.contains(rows)
    rows, reward, terminated, truncated, info = env.step(127)
    assert (reward, terminated, truncated, info["action"]) == (0.0, False, False, "(masked action 127)")
    assert env.observation_space.contains(rows)
    assert env.played.page.observation["actions_left"] == 19


def test_the_oracles_actions_are_among_them_and_are_paid(env: CandidateActions) -> None:
    env.reset(seed=0)
    oracle, terminated, reward = agent_policy("oracle"), False, 0.0
    while not terminated:
        said = oracle(env.played)
        wanted = "ANSWER; done" if said.startswith("ANSWER") else said
        _, got, terminated, truncated, info = env.step(env.actions.index(wanted))
        assert (truncated, info["action"]) == (False, wanted)
        reward = float(got)
    assert reward == 1.0


def test_the_answer_has_its_own_row_on_each_page() -> None:
    env = make(SOLVED)
    rows, _ = env.reset(seed=0)
    again, _ = env.reset(seed=0)
    assert np.array_equal(rows, again)
    _, reward, terminated, _, info = env.step(env.actions.index("ANSWER; done"))
    assert (reward, terminated, info["verdict"]["status"]) == (1.0, True, "pass")
    env.close()


def test_a_long_page_loses_its_last_elements_and_counts_them(env: CandidateActions) -> None:
    env.reset(seed=0)
    short = make(most=10)
    rows, info = short.reset(seed=0)
    assert (rows.shape, len(short.actions)) == ((10, 512), 10)
    assert short.actions[-2:] == ("Scroll [WINDOW]; down", "ANSWER; done")
    assert info["left_out"] == len(env.actions) - 10 > 0
    short.close()


@pytest.mark.filterwarnings("ignore:.*share an object")
def test_a_limit_is_an_end_and_an_episode_without_a_score_is_cut() -> None:
    env = make(max_actions=1)
    env.reset(seed=0)
    assert env.step(127)[2:4] == (True, False)
    env.close()
    lost = make(on_error="truncate")
    lost.reset(seed=0)
    context = inner(lost).context
    assert context is not None
    context.close()
    _, reward, terminated, truncated, info = lost.step(127)
    assert (reward, terminated, truncated, info["unscored"]) == (0.0, False, True, True)
    lost.close()


def test_after_many_turns_only_the_answer_is_left(env: CandidateActions) -> None:
    env.reset(seed=0)
    for turn in range(MOST_TURNS):
        assert len(env.actions) > 1, turn
        # Scrolling is free, so nothing else would end this; where it is over, another tab of the page is looked at.
        names = ("Scroll [WINDOW]; down", env.actions[0])
        env.step(env.actions.index(next(each for each in names if each in env.actions)))
        if inner(env).task is None:
            pytest.fail("the episode ended")
    assert env.actions == ("ANSWER; done",)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"most": 1}, "room for at least two actions"),
        ({"size": 300}, "a power of two"),
        ({"observation": "browsergym"}, 'use observation="text"'),
    ],
)
def test_unsuitable_environments_are_explained(how: dict[str, Any], says: str) -> None:
    kind = how.pop("observation", "text")
    with pytest.raises(SetupError, match=says):
        CandidateActions(gym.make(f"websp/{TO_DO}", observation=kind), **how)


def test_another_environment_is_refused() -> None:
    with pytest.raises(SetupError, match="not CartPoleEnv"):
        CandidateActions(gym.make("CartPole-v1"))


def test_a_step_without_an_episode_is_the_environments_error() -> None:
    env = CandidateActions(WebspEnv(inner(make()).instance, observation="text"))
    with pytest.raises(WorldError, match=r"call reset\(\) first"):
        env.step(0)
