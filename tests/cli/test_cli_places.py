"""Places that commands write to, their errors where they cannot, and processes outside an episode."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import websp_gym
from tests.browser_support import browsers
from tests.command_support import LONGEST, MAIN, websp, websp_here
from tests.paths import DOCS
from websp_gym.browser.launch import close_browsers
from websp_gym.browser.owner import call
from websp_gym.paths import data_dir, own_traces, trace_dirs
from websp_gym.replay.library import find_trace

SCREENLESS = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}


def test_version_is_that_of_the_package_and_its_dataset() -> None:
    result = websp_here("--version")
    assert (result.returncode, result.stdout) == (
        0,
        f"websp-gym {websp_gym.__version__}, dataset {websp_gym.DATASET_VERSION}\n",
    )


# -- where traces are kept


def first_example(text: str) -> list[str]:
    """The arguments of the first `websp record` in a text."""
    found = re.search(r"websp (record \w.*)", text)
    assert found is not None
    return shlex.split(found[1])


@pytest.mark.proof
def test_the_first_example_of_recording_has_nothing_in_its_way(tmp_path: Path) -> None:
    help_text = websp_here("record", "--help", variables={"COLUMNS": "300"}).stdout
    example = first_example(help_text)
    assert first_example((DOCS / "reference/traces.md").read_text("utf-8")) == example
    with subprocess.Popen(
        [sys.executable, "-u", "-c", MAIN, *example],
        cwd=tmp_path,
        env={**os.environ, **SCREENLESS},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        begun = any("Ctrl-C here" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=LONGEST)
    assert begun, error
    assert "nothing was recorded" in error.lower()
    # Nor has it in a checkout: there it would be refused if the file were there already.
    assert not (DOCS.parent / "traces/steam/my-preferences.json").exists()


def test_a_recording_goes_to_the_working_folder_and_is_found_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WEBSP_TRACES", raising=False)
    mine = own_traces() / "steam" / "mine.json"
    assert mine.resolve() == tmp_path / "traces" / "steam" / "mine.json"
    mine.parent.mkdir(parents=True)
    shutil.copy(find_trace("steam/login"), mine)
    result = websp_here("record", "steam", "--name", "mine")
    assert "traces/steam/mine.json already exists" in " ".join(result.stderr.split())
    assert find_trace("steam/mine") == mine
    assert find_trace("steam/login").resolve() == data_dir("traces").resolve() / "steam" / "login.json"
    assert websp_here("trace", "show", "steam/mine").returncode == 0
    listed = websp_here("trace", "list").stdout
    assert "steam/mine  traces/steam/mine.json" in listed
    assert "steam/login" in listed


def test_a_folder_the_user_named_is_where_recordings_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEBSP_TRACES", str(tmp_path / "named"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "named").mkdir()
    assert own_traces() == tmp_path / "named"
    assert trace_dirs() == [Path("traces"), tmp_path / "named", data_dir("traces")]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a_b.json").touch()
    result = websp_here("record", "steam", "--name", "a/b", "--out", str(tmp_path / "out"))
    assert "out/a_b.json already exists" in result.stderr.replace("\n", "")


def test_an_imported_trace_is_found_by_its_name(tmp_path: Path) -> None:
    assert (
        websp_here("trace", "import", str(find_trace("steam/login").absolute()), cwd=tmp_path).returncode == 0
    )
    (imported,) = (tmp_path / "traces" / "imported").glob("*.json")
    assert websp_here("trace", "show", f"imported/{imported.stem}", cwd=tmp_path).returncode == 0


# -- errors in place of tracebacks


@pytest.mark.parametrize(
    ("arguments", "variables", "code", "said"),
    [
        (["replay", "steam/login", "--picture", ""], {}, 2, "it is a folder"),
        (["replay", "steam/login", "--picture", "/dev/null/a/b.png"], {}, 2, "cannot write"),
        (["replay", "steam/login", "--headed"], SCREENLESS, 2, "xvfb-run"),
        (["trace", "import", "FLOW", "--out", "/dev/null/traces"], {}, 2, "cannot write"),
        (["replay", "steam/login"], {"WEBSP_SANDBOX_LOG": "/dev/null/log"}, 1, "WEBSP_SANDBOX_LOG"),
        (["list"], {"PYTHONOPTIMIZE": "2"}, 2, "-OO"),
        (["judge-eval", "nowhere", "--jobs", "2"], {}, 2, "websp:"),
        (["xray", "/nowhere"], {}, 2, "agentlab" if shutil.which("agentlab-xray") is None else "/nowhere"),
    ],
)
def test_impossible_requests_are_explained_in_one_line(
    tmp_path: Path, arguments: list[str], variables: dict[str, str], code: int, said: str
) -> None:
    given = [str(find_trace("steam/login")) if argument == "FLOW" else argument for argument in arguments]
    # Python reads its own variables when it starts, and a sandbox that runs already has its log.
    apart = any(name.startswith("PYTHON") or name == "WEBSP_SANDBOX_LOG" for name in variables)
    result = (websp if apart else websp_here)(*given, variables={"WEBSP_SANDBOX": "", **variables})
    assert result.returncode == code
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_pipe_gets_every_character_whatever_the_locale(encoding: str) -> None:
    result = websp_here("trace", "show", "steam/login", encoding=encoding)
    assert result.returncode == 0
    assert "1280×1024" in result.stdout


def test_a_terminal_that_lacks_a_character_gets_another(tmp_path: Path) -> None:
    code = f"import pty, sys; sys.exit(pty.spawn([sys.executable, '-c', '{MAIN}', 'trace', 'show', 'steam/login']) >> 8)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert b"1280?1024" in done.stdout


# -- browsers outside an episode


def test_the_doctor_finds_everything_but_a_display_in_order_by_browsers_that_reach_only_the_sandbox() -> None:
    call(close_browsers)
    result = websp_here("doctor", "--headed", "--json", variables=SCREENLESS)
    found = {row["check"]: row for row in json.loads(result.stdout)}
    assert list(found) == ["python", "task configurations", "sandbox", "browser", "window", "episode"]
    assert [name for name, row in found.items() if not row["ok"]] == ["window"]
    assert "xvfb-run" in found["window"]["detail"]
    assert result.returncode == 1
    opened = browsers()
    for each in opened:
        (rules,) = [arg for arg in each.args if arg.startswith("--host-resolver-rules=")]
        assert rules.endswith("MAP * ~NOTFOUND")
        assert "--no-proxy-server" in each.args
        confined = "--no-sandbox" not in each.args
        assert ("without Chromium's own sandbox" in found["browser"]["detail"]) != confined
    assert opened


def test_the_doctor_ends_well_where_nothing_is_amiss() -> None:
    result = websp_here("doctor")
    assert result.returncode == 0, result.stdout
    assert "task configurations  " in result.stdout
    assert "window" not in result.stdout


def test_serve_shows_how_the_browser_ended(tmp_path: Path) -> None:
    # It drives the browser itself, in the thread that waits for the window.
    result = websp("serve", "steam", variables={**SCREENLESS, "DISPLAY": ":77"})
    assert result.returncode == 1
    assert "ended with exit code" in result.stderr
    # It got as far as the display, which is not there: root's browser has --no-sandbox.
    assert "Missing X server" in result.stderr


def _two_free_ports() -> int:
    """The first of two ports that are free, below those the system gives to other test processes."""
    while True:
        port = random.randrange(20_000, 30_000)
        with (
            contextlib.suppress(OSError),
            socket.create_server(("127.0.0.1", port)),
            socket.create_server(("127.0.0.1", port + 1)),
        ):
            return port


def test_serve_prints_a_command_that_starts_here_and_keeps_to_its_ports() -> None:
    port = _two_free_ports()
    with socket.create_server(("127.0.0.1", port)):
        taken = websp_here("serve", "--no-browser", "--port", str(port))
    assert taken.returncode == 2
    assert "--port" in taken.stderr
    command = [sys.executable, "-c", MAIN, "serve", "--no-browser", "--port"]
    with subprocess.Popen([*command, str(port)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            printed = next(line for line in server.stdout if "--user-data-dir" in line)
            dump = [*shlex.split(printed)[:-1], "--headless", "--dump-dom", "https://store.steampowered.com/"]
            page = subprocess.run(dump, capture_output=True, text=True, timeout=LONGEST, check=False)
        finally:
            server.send_signal(signal.SIGINT)
    assert f"127.0.0.1:{port}," in printed
    assert f"127.0.0.1:{port + 1}," in printed
    assert ("--no-sandbox" in printed) == (os.geteuid() == 0)
    assert "Not affiliated with the original site" in page.stdout, page.stderr
