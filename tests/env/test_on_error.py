"""With on_error="truncate" a failure of the world ends one episode, and nothing else."""

from __future__ import annotations

import contextlib
from typing import Any

import gymnasium as gym
import psutil
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

import websp_gym  # noqa: F401 (registers the ids)
from tests.conftest import MakeEnv
from tests.env.test_robustness import ACCIDENTS, Accident, accident, lose_page_under_a_step, own_sandbox  # noqa: F401 (fixtures)
from tests.process_support import words_of
from tests.sample import left_to_prove, long_proof
from websp_gym.errors import JudgeError, SetupError, WorldError
from websp_gym.records.verdict import unscored
from websp_gym.sandbox.client import Sandbox
from websp_gym.scoring.outcome import EpisodeEnd

TODO = "Steam-task-191-ON"
DONE = "Steam-task-191-OFF"
SMALL: dict[str, Any] = {"initial_state": "snapshot", "viewport": (400, 300)}


# That each accident is an error of the world is shown in test_robustness.py.
@pytest.mark.parametrize(
    "accident",
    long_proof(ACCIDENTS, [lose_page_under_a_step]),
    ids=lambda each: each.__name__,
    indirect=True,
)
def test_an_accident_truncates_the_episode_without_a_score(accident: Accident, make: MakeEnv) -> None:  # noqa: F811
    env = make(TODO, on_error="truncate")
    first, _info = env.reset()
    accident(env)
    observation, reward, terminated, truncated, info = env.step("Google")
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert observation.keys() == first.keys()
    assert observation["url"] == first["url"]
    assert info["unscored"] is True
    assert (info["reason"], info["caused_by"]) == ("error", "world")
    assert info["verdict"]["status"] == "unscored"
    assert info["error"] == info["verdict"]["reason"] != ""
    assert "costs" not in info
    with pytest.raises(WorldError, match="call reset"):
        env.step("Google")
    env.reset()
    assert env.step("ANSWER; done")[1] == 0.0


def test_a_failed_reset_is_retried_once(make: MakeEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    from websp_gym.world import initial_state

    reach, failures = initial_state.reach, [WorldError("the first try")]

    def sometimes(*args: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        return reach(*args, **options)

    monkeypatch.setattr("websp_gym.world.initial_state.reach", sometimes)
    strict, forgiving = make(DONE), make(DONE, on_error="truncate")
    forgiving.reset()
    assert forgiving.step("ANSWER; done")[1] == 1.0
    failures.append(WorldError("the only try"))
    with pytest.raises(WorldError, match="the only try"):
        strict.reset()
    failures += [WorldError("the second try"), WorldError("the first try")]
    with pytest.raises(WorldError, match="the second try"):
        forgiving.reset()


def test_an_episode_without_a_verdict_is_truncated_with_the_verdict_of_its_reward(make: MakeEnv) -> None:
    def undecided(outcome: EpisodeEnd) -> Any:
        return unscored("undecided", "nobody knows")

    env = make(DONE, reward=undecided, on_error="truncate")
    env.reset()
    *_, reward, _terminated, truncated, info = env.step("ANSWER; done")
    assert (reward, truncated, info["unscored"]) == (0.0, True, True)
    assert (info["verdict"]["source"], info["verdict"]["reason"]) == ("undecided", "nobody knows")
    env = make(DONE, reward=undecided)
    env.reset()
    with pytest.raises((WorldError, JudgeError), match="nobody knows"):
        env.step("ANSWER; done")


def test_errors_the_user_can_fix_are_still_raised(make: MakeEnv) -> None:
    env = make(DONE, on_error="truncate")
    with pytest.raises(WorldError, match="call reset"):
        env.step("Google")
    with pytest.raises(SetupError, match="seed"):
        env.reset(seed=-1)
    with pytest.raises(SetupError, match="raise, truncate"):
        make(DONE, on_error="ignore")


def kill_the_last_browser(env: AsyncVectorEnv) -> None:
    """Kill the browser of the last process of a vector."""
    last = psutil.Process(env.processes[-1].pid)
    browsers = [
        process for process in last.children(recursive=True) if "--remote-debugging-pipe" in words_of(process)
    ]
    assert browsers
    for process in browsers:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, left_to_prove(AutoresetMode.SAME_STEP)])
def test_a_killed_browser_does_not_end_the_vector(mode: AutoresetMode) -> None:
    Sandbox.shared()  # the one of all tests, so that this vector starts none
    env: Any = gym.make_vec(f"websp/{DONE}", num_envs=2, autoreset_mode=mode, on_error="truncate", **SMALL)
    try:
        env.reset(seed=[1, 2])
        kill_the_last_browser(env)
        _seen, rewards, terminated, truncated, infos = env.step(("ANSWER; done", "Google"))
        assert (list(rewards), list(terminated), list(truncated)) == (
            [1.0, 0.0],
            [True, False],
            [False, True],
        )
        ends = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
        assert list(ends["unscored"]) == [False, True]
        if mode is AutoresetMode.NEXT_STEP:
            env.step(("", ""))
        _seen, rewards, *_ = env.step(("ANSWER; done", "ANSWER; done"))
        assert list(rewards) == [1.0, 1.0]
    finally:
        env.close()
