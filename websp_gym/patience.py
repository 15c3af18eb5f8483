"""Time limits that count what processes do, not how long a busy machine keeps them waiting.

A limit in seconds is there to end what is stuck. On a busy machine it would also end what merely waits for a
processor, and on a slow one what is still working. So limits on our processes are counted with a :class:`Clock`,
which tells these apart by what the kernel counts for each thread (``schedstat``): the seconds that it ran, and the
seconds that it was ready to run while others did. On a system without ``/proc``, all time counts as the process's
own.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

LOOK = 1.0
"""Seconds between two looks at a process; one costs milliseconds where there is a browser."""
_ASLEEP = 2.0
"""Maximum seconds counted between two looks: beyond that, the observer itself was stopped, as by Ctrl-Z."""
_MOST = 4.0
"""How many times longer than usual something may take because the machine is busy."""
_SAMPLE = 0.02
"""Seconds that a thread must have run before its waits say how busy the machine is."""
_NANO = 1e-9
_TICKS = os.sysconf("SC_CLK_TCK")


class Clock:
    """Counts what some processes do, from its creation to each look.

    Args:
        processes: Returns the processes, such as those of :func:`tree_of`; asked at each look.

    Attributes:
        elapsed: Wall-clock seconds.
        worked: CPU seconds, of all their threads.
        waited: Seconds in which they were ready to run, but others had the processors, or the disk kept them waiting.
        still: Seconds in which they did nothing and did not wait for a processor.
    """

    def __init__(self, processes: Callable[[], Iterable[int]]) -> None:
        self.elapsed = self.worked = self.waited = self.still = 0.0
        self._processes = processes
        self._looked = time.monotonic()
        self._machine = _machine_seconds()
        self._threads = _threads_of(processes())

    @property
    def own(self) -> float:
        """Seconds that they took themselves: all except those in which the machine kept them waiting."""
        return self.elapsed - self.waited

    def look_again(self) -> None:
        """Look unless the last look was less than a second ago."""
        if time.monotonic() - self._looked >= LOOK:
            self.look()

    def look(self) -> None:
        """Count what was done since the last look."""
        now, machine, before = time.monotonic(), _machine_seconds(), self._threads
        threads = self._threads = _threads_of(self._processes())
        passed, all_ran = now - self._looked, machine - self._machine
        self._looked, self._machine = now, machine
        self.elapsed += passed
        seen = min(passed, _ASLEEP)
        ran = delayed = 0.0
        for thread, (run, delay) in threads.items():
            run_before, delay_before = before.get(thread, (0.0, 0.0))
            ran += max(run - run_before, 0.0)
            delayed += max(delay - delay_before, 0.0)
        active = min(ran + delayed, seen)
        if active < seen and _is_held_up(threads):
            # The kernel counts a wait when it is over.
            delayed, active = delayed + seen - active, seen
        # What they wait for because of each other is their own doing, as of a page with many workers.
        others = 1 - min(ran / all_ran, 1.0) if all_ran > 5 / _TICKS else 1.0
        self.worked += ran
        self.waited += passed - seen + (active * delayed / (ran + delayed) * others if active else 0.0)
        self.still += seen - active


def wait(
    ready: Callable[[float], bool],
    processes: Callable[[], Iterable[int]],
    *,
    still: float = math.inf,
    own: float = math.inf,
    worked: float = math.inf,
    longest: float = math.inf,
) -> Clock | None:
    """Wait until something is ready, or until the processes that it needs have reached a limit.

    Args:
        ready: Waits for some seconds at most and returns whether it is ready.
        processes: Returns the processes.
        still: Maximum seconds in which they do nothing and do not wait for a processor.
        own: Maximum seconds that they take themselves (:attr:`Clock.own`).
        worked: Maximum CPU seconds.
        longest: Maximum wall-clock seconds.

    Returns:
        ``None`` if it is ready; else what they did meanwhile.
    """
    step = min(LOOK, still / 5, own / 5, worked / 5, longest / 5)
    if ready(step):  # most waits end here, and cost no look
        return None
    clock = Clock(processes)
    while not ready(step):
        clock.look()
        had = ((clock.still, still), (clock.own, own), (clock.worked, worked), (clock.elapsed, longest))
        if any(seconds >= most for seconds, most in had):
            # It may have become ready while this thread itself was held up.
            return None if ready(0.0) else clock
    return None


def has_ended(process: subprocess.Popen[Any], seconds: float) -> bool:
    """Wait for some seconds at most and return whether a process has ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def output_of(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end and return its output.

    Args:
        command: Its words.
        seconds: Seconds that it may take itself; ten times as many in total.

    Raises:
        OSError: It cannot be executed.
        subprocess.TimeoutExpired: It took longer, and was killed.
    """
    with (
        TemporaryFile() as out,
        TemporaryFile() as err,
        subprocess.Popen(command, stdout=out, stderr=err) as it,
    ):
        late = wait(partial(has_ended, it), lambda: tree_of(it.pid), own=seconds, longest=10 * seconds)
        if late is not None:
            it.kill()
            raise subprocess.TimeoutExpired(command, seconds)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, it.returncode, out.read(), err.read())


def stretched(seconds: float, clock: Clock) -> float:
    """Return a limit extended by the seconds that the machine kept a clock's processes waiting, to at most four
    times."""
    return min(seconds + clock.waited, _MOST * seconds)


def slowness() -> float:
    """Return how many times longer than on an idle machine this thread currently takes, from 1.0 to 4.0.

    For limits on what a page does with the help of this machine, such as loading.
    """
    with contextlib.suppress(OSError, ValueError):
        run, delay = _run_and_delay("/proc/thread-self")
        ran, waited = run - _pace.run, delay - _pace.delay
        if ran >= _SAMPLE:
            _pace.run, _pace.delay = run, delay
            _pace.slowness = min(1 + waited / ran, _MOST)
    return _pace.slowness


class _Pace(threading.local):
    def __init__(self) -> None:
        self.run = self.delay = 0.0
        self.slowness = 1.0


_pace = _Pace()


def tree_of(process: int) -> list[int]:
    """Return a process and its descendants."""
    found = [process]
    for each in found:
        found += children_of(each)
    return found


def children_of(process: int) -> list[int]:
    """Return the child processes of all threads of a process, the oldest first."""
    words: list[str] = []
    for thread in _tasks(process):
        with contextlib.suppress(OSError):
            words += Path(thread, "children").read_text("ascii").split()
    return sorted(int(word) for word in words)


def status_of(process: int) -> list[str]:
    """Return the fields of a process's status after its name: state, parent, group, ….

    Raises:
        OSError: It is gone, or there is no ``/proc``.
    """
    return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()


def _tasks(process: int) -> list[str]:
    folder = f"/proc/{process}/task"
    # The process or one of its threads may end at any moment.
    with contextlib.suppress(OSError):
        return [f"{folder}/{name}" for name in os.listdir(folder)]
    return []


def _threads_of(processes: Iterable[int]) -> dict[str, tuple[float, float]]:
    """Return for each thread of some processes how long it ran, and how long it waited to."""
    found = {}
    for process in processes:
        for thread in _tasks(process):
            with contextlib.suppress(OSError, ValueError):
                found[thread] = _run_and_delay(thread)
    return found


def _run_and_delay(thread: str) -> tuple[float, float]:
    with open(f"{thread}/schedstat", "rb") as file:
        run, delay, _ = file.read().split()
    return int(run) * _NANO, int(delay) * _NANO


def _is_held_up(threads: Iterable[str]) -> bool:
    """Whether one of these threads could run now, or waits for a disk."""
    for thread in threads:
        with contextlib.suppress(OSError):
            if Path(thread, "stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] in "RD":
                return True
    return False


def _machine_seconds() -> float:
    """Return the CPU seconds that all processes of the machine have used."""
    with contextlib.suppress(OSError), open("/proc/stat", "rb") as file:
        user, nice, system, _idle, _disk, *rest = (int(word) for word in file.readline().split()[1:9])
        return (user + nice + system + sum(rest)) / _TICKS
    return 0.0
