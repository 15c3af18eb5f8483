"""The environment for verifiers, played by its command line with a model on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import verifiers.v1 as vf

from tests.endpoint_support import KEY, Asked, Endpoint, Say, chat, error, serve
from websp_gym.errors import SetupError, UnknownInstanceError
from websp_gym.trainers.verifiers import WebspConfig

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"
ONCE = ("--env.options", '{"retries": 0}')
"""Options with which an environment repeats no episode."""
Episode = dict[str, Any]
Evaluate = Callable[..., list[Episode]]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serve() as endpoint:
        yield endpoint


@pytest.fixture
def evaluate(endpoint: Endpoint, tmp_path: Path) -> Evaluate:
    """Runs `vf-eval` for instances and returns the episodes that it wrote."""

    def run(*instances: str, options: tuple[str, ...] = ()) -> list[Episode]:
        what = ["websp-verifiers", "-m", "scripted", "--env.taskset.ids", json.dumps(instances), *options]
        where = [
            "--client.base-url",
            f"{endpoint.url}/v1",
            "--no-push",
            "--no-rich",
            "-o",
            str(tmp_path),
            "--run.name",
            "run",
        ]
        done = subprocess.run(
            [Path(sys.executable).parent / "vf-eval", *what, *where],
            env={**os.environ, "PRIME_API_KEY": KEY},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        lines = (tmp_path / "run" / "traces.jsonl").read_text("utf-8").splitlines()
        return sorted(map(json.loads, lines), key=lambda episode: str(episode["task"]["key"]))

    return run


def scripted(replies: tuple[str, ...]) -> Callable[[Asked], Say]:
    """Answer with the reply that comes next in the conversation."""
    return lambda asked: chat(replies[sum(each["role"] == "assistant" for each in asked.body["messages"])])


def rewards(episodes: list[Episode]) -> list[dict[str, float]]:
    return [
        {name: reward["score"] for name, reward in trace["rewards"].items()}
        for (trace,) in map(traces, episodes)
    ]


def traces(episode: Episode) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = episode["traces"]
    return listed


def kill_workers() -> None:
    """Kill the processes of the environments, as the kernel does when memory is short."""
    workers = [
        each for each in psutil.Process().children(recursive=True) if "spawn_main" in " ".join(each.cmdline())
    ]
    assert workers
    for worker in workers:
        os.kill(worker.pid, signal.SIGKILL)


def test_the_oracles_replies_get_1(evaluate: Evaluate, endpoint: Endpoint, oracle: tuple[str, ...]) -> None:
    endpoint.always(scripted(oracle))
    episodes = evaluate(TO_DO, options=("-r", "3", "--env.processes", "2"))
    assert [episode["ok"] for episode in episodes] == [True] * 3
    assert rewards(episodes) == [{"websp": 1.0}] * 3
    (trace,) = traces(episodes[0])
    assert trace["task"]["key"] == f"{TO_DO}:0"
    assert trace["metrics"]["actions"] == len(oracle)
    assert trace["info"]["reason"] == "answer"
    assert len(endpoint.asked) == 3 * len(oracle)
    first, last = endpoint.asked[0].body["messages"], endpoint.last.body["messages"]
    assert [each["role"] for each in first] == ["system", "user"]
    assert first[1]["content"].startswith("Task: ")
    assert [each["content"] for each in last if each["role"] == "assistant"] == list(oracle[:-1])


def test_an_answer_at_once_gets_0_unless_nothing_is_to_do(evaluate: Evaluate, endpoint: Endpoint) -> None:
    endpoint.always(chat("ANSWER; done"))
    episodes = evaluate(TO_DO, SOLVED)
    assert [episode["task"]["key"] for episode in episodes] == [f"{SOLVED}:0", f"{TO_DO}:0"]
    assert rewards(episodes) == [{"websp": 1.0}, {"websp": 0.0}]


def test_an_environment_that_dies_costs_an_episode_nothing_but_a_repetition(
    evaluate: Evaluate, endpoint: Endpoint, oracle: tuple[str, ...]
) -> None:
    endpoint.plan(replace(chat(oracle[0]), before=kill_workers))
    endpoint.always(scripted(oracle))
    (episode,) = evaluate(TO_DO)
    assert (episode["ok"], episode["errors"]) == (True, [])
    assert rewards([episode]) == [{"websp": 1.0}]
    # The model was asked nothing twice.
    assert len(endpoint.asked) == len(oracle)


def test_an_episode_that_is_not_repeated_is_played_again(
    evaluate: Evaluate, endpoint: Endpoint, oracle: tuple[str, ...]
) -> None:
    endpoint.plan(replace(chat(oracle[0]), before=kill_workers))
    endpoint.always(scripted(oracle))
    (episode,) = evaluate(TO_DO, options=ONCE)
    assert episode["ok"]
    assert rewards([episode]) == [{"websp": 1.0}]
    assert "without a score: the process of the environment died" in episode["errors"][0]["message"]


def test_an_episode_without_a_score_is_marked_as_failed_rather_than_0(
    evaluate: Evaluate, endpoint: Endpoint
) -> None:
    endpoint.always(replace(chat("Wait"), before=kill_workers))
    (episode,) = evaluate(TO_DO, options=(*ONCE, "--env.retries.rules", "[]"))
    assert not episode["ok"]
    assert [error["type"] for error in episode["errors"]] == ["EnvError"]
    assert rewards([episode]) == [{}]


def test_a_model_that_fails_has_no_reward_and_one_whose_context_is_full_gets_0(
    evaluate: Evaluate, endpoint: Endpoint
) -> None:
    endpoint.plan(error(400, "no such model"), error(400, "maximum context length is 4096 tokens"))
    broken, full = evaluate(TO_DO, options=("--env.taskset.trials", "2", "-c", "1"))
    assert (broken["ok"], full["ok"]) == (False, True)
    assert rewards([broken, full]) == [{}, {"websp": 0.0}]


def test_pictures_come_as_data_uris_and_a_limit_of_the_agent_gets_0(
    evaluate: Evaluate, endpoint: Endpoint
) -> None:
    endpoint.always(chat("Wait"))
    (episode,) = evaluate(TO_DO, options=("--env.pictures", "--env.player.max-turns", "1"))
    text, picture = endpoint.last.body["messages"][1]["content"]
    assert text["text"].startswith("Task: ")
    assert b64decode(picture["image_url"]["url"].removeprefix("data:image/png;base64,")).startswith(
        b"\x89PNG"
    )
    assert len(endpoint.asked) == 1
    assert episode["ok"]
    assert rewards([episode]) == [{"websp": 0.0}]


def test_options_choose_instances_and_seeds() -> None:
    def keys(**options: Any) -> list[str]:
        tasks = vf.load_taskset(WebspConfig(id="websp-verifiers", **options))
        return [task.key for task in tasks]

    assert keys(ids=["Steam-task-191-*"], trials=2) == [
        f"{name}:{seed}" for seed in (0, 1) for name in (TO_DO, SOLVED)
    ]
    assert keys(ids=["Steam-task-191-*"], solved="drop") == [f"{TO_DO}:0"]
    train, test = (set(keys(split=side)) for side in ("train", "test"))
    assert train | test == set(keys())
    assert not train & test
    with pytest.raises(UnknownInstanceError, match="Steem"):
        keys(ids=["Steem-*"])
    with pytest.raises(SetupError, match="trials"):
        keys(trials=0)
