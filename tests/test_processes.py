"""Processes that answer messages: replies, errors, what they tell before, and ends that nobody ordered."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.process_support import all_ended
from websp_gym.errors import SetupError
from websp_gym.processes import Answer, EpisodeProcess, Notify, ProcessError


@contextmanager
def answering(tell: Notify) -> Iterator[Answer]:
    """Answer a message as its name says."""

    def answer(message: str) -> object:
        return ANSWERS[message](tell)

    yield answer


def told(tell: Notify) -> str:
    tell("begun")
    return "over"


def wrong_setup(tell: Notify) -> None:
    raise SetupError("no such seed", option="seed")


def own_process(tell: Notify) -> int | None:
    child = multiprocessing.get_context("spawn").Process(target=os.getpid)
    child.start()
    child.join()
    return child.exitcode


ANSWERS: dict[str, Callable[[Notify], object]] = {
    "told": told,
    "nothing": lambda tell: None,
    "mistake": lambda tell: 1 // 0,
    "wrong setup": wrong_setup,
    "not picklable": lambda tell: answering(tell),
    "own process": own_process,
    "ignores Ctrl-C": lambda tell: os.kill(os.getpid(), signal.SIGINT),
    "dies": lambda tell: os.kill(os.getpid(), signal.SIGKILL),
    "exits": lambda tell: sys.exit(),
}


@pytest.fixture(scope="module")
def process() -> Iterator[EpisodeProcess]:
    made = EpisodeProcess(answering)
    with all_ended():
        yield made
        made.close()


def ask(process: EpisodeProcess, message: str) -> object:
    process.start()
    process.send(message)
    return process.receive()


def test_an_error_is_raised_here_and_the_process_goes_on(process: EpisodeProcess) -> None:
    before = process.start()
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        ask(process, "mistake")
    with pytest.raises(RuntimeError, match="pickle"):
        ask(process, "not picklable")
    with pytest.raises(SetupError, match="no such seed") as raised:
        ask(process, "wrong setup")
    assert raised.value.option == "seed"
    assert ask(process, "ignores Ctrl-C") is None
    assert process.running is before


def test_what_it_tells_comes_before_its_reply(process: EpisodeProcess) -> None:
    assert (ask(process, "told"), process.receive()) == ("begun", "over")
    assert ask(process, "nothing") is None


def test_it_may_have_processes_of_its_own(process: EpisodeProcess) -> None:
    assert ask(process, "own process") == 0


@pytest.mark.parametrize("how", ["dies", "exits"])
def test_one_that_ends_is_told_and_replaced(process: EpisodeProcess, how: str) -> None:
    restarts = process.restarts
    with pytest.raises(ProcessError, match="died"):
        ask(process, how)
    assert process.restarts == restarts + 1
    # Also where nobody has noticed.
    unnoticed = process.start()
    unnoticed.kill()
    unnoticed.join()
    assert ask(process, "nothing") is None
    assert process.restarts == restarts + 2


UNGUARDED = """
from websp_gym.runner.processes import Batch, map_unordered
map_unordered(Batch(str, [1, 2], on_crash=str), 2)
"""


def test_a_batch_of_a_script_without_its_guard_says_so(tmp_path: Path) -> None:
    (tmp_path / "unguarded.py").write_text(UNGUARDED, "utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "unguarded.py"], capture_output=True, text=True, check=False
    )
    assert done.stderr.count("Traceback") == 1
    assert 'put the code that creates it under `if __name__ == "__main__":`' in done.stderr
