"""Environments and runs on a Ray cluster: two nodes on this machine, each with processes of its own."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

# Before Ray is imported: its servers listen on the loopback address only.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

from ray.cluster_utils import Cluster

from websp_gym.errors import SetupError, WorldError
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, read_results
from websp_gym.rollouts import Transcript, advantages, agent_policy
from websp_gym.rollouts.ray import RayEnv, RayPool
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import Job
from websp_gym.sandbox.client.launching import VARIABLE

TO_DO, DONE = "Steam-task-191-ON", "Steam-task-191-OFF"
SMALL = {"num_cpus": 2, "object_store_memory": 100 * 2**20, "include_dashboard": False}
SERVER = "websp_gym.sandbox.server.serve"
MAIN = "from websp_gym.cli import main; main()"
ORACLE, NOOP = agent_policy("oracle"), agent_policy("noop")


def started(word: str) -> list[psutil.Process]:
    """Running processes with a word in their command line that these tests started."""
    below, marker = psutil.Process().children(recursive=True), str(os.getpid())
    return [
        each
        for each in psutil.process_iter()
        if word in _words(each) and (each in below or _marked(each, marker))
    ]


def _words(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline()) if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.NoSuchProcess:
        return ""


def _marked(process: psutil.Process, marker: str) -> bool:
    try:
        return process.environ().get("XDG_WEBSP_TEST") == marker
    except psutil.Error:
        return False


def ended(word: str, seconds: float = 20) -> bool:
    """Wait until nothing with a word in its command line is left."""
    until = time.monotonic() + seconds
    while started(word) and time.monotonic() < until:
        time.sleep(0.1)
    return not started(word)


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Cluster]:
    """A cluster of one node, which ``$RAY_ADDRESS`` names; nothing of it is left at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE, raising=False)
        patch.setenv("XDG_WEBSP_TEST", str(os.getpid()))
        made = Cluster(initialize_head=True, head_node_args=SMALL)
        patch.setenv("RAY_ADDRESS", made.address)
        assert started("raylet")
        yield made
        made.shutdown()
        assert ended(""), [each.cmdline() for each in started("")]


@pytest.fixture
def second(cluster: Cluster) -> Iterator[Any]:
    """A second node for one test, which may remove it."""
    node = cluster.add_node(**SMALL)
    yield node
    if node in cluster.worker_nodes:
        cluster.remove_node(node)


def play(pool: RayPool, instance: str) -> tuple[str, float | None]:
    """Play an episode as the oracle; return its node and its reward."""
    with pool.env() as env:
        assert isinstance(env, RayEnv)
        node = env.node.id
        played = Transcript((env.reset(instance),))
        while not played.page.done:
            reply = ORACLE(played)
            played = played.after(reply, env.step(reply))
    return node, played.reward


@pytest.mark.usefixtures("second")
def test_rollouts_come_from_all_nodes_and_the_environments_of_a_node_share_a_sandbox() -> None:
    with RayPool(2) as pool, ThreadPoolExecutor(4) as threads:
        assert (pool.size, len(set(pool.nodes))) == (4, 2)
        played = list(threads.map(lambda _: play(pool, TO_DO), range(4)))
        assert sorted(node for node, _ in played) == sorted([*pool.nodes, *pool.nodes])
        assert [reward for _, reward in played] == [1.0] * 4
        assert len(started(SERVER)) == 2
        rewards = [one.reward for one in pool.rollouts([(TO_DO, 0), (DONE, 1)], NOOP)]
        assert (rewards, pool.dropped) == ([0.0, 1.0], 0)
        pages = asyncio.run(_play_together(pool))
        assert pages == [0.0, 1.0]


async def _play_together(pool: RayPool) -> list[float | None]:
    async def answer(instance: str) -> float | None:
        async with pool.aenv() as env:
            await env.areset(instance)
            return (await env.astep("ANSWER; done")).reward

    return list(await asyncio.gather(answer(TO_DO), answer(DONE)))


def test_the_rollouts_of_a_dead_node_are_dropped_and_the_others_go_on(cluster: Cluster, second: Any) -> None:
    removed: list[bool] = []

    def policy(played: Transcript) -> str:
        if len(played.replies) == 2 and not removed:
            removed.append(True)
            cluster.remove_node(second)
        return ORACLE(played)

    with RayPool() as pool:
        assert pool.size == 2
        played = pool.group(TO_DO, policy, 4)
        assert sorted(one.reward is None for one in played) == [False, False, False, True]
        assert [one.reward for one, _ in advantages(played)] == [1.0] * 3
        assert pool.dropped == 1
        (lost,) = (one.page for one in played if one.reward is None)
        assert (lost.done, lost.reason, "died" in lost.failure) == (True, "error", True)

        # A node that joins takes its place.
        dead = set(pool.nodes)
        cluster.add_node(**SMALL)
        until = time.monotonic() + 90
        while set(pool.nodes) == dead and time.monotonic() < until:
            assert {one.reward for one in pool.group(TO_DO, ORACLE, 2)} == {1.0}
        assert set(pool.nodes) != dead
        cluster.remove_node(*cluster.worker_nodes)


def test_without_any_node_a_rollout_ends_with_an_error(cluster: Cluster) -> None:
    node = cluster.add_node(**SMALL, resources={"browser": 1})
    with RayPool(resources={"browser": 1}, timeout=5) as pool:
        assert pool.nodes == [node.node_id]
        cluster.remove_node(node)
        with pytest.raises(WorldError, match="no node of the cluster has been alive for 5 seconds"):
            pool.rollout(TO_DO, ORACLE)


@pytest.mark.parametrize(
    ("victim", "retries", "reward", "reason"),
    [
        ("multiprocessing.spawn", 1, 1.0, "answer"),
        ("multiprocessing.spawn", 0, None, "error"),
        ("ray::Host", 1, None, "error"),
    ],
    ids=["repeated", "not-repeated", "actor"],
)
def test_a_process_killed_in_mid_episode_costs_at_most_its_rollout(
    victim: str, retries: int, reward: float | None, reason: str
) -> None:
    killed: list[int] = []

    def policy(played: Transcript) -> str:
        if len(played.replies) == 2 and not killed:
            (process,) = started(victim)
            killed.append(process.pid)
            process.kill()
        return ORACLE(played)

    with RayPool(retries=retries) as pool:
        first, second = pool.rollouts([(TO_DO, 0), (TO_DO, 1)], policy)
        assert (first.reward, first.page.reason, second.reward) == (reward, reason, 1.0)
        assert pool.dropped == (reward is None)
    assert ended("ray::Host")


def test_mistakes_are_reported_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match="takes no observation"):
        RayPool(observation="marks")
    with pytest.raises(SetupError, match=r"does not have \{'browser': 1\}"):
        RayPool(resources={"browser": 1})
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(SetupError, match=r"no Ray cluster at RAY_ADDRESS=127\.0\.0\.1:1"):
        RayPool()


def websp(*arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with some variables set, or not set if empty."""
    environment = {name: value for name, value in {**os.environ, **variables}.items() if value}
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
        cwd=cwd,
        env=environment,
    )


def outcome(result: Result) -> dict[str, Any]:
    """A result without what differs between two runs of the same."""
    varying = {"seconds", "reset_seconds", "trajectory"}
    return {name: value for name, value in json.loads(result.line()).items() if name not in varying}


def test_a_run_on_ray_gives_the_results_of_one_on_processes(tmp_path: Path) -> None:
    common = ("run", TO_DO, DONE, "--agent", "oracle", "--jobs", "2", "--initial-state", "snapshot", "--out")
    for folder, more in (("local", []), ("ray", ["--backend", "ray"])):
        # Without an address, the command starts a cluster and ends it.
        done = websp(*common, folder, *more, cwd=tmp_path, RAY_ADDRESS="", XDG_WEBSP_TEST=tmp_path.name)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        left = [each for each in psutil.process_iter() if _marked(each, tmp_path.name)]
        assert psutil.wait_procs(left, timeout=10)[1] == []
    local, ray = (sorted(read_results(tmp_path / name), key=lambda one: one.id) for name in ("local", "ray"))
    assert [outcome(one) for one in ray] == [outcome(one) for one in local]
    assert {one.status for one in ray} == {"pass"}
    assert all((tmp_path / "ray" / one.trajectory / "trajectory.json").is_file() for one in ray)
    again = websp(*common, "ray", "--backend", "ray", "--resume", cwd=tmp_path)
    assert (again.returncode, "already there" in again.stdout) == (0, True), again.stderr


DYING = """
import os, signal
from pathlib import Path
from websp_gym.agents.oracle import OracleAgent

class Dying(OracleAgent):
    def act(self, observation):
        died = Path({folder!r})
        if len(list(died.iterdir())) < {deaths}:
            (died / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observation)
"""


@pytest.mark.parametrize(("deaths", "status"), [(1, "pass"), (2, "error")])
def test_an_episode_whose_process_dies_is_replayed(tmp_path: Path, deaths: int, status: str) -> None:
    died = tmp_path / "died"
    died.mkdir()
    (tmp_path / "dying.py").write_text(DYING.format(folder=str(died), deaths=deaths))
    done = websp("run", TO_DO, "--agent", "dying:Dying", "--backend", "ray", "--out", "run", cwd=tmp_path)
    (result,) = read_results(tmp_path / "run")
    assert (result.status, done.returncode) == (status, int(status == "error")), done.stderr
    assert [one.stage for one in result.tries] == ["process"] * deaths


def test_the_episodes_of_a_dead_node_are_replayed_elsewhere(cluster: Cluster, second: Any) -> None:
    def remove(result: Result) -> None:
        if second in cluster.worker_nodes:
            cluster.remove_node(second)

    run = Run(agent="oracle", options={"initial_state": "snapshot"})
    jobs = [Job(TO_DO, run, trial=trial) for trial in range(1, 7)]
    results = run_batch(jobs, processes=4, backend="ray", on_result=remove)
    assert [one.status for one in results] == ["pass"] * 6
    retried = [one for one in results if one.tries]
    assert 1 <= len(retried) <= 2  # the node has two CPUs
    assert {one.stage for each in retried for one in each.tries} == {"process"}


def test_ctrl_c_ends_a_run_and_keeps_its_results(tmp_path: Path) -> None:
    arguments = [
        "run",
        DONE,
        "--agent",
        "noop",
        "--trials",
        "40",
        "--jobs",
        "2",
        "--backend",
        "ray",
        "--json",
    ]
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments, "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
    assert process.returncode == 130
    assert 1 <= len(read_results(tmp_path / "run")) < 40
    assert ended("chrom")


def test_a_folder_that_a_node_does_not_see_ends_the_run(tmp_path: Path) -> None:
    job = Job(DONE, Run(agent="noop"), folder=tmp_path / "elsewhere")
    with pytest.raises(SetupError, match=r"does not see .*elsewhere: --out on a cluster needs a folder"):
        run_batch([job], backend="ray")


def test_without_ray_the_extra_is_named() -> None:
    hidden = f"import sys; sys.modules['ray'] = None; {MAIN}"
    done = subprocess.run(
        [sys.executable, "-c", hidden, "run", DONE, "--agent", "oracle", "--backend", "ray"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "[ray]'" in done.stderr) == (2, True), done.stderr
