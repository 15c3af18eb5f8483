"""How a command ends when it is interrupted, terminated, or nobody reads its output any more."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED, TERMINATED, UNREAD = 130, 143, 141
"""Exit codes after Ctrl-C, after SIGTERM, and when the reader of a pipe has gone, as in a shell."""
_SOON = 0.02


@contextmanager
def stopped_cleanly() -> Iterator[list[int]]:
    """Make SIGTERM stop the command as Ctrl-C does, and yield the numbers of the signals that came.

    Without it, SIGTERM would leave browsers, processes and their semaphores behind.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        # Ctrl-C ends the browser's driver too; what asyncio says about it until this process ends is of no use.
        logging.disable()
        sys.unraisablehook = _raise_soon
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield came
        return
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number, handler in kept.items():
            if handler is not signal.SIG_IGN:  # as after `nohup`, or in the background of a script
                signal.signal(number, stop)
        yield came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # one that was lost at the very end
        for number, handler in kept.items():
            signal.signal(number, handler)


def _raise_soon(lost: UnraisableHookArgs) -> None:
    """Raise an interruption again if it was lost, as where an object is finalized."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, _raise_again)
        signal.setitimer(signal.ITIMER_REAL, _SOON)


def _raise_again(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code is _raise_soon.__code__:  # what is raised below it is lost once more
            signal.setitimer(signal.ITIMER_REAL, _SOON)
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    """Return whether an error is of a kind, or was raised while one of that kind was handled."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, kind):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def flushed() -> bool:
    """Write out what is buffered; return False if nobody reads it any more."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True
