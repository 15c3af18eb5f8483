"""How commands end when they are interrupted or terminated, or when their output is closed."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command_support import LONGEST, MAIN
from tests.process_support import UNMEASURED
from websp_gym.cli.signals import stopped_cleanly
from websp_gym.records.runs import read_results

HALTING = """
import os, sys, time, websp_command

sent, point = sys.argv.pop(), sys.argv.pop()

def halt(event, arguments):
    if point == (arguments[0] if event == "import" else event):
        print("here", flush=True)
        while not os.path.exists(sent):
            time.sleep(0.01)

sys.addaudithook(halt)
websp_command.main()
"""
"""The command as installed. At a point of its start (a module is imported, a process started) it prints a line, and goes
on when a file is there."""
RUN = ("run", "Steam-*", "--agent", "noop", "--initial-state", "snapshot", "--trials", "9")
LONG = pytest.mark.proof


def started(*arguments: str, code: str = MAIN, folder: Path | None = None) -> subprocess.Popen[str]:
    """The command in a group of its own, as a shell starts it.

    Its coverage is not measured: an interruption that comes in the middle of measuring is lost.
    """
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **({"TMPDIR": str(folder)} if folder else {}), **UNMEASURED},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--json"),
        ("trace", "list"),
        ("--help",),
        ("frobnicate",),
        pytest.param(("list",), marks=LONG),
        pytest.param(("show", "Steam-task-191-ON"), marks=LONG),
        pytest.param(("trace", "show", "steam/login"), marks=LONG),
        pytest.param(("run", "--help"), marks=LONG),
        pytest.param(("--version",), marks=LONG),
        pytest.param(("run", "Steam-*", "--agent", "noop", "--dry-run"), marks=LONG),
    ],
    ids=" ".join,
)
def test_output_that_nobody_reads_ends_a_command_as_it_ends_grep(arguments: Sequence[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    os.close(writing)
    wrong = arguments == ("frobnicate",)  # what it says goes to the other stream
    assert done.returncode == (2 if wrong else 141)
    assert (done.stderr != "") == wrong
    assert "Traceback" not in done.stderr


def test_a_run_whose_output_nobody_reads_keeps_the_episodes_it_played(tmp_path: Path) -> None:
    with started(*RUN, "--out", str(tmp_path / "run")) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/153] ")
        process.stdout.close()
        assert process.wait(LONGEST) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""
    # One, where the reader goes before the note on the first episode is printed.
    assert 1 <= len(read_results(tmp_path / "run")) < 20


@pytest.mark.parametrize(
    "point",
    [
        "websp_gym.cli.signals",
        "websp_gym.cli.leaderboard",
        "subprocess.Popen",
        pytest.param("typer", marks=LONG),
        pytest.param("playwright.sync_api", marks=LONG),
    ],
)
def test_ctrl_c_while_a_command_is_starting_is_one_line(tmp_path: Path, point: str) -> None:
    sent = tmp_path / "sent"
    with started("demo", "--out", str(tmp_path), point, str(sent), code=HALTING) as process:
        assert process.stdout is not None
        assert "here\n" in iter(process.stdout.readline, "")
        os.killpg(process.pid, signal.SIGINT)
        sent.touch()
        _, said = process.communicate(timeout=LONGEST)
    assert (process.returncode, said) == (130, "websp: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("late", [False, True])
def test_a_signal_that_comes_while_an_object_is_finalized_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals, late: bool
) -> None:
    def at_once(timer: int, seconds: float) -> None:
        monkeypatch.setattr(signal, "setitimer", setitimer)
        signal.raise_signal(signal.SIGALRM)

    setitimer = signal.setitimer
    # The process slept through the delay: what is raised before the loss has been dealt with is lost again.
    if late:
        monkeypatch.setattr(signal, "setitimer", at_once)

    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(number)  # its KeyboardInterrupt is lost here

    def interrupted() -> None:
        Interrupted()
        time.sleep(LONGEST)

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    try:
        with stopped_cleanly() as came, pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        logging.disable(logging.NOTSET)
    assert came == [number]


def test_an_interruption_that_is_lost_at_the_very_end_comes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    try:
        with stopped_cleanly() as came:
            Interrupted()
    finally:
        logging.disable(logging.NOTSET)
    assert (came, signal.getitimer(signal.ITIMER_REAL)) == ([signal.SIGINT], (0.0, 0.0))


@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGINT, "1"),
        (signal.SIGTERM, "1"),
        pytest.param(signal.SIGINT, "2", marks=LONG),
        pytest.param(signal.SIGTERM, "2", marks=LONG),
    ],
)
def test_a_stopped_run_leaves_nothing_behind_and_explains_how_to_resume(
    tmp_path: Path, number: signal.Signals, jobs: str
) -> None:
    # A short path, as Chromium's sockets need it.
    temporary = Path(tempfile.mkdtemp(prefix="stopped-"))
    with started(*RUN, "--jobs", jobs, "--out", str(tmp_path / "run"), folder=temporary) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/153] ")
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal sends it
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=LONGEST)
    assert process.returncode == 128 + number
    told = re.fullmatch(
        r"interrupted: (\d+) of 153 episodes done; to continue, add --resume to the same command\n", said
    )
    assert told is not None, said
    # It may strike when a result is on disk and not counted yet.
    assert len(read_results(tmp_path / "run")) - int(told[1]) in (0, 1)
    temporary.rmdir()  # fails where anything is left in it


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_works_without_standard_streams(closed: str) -> None:
    command = ["sh", "-c", f'exec "$0" -c "$1" list --json {closed}', sys.executable, MAIN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == (">&-" not in closed.replace("2>&-", ""))
