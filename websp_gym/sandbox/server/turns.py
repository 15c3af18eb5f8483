"""Scheduling of requests: one at a time within an episode, in parallel across episodes.

Each request runs in a worker thread, so a slow page does not block other episodes. A page's request has a budget
of CPU seconds; a request that exceeds it changes nothing and gets a 503. The budget is in CPU time because a slow
machine is not the page's fault: a request that only had to wait counts as a failure of the server.

The budget interrupts Python code anywhere. Compiled code that holds the interpreter lock stops every episode, and no
thread can interrupt it: :func:`end_if_held` has the kernel end the process, and its users start another one.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import faulthandler
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, TypeVar

CPU_SECONDS = 10.0
"""The budget of a page's request in CPU seconds."""

WAIT_SECONDS = 25.0
"""Seconds after which every request is answered (the control client waits for 30)."""

MOST_WAITING = 100
"""Maximum number of page requests that wait for their turn; a page has far fewer at once."""

_COMPUTED = 1.0
"""A request that was given up after fewer CPU seconds than this only had to wait."""

_LOOK_SECONDS = 1.0
"""Seconds between two looks at a request that takes long."""

HELD_SECONDS = 10.0
"""CPU seconds that the process may use while its event loop does not run."""

_CLOCKS = hasattr(time, "pthread_getcpuclockid")
"""Whether the CPU time of another thread can be read. If not, as on macOS, a request must check its own budget."""

_WORKERS = 64

T = TypeVar("T")


class OverTimeError(Exception):
    """Error for a request that took too long and changed nothing."""

    def __init__(self) -> None:
        super().__init__("the request took too long")


class EndedError(Exception):
    """Error for a request whose episode was closed while it waited for its turn."""

    def __init__(self) -> None:
        super().__init__("the episode was closed")


class SealedError(Exception):
    """Error for a page's request that came after the end of its episode, or had not begun by then."""

    def __init__(self) -> None:
        super().__init__("the episode is over")


class CrowdedError(Exception):
    """Error for a page's request that came while too many others waited."""

    def __init__(self) -> None:
        super().__init__(f"more than {MOST_WAITING} requests of this browser are waiting for an answer")


class TurnLock:
    """A lock that control requests get before page requests, each in order of arrival."""

    def __init__(self) -> None:
        self._held = False
        self._control: deque[asyncio.Future[None]] = deque()
        self._pages: deque[asyncio.Future[None]] = deque()

    @property
    def pages_waiting(self) -> int:
        """Number of waiting page requests."""
        return len(self._pages)

    async def acquire(self, *, page: bool = False) -> None:
        """Wait until the lock is free, and take it."""
        if not self._held:
            self._held = True
            return
        waiting = self._pages if page else self._control
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it came at the same moment
                self.release()
            raise
        finally:
            with contextlib.suppress(ValueError):
                waiting.remove(mine)

    def release(self) -> None:
        """Hand it to the next waiter."""
        for waiting in (self._control, self._pages):
            while waiting:
                if not (next_one := waiting.popleft()).done():
                    next_one.set_result(None)
                    return
        self._held = False

    async def __aenter__(self) -> None:
        await self.acquire()

    async def __aexit__(self, *error: object) -> None:
        self.release()


class RequestTurn:
    """The lock of an episode, and the CPU budget of the request that holds it."""

    def __init__(self) -> None:
        self.lock = TurnLock()
        self.ended = False
        self.sealed = False
        """Whether page requests are refused, because the episode is over for the agent."""
        self._began = 0.0
        self._budget = inf
        self._given_up = False
        self._thread: int | None = None
        self._interrupted = False
        self._ending = threading.Lock()

    def begin(self, cpu_seconds: float) -> None:
        """Start a turn of the calling thread with a budget of CPU seconds."""
        self._began, self._budget, self._given_up = time.thread_time(), cpu_seconds, False
        self._thread = threading.get_ident()

    def over(self) -> None:
        """End the current turn."""
        with self._ending:
            if self._thread is not None and self._interrupted:
                # An interruption that came too late must not end the next turn of this thread. Where there was none,
                # taking it back would stop a thread that is traced, as by coverage, for ever (Python 3.11).
                _raise_in(self._thread, None)
            self._thread, self._interrupted = None, False
        self._budget, self._given_up = inf, self.ended

    def interrupt(self) -> None:
        """Raise OverTimeError in the thread of the current turn if it has exceeded its budget or was given up."""
        with self._ending:
            if self._thread is None or not _CLOCKS:
                return
            spent = time.clock_gettime(time.pthread_getcpuclockid(self._thread)) - self._began
            if spent > self._budget or (self._given_up and spent > _COMPUTED):
                self._interrupted = True
                _raise_in(self._thread, OverTimeError)

    def stalled(self) -> bool:
        """Return whether the turn was given up after little CPU time. If so, let it continue, to log this."""
        stalled = self._given_up and time.thread_time() - self._began < _COMPUTED
        self._given_up = self._given_up and not stalled
        return stalled

    def give_up(self) -> None:
        """Mark the current turn as one whose result is no longer needed."""
        self._given_up = True

    def end(self) -> None:
        """Give up the current turn and allow no more turns."""
        self.ended = self._given_up = True

    def check(self) -> None:
        """Raise OverTimeError if the turn has exceeded its budget or has been given up."""
        if self._given_up or time.thread_time() - self._began > self._budget:
            raise OverTimeError


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run a handler to its end in the current thread. Raise RuntimeError if it waits for anything.

    The request has already been read, so a handler has nothing to wait for.
    """
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("a handler may read and change its episode, but must not wait for anything else")


class Workers:
    """The pool of worker threads of a server."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="turn")

    async def take(
        self, turn: RequestTurn, job: Callable[[], T], *, cpu_seconds: float = inf, page: bool = False
    ) -> T:
        """Run a job in a worker thread after the earlier jobs of its episode, and return its result.

        Args:
            turn: The turn of the episode.
            job: The function to run; it calls ``turn.check()`` wherever it may run for long.
            cpu_seconds: The budget of the job in CPU seconds.
            page: Whether it answers a page of the episode; others go before those that wait.

        Raises:
            OverTimeError: The job took too long.
            EndedError: The episode was closed in the meantime.
            SealedError: It answers a page, and the episode is over for the agent.
            CrowdedError: It answers a page, and too many others wait.
        """
        if page:
            _check_page(turn)
            if turn.lock.pages_waiting >= MOST_WAITING:
                raise CrowdedError
        try:
            # Waiting here and not in a thread means that an episode never holds more than one worker.
            await asyncio.wait_for(turn.lock.acquire(page=page), WAIT_SECONDS)
        except TimeoutError:
            raise OverTimeError from None
        # Counted from here: that it waited for others of the same browser is no standstill of the server.
        latest = time.monotonic() + WAIT_SECONDS
        try:
            if turn.ended:
                raise EndedError
            if page:
                _check_page(turn)
        except BaseException:
            turn.lock.release()
            raise
        running = asyncio.get_running_loop().run_in_executor(self._pool, _within, turn, job, cpu_seconds)
        running.add_done_callback(lambda done: _release(turn, done))
        while not running.done():
            left = latest - time.monotonic()
            if left <= 0:
                turn.give_up()
                turn.interrupt()
                raise OverTimeError
            await asyncio.wait([running], timeout=min(left, _LOOK_SECONDS))
            if not running.done():
                turn.interrupt()
        return running.result()


async def end_if_held(cpu_seconds: float = HELD_SECONDS) -> None:
    """Have the kernel end this process, with a traceback, when it computes without letting this coroutine run.

    It counts CPU seconds, so a process that is stopped or waits for a busy machine survives. Never returns.

    Args:
        cpu_seconds: CPU seconds after which it ends.
    """
    # The signal's default action needs no interpreter.
    faulthandler.register(signal.SIGPROF, sys.stderr, all_threads=True, chain=True)
    while True:
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        await asyncio.sleep(min(cpu_seconds / 4, _LOOK_SECONDS))


def _check_page(turn: RequestTurn) -> None:
    if turn.sealed:
        raise SealedError


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in a thread the next time it executes Python code; None takes back one that is pending."""
    raised = ctypes.py_object(error) if error is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _within(turn: RequestTurn, job: Callable[[], T], cpu_seconds: float) -> T:
    turn.begin(cpu_seconds)
    try:
        return job()
    finally:
        turn.over()


def _release(turn: RequestTurn, done: asyncio.Future[Any]) -> None:
    # Retrieve the exception even if the caller has given up, or asyncio logs that it was never retrieved.
    if not done.cancelled():
        done.exception()
    turn.lock.release()
