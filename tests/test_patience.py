"""Limits on processes end what stands still, and neither what works nor what waits for a processor."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from tests.browser_support import starved
from websp_gym.patience import Clock, output_of, slowness, stretched, tree_of, wait

WORKS = "import sys, time\nwhile time.process_time() < 0.6: pass\nprint('done')\nsys.stdin.read()"


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A process that uses 0.6 s of CPU time, says so, and then does nothing."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-u", "-c", WORKS], stdin=pipe, stdout=pipe) as process:
        yield process
        process.kill()


def looks(clock: Clock) -> Iterator[Clock]:
    """Look again and again, but not for ever."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        time.sleep(0.05)
        clock.look()
        yield clock


def test_what_works_is_waited_for_and_what_then_does_nothing_is_not(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdout is not None
    said = select.poll()
    said.register(worker.stdout, select.POLLIN)
    assert (
        wait(lambda seconds: bool(said.poll(1000 * seconds)), lambda: tree_of(worker.pid), still=0.5) is None
    )
    overdue = wait(threading.Event().wait, lambda: tree_of(worker.pid), still=0.2)
    assert overdue is not None
    assert overdue.still >= 0.2
    assert overdue.worked < 0.2


def test_what_is_stopped_stands_still(worker: subprocess.Popen[bytes]) -> None:
    os.kill(worker.pid, signal.SIGSTOP)
    overdue = wait(threading.Event().wait, lambda: [worker.pid], still=0.2)
    assert overdue is not None
    assert overdue.still >= 0.2


@pytest.mark.parametrize("limit", ["own", "worked", "longest"])
def test_what_works_for_too_long_is_overdue(worker: subprocess.Popen[bytes], limit: str) -> None:
    overdue = wait(threading.Event().wait, lambda: [worker.pid], **{limit: 0.1})
    assert overdue is not None
    assert {"own": overdue.own, "worked": overdue.worked, "longest": overdue.elapsed}[limit] >= 0.1


def test_what_waits_for_a_processor_does_not_stand_still_and_its_limits_move() -> None:
    with starved() as process:
        clock = Clock(lambda: [process.pid])
        assert any(each.waited > 0.5 for each in looks(clock))
    assert clock.still < clock.waited
    assert clock.own < clock.elapsed / 2
    assert stretched(0.5, clock) == pytest.approx(0.5 + clock.waited)
    assert stretched(0.1, clock) == pytest.approx(0.4), "not without an end"


def test_a_process_that_is_gone_does_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    clock = Clock(lambda: tree_of(process.pid))
    assert any(each.still > 0.1 for each in looks(clock))
    assert (clock.worked, clock.waited) == (0.0, 0.0)


def test_a_thread_knows_how_busy_its_machine_is() -> None:
    found: list[float] = []

    def spin() -> None:
        until = time.thread_time() + 0.1
        while time.thread_time() < until:
            pass
        found.append(slowness())

    for _ in range(2):
        thread = threading.Thread(target=spin)
        thread.start()
        thread.join()
    assert all(1.0 <= each <= 4.0 for each in found)


def test_the_output_of_a_program_is_waited_for_unless_it_stands_still() -> None:
    said = output_of(["sh", "-c", "echo out; echo err >&2; exit 3"], 60)
    assert (said.returncode, said.stdout, said.stderr) == (3, b"out\n", b"err\n")
    with pytest.raises(subprocess.TimeoutExpired):
        output_of(["sh", "-c", "kill -STOP $$"], 0.2)
    with pytest.raises(OSError):
        output_of(["/no/such/program"], 1)
