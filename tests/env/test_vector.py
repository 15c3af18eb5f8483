"""Several environments at once, each in a process of its own, by Gymnasium's plain call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

import websp_gym  # noqa: F401 (registers the ids)
from tests.process_support import Started, all_ended
from websp_gym.errors import SetupError
from websp_gym.sandbox.client import Sandbox

DONE = "Steam-task-191-OFF"
OPTIONS: dict[str, Any] = {"initial_state": "snapshot", "viewport": (400, 300)}


def make_vector(name: str, count: int, **options: object) -> AsyncVectorEnv:
    """Environments by the plain call."""
    env = gym.make_vec(name + DONE, num_envs=count, **{**OPTIONS, **options})
    assert isinstance(env, AsyncVectorEnv)
    return env


@pytest.fixture
def started() -> Iterator[Started]:
    """The processes of the test, which must have ended with it; the server that all share runs before."""
    Sandbox.shared()
    with all_ended() as processes:
        yield processes


def test_two_environments_play_side_by_side_on_one_server(started: Started, tmp_path: Path) -> None:
    leases = Sandbox.shared().call("GET", "/health")["leases"]
    env = make_vector("websp/", 2, record_to=str(tmp_path))
    observations, _infos = env.reset(seed=[1, 2])
    assert Sandbox.shared().call("GET", "/health")["leases"] == leases + 2
    assert started.with_word("websp_gym.sandbox.server.serve") == []
    assert observations["screenshot"].shape == (2, 300, 400, 3)
    assert list(observations["url"]) == ["https://store.steampowered.com/"] * 2
    _observations, rewards, terminated, truncated, _infos = env.step(("Scroll_to_end", "ANSWER; done"))
    assert list(rewards) == [0.0, 1.0]
    assert (list(terminated), list(truncated)) == ([False, True], [False, False])
    # The second is reset instead of stepped, and can be played on.
    observations, rewards, terminated, _truncated, _infos = env.step(("ANSWER; done", "nothing"))
    assert list(rewards) == [1.0, 0.0]
    assert list(terminated) == [True, False]
    assert observations["last_action"][1] == ""
    _observations, rewards, terminated, _truncated, _infos = env.step(("nothing", "ANSWER; done"))
    assert (list(rewards), list(terminated)) == ([0.0, 1.0], [False, True])
    env.close()
    folders = [folder.name for folder in (tmp_path / DONE).iterdir()]
    assert sorted(folders) == ["001", "002", "003", "004"]


@pytest.mark.proof
def test_browsergym_ids_make_vectors_in_gymnasiums_other_modes_too(started: Started) -> None:
    env = make_vector("browsergym/websp.", 1, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, _infos = env.reset(seed=1)
    assert len(observations["axtree_object"]) == len(observations["screenshot"]) == 1
    *_, infos = env.step(("noop()",))
    assert len(infos["action_exec_start"]) == 1
    _observations, rewards, terminated, _truncated, infos = env.step(("ANSWER; done",))
    assert (list(rewards), list(terminated)) == ([1.0], [True])
    # The next episode has begun already.
    assert infos["final_info"]["verdict"]["status"][0] == "pass"
    env.close()


def test_a_wrong_option_is_explained_before_any_process_starts() -> None:
    with pytest.raises(SetupError, match="max_actions"):
        make_vector("websp/", 2, max_action=3)
    with pytest.raises(SetupError, match="serves one episode at a time"):
        make_vector("websp/", 2, world="live")


def test_an_unknown_autoreset_mode_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        SetupError, match=r'did you mean "SameStep"\? \(modes: "NextStep", "SameStep", "Disabled"\)'
    ):
        gym.make_vec(f"websp/{DONE}", num_envs=1, autoreset_mode="samestep")


IN_PROCESSES = {
    "vectorization_mode": "async",
    "vector_kwargs": {"context": "spawn", "shared_memory": False},
}


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"vectorization_mode": "sync"}, id="sync"),
        pytest.param(IN_PROCESSES, id="async", marks=pytest.mark.proof),
    ],
)
def test_gymnasiums_own_vectors_work_too(how: dict[str, Any]) -> None:
    Sandbox.shared()
    env = gym.make_vec(f"websp/{DONE}", num_envs=2, **OPTIONS, **how)
    env.reset(seed=1)
    _observations, rewards, terminated, _truncated, _infos = env.step(("ANSWER; done", "Wait"))
    assert (list(rewards), list(terminated)) == ([1.0, 0.0], [True, False])
    env.step(("", "Wait"))
    _observations, rewards, *_ = env.step(("ANSWER; done", "ANSWER; done"))
    assert list(rewards) == [1.0, 1.0]
    env.close()
