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

from tests.cli.test_cli import MAIN
from tests.process_support import UNMEASURED
from websp_gym.cli.signals import stopped_cleanly
from websp_gym.records.runs import read_results

EARLY = "import websp_command; print('here', flush=True); websp_command.main()"
"""The command as installed; it prints a line once Python has started and can handle signals."""
RUN = ("run", "Steam-*", "--agent", "noop", "--initial-state", "snapshot", "--trials", "9")


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
        ("list",), ("list", "--json"), ("show", "Steam-task-191-ON"), ("trace", "list"), ("trace", "show", "steam/login"),
        ("--help",), ("run", "--help"), ("--version",), ("run", "Steam-*", "--agent", "noop", "--dry-run"), ("frobnicate",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_output_that_nobody_reads_ends_a_command_as_it_ends_grep(arguments: Sequence[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(writing)
    wrong = arguments == ("frobnicate",)  # what it says goes to the other stream
    assert done.returncode == (2 if wrong else 141)
    assert (done.stderr != "") == wrong
    assert "Traceback" not in done.stderr


def test_a_run_whose_output_nobody_reads_keeps_the_episodes_it_played(tmp_path: Path) -> None:
    with started(*RUN, "--jobs", "2", "--out", str(tmp_path / "run")) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/153] ")
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""
    # One, where the reader goes before the note on the first episode is printed.
    assert 1 <= len(read_results(tmp_path / "run")) < 20


@pytest.mark.parametrize("seconds", [0.1, 0.3, 1, 2, 3])
def test_ctrl_c_while_a_command_is_starting_is_one_line(tmp_path: Path, seconds: float) -> None:
    with started("demo", "--out", str(tmp_path), code=EARLY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        time.sleep(seconds)  # wherever in its start this is
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "websp: interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_while_an_object_is_finalized_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(number)  # its KeyboardInterrupt is lost here

    def interrupted() -> None:
        Interrupted()
        time.sleep(30)

    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    try:
        with stopped_cleanly() as came, pytest.raises(KeyboardInterrupt):
            interrupted()
    finally:
        logging.disable(logging.NOTSET)
    assert came == [number, number]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_terminated_run_leaves_nothing_behind_and_explains_how_to_resume(tmp_path: Path, jobs: str) -> None:
    # A short path, as Chromium's sockets need it.
    temporary = Path(tempfile.mkdtemp(prefix="term-"))
    with started(*RUN, "--jobs", jobs, "--out", str(tmp_path / "run"), folder=temporary) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("[  1/153] ")
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert re.fullmatch(
        r"interrupted: \d+ of 153 episodes done; to continue, add --resume to the same command\n", said
    )
    temporary.rmdir()  # fails where anything is left in it
