"""SkyRL's environments over a pool, made by SkyRL and called from its threads."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest
import skyrl_gym
from skyrl_gym.metrics import aggregate_for_environment

from websp_gym.errors import SetupError, UnknownInstanceError, WorldError
from websp_gym.rollouts import Pool, agent_policy, choose_episodes
from websp_gym.trainers.skyrl import make_rows, pool_generator, register

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(2) as pool:
        register(pool)
        yield pool


@pytest.fixture
def once(pool: Pool) -> Iterator[Pool]:
    """A pool that repeats no rollout, in place of the other."""
    with Pool(2, retries=0) as once:
        register(once)
        yield once
    register(pool)


@pytest.fixture(scope="module")
def replies(pool: Pool) -> tuple[str, ...]:
    """The oracle's replies with seed 0."""
    played = pool.rollout(TO_DO, agent_policy("oracle"))
    assert played.reward == 1.0
    assert len(played.replies) > 2
    return played.replies


def make(instance: str = TO_DO, **extras: Any) -> Any:
    return skyrl_gym.make(
        "websp", env_config={}, extras={"instance": instance, "seed": 0, "max_turns": 1, **extras}
    )


def play(row: dict[str, Any], replies: tuple[str, ...]) -> list[dict[str, Any]]:
    """Play a row as SkyRL's generator does; return what each step returned."""
    env = make(row["instance"], seed=row["seed"])
    messages, _ = env.init(row["prompt"])
    assert [each["role"] for each in messages] == ["system", "user"]
    assert messages[1]["content"].startswith("Task: ")
    steps = [env.step(reply) for reply in replies]
    assert aggregate_for_environment("websp", [env.get_metrics()])["turns"] == len(replies)
    env.close()
    return steps


def kill_workers() -> None:
    """Kill the processes of the environments, as the kernel does when memory is short."""
    workers = [each for each in psutil.Process().children() if "spawn_main" in " ".join(each.cmdline())]
    assert workers
    for worker in workers:
        os.kill(worker.pid, signal.SIGKILL)


def test_the_oracle_gets_1_at_the_end_and_0_before(pool: Pool, replies: tuple[str, ...]) -> None:
    steps = play(make_rows([(TO_DO, 0)])[0], replies)
    assert [step["reward"] for step in steps] == [0.0] * (len(replies) - 1) + [1.0]
    assert [step["done"] for step in steps] == [False] * (len(replies) - 1) + [True]
    assert [len(step["observations"]) for step in steps] == [1] * (len(replies) - 1) + [0]
    assert steps[-1]["metadata"] == {"reason": "answer"}


def test_an_answer_at_once_gets_0_unless_nothing_is_to_do(pool: Pool) -> None:
    rewards = [
        [step["reward"] for step in play(row, ("ANSWER; done",))]
        for row in make_rows([(TO_DO, 0), (SOLVED, 0)])
    ]
    assert rewards == [[0.0], [1.0]]


def test_rollouts_from_threads_wait_for_a_free_environment(pool: Pool, replies: tuple[str, ...]) -> None:
    rows = make_rows([(TO_DO, 0)] * 3 + [(SOLVED, 0)] * 2)
    with ThreadPoolExecutor(5) as threads:
        played = list(
            threads.map(
                lambda row: play(row, replies if row["instance"] == TO_DO else ("ANSWER; done",)), rows
            )
        )
    assert [steps[-1]["reward"] for steps in played] == [1.0] * 5


def test_a_killed_process_costs_a_rollout_nothing_but_a_repetition(
    pool: Pool, replies: tuple[str, ...]
) -> None:
    env = make()
    env.init([])
    env.step(replies[0])
    kill_workers()
    steps = [env.step(reply) for reply in replies[1:]]
    env.close()
    assert [step["reward"] for step in steps] == [0.0] * (len(replies) - 2) + [1.0]
    assert pool.dropped == 0


def test_a_rollout_that_is_not_repeated_raises_instead_of_paying_0(
    once: Pool, replies: tuple[str, ...]
) -> None:
    env = make()
    env.init([])
    assert env.step(replies[0])["reward"] == 0.0
    kill_workers()
    with pytest.raises(WorldError, match=r"without a score: .*died"):
        env.step(replies[1])
    # It went back to the pool: both environments can be had again.
    with ThreadPoolExecutor(2) as threads:
        assert [
            len(steps) for steps in threads.map(lambda row: play(row, replies), make_rows([(TO_DO, 0)] * 2))
        ] == [len(replies)] * 2


class Generator:
    """The part of SkyRL's generator that plays: all rollouts at once, each call of an environment in a thread."""

    def __init__(self, replies: dict[str, tuple[str, ...]], *, kills: int = 0) -> None:
        self.replies, self.kills = replies, kills
        self.executor = ThreadPoolExecutor(2)

    async def generate(self, rows: list[dict[str, Any]]) -> list[float]:
        loops = (self.agent_loop(row.pop("prompt"), row.pop("env_class"), row, 512, 4096) for row in rows)
        return await asyncio.gather(*loops)

    async def agent_loop(
        self,
        prompt: list[Any],
        env_class: str,
        env_extras: dict[str, Any],
        max_tokens: int,
        max_input_length: int,
    ) -> float:
        run = asyncio.get_running_loop().run_in_executor
        env = skyrl_gym.make(env_class, env_config={}, extras=env_extras)
        await run(self.executor, env.init, prompt)
        if self.kills:
            self.kills -= 1
            kill_workers()
        rewards = [
            (await run(self.executor, env.step, said))["reward"]
            for said in self.replies[env_extras["instance"]]
        ]
        await run(self.executor, env.close)
        return float(sum(rewards))


@pytest.fixture
def scripts(replies: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {TO_DO: replies, SOLVED: ("ANSWER; done",)}


def test_a_generator_for_the_pool_plays_more_rollouts_than_it_has_environments_and_threads(
    pool: Pool, scripts: dict[str, tuple[str, ...]]
) -> None:
    generator = pool_generator(Generator, pool)(scripts)
    assert asyncio.run(generator.generate(make_rows([(SOLVED, 0)] * 6))) == [1.0] * 6
    # Another event loop, as SkyRL has one for evaluation.
    assert asyncio.run(generator.generate(make_rows([(SOLVED, 1)] * 6))) == [1.0] * 6


def test_a_generator_for_the_pool_plays_a_rollout_without_a_score_again(
    once: Pool, scripts: dict[str, tuple[str, ...]]
) -> None:
    generator = pool_generator(Generator, once)(scripts, kills=1)
    assert asyncio.run(generator.generate(make_rows([(TO_DO, 0)]))) == [1.0]
    with pytest.raises(WorldError, match="without a score"):
        asyncio.run(
            pool_generator(Generator, once, tries=2)(scripts, kills=2).generate(make_rows([(TO_DO, 0)]))
        )


def test_rows_are_plain_and_of_the_chosen_instances(pool: Pool) -> None:
    rows = make_rows(choose_episodes(["Steam-*", "AlJazeera-*"], split="train", solved="balance", trials=2))
    assert json.loads(json.dumps(rows)) == rows
    assert {row["seed"] for row in rows} == {0, 1}
    assert len(rows) == len({(row["instance"], row["seed"]) for row in rows})
    assert SOLVED not in {name for name, _ in choose_episodes(solved="drop")}
    with pytest.raises(UnknownInstanceError):
        make_rows(choose_episodes("Steem-*"))
    with pytest.raises(SetupError, match="no instance is left"):
        choose_episodes(SOLVED, solved="drop")
    with pytest.raises(SetupError, match="tries"):
        pool_generator(Generator, pool, tries=0)
    with pytest.raises(SetupError, match='no column "instance"'):
        skyrl_gym.make("websp", extras={})
