"""Tasks of Harbor, played by their own commands: what its containers run are processes here."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import yaml

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client
from tests.command_support import LONGEST, MAIN, websp_here
from tests.process_support import all_ended
from websp_gym.errors import SetupError
from websp_gym.harnesses.harbor import export_tasks
from websp_gym.serving import listen
from websp_gym.tasks.instances import load_instance


class Containers:
    """The commands of one task's containers, with the folders and ports of a test in place of theirs."""

    def __init__(self, task: Path, folder: Path) -> None:
        self.task, self.run, self.logs = task, folder / "run", folder / "logs"
        self.logs.mkdir()
        program = folder / "bin" / "websp"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{MAIN}" "$@"\n')
        program.chmod(0o755)
        (program.parent / "python").symlink_to(sys.executable)
        with listen("127.0.0.1", 0) as first, listen("127.0.0.1", 0) as second:
            self.port, self.control_port = (each.getsockname()[1] for each in (first, second))
        compose = yaml.safe_load((task / "environment" / "docker-compose.yaml").read_text())
        self.settings = {
            **compose["services"]["websp"]["environment"],
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "CONTROL_PORT": str(self.control_port),
            "RUN": str(self.run),
            "LOGS": str(self.logs),
        }
        self.server = self._start("sh", str(task / "environment" / "websp" / "serve.sh"))

    def control(self, word: str) -> int:
        """Run the health check (`begin`) or the hook that collects the result (`end`)."""
        return self._start(
            sys.executable, str(self.task / "environment" / "websp" / "control.py"), word
        ).wait(LONGEST)

    def begin(self) -> None:
        """Repeat the health check until it succeeds, as Docker does."""
        while self.control("begin"):
            assert self.server.poll() is None

    def kill_browsers(self) -> None:
        for process in psutil.Process(self.server.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "chrom" in process.name():
                    process.kill()

    def episodes(self) -> list[dict[str, Any]]:
        """The episodes that the control plane lists."""
        headers = {"Authorization": f"Bearer {Path(f'{self.run}.token').read_text()}"}
        listed: list[dict[str, Any]] = httpx.get(
            f"http://127.0.0.1:{self.control_port}/episodes", headers=headers
        ).json()
        return listed

    def verify(self) -> tuple[int, dict[str, Any] | None]:
        """Run the test, and return its exit code and the rewards that it wrote."""
        code = self._start("sh", str(self.task / "tests" / "test.sh")).wait(LONGEST)
        rewards = self.logs / "reward.json"
        return code, json.loads(rewards.read_text()) if rewards.exists() else None

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, env={**os.environ, **self.settings}, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        self.server.send_signal(signal.SIGINT)
        self.server.wait(LONGEST)


@pytest.fixture
def containers(tmp_path: Path) -> Iterator[Containers]:
    (task,) = export_tasks([STEAM], tmp_path / "tasks", seed=3, max_actions=9)
    with all_ended():
        started = Containers(task, tmp_path)
        try:
            started.begin()
            yield started
        finally:
            started.stop()


def door_token(task: Path) -> str:
    """Return the token by which the task tells its agent the addresses."""
    config = tomllib.loads((task / "task.toml").read_text("utf-8"))
    (server,) = config["environment"]["mcp_servers"]
    token = server["url"].rpartition("/")[2]
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert token in (task / "instruction.md").read_text("utf-8")
    return str(token)


@pytest.mark.proof
def test_an_agent_with_the_addresses_of_the_task_plays_and_is_rewarded(containers: Containers) -> None:
    token, address = door_token(containers.task), f"127.0.0.1:{containers.port}"
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look", "arguments": {}}}
    accepted = {"Accept": "application/json, text/event-stream"}
    said = httpx.post(f"http://{address}/mcp/{token}", json=asked, headers=accepted, timeout=LONGEST).json()
    assert "Left: 9 actions" in said["result"]["content"][0]["text"]
    with closing(Client(f"ws://{address}/devtools/browser/{token}")) as client:
        client.open(COOKIES)
        for name in SWITCHES:
            client.turn_off(name)
    assert httpx.post(f"http://{address}/finish/{token}", content="done").json() == {"accepted": True}
    assert containers.control("begin") == 0  # the health check goes on meanwhile
    assert containers.control("end") == 0
    assert containers.verify() == (0, {"reward": 1.0, "strict": 1.0})
    result = json.loads((containers.run / "results.jsonl").read_text())
    assert (result["id"], result["seed"], result["agent"]) == (STEAM, 3, "harbor")
    assert (containers.run / "trajectories" / result["trajectory"].partition("/")[2]).is_dir()


@pytest.mark.proof
def test_an_episode_without_a_score_has_no_reward_is_begun_again_and_then_gets_nothing_for_nothing(
    containers: Containers,
) -> None:
    code, rewards = containers.verify()
    assert (code != 0, rewards) == (True, None), "there is no result yet"
    containers.kill_browsers()
    assert containers.control("end") == 0
    code, rewards = containers.verify()
    assert (code != 0, rewards) == (True, None), "an error ended it before its first step"
    assert containers.control("begin") == 0
    assert [each["state"] for each in containers.episodes()] == ["over", "running"]
    assert_no_way_to_the_control_plane(containers)
    assert containers.control("end") == 0
    assert containers.verify() == (0, {"reward": 0.0, "strict": 0.0})


def assert_no_way_to_the_control_plane(containers: Containers) -> None:
    """The agent's token does not open it, and its own token is where no agent reads."""
    token = door_token(containers.task)
    control = f"http://127.0.0.1:{containers.control_port}/episodes"
    for headers in ({}, {"Authorization": f"Bearer {token}"}):
        assert httpx.get(control, headers=headers).status_code == 401
    secret = Path(f"{containers.run}.token")
    assert secret.stat().st_mode & 0o077 == 0
    assert secret.parent != containers.run  # the folder that is collected


def test_what_the_agent_is_given_has_neither_goal_nor_ground_truth(tmp_path: Path) -> None:
    (task,) = export_tasks([STEAM], tmp_path / "tasks")
    texts = "\n".join(path.read_text("utf-8") for path in task.rglob("*") if path.is_file())
    assert all(name not in texts for name in SWITCHES)
    assert all(line not in texts for line in load_instance(STEAM).ground_truth_text())
    assert "COPY" not in (task / "environment" / "Dockerfile").read_text("utf-8")


def test_each_instance_gets_a_folder_with_a_token_of_its_own(tmp_path: Path) -> None:
    done = websp_here("harbor", "Steam-task-19*", "--policies", "standard", "--out", str(tmp_path / "tasks"))
    assert done.returncode == 0, done.stderr
    tasks = sorted((tmp_path / "tasks").iterdir())
    assert f"{len(tasks)} tasks in" in done.stdout
    assert len({door_token(task) for task in tasks}) == len(tasks) > 1
    for task in tasks:
        assert "--policies standard" in (task / "environment" / "websp" / "serve.sh").read_text("utf-8")
        instance = tomllib.loads((task / "task.toml").read_text("utf-8"))["metadata"]["instance"]
        assert load_instance(instance).instruction("without_navigation") in (
            task / "instruction.md"
        ).read_text("utf-8")


def test_wrong_input_writes_nothing(tmp_path: Path) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").touch()
    with pytest.raises(SetupError, match="not an empty folder"):
        export_tasks([STEAM], full)
    with pytest.raises(SetupError, match="no set of policies 'strict'"):
        export_tasks([STEAM], tmp_path / "tasks", policies=["strict"])
    with pytest.raises(SetupError, match="Steam-task-191"):
        export_tasks([STEAM, "Steam-task-1910-ON"], tmp_path / "tasks")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
