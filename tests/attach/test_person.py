"""``websp play``: a person at a page of their own browser plays an episode."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Page, sync_playwright

from tests.attach_support import STEAM
from tests.command_support import MAIN, websp_here
from tests.devtools_client import PATIENCE
from tests.process_support import all_ended, words_of
from tests.window_support import Person, until
from websp_gym.attach.person import PersonAgent
from websp_gym.browser.driver import playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.owner import call
from websp_gym.env.options import Options
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.runner.batch import play_job
from websp_gym.runner.jobs import Job


@pytest.fixture(scope="module")
def viewer() -> Iterator[Page]:
    """A page of the person's own browser."""
    executable = call(lambda: find_browser(playwright(), headless=True))
    with sync_playwright() as own:
        browser = own.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser.new_page(viewport={"width": 1400, "height": 950})
        browser.close()


@contextmanager
def playing(*more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the command; yield the address of its window and its process."""
    command = [sys.executable, "-c", MAIN, "play", STEAM, *more]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    environment.pop("DISPLAY", None)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert process.stdout is not None
    said = ""
    try:
        while (found := re.search(r"http://127\S+/", said)) is None:
            line = process.stdout.readline()
            assert line, said
            said += line
        yield found[0], process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def playing_here(capsys: pytest.CaptureFixture[str], **options: Any) -> Iterator[tuple[str, Future[Result]]]:
    """Play in this process; yield the address of the window and the result that is to come."""
    job = Job(STEAM, Run(agent="me", options=options))
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as threads:
        patch.delenv("DISPLAY", raising=False)
        playing = threads.submit(play_job, job, lambda: PersonAgent("me"))
        said = ""
        while (found := re.search(r"http://127\S+/", said)) is None:
            assert not playing.done(), playing.result()
            said += capsys.readouterr().out
            time.sleep(0.01)
        yield found[0], playing


def press(page: Page, x: float, y: float) -> None:
    """Press at a place of the page that the window shows."""
    screen = page.locator("#screen").bounding_box()
    assert screen is not None
    across, down = screen["width"] / Options.viewport[0], screen["height"] / Options.viewport[1]
    page.mouse.click(screen["x"] + x * across, screen["y"] + y * down)


def steps_of(folder: Path) -> list[dict[str, Any]]:
    """Return the steps that are written so far."""
    lines = [line for file in folder.rglob("steps.jsonl") for line in file.read_text().splitlines(True)]
    return [json.loads(line) for line in lines if line.endswith("\n")]


def results_of(folder: Path) -> list[dict[str, Any]]:
    """Return the results of a run; none if it has no file for them."""
    file = folder / "results.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def place_of(step: dict[str, Any] | None, folder: Path, role: str, name: str) -> tuple[float, float]:
    """Return the middle of a marked element of the last recorded view."""
    (file,) = folder.rglob("trajectory.json")
    view = json.loads(file.read_text())["initial"] if step is None else step["view"]
    mark = next(each for each in view["marks"] if (each["role"], each["name"]) == (role, name))
    x, y, width, height = mark["box"]
    return x + width / 2, y + height / 2


WAY = (
    ("button", "alexrivers"),
    ("link", "Account details: alexrivers"),
    ("link", "Cookies & Browsing"),
    ("switch", "recentapps"),
    ("switch", "app_impressions"),
)


def test_the_next_task_comes_at_the_same_address_and_its_time_starts_when_it_is_seen(
    viewer: Page, tmp_path: Path
) -> None:
    folder = tmp_path / "me"
    with playing("Steam-task-194", "--out", str(folder)) as (url, process):
        person = Person(viewer)
        person.open(url)
        title = viewer.inner_text("#title")
        assert "20 actions" in viewer.inner_text("#says")
        viewer.get_by_role("button", name="Give up").click()
        until(viewer, lambda: viewer.inner_text("#title") != title, "the next task")
        assert viewer.url == url
        assert re.fullmatch(r"(10:00|9:5\d)", viewer.inner_text("#left"))
        until(viewer, lambda: len(results_of(folder)) == 1, "the first result")
        viewer.get_by_role("button", name="Give up").click()
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(PATIENCE) == 0
    assert "http://127" not in said  # it was told once, above
    assert [each["id"] for each in results_of(folder)] == [STEAM, "Steam-task-194"]
    assert viewer.inner_text("#over-title") == "Ended"


@pytest.mark.proof
def test_a_person_solves_a_task_and_it_is_a_run(viewer: Page, tmp_path: Path) -> None:
    folder = tmp_path / "me"
    demonstrations = tmp_path / "sft.jsonl"
    with playing("--out", str(folder), "--name", "ada", "--collect", str(demonstrations)) as (url, process):
        person = Person(viewer)
        person.open(url)
        assert "Cookies" in viewer.inner_text("#title")
        assert re.fullmatch(r"(10:00|9:\d\d)", viewer.inner_text("#left"))
        assert "20 actions" in viewer.inner_text("#says")
        last = None
        for count, (role, name) in enumerate(WAY, 1):
            press(viewer, *place_of(last, folder, role, name))
            until(viewer, partial(lambda count: len(steps_of(folder)) == count, count), name)
            last = steps_of(folder)[-1]
        viewer.get_by_role("button", name="Done").click()
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(PATIENCE) == 0
    assert "pass" in said, said
    steps = steps_of(folder)
    assert [(step["act"]["role"], step["act"]["name"]) for step in steps[:-1]] == list(WAY)
    (line,) = (folder / "results.jsonl").read_text().splitlines()
    result = json.loads(line)
    assert (result["agent"], result["reward"], result["actions"]) == ("ada", 1.0, 6)
    told = json.loads(demonstrations.read_text())
    replies = [each["content"] for each in told["messages"] if each["role"] == "assistant"]
    assert [reply.split()[0] for reply in replies] == ["Click"] * 5 + ["ANSWER;"]
    assert told["messages"][0]["role"] == "system"
    report = websp_here("report", str(folder))
    assert "ada" in report.stdout, report.stderr
    again = websp_here("play", STEAM, "--out", str(folder), "--name", "ada")
    assert again.returncode == 2
    assert "already" in again.stderr


def test_giving_up_ends_the_episode_and_says_so(
    viewer: Page, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # what the window says does not go there
    with playing_here(capsys) as (url, playing):
        Person(viewer).open(url)
        assert "20 actions left" in viewer.inner_text("#says")
        press(viewer, 640, 500)
        until(viewer, lambda: "19 actions left" in viewer.inner_text("#says"), "what is left")
        viewer.get_by_role("button", name="Give up").click()
        result = playing.result()
    assert (result.status, result.end_reason) == ("fail", "infeasible")


def test_the_window_says_that_a_limit_has_ended_the_episode(
    viewer: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    with playing_here(capsys, max_actions=1) as (url, playing):
        Person(viewer).open(url)
        press(viewer, 640, 500)
        viewer.wait_for_selector("#over:not([hidden])", timeout=PATIENCE * 1000)
        assert playing.result().end_reason == "action_limit"


def test_a_window_that_does_not_open_ends_the_command_and_keeps_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = websp_here("play", STEAM, "--out", str(tmp_path / "me"), "--port", str(port))
    assert done.returncode == 2
    assert f"port {port} is taken" in done.stderr
    assert "Traceback" not in done.stderr
    assert results_of(tmp_path / "me") == []


def test_a_window_that_is_killed_is_an_error_and_no_score(capsys: pytest.CaptureFixture[str]) -> None:
    with playing_here(capsys) as (_url, playing):
        (window,) = [
            each for each in psutil.Process().children() if "websp_gym.attach.person" in words_of(each)
        ]
        window.kill()
        result = playing.result()
    assert (result.status, result.reward) == ("error", None)
    assert "the window ended with an error" in (result.error or "")


@pytest.mark.proof
def test_ctrl_c_closes_the_window_and_keeps_nothing(tmp_path: Path) -> None:
    with all_ended(), playing("--out", str(tmp_path / "me")) as (_url, process):
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout is not None
        said = process.stdout.read()
        assert process.wait(PATIENCE) != 0
    assert "Traceback" not in said, said
    assert results_of(tmp_path / "me") == []
