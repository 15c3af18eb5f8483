"""Processes in which episodes are played: how they start, exchange messages, die and end (``EpisodeProcess``)."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError, WebspError, WorldError
from websp_gym.patience import tree_of, wait

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Notify = Callable[[Any], None]
"""Sends a message to the process that asks, before the reply."""
Answer = Callable[[Any], Any]
"""Returns the reply to a message."""
Play = Callable[[Notify], AbstractContextManager[Answer]]
"""What a process does, from its start to its end. A module-level function, or a ``partial`` of one."""

LONGEST = 10
"""How many times as long as its limit a process may take in all, with the time in which it waits for a processor."""
_TO_CLOSE = 20.0
"""Seconds a process may take to close its episodes and its browser before it is killed; those in which it waits for a
processor do not count."""
_TO_EXIT = 1.0
"""Seconds after which a process that closed its connections is taken to have no exit code of its own."""
_UNGUARDED = 81
"""Exit code of a process that ended because it came to the code that starts processes."""


class ProcessError(WorldError):
    """Raised when the process of an episode died or did not answer in time."""


class EpisodeProcess:
    """A process that answers messages. One that died is replaced when it is started again.

    Args:
        play: What it does. It runs once for each connection.
        before: Called here before each start, to start what all processes share.

    Attributes:
        size: Number of connections. Each may have one message at a time, and is answered in a thread of its own.
        restarts: How often a process that died or hung was ended, to be replaced.
    """

    def __init__(self, play: Play, *, before: Callable[[], object] = lambda: None) -> None:
        self.size = 1
        self.restarts = 0
        self._play, self._before = play, before
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._connections: list[Connection] = []

    @property
    def running(self) -> SpawnProcess | None:
        """The running process; ``None`` before it starts and after it was ended."""
        return self._process

    def start(self) -> SpawnProcess:
        """Start the process, unless it runs; return it."""
        with self._lock:
            if self._process is not None and not self._process.is_alive():
                self._end(self._process)
                self.restarts += 1
            if self._process is None:
                end_unguarded()
                self._before()
                # Playwright does not work in a forked process.
                spawn = multiprocessing.get_context("spawn")
                pipes = [spawn.Pipe() for _ in range(self.size)]
                theirs = [each for _ours, each in pipes]
                process = spawn.Process(target=_serve, args=(theirs, self._play), daemon=True)
                process.start()
                for each in theirs:
                    each.close()
                self._process, self._connections = process, [ours for ours, _ in pipes]
            return self._process

    def send(self, message: Any, number: int = 0) -> None:
        """Send a message on a connection. Whether the process has died is told by :meth:`receive`."""
        with contextlib.suppress(OSError, IndexError):
            self._connections[number].send(message)

    def receive(self, number: int = 0, *, timeout: float = math.inf) -> Any:
        """Wait for a reply, or for what the process tells before it.

        Args:
            number: Number of the connection.
            timeout: Seconds that the process may take before it is killed; those in which it waits for a processor
                do not count.

        Raises:
            ProcessError: The process died or did not answer in time, and was ended.
            SetupError: It runs the script again, which starts processes without ``if __name__ == "__main__":``.
            WebspError: ``play`` raised it.
            RuntimeError: ``play`` raised another error; the message has its traceback.
        """
        process, in_time, message = self._process, True, None
        if process is not None:
            try:
                connection = self._connections[number]
                in_time = _is_ready([connection, process.sentinel], process, timeout)
                message = connection.recv() if connection.poll() else None
            except (EOFError, OSError, IndexError):
                pass
            except BaseException:
                # Ctrl-C: the answer would be taken for that to the next message.
                self.kill(process)
                raise
        if message is None:
            raise self._lost(process, "died" if in_time else f"did not answer within {timeout:g} seconds")
        reply, error = message
        if error is not None:
            raise error
        return reply

    def kill(self, process: SpawnProcess | None) -> None:
        """Kill a process as its caller knows it, and no later one; the next ``start`` starts another one."""
        with self._lock:
            if process is not None and self._process is process:
                self._end(process)
                self.restarts += 1

    def close(self) -> None:
        """Let the process close what it has, and end it; a later ``start`` starts another one."""
        with self._lock:
            process = self._process
            if process is not None:
                for each in self._connections:
                    each.close()
                _is_ready([process.sentinel], process, _TO_CLOSE)
                self._end(process)

    def _end(self, process: SpawnProcess) -> None:
        process.kill()
        process.join()
        # Only now: a thread may still wait for the end of one.
        for each in self._connections:
            each.close()
        self._process, self._connections = None, []

    def _lost(self, process: SpawnProcess | None, what: str) -> WebspError:
        """End a process that gives no reply; return the error that says so."""
        if process is not None and what == "died":
            process.join(_TO_EXIT)
        code = process.exitcode if process is not None else None
        self.kill(process)
        if code == _UNGUARDED:
            return unguarded("a pool of environments")
        return ProcessError(f"the process of the environment {what}; the next reset starts another one")


def end_unguarded() -> None:
    """End this process if it is a spawned one that runs the user's script again; the first one says what is wrong."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(_UNGUARDED)


def unguarded(what: str) -> SetupError:
    """Return the error of the first process, where ``what`` starts processes."""
    return SetupError(
        f"the processes of {what} run the script again, up to here: put the code that creates it under "
        '`if __name__ == "__main__":`'
    )


def _is_ready(signs: Sequence[Connection | int], process: SpawnProcess, seconds: float) -> bool:
    """Wait for connections or sentinels; return whether one is ready before the process is overdue."""
    assert process.pid is not None
    pid = process.pid
    if seconds == math.inf:  # nothing to count
        return bool(wait_for(signs))
    overdue = wait(
        lambda patience: bool(wait_for(signs, patience)),
        lambda: tree_of(pid),
        own=seconds,
        longest=LONGEST * seconds,
    )
    return overdue is None


def _serve(connections: Sequence[Connection], play: Play) -> None:
    """Answer messages until the other ends of the connections close. This is the main function of a process."""
    # The parent gets Ctrl-C too, and ends its processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # For its parent it is a daemon, which ends with a parent that did not close it; but those may have no processes.
    multiprocessing.current_process().daemon = False
    threading.Thread(target=_follow_parent, daemon=True).start()
    threads = [threading.Thread(target=_serve_one, args=(each, play)) for each in connections[1:]]
    for thread in threads:
        thread.start()
    _serve_one(connections[0], play)
    for thread in threads:
        thread.join()


def _follow_parent() -> None:
    """Exit when the parent dies, also in mid-episode."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _serve_one(connection: Connection, play: Play) -> None:
    with (
        play(lambda told: connection.send((told, None))) as answer,
        contextlib.suppress(EOFError, ConnectionError),
    ):
        while True:
            message = connection.recv()
            connection.send_bytes(_reply(answer, message))


def _reply(answer: Answer, message: Any) -> bytes:
    """Return a reply as :meth:`Connection.recv` reads it: a value, or the error to raise instead."""
    try:
        return pickle.dumps((answer(message), None))
    except WebspError as error:
        return pickle.dumps((None, error))
    except Exception:
        # Such as an error in a reward function. It is the caller's to see, and may not be picklable.
        return pickle.dumps((None, RuntimeError(f"the environment failed:\n{traceback.format_exc()}")))
