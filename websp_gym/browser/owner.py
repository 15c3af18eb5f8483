"""The one thread of a process that drives its browser.

Playwright's synchronous API belongs to the thread that started it, and cannot start where an asyncio loop runs. So a
thread of its own drives the browser; whoever steps an environment (a notebook, a coroutine, a worker thread that
comes and goes, a forked child) hands it a function and waits for the outcome. The handover costs about 0.1 ms.
"""

from __future__ import annotations

import atexit
import os
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from websp_gym.errors import WorldError

Result = TypeVar("Result")

GRACE = 8.0
"""Seconds a call may take past its deadline before its browser and driver are killed from outside."""
_LAST_WAIT = 5.0
_POLL = 1.0


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

    def seconds_left(self, seconds: float) -> float:
        # Time spent in the queue is another caller's.
        return _POLL if self.started is None else self.started + seconds - time.monotonic()


class _Owner:
    """A thread and its queue; a thread that was adopted has no queue, it calls for itself."""

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
            del job  # what it returned is not kept alive until the next one comes


@dataclass
class _State:
    lock: threading.Lock = field(default_factory=threading.Lock)
    owner: _Owner | None = None
    ways_to_end: list[Callable[[], None]] = field(default_factory=list)
    forget: list[Callable[[], Any]] = field(default_factory=list)
    close: list[Callable[[], None]] = field(default_factory=list)
    inherited: list[Any] = field(default_factory=list)
    """What a forked child has of its parent: never used, and never freed, which would end the parent's driver."""


_state = _State()


def on_overdue(end: Callable[[], None], *, first: bool = False) -> None:
    """Register a way to end a call that is overdue; they are tried in turn, from another thread.

    Args:
        end: Ends what runs.
        first: Try it before those registered so far.
    """
    _state.ways_to_end.insert(0 if first else len(_state.ways_to_end), end)


def after_fork(forget: Callable[[], Any]) -> None:
    """Register what lets go of the parent's things in a forked child; it returns what must not be freed there."""
    _state.forget.append(forget)


def on_shut_down(close: Callable[[], None]) -> None:
    """Register what closes the browsers of this process."""
    _state.close.append(close)


def call(function: Callable[[], Result], *, seconds: float | None = None) -> Result:
    """Runs a function on the thread that drives the browser, and waits for it.

    Args:
        function: What to run; called at once when this is that thread.
        seconds: When it should be over, counted from its start; it ends its own browser calls by then
            (:class:`~websp_gym.browser.watch.Watch`). :data:`GRACE` later it is ended from outside. None waits.

    Returns:
        What the function returned.

    Raises:
        WorldError: It could not be ended in time.
    """
    owner = _current()
    if owner.ident == threading.get_ident():
        return function()
    if owner.adopted:
        raise WorldError(
            "another thread of this process drives the browser itself (it used Playwright through websp_gym before); "
            "make the environments first, or in a process of their own"
        )
    job = owner.submit(function)
    try:
        outcome: Result = _wait(owner, job, seconds)
        return outcome
    except BaseException:
        if not job.future.done():
            # Ctrl-C: nobody waits for what is running. Its browser ends, and with it the call.
            _end(owner, job)
        raise


def adopt() -> None:
    """Makes the calling thread the one that drives the browser: for programs that use Playwright's objects directly.

    Raises:
        WorldError: Another thread does already.
    """
    with _state.lock:
        owner = _state.owner
        if owner is None:
            _state.owner = _Owner(adopted=True)
        elif owner.ident != threading.get_ident():
            raise WorldError(
                "a thread of this process drives the browser already; hand it what you do "
                "(websp_gym.browser.owner.call), or use a process of its own"
            )


def is_here() -> bool:
    """Whether the calling thread is the one that drives the browser."""
    return _state.owner is not None and _state.owner.ident == threading.get_ident()


def is_adopted() -> bool:
    """Whether the thread that drives the browser is a program's own."""
    return _state.owner is not None and _state.owner.adopted


def _current() -> _Owner:
    with _state.lock:
        if _state.owner is None:
            _state.owner = _Owner(adopted=False)
        return _state.owner


def _wait(owner: _Owner, job: _Job, seconds: float | None) -> Any:
    while seconds is not None:
        left = job.seconds_left(seconds + GRACE)
        if left <= 0:
            break
        if _done_within(job.future, left):
            return job.future.result()
    if seconds is None:
        return job.future.result()
    if _end(owner, job):
        return job.future.result()
    raise WorldError(
        f"the browser's thread did not come back within {seconds + GRACE + _LAST_WAIT:g} seconds and was given up; "
        "call reset() to start a new episode"
    )


def _end(owner: _Owner, job: _Job) -> bool:
    """Ends the running call: its browser context, else browser and driver; a thread stuck even so is replaced.

    Returns:
        Whether the call came to its end.
    """
    for end in _state.ways_to_end:
        end()
        if _done_within(job.future, _LAST_WAIT):
            return True
    with _state.lock:
        if _state.owner is owner:
            _state.owner = None
    return False


def _done_within(future: Future[Any], seconds: float) -> bool:
    from concurrent.futures import wait

    return bool(wait([future], timeout=seconds).done)


def _forget_parent() -> None:
    """In a forked child: the parent's thread, driver and browsers are the parent's."""
    _state.lock = threading.Lock()
    _state.inherited += [_state.owner, *(forget() for forget in _state.forget)]
    _state.owner = None


def shut_down() -> None:
    """Closes the browsers of this process; also done at exit. The next environment starts new ones."""
    owner = _state.owner
    if owner is not None and owner.pid == os.getpid():
        for close in _state.close:
            call(close, seconds=_LAST_WAIT)


os.register_at_fork(after_in_child=_forget_parent)
atexit.register(shut_down)
