"""``websp serve-episodes``: episodes on request, for agents of other programs and machines."""

from __future__ import annotations

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from websockets.sync.client import connect

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client
from tests.command_support import LONGEST, MAIN, websp_here
from websp_gym.records.runs import read_results

TOKEN = "the-token-of-this-server"
OTHER = "Steam-task-191-OFF"


class Served:
    """A running server, as its owner sees it."""

    def __init__(self, pid: int, control: str, agents: str, verify: ssl.SSLContext | bool = True) -> None:
        self.pid = pid
        self.folder = Path()
        self.agents = agents
        self.owner = httpx.Client(
            base_url=control, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=LONGEST, verify=verify
        )

    def begin(self, instance: str = STEAM, **more: Any) -> dict[str, Any]:
        answer = self.owner.post("/episodes", json={"instance": instance, **more})
        assert answer.status_code == 201, answer.text
        begun: dict[str, Any] = answer.json()
        return begun

    def kill_browsers(self) -> None:
        for each in psutil.Process(self.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "chrom" in each.name():
                    each.kill()

    def result(self, episode: dict[str, Any]) -> dict[str, Any]:
        """Wait for the result of an episode that ends by itself."""
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            shown = self.owner.get(f"/episodes/{episode['id']}").json()
            if shown["state"] == "over":
                result: dict[str, Any] = shown["result"]
                return result
            time.sleep(0.1)
        raise AssertionError(f"no result within {LONGEST:.0f} seconds")

    def end(self, episode: dict[str, Any]) -> dict[str, Any]:
        ended: dict[str, Any] = self.owner.delete(f"/episodes/{episode['id']}").json()
        return ended


@contextmanager
def serving(
    *more: str, token: str = TOKEN, verify: ssl.SSLContext | bool = True, **variables: str
) -> Iterator[Served]:
    command = [sys.executable, "-c", MAIN, "serve-episodes", "--port", "0", "--control-port", "0", *more]
    environment = {**os.environ, "WEBSP_EPISODES_TOKEN": token, "PYTHONUNBUFFERED": "1", **variables}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert server.stdout is not None
        said = ""
        while "Press Ctrl-C" not in said:
            line = server.stdout.readline()
            assert line, said
            said += line
        agents, control = (re.search(pattern, said) for pattern in (r"agents: (\S+)", r"POST (\S+)/episodes"))
        assert agents
        assert control
        served = Served(server.pid, control[1], agents[1], verify)
        with served.owner:
            yield served
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(LONGEST)
        assert server.stdout is not None
        server.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server where the network has a proxy, which answers nothing: none of these tests may ask it."""
    folder, proxy = tmp_path_factory.mktemp("served") / "run", "http://127.0.0.1:9"
    options = ("--episodes", "2", "--out", str(folder), "--agent", "mine", "--max-actions", "7")
    with serving(*options, http_proxy=proxy, HTTP_PROXY=proxy) as server:
        server.folder = folder
        yield server


def solve(url: str) -> None:
    with closing(Client(url)) as client:
        client.open(COOKIES)
        for name in SWITCHES:
            client.turn_off(name)


def test_an_agent_plays_and_its_owner_reads_the_result_in_a_folder_that_is_a_run(served: Served) -> None:
    episode = served.begin(seed=10)
    assert "Cookies" in episode["instruction"]
    assert episode["start_url"] == "https://store.steampowered.com/"
    for name in ("cdp_url", "mcp_url", "finish_url"):
        assert served.agents.removeprefix("http") in episode[name]
    solve(episode["cdp_url"])
    assert httpx.post(episode["finish_url"], content="done").json() == {"accepted": True}
    result = served.end(episode)["result"]
    assert (result["reward"], result["status"], result["actions"], result["seed"]) == (1.0, "pass", 4, 10)
    assert served.owner.get(f"/episodes/{episode['id']}").json()["result"] == result
    (kept,) = [one for one in read_results(served.folder) if one.seed == 10]
    assert (kept.agent, kept.reward) == ("mine", 1.0)
    assert (served.folder / kept.trajectory / "steps.jsonl").is_file()
    report = websp_here("report", served.folder)
    assert report.returncode == 0, report.stderr
    assert "mine" in report.stdout


def test_two_episodes_run_at_once_for_clients_that_keep_connections_and_a_third_waits_its_turn(
    served: Served,
) -> None:
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda seed: served.begin(seed=seed), (20, 21))
    refused = served.owner.post("/episodes", json={"instance": STEAM})
    assert refused.status_code == 503
    assert "2 episodes are already running" in refused.json()["error"]
    with httpx.Client(trust_env=False) as client:
        for each in (first, second, first):
            assert client.get(f"{each['http_url']}/json/version").json()["Protocol-Version"] == "1.3"
    solve(second["cdp_url"])
    results = [served.end(each)["result"] for each in (first, second)]
    assert [result["reward"] for result in results] == [0.0, 1.0]
    assert (results[0]["status"], results[0]["end_reason"]) == ("fail", "answer"), "past any proxy"


def test_each_seed_is_played_once(served: Served) -> None:
    episode = served.begin(OTHER, seed=40)
    for _ in range(2):
        again = served.owner.post("/episodes", json={"instance": OTHER, "seed": 40})
        assert again.status_code == 422
        assert "each is played once" in again.json()["error"]
        served.end(episode)


def test_the_owner_may_say_the_token_of_the_addresses_before_and_any_seed(served: Served) -> None:
    token, seed = "0123456789abcdef" * 2, 2**31
    episode = served.begin(seed=seed, token=token)
    assert episode["finish_url"] == f"{served.agents}/finish/{token}"
    again = served.owner.post("/episodes", json={"instance": STEAM, "seed": 46, "token": token})
    assert again.status_code == 422
    assert "no running episode" in again.json()["error"]
    result = served.end(episode)["result"]
    assert (result["status"], result["seed"]) == ("fail", seed)


def test_an_agent_reaches_no_control_plane(served: Served) -> None:
    episode = served.begin(seed=50)
    token = episode["finish_url"].rpartition("/")[2]
    control = str(served.owner.base_url)
    with httpx.Client() as agent:
        for headers in ({}, {"Authorization": f"Bearer {token}"}, {"Authorization": f"Bearer {TOKEN}x"}):
            for method in ("GET", "POST", "DELETE"):
                assert agent.request(method, f"{control}/episodes", headers=headers).status_code == 401
        assert (
            agent.get(f"{served.agents}/episodes", headers={"Authorization": f"Bearer {TOKEN}"}).status_code
            == 404
        )
        site = {"Authorization": f"Bearer {TOKEN}", "Origin": "https://store.steampowered.com"}
        assert agent.get(f"{control}/episodes", headers=site).status_code == 403
    served.end(episode)
    assert httpx.get(f"{episode['http_url']}/json/version").status_code == 404


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "not JSON"),
        ("[]", "name the instance"),
        ('{"instance": 3}', "name the instance"),
        ('{"instance": "Steam-task-1919"}', "Steam-task-191"),
        ('{"instance": "Steam-task-191-ON", "sed": 1}', "no 'sed'"),
        ('{"instance": "Steam-task-191-ON", "seed": "1"}', "whole number"),
        ('{"instance": "Steam-task-191-ON", "seed": -1}', "the first seed is 0"),
        ('{"instance": "Steam-task-191-ON", "token": 5}', "32 hexadecimal"),
        ('{"instance": "Steam-task-191-ON", "token": "guessed"}', "32 hexadecimal"),
        (" " * 20_000, "10,000 bytes"),
    ],
)
def test_a_wrong_request_says_why(served: Served, body: str, said: str) -> None:
    answer = served.owner.post("/episodes", content=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_an_episode_that_ends_by_an_error_twice_has_failed(served: Served) -> None:
    """Its seed may be begun once more, and then the agent has ended it again."""
    results = []
    for _ in range(2):
        episode = served.begin(seed=70)
        served.kill_browsers()
        results.append(served.result(episode))
    assert [each["status"] for each in results] == ["error", "fail"]
    assert results[1]["reward"] == 0.0


@pytest.mark.proof
def test_a_server_that_is_started_anew_goes_on_with_the_run_here_over_tls(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with serving("--out", folder) as server:
        server.end(server.begin(seed=0))
        episode = server.begin(seed=1)
        server.kill_browsers()
        assert server.result(episode)["status"] == "error"
    _write_certificate(certificate, key)
    trusted = ssl.create_default_context(cafile=str(certificate))
    options = ("--tls-certificate", str(certificate), "--tls-key", str(key))
    with serving("--out", folder, "--resume", *options, verify=trusted) as server:
        refused = server.owner.post("/episodes", json={"instance": STEAM, "seed": 0})
        assert refused.status_code == 422
        episode = server.begin(seed=1)
        assert episode["cdp_url"].startswith("wss://127.0.0.1:")
        version = httpx.get(f"{episode['http_url']}/json/version", verify=trusted).json()
        assert version["webSocketDebuggerUrl"] == episode["cdp_url"]
        with connect(episode["cdp_url"], ssl=trusted) as socket:
            socket.send('{"id": 1, "method": "Browser.getVersion"}')
            assert json.loads(socket.recv(timeout=LONGEST))["result"]["protocolVersion"] == "1.3"
        server.kill_browsers()
        assert server.result(episode)["status"] == "fail", "the error before it counts"
        assert server.begin()["seed"] == 2
    assert [(each.seed, each.status) for each in read_results(Path(folder))] == [(0, "fail"), (1, "fail")]


def test_an_episode_that_has_not_begun_yet_can_be_ended(served: Served) -> None:
    for seed in count(60):
        with ThreadPoolExecutor(1) as thread:
            begins = thread.submit(served.begin, seed=seed)
            listed: list[dict[str, Any]] = []
            while not listed:
                listed = [each for each in served.owner.get("/episodes").json() if each["seed"] == seed]
            result = served.end(listed[0])["result"]
            begins.result()
        assert (result["status"], result["end_reason"], result["actions"]) == ("fail", "answer", 1)
        if listed[0]["state"] == "beginning":
            break  # else it had begun before this process came to look


def test_no_id_is_guessed(served: Served) -> None:
    unknown = served.owner.get("/episodes/0123456789abcdef")
    assert unknown.status_code == 404
    assert "GET /episodes lists them" in unknown.json()["error"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "in the clear"),
        (["--behind-proxy"], "needs --public-address"),
        (["--public-address", "gpu7:8900"], "give http://HOST:PORT"),
        (["--tls-key", "key.pem"], "give both"),
        (["--tls-key", "key.pem", "--tls-certificate", "none.pem"], "cannot serve TLS"),
        (["--resume"], "needs --out"),
        (["--max-actions", "3", "--reward", "nothing"], "nothing"),
    ],
)
def test_what_cannot_be_served_says_why(
    options: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSP_EPISODES_TOKEN", TOKEN)
    done = websp_here("serve-episodes", *options)
    assert done.returncode == 2
    assert said in done.stderr


def test_other_machines_need_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBSP_EPISODES_TOKEN", raising=False)
    done = websp_here(
        "serve-episodes", "--host", "0.0.0.0", "--behind-proxy", "--public-address", "https://gpu7"
    )
    assert done.returncode == 2
    assert "WEBSP_EPISODES_TOKEN" in done.stderr


def _write_certificate(certificate: Path, key: Path) -> None:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    private = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    address = x509.IPAddress(ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(private, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(Encoding.PEM))
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
