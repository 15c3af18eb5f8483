"""`websp serve-openenv` with real clients over the wire, and the result of OpenEnv's own validation of the package."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
import pytest
import yaml
from openenv.core import GenericEnvClient
from PIL import Image
from tenacity import Retrying, stop_after_delay, wait_fixed
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import websp_gym.trainers.openenv as package
from websp_gym.project import VERSION
from websp_gym.rollouts import Pool, agent_policy
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.selection import draw_instance
from websp_gym.tasks.splits import split_ids
from websp_gym.trainers.openenv import WebspAction, WebspClient, WebspObservation
from websp_gym.trainers.openenv.gate import VARIABLE

FOLDER = Path(package.__file__).parent
TO_DO, SOLVED, SOLVED_ELSEWHERE = "Steam-task-191-ON", "Steam-task-191-OFF", "AlJazeera-task-179"
ANSWER = WebspAction(text="ANSWER; done")


class Server:
    """A running `websp serve-openenv`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        self.url = found[0]
        self.process = psutil.Process(process.pid)

    def environments(self) -> list[psutil.Process]:
        """The processes of its environments."""
        children = self.process.children()
        return [child for child in children if any("spawn_main" in part for part in child.cmdline())]

    def client(self) -> Any:
        """A client that blocks; use it as a context manager."""
        return WebspClient(self.url).sync()


COMMAND = [sys.executable, "-c", "from websp_gym.cli import main; main()", "serve-openenv"]


@contextmanager
def serving(*options: str, token: str = "") -> Iterator[Server]:
    command = [*COMMAND, "--port", "0", *options]
    variables = {**os.environ, VARIABLE: token}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as process:
        try:
            yield Server(process)
        finally:
            process.send_signal(signal.SIGINT)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with two sessions, without pictures."""
    with serving("--sessions", "2") as started:
        yield started


def kill(processes: list[psutil.Process]) -> None:
    assert processes
    for process in processes:
        process.kill()


def validate(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "openenv.cli", "validate", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_two_clients_at_once_play_two_instances_and_the_oracles_replies_are_paid(server: Server) -> None:
    with Pool(1) as pool:
        oracle = pool.rollout(TO_DO, agent_policy("oracle"), seed=5)
    assert oracle.reward == 1.0

    def play(instance: str, replies: tuple[str, ...]) -> tuple[list[WebspObservation], Any]:
        with server.client() as client:
            seen = [client.reset(instance=instance, seed=5).observation]
            seen += [client.step(WebspAction(text=reply)).observation for reply in replies]
            return seen, client.state()

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(play, TO_DO, oracle.replies)
        second = threads.submit(play, SOLVED, ("Wait", ANSWER.text))
        (acted, state), (waited, other) = first.result(), second.result()
    assert [page.reward for page in acted] == [0.0] * len(oracle.replies) + [1.0]
    assert [page.text for page in acted] == [page.text for page in oracle.pages]
    assert acted[0].goal == oracle.page.goal
    assert acted[0].metadata == {}
    assert acted[-1].done
    assert (acted[-1].metadata["reason"], acted[-1].metadata["unscored"]) == ("answer", False)
    assert (state.instance, state.seed, state.step_count) == (TO_DO, 5, len(oracle.replies))
    assert [page.reward for page in waited] == [0.0, 0.0, 1.0]
    assert other.instance == SOLVED
    assert other.episode_id != state.episode_id


def test_doing_nothing_is_paid_only_where_nothing_is_to_do(server: Server) -> None:
    with server.client() as client:
        rewards = {}
        for instance in (TO_DO, SOLVED):
            client.reset(instance=instance, seed=1, episode_id=f"of {instance}")
            assert client.state().episode_id == f"of {instance}"
            rewards[instance] = client.step(ANSWER).reward
    assert rewards == {TO_DO: 0.0, SOLVED: 1.0}


def test_an_environment_that_dies_costs_an_episode_nothing_but_a_repetition(server: Server) -> None:
    with server.client() as client:
        client.reset(instance=SOLVED, seed=1)
        client.step(WebspAction(text="Google"))
        kill(server.environments())
        page = client.step(WebspAction(text="Wait"))
        assert (page.reward, page.done, "google" in page.observation.url) == (0.0, False, True)
        assert client.step(ANSWER).reward == 1.0


def test_an_episode_that_is_not_repeated_has_no_reward_and_the_session_goes_on() -> None:
    with serving("--retries", "0") as server, server.client() as client:
        client.reset(instance=SOLVED, seed=1)
        kill(server.environments())
        broken = client.step(ANSWER)
        assert (broken.reward, broken.done) == (None, True)
        assert broken.metadata["unscored"]
        assert "died" in broken.metadata["failure"]
        client.reset(instance=SOLVED, seed=1)
        assert client.step(ANSWER).reward == 1.0


def test_a_client_without_our_package_needs_dictionaries_only(server: Server) -> None:
    with GenericEnvClient(server.url).sync() as client:
        first = client.reset(instance=SOLVED_ELSEWHERE, seed=2)
        assert first.observation["text"].startswith(f"Task: {first.observation['goal']}")
        failed = client.step({"text": "Click [9999]"})
        assert "9999" in failed.observation["error"]
        last = client.step({"text": ANSWER.text})
        assert (last.reward, last.done, last.metadata["reason"]) == (1.0, True, "answer")
        assert client.state()["instance"] == SOLVED_ELSEWHERE


def test_the_instance_is_named_or_drawn_by_the_seed_as_in_websp_v0(server: Server) -> None:
    held_out = split_ids("task")[1]
    with server.client() as client:
        client.reset(seed=7)
        assert client.state().instance == draw_instance(instance_ids(), np.random.default_rng(7))
        client.reset(seed=7, split="test")
        assert client.state().instance == draw_instance(held_out, np.random.default_rng(7))
        client.reset(split="test", index=3)
        drawn = client.state()
        assert drawn.instance == held_out[3]
        client.reset(instance=drawn.instance, seed=drawn.seed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"instance": "Steam-task-191-OM"}, 'did you mean "Steam-task-191-ON"'),
        ({"instnace": SOLVED}, 'did you mean "instance"'),
        ({"split": "tset"}, 'did you mean "test"'),
        ({"split": "test", "index": 999}, "from 0 to 60"),
        ({"index": 1}, "split"),
        ({"instance": SOLVED, "split": "test"}, "not both"),
        ({"seed": "one"}, "whole number"),
        ({"instance": SOLVED, "seed": 2**40}, "4294967295"),
    ],
)
def test_a_wrong_argument_is_an_error_of_this_reset_only(
    server: Server, arguments: dict[str, Any], message: str
) -> None:
    with server.client() as client:
        with pytest.raises(RuntimeError, match=re.escape(message)):
            client.reset(**arguments)
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            client.step(ANSWER)
        client.reset(instance=SOLVED, seed=1)
        assert client.step(ANSWER).reward == 1.0


def test_clients_that_vanish_in_a_step_give_their_environments_back(server: Server) -> None:
    before = {process.pid for process in server.environments()}
    with ExitStack() as stack:
        for _ in range(2):
            wire = stack.enter_context(connect(server.url.replace("http", "ws") + "/ws"))
            wire.send(json.dumps({"type": "reset", "data": {"instance": SOLVED, "seed": 1}}))
            assert json.loads(wire.recv())["type"] == "observation"
            wire.send(json.dumps({"type": "step", "data": {"text": "Wait"}}))
            wire.socket.shutdown(socket.SHUT_RDWR)
    for _ in range(2):
        # Until the step is over, the session is, and the server is full.
        for attempt in Retrying(stop=stop_after_delay(30), wait=wait_fixed(0.2), reraise=True):
            with attempt, server.client() as client:
                client.reset(instance=SOLVED, seed=1)
                assert client.step(ANSWER).reward == 1.0
    assert {process.pid for process in server.environments()} == before


def test_one_client_too_many_is_refused(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(server.client()).reset(instance=SOLVED, seed=1)
        with pytest.raises(RuntimeError, match="CAPACITY_REACHED"), server.client() as third:
            third.reset(instance=SOLVED)


def test_the_task_api_lists_both_splits(server: Server) -> None:
    with httpx.Client(base_url=server.url) as http:
        assert [split["name"] for split in http.get("/websp/splits").json()] == ["train", "test"]
        listed = {
            side: http.post("/websp/tasks", json={"split": side}).json()["tasks"]
            for side in ("train", "test")
        }
        counted = http.post("/websp/num_tasks", json={"split": "test"}).json()["num_tasks"]
        one = http.post("/websp/task", json={"split": "test", "index": 3}).json()["task"]
        some = http.post("/websp/task_range", json={"split": "test", "start": 2, "stop": 4}).json()["tasks"]
        outside = http.post("/websp/task", json={"split": "test", "index": -1})
        unknown = http.post("/websp/tasks", json={"split": "tset"})
    assert {task["id"] for tasks in listed.values() for task in tasks} == set(instance_ids())
    assert (counted, one, some[1]) == (len(listed["test"]), listed["test"][3], one)
    # Nothing about goals or initial states.
    assert {key for tasks in listed.values() for task in tasks for key in task} == {"id", "split", "index"}
    assert outside.status_code == 400
    assert (unknown.status_code, unknown.json()) == (
        422,
        {"detail": 'no split "tset"; did you mean "test"? (splits: train, test)'},
    )


def test_websites_and_other_hosts_are_refused(server: Server) -> None:
    """A page may send to 127.0.0.1, and its own host name may come to lead there."""
    wire, port = server.url.replace("http", "ws") + "/ws", server.url.rpartition(":")[2]
    for headers in ({"Origin": server.url}, {"Origin": "null"}, {"Origin": "https://evil.example"}):
        with pytest.raises(InvalidStatus, match="403"), connect(wire, additional_headers=headers):
            pass
        assert httpx.get(f"{server.url}/websp/splits", headers=headers).status_code == 403
    for host, status in (
        ("evil.example", 403),
        (f"evil.example:{port}", 403),
        ("localhost", 200),
        (f"[::1]:{port}", 200),
    ):
        assert httpx.get(f"{server.url}/health", headers={"Host": host}).status_code == status
    with pytest.raises(InvalidStatus, match="403"):
        connect(f"ws://evil.example:{port}/ws", sock=socket.create_connection(("127.0.0.1", int(port))))


def test_a_token_is_asked_of_every_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    token = "a secret of twenty-six letters"
    with serving("--host", "0.0.0.0", "--idle-seconds", "2", token=token) as server:
        url = server.url.replace("0.0.0.0", "127.0.0.1")
        wire = url.replace("http", "ws") + "/ws"
        for headers in (
            {},
            {"Authorization": token},
            {"Authorization": "Bearer wrong"},
        ):
            for path in ("/health", "/schema", "/websp/splits", "/openapi.json"):
                refused = httpx.get(url + path, headers=headers)
                assert (refused.status_code, VARIABLE in refused.text) == (401, True)
            assert httpx.post(f"{url}/reset", headers=headers, json={}).status_code == 401
            for path in ("/ws", "/mcp"):
                with (
                    pytest.raises(InvalidStatus, match="403"),
                    connect(url.replace("http", "ws") + path, additional_headers=headers),
                ):
                    pass
        with pytest.raises(Exception, match="403"), WebspClient(url).sync():
            pass
        right = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{url}/health", headers={**right, "Host": "gpu-node"}).status_code == 200
        assert httpx.get(f"{url}/health", headers={**right, "Origin": url}).status_code == 403
        with WebspClient(url, token=token).sync() as client:
            client.reset(instance=SOLVED, seed=1)
            assert client.step(ANSWER).reward == 1.0
        _assert_a_silent_session_ends(wire, right)
        monkeypatch.setenv(VARIABLE, token)
        with WebspClient(url).sync() as client:
            client.reset(instance=SOLVED, seed=1)


def _assert_a_silent_session_ends(wire: str, headers: dict[str, str]) -> None:
    """The one environment of the server is free again, although the client is still there."""
    for attempt in Retrying(stop=stop_after_delay(30), wait=wait_fixed(0.2), reraise=True):
        with attempt, connect(wire, additional_headers=headers) as silent:
            silent.send(json.dumps({"type": "reset", "data": {"instance": SOLVED, "seed": 1}}))
            assert json.loads(silent.recv())["type"] == "observation"
            with pytest.raises(ConnectionClosed, match="no message for 2 seconds"):
                silent.recv(timeout=30)


@pytest.mark.parametrize(
    ("host", "token", "message"),
    [
        ("0.0.0.0", "", "can be reached from other machines"),
        ("::", "", "can be reached from other machines"),
        ("gpu-node", "", "can be reached from other machines"),
        ("127.0.0.1", "short", "has 5 characters; give at least 16"),
    ],
)
def test_a_server_that_others_reach_needs_a_token(host: str, token: str, message: str) -> None:
    result = subprocess.run(
        [*COMMAND, "--host", host],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, VARIABLE: token},
    )
    assert result.returncode == 2
    assert message in result.stderr
    assert VARIABLE in result.stderr


def test_openenv_validates_the_package_and_the_running_server(server: Server) -> None:
    for arguments in ((str(FOLDER), "--level", "static"), ("--url", server.url)):
        result = validate(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        assert "Verdict: PASS" in result.stdout
    declared = yaml.safe_load((FOLDER / "openenv.yaml").read_text("utf-8"))
    train, test = split_ids("task")
    assert declared["version"] == VERSION
    assert declared["validation"]["capabilities"]["declared_task_count"] == {
        "train": len(train),
        "test": len(test),
    }


def test_pictures_are_data_uris_and_the_server_ends_with_its_processes() -> None:
    with serving("--pictures", "--viewport", "800x600", "--max-actions", "1") as server:
        with server.client() as client:
            page = client.reset(instance=TO_DO, seed=1).observation
            kind, _, data = page.screenshot.partition(",")
            assert kind == "data:image/png;base64"
            assert Image.open(io.BytesIO(base64.b64decode(data))).size == (800, 600)
            limited = client.step(WebspAction(text="GoBack"))
            assert (limited.reward, limited.done, limited.metadata["truncated"]) == (0.0, True, True)
        processes = server.process.children(recursive=True)
        assert any("chrom" in process.name() for process in processes)
        server.process.terminate()
        assert server.process.wait(30) in (0, None)
        _, left = psutil.wait_procs(processes, timeout=10)
        assert left == []


def test_unservable_options_are_reported_before_any_client_connects(server: Server) -> None:
    port = server.url.rpartition(":")[2]
    for arguments, message in (
        (["--port", port], f"cannot listen on 127.0.0.1:{port}"),
        (["--reward", "stat"], 'did you mean "state"'),
    ):
        result = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
        assert result.returncode == 2
        assert message in result.stderr
        assert "Traceback" not in result.stderr


def test_without_the_extra_the_command_names_what_to_install() -> None:
    code = "import sys; sys.modules['openenv'] = None; from websp_gym.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code, "serve-openenv"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "[openenv]'" in result.stderr
