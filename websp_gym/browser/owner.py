"""The browser thread: the one thread of a process that uses Playwright.

Playwright's synchronous API works only in the thread that started it, and cannot start in a thread with a
running asyncio loop. So a separate thread drives the browser. The code that steps an environment (a notebook,
a coroutine, a short-lived worker thread, a forked child) passes it a function and waits for the result, at a
cost of about 0.1 ms.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from websp_gym.errors import WorldError
from websp_gym.patience import slowness

Returned = TypeVar("Returned")

GRACE = 8.0
"""Seconds after its deadline at which a call is ended from outside (browser and driver are killed)."""
_LAST_WAIT = 5.0
"""Seconds that each way of ending a call may take; four times as many on a busy machine."""
_POLL = 0.2
"""Seconds between checks of a waiting thread for signals: one that arrives just before the wait does not end it."""


@dataclass
class _Job:
    function: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    started: float | None = None

    def run(self) -> None:
        self.started = time.monotonic()
        try:
            self.future.set_result(self.function())
        except BaseException as error:
            self.future.set_exception(error)

    def seconds_running(self) -> float:
        """Return how long the function has been running; time in the queue does not count."""
        return 0.0 if self.started is None else time.monotonic() - self.started


class _Owner:
    """A browser thread and its queue. An adopted thread has no queue: it makes its own calls."""

    def __init__(self, adopted: bool) -> None:
        self.pid = os.getpid()
        self.adopted = adopted
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        if adopted:
            self.ident: int | None = threading.get_ident()
            return
        thread = threading.Thread(target=self._work, name="websp-browser", daemon=True)
        thread.start()
        self.ident = thread.ident

    def submit(self, function: Callable[[], Any]) -> _Job:
        job = _Job(function)
        self._jobs.put(job)
        return job

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            job.run()
            del job  # do not keep its result alive until the next job


@dataclass
class _State:
    lock: threading.Lock = field(default_factory=threading.Lock)
    owner: _Owner | None = None
    ways_to_end: list[Callable[[], None]] = field(default_factory=list)
    moved: list[Callable[[], float]] = field(default_factory=list)
    forget: list[Callable[[], Any]] = field(default_factory=list)
    close: list[Callable[[], None]] = field(default_factory=list)
    inherited: list[Any] = field(default_factory=list)
    """Objects that a forked child got from its parent. They are never used or freed: that would end the parent's
    driver."""


_state = _State()


def on_overdue(end: Callable[[], None], *, first: bool = False) -> None:
    """Register a function that ends an overdue call; the functions are tried in turn, from another thread.

    Args:
        end: Ends the running call.
        first: Whether to try it before those registered so far.
    """
    _state.ways_to_end.insert(0 if first else len(_state.ways_to_end), end)


def on_moved(seconds: Callable[[], float]) -> None:
    """Register a function that returns, on any thread, by how many seconds the deadline of the running call has
    moved."""
    _state.moved.append(seconds)


def after_fork(forget: Callable[[], Any]) -> None:
    """Register a function that detaches a forked child from the parent's objects; it returns those not to free."""
    _state.forget.append(forget)


def on_shut_down(close: Callable[[], None]) -> None:
    """Register a function that closes the browsers of this process."""
    _state.close.append(close)


def call(function: Callable[[], Returned], *, seconds: float | None = None) -> Returned:
    """Run a function on the browser thread and return its result.

    Args:
        function: Function to run; it is called directly if this is the browser thread.
        seconds: Time limit, counted from the start of the function, which should end its own browser calls by
            then (:class:`~websp_gym.browser.deadline.Watch`). :data:`GRACE` seconds later it is ended from outside,
            or later if its own deadline has moved (:func:`on_moved`). None for no limit.

    Raises:
        WorldError: The call could not be ended in time, or a thread of the program drives the browser itself.
    """
    owner = _current()
    if owner.ident == threading.get_ident():
        return function()
    if owner.adopted:
        raise WorldError(
            "another thread of this process already drives the browser (it used Playwright through websp_gym); "
            "create the environments before that, or in a separate process"
        )
    job = owner.submit(function)
    limit = math.inf if seconds is None else seconds + GRACE
    try:
        while not _done_within(job.future, _POLL) and job.seconds_running() < limit + _moved():
            pass
    except BaseException:
        if not job.future.done():
            # Ctrl-C: the result is no longer needed. Ending the browser ends the call.
            _end(owner, job)
        raise
    if not job.future.done() and not _end(owner, job):
        raise WorldError(
            f"the browser thread did not respond within {job.seconds_running():.0f} seconds and was abandoned; "
            "call reset() to start a new episode"
        )
    outcome: Returned = job.future.result()
    return outcome


def adopt() -> None:
    """Make the calling thread the browser thread, for programs that use Playwright's objects directly.

    Raises WorldError if another thread is the browser thread already.
    """
    with _state.lock:
        owner = _state.owner
        if owner is None:
            _state.owner = _Owner(adopted=True)
        elif owner.ident != threading.get_ident():
            raise WorldError(
                "another thread of this process already drives the browser; run your code on it "
                "(websp_gym.browser.owner.call), or use a separate process"
            )


def is_here() -> bool:
    """Whether the calling thread is the browser thread."""
    return _state.owner is not None and _state.owner.ident == threading.get_ident()


def is_adopted() -> bool:
    """Whether the browser thread belongs to the program itself."""
    return _state.owner is not None and _state.owner.adopted


def _current() -> _Owner:
    with _state.lock:
        if _state.owner is None:
            _state.owner = _Owner(adopted=False)
        return _state.owner


def _moved() -> float:
    return sum(seconds() for seconds in _state.moved)


def _end(owner: _Owner, job: _Job) -> bool:
    """End the running call and return whether it ended: close its browser context, or else kill browser and driver.

    A thread that is stuck even then is replaced.
    """
    for end in _state.ways_to_end:
        end()
        if _done_within(job.future, _LAST_WAIT * slowness()):
            return True
    with _state.lock:
        if _state.owner is owner:
            _state.owner = None
    return False


def _done_within(future: Future[Any], seconds: float) -> bool:
    from concurrent.futures import wait

    return bool(wait([future], timeout=seconds).done)


def _forget_parent() -> None:
    """Detach a forked child from the parent's thread, driver and browsers."""
    _state.lock = threading.Lock()
    _state.inherited += [_state.owner, *(forget() for forget in _state.forget)]
    _state.owner = None


def shut_down() -> None:
    """Close the browsers of this process; also done at exit. The next environment starts new ones."""
    owner = _state.owner
    if owner is not None and owner.pid == os.getpid():
        for close in _state.close:
            # A browser that did not close in time was killed: nothing is left to say, least of all over an error.
            with contextlib.suppress(WorldError):
                call(close, seconds=_LAST_WAIT)


os.register_at_fork(after_in_child=_forget_parent)
atexit.register(shut_down)
