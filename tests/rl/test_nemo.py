"""NeMo Gym's own servers, started from the folder that `websp nemo` writes, with a model on this machine."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import yaml

# Before Ray is imported: its servers listen on the loopback address only, it reports to nobody, and it has time to
# start on a busy machine.
os.environ.update(
    RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
    RAY_USAGE_STATS_ENABLED="0",
    RAY_gcs_server_request_timeout_seconds="600",
)

from ray.cluster_utils import Cluster

from tests.command_support import LONGEST, websp
from tests.endpoint_support import KEY, Asked, Endpoint, Say, responses, serve
from tests.paths import DOCS
from tests.process_support import all_ended, words_of
from websp_gym.errors import SetupError
from websp_gym.serving import listen
from websp_gym.trainers.nemo import WebspConfig, WebspServer
from websp_gym.trainers.nemo_folder import AGENT, CONFIG

TO_DO, SOLVED = "Steam-task-191-ON", "Steam-task-191-OFF"
SERVER = "websp_resources_server"
OTHERS = {
    # It repeats no episode, and gives up a rollout that is silent for ten seconds.
    "once": {"processes": 1, "idle_seconds": 10, "options": {"retries": 0}},
    "recording": {"processes": 1, "on_unscored": "record", "options": {"retries": 0}},
}
"""Servers beside the one of the folder; the agent of each is named after it."""
OVER = "The episode is over."
SMALL = {"num_cpus": 2, "object_store_memory": 100 * 2**20, "include_dashboard": False}
GYM = Path(sys.executable).parent / "gym"
Row = dict[str, Any]
Result = dict[str, Any]


class Gym:
    """NeMo Gym's servers, as long as they run."""

    def __init__(self, folder: Path, head: str, options: tuple[str, ...], process: psutil.Process) -> None:
        self.folder, self.process = folder, process
        self._options = options
        listed = httpx.get(f"{head}/server_instances").json()
        self._urls: dict[str, str] = {each["process_name"]: each["url"] for each in listed}

    def rows(self, *instances: str, agent: str = AGENT) -> list[Row]:
        """The rows of instances, for an agent."""
        text = (self.folder / "resources_servers/websp/data/train.jsonl").read_text("utf-8")
        rows = {row["instance"]: row for row in map(json.loads, text.splitlines())}
        return [
            {**deepcopy(rows[name]), "agent_ref": {"type": "responses_api_agents", "name": agent}}
            for name in instances
        ]

    def run(self, row: Row) -> httpx.Response:
        """Play one row as a trainer does."""
        return httpx.post(f"{self._urls[row['agent_ref']['name']]}/run", json=row, timeout=LONGEST)

    def collect(
        self, rows: Iterable[Row], name: str, *options: str
    ) -> tuple[list[Result], list[Result], Any]:
        """Play rows by the command; return the rollouts, the failures and the metrics that it wrote."""
        given, out = self.folder / f"{name}.jsonl", self.folder / f"{name}_rollouts.jsonl"
        given.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        places = {"rollouts.jsonl": str(out), "resources_servers/websp/data/train.jsonl": str(given)}
        command = [*documented("gym eval run", places), *options, *self._options]
        subprocess.run(command, cwd=self.folder, check=True)
        (metrics,) = json.loads(out.with_name(f"{out.stem}_aggregate_metrics.json").read_text("utf-8"))
        failures = out.with_name(f"{out.stem}_failures.jsonl")
        return _read(out), _read(failures), metrics["agent_metrics"]

    @contextmanager
    def session(self, name: str, instance: str) -> Iterator[tuple[httpx.Client, Row]]:
        """A rollout without an agent that has begun."""
        (row,) = self.rows(instance)
        with httpx.Client(base_url=self._urls[name], timeout=LONGEST) as client:
            client.post("/seed_session", json=row).raise_for_status()
            yield client, row

    def kill_environments(self) -> None:
        """Kill the processes of all environments, as the kernel does when memory is short."""
        processes = self.process.children(recursive=True)
        found = [each for each in processes if "spawn_main" in " ".join(words_of(each))]
        assert found
        for each in found:
            with suppress(psutil.NoSuchProcess):
                each.kill()


def _read(file: Path) -> list[Result]:
    results = map(json.loads, file.read_text("utf-8").splitlines())
    return sorted(results, key=lambda result: int(result["_ng_rollout_index"]))


def documented(command: str, places: dict[str, str]) -> list[str]:
    """A command of the page, with other values in some places."""
    page = (DOCS / "reference" / "trainers.md").read_text("utf-8").replace("\\\n", " ")
    (line,) = re.findall(rf"^{command} .*$", page, re.MULTILINE)
    words = shlex.split(line)
    assert set(places) <= set(words)
    return [
        str(GYM) if word == "gym" and not index else places.get(word, word)
        for index, word in enumerate(words)
    ]


@pytest.fixture(scope="module")
def model() -> Iterator[Endpoint]:
    with serve() as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(model: Endpoint) -> Endpoint:
    model.forget()
    return model


@pytest.fixture(scope="module")
def gym(model: Endpoint, oracle: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gym]:
    folder = tmp_path_factory.mktemp("nemo") / "gym"
    written = websp(*documented("websp nemo", {"gym": str(folder)})[1:])
    assert written.returncode == 0, written.stderr
    _add_others(folder / CONFIG)
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    head = f"+head_server={{host:127.0.0.1,port:{port}}}"
    command = documented("gym env start", {"http://127.0.0.1:8000/v1": f"{model.url}/v1", "none": KEY})
    log = folder.parent / "log"
    with all_ended(), log.open("w") as output:
        # The one that NeMo Gym would start has a dashboard of ten processes.
        cluster = Cluster(initialize_head=True, head_node_args=SMALL)
        command += [head, f"+ray_head_node_address={cluster.address}"]
        # A group of its own, which gets the Ctrl-C.
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, start_new_session=True)
        try:
            _wait_until_ready(process, log)
            yield Gym(folder, f"http://127.0.0.1:{port}", (head,), psutil.Process(process.pid))
        finally:
            os.killpg(process.pid, signal.SIGINT)
            process.wait(LONGEST)
            cluster.shutdown()


def _add_others(file: Path) -> None:
    config = yaml.safe_load(file.read_text("utf-8"))
    for name, settings in OTHERS.items():
        server, agent = deepcopy(config[SERVER]), deepcopy(config[AGENT])
        server["resources_servers"]["websp"].update(settings)
        agent["responses_api_agents"]["simple_agent"]["resources_server"]["name"] = f"{name}_server"
        config.update({f"{name}_server": server, name: agent})
    file.write_text(yaml.safe_dump(config), "utf-8")


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    while "servers ready! Polling" not in (said := log.read_text("utf-8")):
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(said[-5000:])


def reply(**more: Any) -> Say:
    """A response with everything that NeMo Gym reads."""
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100, **details}
    head = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "usage": usage}
    return responses(**{**head, **more})


def call(name: str, **arguments: Any) -> Say:
    """A response with one tool call."""
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name}
    return reply(output=[{**item, "arguments": json.dumps(arguments)}])


def act(action: str) -> Say:
    return call("act", action=action)


def scripted(*says: Say) -> Callable[[Asked], Say]:
    """Answer with what comes next in the conversation, and with a word at the end."""
    return lambda asked: [*says, reply(text="done")][len(shown(asked))]


def shown(asked: Asked) -> list[str]:
    """What the tools of a conversation returned."""
    return [each["output"] for each in asked.body["input"] if each.get("type") == "function_call_output"]


def test_the_oracles_replies_get_1_and_the_policy_sees_pages_only(
    gym: Gym, endpoint: Endpoint, oracle: tuple[str, ...]
) -> None:
    endpoint.always(scripted(call("look"), *map(act, oracle)))
    # One more than there are environments.
    results, failures, metrics = gym.collect(gym.rows(TO_DO) * 3, "oracle")
    assert [result["reward"] for result in results] == [1.0] * 3
    assert failures == []
    assert metrics["mean/reward"] == 1.0
    assert (results[0]["reason"], results[0]["turns"]) == ("answer", len(oracle))
    assert results[0]["actions"] == len(oracle)
    first, last = endpoint.asked[0].body, endpoint.last
    assert [each["role"] for each in first["input"]] == ["system", "user"]
    assert [tool["name"] for tool in first["tools"]] == ["look", "act"]
    seen = shown(last)
    assert seen[0].startswith(first["input"][1]["content"])
    assert all("\nPage: " in f"\n{page}" for page in seen[:-1])
    assert seen[-1] == OVER
    (row,) = gym.rows(TO_DO)
    said = json.dumps([asked.body for asked in endpoint.asked])
    assert row["key"] not in said
    assert TO_DO not in said


def test_an_answer_at_once_gets_0_unless_nothing_is_to_do(gym: Gym, endpoint: Endpoint) -> None:
    endpoint.always(scripted(act("ANSWER; done")))
    results = [gym.run(row).json() for row in gym.rows(TO_DO, SOLVED)]
    assert [(result["reward"], result["reason"]) for result in results] == [(0.0, "answer"), (1.0, "answer")]


def test_a_plain_reply_is_an_answer_and_one_that_is_cut_is_not(gym: Gym, endpoint: Endpoint) -> None:
    endpoint.plan(reply(text="Nothing\nis to do."))
    (row,) = gym.rows(SOLVED)
    answered = gym.run(row).json()
    endpoint.plan(reply(text="Noth", incomplete_details={"reason": "max_output_tokens"}))
    cut = gym.run(row).json()
    # Calls without end, until the agent's max_steps.
    endpoint.always(call("look"))
    looping = gym.run(row).json()
    assert [(one["reward"], one["reason"]) for one in (answered, cut, looping)] == [
        (1.0, "answer"),
        (0.0, "cut"),
        (0.0, "cut"),
    ]


def test_an_action_that_cannot_be_done_is_an_error_of_the_page(gym: Gym, endpoint: Endpoint) -> None:
    endpoint.always(scripted(act("Click [9999]"), call("act"), call("click"), act("ANSWER; done")))
    (row,) = gym.rows(SOLVED)
    assert gym.run(row).json()["reward"] == 1.0
    page, no_action, no_tool, over = shown(endpoint.last)
    assert "Error: " in page
    assert "9999" in page
    assert "Field required" in no_action
    assert "Not Found" in no_tool
    assert over == OVER


def test_an_environment_that_dies_costs_a_rollout_nothing_but_a_repetition(
    gym: Gym, endpoint: Endpoint, oracle: tuple[str, ...]
) -> None:
    endpoint.plan(act(oracle[0]), replace(act(oracle[1]), before=gym.kill_environments))
    endpoint.always(scripted(*map(act, oracle)))
    (row,) = gym.rows(TO_DO)
    assert gym.run(row).json()["reward"] == 1.0
    assert len(endpoint.asked) == len(oracle) + 1


def test_a_rollout_without_a_score_is_an_error_and_a_collection_resumes_after_it(
    gym: Gym, endpoint: Endpoint
) -> None:
    endpoint.plan(replace(act("ANSWER; done"), before=gym.kill_environments))
    endpoint.always(reply(text="done"))
    (row,) = gym.rows(SOLVED, agent="once")
    lost = gym.run(row)
    assert lost.status_code == 500, lost.text
    assert "ended without a score" in lost.text
    assert "died" in lost.text
    assert shown(endpoint.last) == [OVER]
    assert gym.run(row).json()["reward"] == 1.0
    endpoint.plan(replace(act("ANSWER; done"), before=gym.kill_environments))
    with pytest.raises(subprocess.CalledProcessError):
        gym.collect([row], "once")
    results, failures, _ = gym.collect([row], "once", "--resume")
    assert ([result["reward"] for result in results], failures) == ([1.0], [])


def test_a_collection_keeps_a_rollout_without_a_score_apart_and_plays_it_again(
    gym: Gym, endpoint: Endpoint
) -> None:
    endpoint.plan(replace(act("ANSWER; done"), before=gym.kill_environments))
    endpoint.always(scripted(act("ANSWER; done")))
    rows = gym.rows(SOLVED, SOLVED, agent="recording")
    results, failures, metrics = gym.collect(rows, "recording")
    assert [result["reward"] for result in results] == [1.0]
    (lost,) = failures
    assert lost["_ng_failure_class"] == "unscored"
    assert "died" in lost["failure"]
    assert metrics["mean/reward"] == 1.0
    results, failures, _ = gym.collect(rows, "recording", "--resume")
    assert ([result["reward"] for result in results], len(failures)) == ([1.0, 1.0], 1)


def test_a_tool_call_reaches_neither_the_reward_nor_another_episode(gym: Gym, endpoint: Endpoint) -> None:
    """The agent posts every name that the policy makes up."""
    row, easier = gym.rows(TO_DO, SOLVED)
    response = reply(text="done").body
    stolen = {**row, "response": response}
    without_key = {name: value for name, value in stolen.items() if name != "key"}
    endpoint.always(
        scripted(
            call("seed_session", **easier),
            call("verify", **without_key),
            call("verify", **{**stolen, "key": easier["key"]}),
            act("ANSWER; done"),
        )
    )
    assert gym.run(row).json()["reward"] == 0.0
    again, missing, wrong, over = shown(endpoint.last)
    assert "this rollout has begun" in again
    assert "Field required" in missing
    assert "no rollout with this key" in wrong
    assert 'reward":' not in missing + wrong
    assert over == OVER


def test_a_rollout_that_is_left_frees_its_environment_and_has_no_score(gym: Gym) -> None:
    with gym.session("once_server", SOLVED) as (left, row):
        assert left.post("/look").text.startswith("Task: ")
        # The only environment: this waits for it.
        with gym.session("once_server", SOLVED) as (other, _):
            assert left.post("/act", json={"action": "ANSWER; done"}).text == OVER
            assert "has begun" in left.post("/seed_session", json=row).text
            ended = {**row, "response": reply(text="done").body}
            refused = left.post("/verify", json=ended)
            assert refused.status_code == 503
            assert "silent for 10 seconds" in refused.text
            assert other.post("/verify", json=ended).json()["reward"] == 1.0


def test_rollouts_at_once_have_an_episode_each(gym: Gym) -> None:
    def play(instance: str) -> tuple[str, float]:
        with gym.session(SERVER, instance) as (client, row):
            before = client.post("/look").text
            assert client.post("/act", json={"action": "Google"}).text != before
            client.post("/act", json={"action": "ANSWER; done"})
            ended = {**row, "response": reply(text="done").body}
            return instance, client.post("/verify", json=ended).json()["reward"]

    with ThreadPoolExecutor(4) as threads:
        played = list(threads.map(play, (TO_DO, SOLVED) * 2))
    assert played == [(TO_DO, 0.0), (SOLVED, 1.0)] * 2


def test_an_unknown_instance_is_an_error_and_websites_are_refused(gym: Gym) -> None:
    (row,) = gym.rows(SOLVED)
    lost = gym.run({**row, "instance": "Steem-task-191-OFF"})
    assert lost.status_code == 500, lost.text
    assert "Steam" in lost.text
    with gym.session(SERVER, SOLVED) as (client, _):
        assert client.post("/look", headers={"Origin": "https://evil.example"}).status_code == 403


def test_settings_that_cannot_work_are_refused() -> None:
    settings = {"name": "websp", "host": "127.0.0.1", "port": 1, "entrypoint": "app.py"}
    for wrong, message in (
        ({"num_workers": 2}, "processes"),
        ({"options": {"pictures": True}}, "no pictures"),
    ):
        config = WebspConfig.model_validate({**settings, **wrong})
        with pytest.raises(SetupError, match=message):
            WebspServer.model_construct(config=config).setup_webserver()
