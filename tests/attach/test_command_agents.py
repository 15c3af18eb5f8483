"""Programs as agents of `websp run`: one start per episode, its exit is the end, its output is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.attach_support import COOKIES, STEAM, SWITCHES, until
from tests.command_support import websp_here
from tests.process_support import words_of
from websp_gym.agents import make_agent
from websp_gym.attach import agent as outside
from websp_gym.attach.agent import CommandAgent, command_environment
from websp_gym.errors import SetupError
from websp_gym.records.runs import read_results

PROGRAM = f"""
import os, sys, urllib.request
from contextlib import closing
from tests.devtools_client import Client

print("task:", os.environ["WEBSP_TASK"])
print("ours:", *sorted(name for name in os.environ if name.startswith("WEBSP_")))
with closing(Client(os.environ["WEBSP_CDP_URL"])) as client:
    client.open({COOKIES!r})
    for name in {SWITCHES!r}:
        client.turn_off(name)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    """The command of an agent that solves the Steam task."""
    file = tmp_path / "agent.py"
    file.write_text(PROGRAM)
    here = Path(__file__).parents[2]
    return f"PYTHONPATH={here} {sys.executable} {file}"


def run(folder: Path, command: str, *more: str, tasks: str = "Steam-task-191-*") -> list[dict[str, Any]]:
    done = websp_here("run", "--agent", f"cdp:{command}", "--tasks", tasks, "--out", str(folder), *more)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_a_run_of_a_program_has_results_records_and_its_output(program: str, tmp_path: Path) -> None:
    results = {each["id"]: each for each in run(tmp_path / "run", program)}
    assert {id: each["reward"] for id, each in results.items()} == {STEAM: 1.0, "Steam-task-191-OFF": 0.0}
    assert {each["actions"] for each in results.values()} == {4}
    said = (tmp_path / "run" / results[STEAM]["trajectory"] / "output.txt").read_text()
    assert said.splitlines() == [
        "task: "
        + json.loads((tmp_path / "run" / results[STEAM]["trajectory"] / "trajectory.json").read_text())[
            "instruction"
        ],
        "ours: WEBSP_CDP_URL WEBSP_DEBUGGER_ADDRESS WEBSP_FINISH_URL WEBSP_HTTP_URL WEBSP_MCP_URL WEBSP_START_URL WEBSP_TASK",
    ]
    report = websp_here("report", str(tmp_path / "run"))
    assert report.returncode == 0, report.stderr


@pytest.mark.parametrize(
    ("given", "lower", "upper"),
    [
        ({}, "127.0.0.1,localhost", "127.0.0.1,localhost"),
        ({"no_proxy": "*"}, "*", "*"),
        ({"NO_PROXY": "a.example"}, "a.example,127.0.0.1,localhost", "a.example,127.0.0.1,localhost"),
        (
            {"no_proxy": "a.example", "NO_PROXY": "b.example"},
            "a.example,127.0.0.1,localhost",
            "b.example,127.0.0.1,localhost",
        ),
    ],
)
def test_a_program_is_told_to_reach_its_door_past_any_proxy(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], lower: str, upper: str
) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    told = command_environment()
    assert (told["no_proxy"], told["NO_PROXY"]) == (lower, upper)


def test_a_program_is_kept_by_its_name_or_its_command_without_secrets(program: str, tmp_path: Path) -> None:
    command = f"MY_API_KEY=sk-0123456789 {program}"
    for name, agent in (("mine", "cdp:mine"), ("", f"cdp:MY_API_KEY=••• {program}")):
        out = tmp_path / (name or "command")
        (result,) = run(out, command, *(("--name", name) if name else ()), tasks=STEAM)
        assert (result["agent"], result["reward"]) == (agent, 1.0)
        assert "sk-0123456789" not in (out / "run.json").read_text()
        assert json.loads((out / "run.json").read_text())["agent"] == agent
    assert "spec" not in json.loads((tmp_path / "mine" / "run.json").read_text())
    again = websp_here(
        "run",
        "--agent",
        f"cdp:{command}",
        "--name",
        "mine",
        "--tasks",
        STEAM,
        "--out",
        str(tmp_path / "mine"),
        "--resume",
    )
    assert again.returncode == 0, again.stderr
    for wrong in (("--agent", "noop", "--name", "x"), ("--agent", "cdp:true", "--name", "openai:gpt-9")):
        done = websp_here("run", *wrong, "--tasks", STEAM)
        assert (done.returncode, "--name" in done.stderr) == (2, True)


def test_a_program_behind_a_proxy_reaches_its_door(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    file = tmp_path / "agent.py"
    file.write_text(
        "import os, urllib.request\n"
        'told = b\'{"answer": "it is 7", "usage": {"calls": 2, "input_tokens": 900, "cost": 0.5}}\'\n'
        "urllib.request.urlopen(os.environ['WEBSP_FINISH_URL'], data=told).close()\n"
    )
    (result,) = run(tmp_path / "run", f"{sys.executable} {file}", tasks=STEAM)
    record = json.loads((tmp_path / "run" / result["trajectory"] / "trajectory.json").read_text())
    assert record["answer"] == "it is 7"
    told = {name: result[name] for name in ("calls", "input_tokens", "output_tokens", "cost")}
    assert told == {"calls": 2, "input_tokens": 900, "output_tokens": None, "cost": 0.5}


@pytest.mark.parametrize(
    ("work", "ends"),
    [("sum(range(60_000_000))", True), ("time.sleep(600)", False)],
    ids=["works on", "does nothing"],
)
def test_a_program_has_as_long_to_exit_as_it_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, work: str, ends: bool
) -> None:
    monkeypatch.setattr(outside, "_TO_EXIT", 0.25)
    done = tmp_path / "done"
    program = f"import pathlib, time; print(flush=True); {work}; pathlib.Path({str(done)!r}).touch()"
    agent = CommandAgent("", "any")
    agent._process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True
    )
    assert agent._process.stdout is not None
    with agent._process.stdout as said:
        said.readline()
        agent.leave()
    assert done.exists() is ends


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("/nowhere/agent --now", "/nowhere/agent"),
        ("exit 126", "exited with status 126 before using any address of its door: it wrote nothing"),
        (
            "echo no module >&2; exit 3",
            "exited with status 3 before using any address of its door: no module",
        ),
        ("true", "exited with status 0"),
        ("kill -9 $$", "was ended by signal 9 (Killed)"),
    ],
)
def test_a_program_that_does_not_come_to_the_first_episode_ends_the_run(
    tmp_path: Path, command: str, says: str
) -> None:
    done = websp_here("run", "--agent", f"cdp:{command}", "--tasks", STEAM, "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert read_results(tmp_path / "run") == []


def test_a_program_that_ends_with_an_error_has_failed_also_where_the_state_is_right(tmp_path: Path) -> None:
    """The second time it does not even come, which ends no run in which it came before."""
    file, came = tmp_path / "agent.py", tmp_path / "came"
    file.write_text(
        "import os, pathlib, sys, urllib.request\n"
        f"came = pathlib.Path({str(came)!r})\n"
        "if not came.exists():\n"
        "    urllib.request.urlopen(os.environ['WEBSP_HTTP_URL'] + '/json/version').close()\n"
        "    came.touch()\n"
        "sys.exit('my key is ' + os.environ['MY_API_KEY'])\n"
    )
    command = f"MY_API_KEY=sk-0123456789 {sys.executable} {file}"
    first, second = run(tmp_path / "run", command, "--jobs", "1", tasks="Steam-task-191-*")
    for result in (first, second):
        assert (result["status"], result["reward"], result["end_reason"]) == ("fail", 0.0, "exit")
        assert result["failure_kinds"] in ([], ["incorrect navigation"])
        assert "the program exited with status 1" in result["reason"]
        assert 'its last line: "my key is [key]"' in result["reason"]
    assert "before it had used" not in first["reason"]
    assert "before using any address of its door" in second["reason"]


@pytest.mark.parametrize("status", [126, pytest.param(127, marks=pytest.mark.proof)])
def test_a_program_that_acted_is_scored_whatever_it_exits_with(tmp_path: Path, status: int) -> None:
    file = tmp_path / "agent.py"
    file.write_text(
        "import os, sys\n"
        "from tests.devtools_client import Client\n"
        "client = Client(os.environ['WEBSP_CDP_URL'])\n"
        f"client.open({COOKIES!r})\n"
        f"sys.exit({status})\n"
    )
    here = Path(__file__).parents[2]
    (result,) = run(tmp_path / "run", f"PYTHONPATH={here} {sys.executable} {file}", tasks=STEAM)
    assert (result["status"], result["reward"], result["actions"]) == ("fail", 0.0, 1)
    assert (result["end_reason"], f"status {status}" in result["reason"]) == ("exit", True)


def test_a_program_that_goes_on_after_the_end_is_ended(tmp_path: Path) -> None:
    """With what it has started."""
    nap = ["sleep", f"6{os.getpid()}"]
    command = f'curl -s -X POST -d answer "$WEBSP_FINISH_URL"; {" ".join(nap)} & {" ".join(nap)}'
    (result,) = run(tmp_path / "run", command, tasks=STEAM)
    assert result["end_reason"] == "answer"
    until(lambda: nap not in map(words_of, psutil.process_iter()))


PLAIN = f"""
import http.client, json, os
from contextlib import closing
from tests.devtools_client import Client, CommandError

host, port = os.environ["WEBSP_DEBUGGER_ADDRESS"].split(":")

def ask(method, path):
    connection = http.client.HTTPConnection(host, int(port))
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()

version = json.loads(ask("get", "/json/version")[1])
(page,) = json.loads(ask("GET", "/json/list")[1])
domains = {{each["domain"]: each for each in json.loads(ask("GET", "/json/protocol")[1])["domains"]}}
assert {{"name": "loadEventFired"}} in domains["Page"]["events"]
assert "navigate" in [each["name"] for each in domains["Page"]["commands"]]
assert ask("PUT", "/json/new?file:///etc/passwd")[0] == 400
opened = json.loads(ask("PUT", "/json/new?https://store.steampowered.com/about/")[1])["id"]
assert ask("GET", f"/json/activate/{{opened}}")[0] == 200
assert ask("GET", f"/json/close/{{opened}}")[0] == 200
assert ask("GET", f"/json/close/{{opened}}")[0] == 404
with closing(Client(f"ws://{{host}}:{{port}}/devtools/page/{{page['id']}}")) as client:
    assert client.send("Storage.getCookies")["cookies"]
    stream = client.send("Page.printToPDF", transferMode="ReturnAsStream")["stream"]
    assert client.send("IO.read", handle=stream)["data"]
    client.send("IO.close", handle=stream)
    for refused, arguments in (("IO.read", {{"handle": "blob"}}), ("Target.createTarget", {{"url": "", "hidden": True}})):
        try:
            client.send(refused, **arguments)
        except CommandError as error:
            print(error)
with closing(Client(version["webSocketDebuggerUrl"])) as client:
    client.open({COOKIES!r})
    for name in {SWITCHES!r}:
        client.turn_off(name)
"""


def test_a_program_that_takes_a_host_and_a_port_alone_plays(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text(PLAIN)
    command = f"PYTHONPATH={Path(__file__).parents[2]} {sys.executable} {file}"
    (result,) = run(tmp_path / "run", command, tasks=STEAM)
    said = (tmp_path / "run" / result["trajectory"] / "output.txt").read_text()
    assert (result["status"], result["end_reason"]) == ("pass", "answer"), said
    # A tab opened and one closed, an address, two presses and the answer; what was refused is none.
    assert result["actions"] == 6
    assert "IO.read is not available" in said
    assert "WebDriver BiDi" in said


@pytest.mark.parametrize("spec", ["cdp:", "cdp:  "])
def test_a_command_is_needed(spec: str, tmp_path: Path) -> None:
    done = websp_here("run", "--agent", spec, "--tasks", STEAM, "--out", str(tmp_path / "run"))
    assert done.returncode == 2
    assert "cdp:python my_agent.py" in done.stderr


def test_such_an_agent_answers_no_observations() -> None:
    with pytest.raises(SetupError, match="acts by itself"):
        make_agent("cdp:python agent.py")


def test_an_agent_that_ends_the_browser_twice_has_failed(tmp_path: Path) -> None:
    """What it did cannot be repeated for it, so it begins again, once."""
    file = tmp_path / "killer.py"
    file.write_text(
        "import signal, psutil\n"
        f"for each in psutil.Process({os.getpid()}).children(recursive=True):\n"
        "    if 'chrom' in each.name():\n"
        "        each.kill()\n"
        "signal.pause()\n"
    )
    (result,) = run(tmp_path / "run", f"{sys.executable} {file}", tasks=STEAM)
    assert (result["status"], result["end_reason"], len(result["tries"])) == ("fail", "error", 2)
