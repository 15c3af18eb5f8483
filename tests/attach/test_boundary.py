"""What an agent that drives the browser cannot reach: files, secrets, the control plane, another episode, a second try."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.attach_support import (
    COOKIES,
    STEAM,
    SWITCHES,
    Client,
    CommandError,
    ThreadAgent,
    finish,
    play,
    play_door,
    wait_for_steps,
)
from tests.conftest import MakeEnv
from tests.devtools_client import PATIENCE
from tests.sample import left_to_prove
from websp_gym.attach import attach, described
from websp_gym.attach.door import Door
from websp_gym.attach.rules import IGNORED, PASSED, rule_of
from websp_gym.attach.script_watch import WORLD
from websp_gym.browser.driver import playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.owner import call
from websp_gym.env.registration import make_env
from websp_gym.env.rollout import Rollout

CANARY = "canary-6f1d"
ENDS_THE_TAB = ("Page.close", "Target.closeTarget")
UNTRIED = (*ENDS_THE_TAB, "Browser.close")
"""Commands that have tests of their own, after which the others could not be sent."""


@pytest.fixture(scope="module")
def protocol() -> list[dict[str, Any]]:
    """All domains of the protocol, as the browser describes them itself."""
    browser = call(lambda: find_browser(playwright(), headless=True))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        flags = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={folder}"]
        with subprocess.Popen([browser, *flags, "about:blank"], stderr=subprocess.DEVNULL) as process:
            try:
                port = _port(Path(folder) / "DevToolsActivePort")
                with urllib.request.urlopen(
                    f"http://127.0.0.1:{port}/json/protocol", timeout=PATIENCE
                ) as response:
                    domains: list[dict[str, Any]] = json.load(response)["domains"]
            finally:
                process.kill()
    return domains


def _port(file: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError, IndexError):
            return file.read_text().split()[0]
        time.sleep(0.02)
    raise TimeoutError("the browser has not written its port")


def commands(protocol: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    return [
        (f"{domain['domain']}.{command['name']}", command.get("parameters", []))
        for domain in protocol
        for command in domain["commands"]
    ]


def test_every_rule_is_about_a_command_of_the_protocol(protocol: list[dict[str, Any]]) -> None:
    known = {name for name, _ in commands(protocol)}
    assert len(known) > 600
    assert PASSED - known == set()
    assert IGNORED - known == set()
    assert PASSED.isdisjoint(IGNORED)


def test_the_events_that_a_door_describes_are_those_of_the_browser(protocol: list[dict[str, Any]]) -> None:
    def events(domains: list[dict[str, Any]]) -> dict[str, set[str]]:
        return {each["domain"]: {event["name"] for event in each.get("events", [])} for each in domains}

    known, told = events(protocol), events(described.protocol()["domains"])
    for domain, names in told.items():
        assert names <= known[domain], domain
    # Clients subscribe to events of these by name, of some that never come.
    for domain in ("Browser", "DOM", "Debugger", "Fetch", "Input", "Inspector", "Page", "Runtime", "Target"):
        assert told[domain] == known[domain], domain


class Forge:
    """Arguments for commands: of the right types, with what an attacker would put there."""

    def __init__(self, seed: int, door: Door, client: Client, folder: Path) -> None:
        self.random = random.Random(seed)
        self.client = client
        (folder / "host.txt").write_text(CANARY)
        self.texts = [
            (folder / "host.txt").as_uri(),
            str(folder / "host.txt"),
            str(folder / "written"),
            f"view-source:{(folder / 'host.txt').as_uri()}",
            "chrome://version",
            f"http://127.0.0.1:{door.port}/",
            "http://localhost:1/",
            "1",
            "",
            "*",
            client.session or "",
        ]

    def arguments(self, parameters: list[dict[str, Any]]) -> dict[str, Any]:
        wanted = [each for each in parameters if not each.get("optional") or self.random.random() < 0.5]
        return {each["name"]: self.value(each) for each in wanted}

    def value(self, parameter: dict[str, Any]) -> Any:
        kind = parameter.get("type", "string" if "$ref" in parameter else "any")
        if "enum" in parameter:
            return self.random.choice(parameter["enum"])
        match kind:
            case "string":
                return self.random.choice(self.texts)
            case "integer" | "number":
                return self.random.choice([0, 1, 2, -1, 3])
            case "boolean":
                return self.random.random() < 0.5
            case "array":
                return [self.value(parameter.get("items", {})) for _ in range(self.random.randrange(3))]
            case _:
                return self.random.choice([{}, {"url": self.texts[0]}, {"path": self.texts[2]}])


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [0, left_to_prove(1)])
def test_no_command_of_the_protocol_leaves_the_episode(
    make: MakeEnv, protocol: list[dict[str, Any]], tmp_path: Path, seed: int
) -> None:
    host = tmp_path / "host"
    host.mkdir()
    heard: list[str] = []
    refused: set[str] = set()
    secrets: list[str] = []
    env = make(STEAM, observation="text", max_actions=200)

    def program(client: Client, door: Door) -> None:
        assert env.task is not None
        secrets.extend(env.task.world_episode.secrets)
        client.attach()
        forge = Forge(seed, door, client, host)
        for name, parameters in commands(protocol):
            if name in UNTRIED:
                continue
            for session in (None, client.session):
                number = client.start(name, session=session, **forge.arguments(parameters))
                if name.startswith("Input.synthesize") and rule_of(name) != "refuse":
                    continue  # a gesture may go on for ever
                try:
                    heard.append(json.dumps(client.answer(number)))
                except CommandError as error:
                    refused.add(name) if "is not available in an episode" in str(error) else None
                    heard.append(str(error))
        heard.extend(json.dumps(event) for event in client.events)
        client.open(COOKIES)

    played = play(env, program)
    assert played.reward == 0.0
    assert played.task.verdict is not None
    assert played.task.verdict.status == "fail"
    assert [file.name for file in host.iterdir()] == ["host.txt"]
    assert len(secrets) > 0
    for each in heard:
        for text in (CANARY, base64.b64encode(CANARY.encode()).decode(), *secrets):
            assert text not in each
    assert {name for name, _ in commands(protocol) if rule_of(name) == "refuse"} <= refused


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/hostname", "FILE:///etc/hostname", " file:///etc/hostname", "fi\nle:///etc/hostname", "file:/etc/hostname",
        "view-source:file:///etc/hostname", "view-source:https://store.steampowered.com/", "chrome://version", "chrome-untrusted://print",
        "devtools://devtools/bundled/inspector.html", "about:version", "about:settings", "javascript:alert(1)", "ftp://example.com/",
        "filesystem:https://store.steampowered.com/temporary/x", "chrome-extension://abcdefghijklmnopabcdefghijklmnop/x.html", "ws://127.0.0.1:1/", "localhost:1", 5, None, ["file:///etc"], {"a": 1},
    ],
)  # fmt: skip
def test_an_address_that_is_none_of_the_web_is_not_opened(make_once: Client, url: Any) -> None:
    """From a connection that all these tests share."""
    for method in ("Page.navigate", "Target.createTarget"):
        session = make_once.session if method == "Page.navigate" else None
        with pytest.raises(CommandError):
            make_once.send(method, session=session, url=url)
    for script in (f"location.href = {json.dumps(url)}", f"void open({json.dumps(url)})"):
        with suppress(CommandError):
            make_once.evaluate(script)
    shown = [info["url"] for info in make_once.send("Target.getTargets")["targetInfos"]]
    assert not any(each.startswith(("file:", "chrome", "devtools:", "view-source:")) for each in shown)


@pytest.fixture(scope="module")
def make_once() -> Iterator[Client]:
    """A connection to an episode that lasts for the tests of this file that share it."""
    doors: list[Door] = []
    ready, over = Event(), Event()

    def program(door: Door) -> str:
        doors.append(door)
        ready.set()
        over.wait()
        return ""

    env = make_env(STEAM, observation="text", initial_state="snapshot", max_actions=1000)
    agent = ThreadAgent(program)
    playing = Thread(target=lambda: list(Rollout(env, agent)))
    playing.start()
    assert ready.wait(PATIENCE)
    with closing(Client(doors[0].cdp_url)) as client:
        client.attach()
        yield client
    over.set()
    playing.join(PATIENCE)
    env.close()


def test_a_frame_or_a_redirect_shows_no_file(make_once: Client) -> None:
    script = "(() => { const frame = document.createElement('iframe'); frame.src = 'file:///etc/hostname'; document.body.append(frame); return true; })()"
    assert make_once.evaluate(script)
    with pytest.raises(CommandError):
        make_once.evaluate("fetch('file:///etc/hostname').then(answer => answer.text())")


def test_no_file_of_the_host_is_dropped_on_a_page(make_once: Client, tmp_path: Path) -> None:
    """The page could read it."""
    (tmp_path / "host.txt").write_text(CANARY)
    make_once.tell("Page.bringToFront")  # other tests open tabs
    make_once.open(COOKIES)
    make_once.evaluate(
        "document.ondragover = event => event.preventDefault(); document.ondrop = event => {"
        "event.preventDefault(); (window.dropped ??= []).push(event.dataTransfer.files[0]?.text() ?? ''); }; 1"
    )
    for files in ([str(tmp_path / "host.txt")], None):
        text = {"mimeType": "text/plain", "data": "a text"}
        data = {"items": [text], "dragOperationsMask": 1, **({"files": files} if files else {})}
        for kind in ("dragEnter", "dragOver", "drop"):
            drag = {"type": kind, "x": 50, "y": 50, "data": data}
            with pytest.raises(CommandError, match="files of the host") if files else nullcontext():
                make_once.tell("Input.dispatchDragEvent", **drag)
    # The drop of a text arrives.
    make_once.until("window.dropped !== undefined")
    assert make_once.evaluate("Promise.all(window.dropped)") == [""]


def test_a_page_reaches_no_port_of_this_machine(make_once: Client) -> None:
    came: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            came.append(self.path)
            self.send_response(204)
            self.end_headers()

    with ThreadingHTTPServer(("", 0), Listener) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/here", timeout=PATIENCE):
            assert came == ["/here"]
        for host in ("127.0.0.1", "localhost", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"):
            url = f"http://{host}:{server.server_port}/"
            with pytest.raises(CommandError, match="Failed to fetch"):
                make_once.evaluate(f"fetch('{url}', {{mode: 'no-cors'}})")
        server.shutdown()
    assert came == ["/here"]


def test_contexts_that_are_not_the_agents_cannot_be_used(make_once: Client) -> None:
    make_once.tell("Runtime.enable")
    for number in range(1, 60):
        with suppress(CommandError):
            found = make_once.tell(
                "Runtime.evaluate", expression="typeof __websp", contextId=number, returnByValue=True
            )
            assert found["result"]["value"] == "undefined"
    named = [
        event["params"]["context"]["name"]
        for event in make_once.events
        if event["method"] == "Runtime.executionContextCreated"
    ]
    assert not any("websp" in name or "playwright" in name for name in named)


def test_a_script_cannot_tell_of_steps_in_the_name_of_our_listener(make: MakeEnv) -> None:
    """A function of the same name can be had; what is said with it is no step, nor an error of the episode."""
    told = {"kind": "click", "value": "", "role": "button", "name": "forged", "form": "", "frame": ""}

    def program(client: Client, door: Door) -> None:
        client.tell("Runtime.enable")
        frame = client.tell("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = client.tell("Page.createIsolatedWorld", frameId=frame, worldName=WORLD)["executionContextId"]
        client.tell("Runtime.addBinding", name="websp_tell")
        client.tell("Runtime.addBinding", name="websp_tell", executionContextName=WORLD)
        for payload in (json.dumps(told), "garbage", "{}", "[]", "[" * 100_000):
            script = f"websp_tell({json.dumps(payload)})"
            client.evaluate(script)
            client.evaluate(script, contextId=world)
        client.evaluate("document.querySelector('a').click()")
        wait_for_steps(env, 1)
        client.evaluate("1")
        assert any(event["method"] == "Runtime.bindingCalled" for event in client.events)
        # What our listener tells is not for the agent.
        assert not any('"kind":"click","role":"link"' in json.dumps(event) for event in client.events)

    env = make(STEAM, observation="text")
    (step,) = play(env, program).steps
    assert step.startswith("script: click ")
    assert "forged" not in step


@pytest.mark.proof
def test_a_flood_of_false_tellings_costs_no_episode_its_score() -> None:
    flood = "for (let i = 0; i < 3_000; i++) websp_tell('g'.repeat(i % 3000)); fetch('/x'); 1"
    with attach(STEAM, observation="text") as first, attach(STEAM, seed=1, observation="text") as second:
        with closing(Client(second.cdp_url)) as honest, closing(Client(first.cdp_url)) as client:
            honest.open(COOKIES)
            client.open(COOKIES)
            client.tell("Runtime.addBinding", name="websp_tell")
            for _ in range(3):
                client.evaluate(flood)
            for name in SWITCHES:
                honest.turn_off(name)
        assert first.finish("done").status == "fail"
        assert second.finish("done").score == 1.0


def test_a_session_of_another_connection_cannot_be_used(make_once: Client) -> None:
    for session in ("0" * 32, "nothing", make_once.session and make_once.session.lower()):
        with pytest.raises(CommandError, match="Session with given id not found"):
            make_once.send("Runtime.evaluate", session=session, expression="1")


@pytest.mark.parametrize("message", ["", "x", "[]", "1", "{}", '{"id":1}', '{"id":"1","method":"Browser.getVersion"}', '{"id":1,"method":5}', '{"id":1,"method":"Browser.getVersion","params":0}', '{"id":true,"method":"Browser.getVersion"}', '{"id":-1,"method":"Browser.getVersion"}', '{"id":2147483648,"method":"Browser.getVersion"}', '{"id":1,"method":"Browser.getVersion","sessionId":{}}', "[" * 100_000, '{"id":1e400,"method":"x"}', '{"id":1,"method":"Browser.getVersion"}\x00{"id":2,"method":"Browser.crash"}'])  # fmt: skip
def test_a_message_that_is_none_is_answered_with_an_error(make_once: Client, message: str) -> None:
    make_once._socket.send(message)
    answer = json.loads(make_once._socket.recv(timeout=PATIENCE))
    while "method" in answer:
        answer = json.loads(make_once._socket.recv(timeout=PATIENCE))
    assert "error" in answer
    known = message in ('{"id":1}', '{"id":1,"method":5}') or "params" in message or "sessionId" in message
    assert answer.get("id") == (1 if known else None)
    assert make_once.evaluate("1 + 1") == 2


@pytest.mark.parametrize("given", ["null", "[]", "[1]"])
def test_arguments_that_the_browser_takes_for_none_are_none(make_once: Client, given: str) -> None:
    make_once._socket.send(f'{{"id":0,"method":"Browser.getVersion","params":{given}}}')
    assert make_once.answer(0)["protocolVersion"] == "1.3"


def test_a_connection_to_one_tab_is_told_of_its_end_alone_and_ends(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        target = client.send("Target.createTarget", url="about:blank")["targetId"]
        with closing(Client(door.cdp_url.replace("/browser/", "/page/") + f"/{target}")) as tab:
            tab.send("Page.enable")
            tab.start("Page.close")
            with suppress(ConnectionClosed):
                while True:
                    tab.events.append(json.loads(tab._socket.recv(timeout=PATIENCE)))
        told = [each.get("method", "") for each in tab.events]
        assert [name for name in told if name.startswith(("Target.", "Inspector."))] == ["Inspector.detached"]

    play(make(STEAM), program)


def test_without_the_token_there_is_no_door(make: MakeEnv) -> None:
    statuses: list[int] = []

    def status(url: str, **headers: str) -> int:
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, headers=headers), timeout=PATIENCE
            ) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code

    def program(door: Door) -> str:
        base = f"http://127.0.0.1:{door.port}"
        token = door.cdp_url.rpartition("/")[2]
        statuses.append(status(f"{door.http_url}/json/version"))
        for path in (
            "/json/version",
            "/json/list",
            "/json/protocol",
            "/",
            f"/{'0' * 32}/json/version",
            f"/{token[:-1]}/json/version",
        ):
            assert status(base + path) == 404
        assert status(f"{door.http_url}/json/version", Host=f"evil.example:{door.port}") == 404
        assert status(f"{door.http_url}/json/version", Origin="https://store.steampowered.com") == 404
        for path in ("/devtools/browser/", f"/devtools/browser/{'0' * 32}", "/devtools/page/1"):
            with (
                pytest.raises((InvalidHandshake, ConnectionClosed)),
                connect(f"ws://127.0.0.1:{door.port}{path}") as socket,
            ):
                socket.recv(timeout=PATIENCE)
        with (
            pytest.raises((InvalidHandshake, ConnectionClosed)),
            connect(door.cdp_url, origin=Origin("https://store.steampowered.com")) as socket,
        ):
            socket.recv(timeout=PATIENCE)
        return ""

    play_door(make(STEAM, observation="text"), program)
    assert statuses == [200]


def test_a_page_that_a_script_keeps_busy_is_the_agents_failure(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        client.attach()
        client.start("Runtime.evaluate", session=client.session, expression="while (true);")
        finish(door, "done")

    played = play(make(STEAM, observation="text", step_timeout=1), program)
    assert played.reward == 0.0


def test_closing_every_tab_is_no_way_out(make: MakeEnv) -> None:
    def program(client: Client, door: Door) -> None:
        client.attach()
        client.tell("Page.close")
        target = client.send("Target.createTarget", url=COOKIES)["targetId"]
        client.attach(target)
        client.send("Target.closeTarget", targetId=target)

    played = play(make(STEAM, observation="text"), program)
    assert (played.reward, played.task.verdict and played.task.verdict.status) == (0.0, "fail")


def test_the_door_is_closed_after_the_episode(make: MakeEnv) -> None:
    urls: list[str] = []

    def program(client: Client, door: Door) -> None:
        urls.append(door.cdp_url)

    play(make(STEAM, observation="text"), program)
    with pytest.raises((OSError, InvalidHandshake)), connect(urls[0], open_timeout=PATIENCE):
        pass
