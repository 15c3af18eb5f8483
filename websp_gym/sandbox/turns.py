"""Turns: the requests of one episode one after another, those of different episodes side by side.

A request is worked on in a thread, so that no page, however long it computes, keeps the server from answering the
other episodes. What a request makes the server compute is its sender's doing: it has a budget of CPU seconds, and
whoever is over it changes nothing and gets a 503. CPU time, because a machine that stands still is not the page's
doing: a request that was only kept waiting is the server's fault.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import Any, TypeVar

CPU_SECONDS = 10.0
"""What the request of a page may make the server compute."""

WAIT_SECONDS = 25.0
"""After this a request is answered in any case (the control client waits 30)."""

_COMPUTED = 1.0
"""CPU seconds below which a request that was given up was only kept waiting."""

_WORKERS = 64

T = TypeVar("T")


class OverTimeError(Exception):
    """A request took too long; it changed nothing."""

    def __init__(self) -> None:
        super().__init__("the request took too long")


class EndedError(Exception):
    """The episode was closed while a request waited for its turn."""

    def __init__(self) -> None:
        super().__init__("the episode was closed")


class Turn:
    """Whose turn it is in an episode, and what is left of it."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.ended = False
        self._began = 0.0
        self._budget = inf
        self._given_up = False

    def begin(self, cpu_seconds: float) -> None:
        """Starts the turn of the calling thread."""
        self._began, self._budget, self._given_up = time.thread_time(), cpu_seconds, False

    def over(self) -> None:
        """Ends the turn."""
        self._budget, self._given_up = inf, self.ended

    def stalled(self) -> bool:
        """Whether the turn was given up although it has hardly computed; it may then say so in the event log."""
        stalled = self._given_up and time.thread_time() - self._began < _COMPUTED
        self._given_up = self._given_up and not stalled
        return stalled

    def give_up(self) -> None:
        """Says that nobody waits for the present turn any more."""
        self._given_up = True

    def end(self) -> None:
        """Says that there are no more turns, and that nobody waits for the present one."""
        self.ended = self._given_up = True

    def check(self) -> None:
        """Lets a turn go on.

        Raises:
            OverTimeError: It has computed for too long, or has been given up.
        """
        if self._given_up or time.thread_time() - self._began > self._budget:
            raise OverTimeError


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Runs a handler to its end, in whatever thread this is.

    Raises:
        RuntimeError: It waits for something. Its request has been read; there is nothing to wait for.
    """
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("a handler may read and change its episode, and not wait for anything else")


class Workers:
    """The threads of a server."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="turn")

    async def take(self, turn: Turn, job: Callable[[], T], *, cpu_seconds: float = inf) -> T:
        """Runs a job in a worker thread when those before it are done.

        Args:
            turn: The turns of its episode.
            job: What to do; it checks ``turn`` wherever it may go on for long.
            cpu_seconds: What it may compute.

        Returns:
            What the job returns.

        Raises:
            OverTimeError: It took too long.
            EndedError: The episode was closed meanwhile.
        """
        latest = time.monotonic() + WAIT_SECONDS
        try:
            # Waiting here and not in a thread: one episode never holds more than one worker.
            await asyncio.wait_for(turn.lock.acquire(), WAIT_SECONDS)
        except TimeoutError:
            raise OverTimeError from None
        if turn.ended:
            turn.lock.release()
            raise EndedError
        running = asyncio.get_running_loop().run_in_executor(self._pool, _within, turn, job, cpu_seconds)
        running.add_done_callback(lambda done: _release(turn, done))
        finished, _ = await asyncio.wait([running], timeout=latest - time.monotonic())
        if not finished:
            turn.give_up()
            raise OverTimeError
        return running.result()


def _within(turn: Turn, job: Callable[[], T], cpu_seconds: float) -> T:
    turn.begin(cpu_seconds)
    try:
        return job()
    finally:
        turn.over()


def _release(turn: Turn, done: asyncio.Future[Any]) -> None:
    # Read, or asyncio complains of an error of which nobody heard (its waiter has given up).
    if not done.cancelled():
        done.exception()
    turn.lock.release()
