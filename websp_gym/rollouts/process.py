"""A process with environments, and its connections (``EnvProcess``)."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from typing import TYPE_CHECKING, Any

from websp_gym.env.spawning import UNGUARDED, end_unguarded, unguarded
from websp_gym.errors import WorldError
from websp_gym.patience import tree_of, wait
from websp_gym.rollouts.worker import Reply, Request, serve

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from websp_gym.world import World

_TO_CLOSE = 20.0
"""Seconds a process may take to close its episodes and its browser before it is killed; those in which it waits for a
processor do not count."""
_TO_EXIT = 1.0
"""Seconds after which a process that closed its connections is taken to have no exit code of its own."""
LONGEST = 10
"""How many times as long it may take in all, for the answer to a request too."""


class ProcessError(WorldError):
    """Raised when the process of an environment died or did not answer in time."""


class EnvProcess:
    """A process with one or several environments, which share its browser.

    Args:
        options: Options of the environments.
        world: Their world.
        size: Number of environments.
    """

    def __init__(self, options: Mapping[str, Any], world: World, size: int = 1) -> None:
        self.restarts = 0
        """How often a process that died or hung was ended, to be replaced."""
        self._options = dict(options)
        self._world = world
        self._size = size
        self._lock = threading.Lock()
        self._process: SpawnProcess | None = None
        self._connections: list[Connection] = []

    def of_size(self, size: int) -> EnvProcess:
        """Return another process for ``size`` environments with these options."""
        return EnvProcess(self._options, self._world, size)

    @property
    def running(self) -> SpawnProcess | None:
        """The running process; ``None`` before it starts and after it was ended."""
        return self._process

    def start(self) -> None:
        """Start the process, unless it runs."""
        with self._lock:
            if self._process is not None:
                return
            end_unguarded()
            # All processes share one server of the sandbox, so the parent starts it.
            self._world.browser_args()
            # A running Playwright must not be forked.
            spawn = multiprocessing.get_context("spawn")
            pipes = [spawn.Pipe() for _ in range(self._size)]
            theirs = [each for _ours, each in pipes]
            process = spawn.Process(target=serve, args=(theirs, self._options), daemon=True)
            process.start()
            for each in theirs:
                each.close()
            self._process, self._connections = process, [ours for ours, _ in pipes]

    def ask(self, number: int, request: Request, timeout: float) -> Reply:
        """Send a request to an environment and wait for the reply. The process must have been started.

        Args:
            number: Number of the environment. Each may have one request at a time.
            request: The request.
            timeout: Seconds that the process may take before it is killed; those in which it waits for a processor
                do not count.

        Raises:
            ProcessError: The process died or did not answer in time.
            SetupError: It runs the script again, which starts processes without ``if __name__ == "__main__":``.
        """
        process = self._process
        what = "died"
        if process is not None:
            try:
                connection = self._connections[number]
                connection.send(request)
                over = _wait(process, timeout, [connection, process.sentinel])
                if connection.poll():
                    reply: Reply = connection.recv()
                    return reply
                what = "died" if over else f"did not answer within {timeout:g} seconds"
            except (EOFError, OSError, IndexError):
                pass
            except BaseException:
                # Ctrl-C: the answer would be taken for that to the next request.
                self.end(process)
                raise
            if what == "died":
                process.join(_TO_EXIT)
            code = process.exitcode
            self.replace(process)
            if code == UNGUARDED:
                raise unguarded("a pool of environments")
        raise ProcessError(f"the process of the environment {what}; the next reset starts another one")

    def replace(self, process: SpawnProcess | None) -> None:
        """Kill a process, unless that was done before; the next ``start`` starts another one."""
        if self.end(process):
            self.restarts += 1

    def end(self, process: SpawnProcess | None, *, patience: float = 0.0) -> bool:
        """Close the connections, wait for the process to end, and kill it if it does not.

        Args:
            process: The process as its caller knows it; another one is not ended.
            patience: Seconds to wait; those in which it waits for a processor do not count.

        Returns:
            Whether it was ended now.
        """
        with self._lock:
            if process is None or self._process is not process:
                return False
            for each in self._connections:
                each.close()
            if patience:
                wait_for_end(process, patience)
            process.kill()
            process.join()
            self._process, self._connections = None, []
            return True

    def close(self) -> None:
        """End the process; a later ``start`` starts another one."""
        self.end(self._process, patience=_TO_CLOSE)


def wait_for_end(process: SpawnProcess, seconds: float) -> None:
    """Wait until a process has ended, for so many seconds that it does not wait for a processor."""
    _wait(process, seconds, [process.sentinel])


def _wait(process: SpawnProcess, seconds: float, signs: list[Connection | int]) -> bool:
    """Wait for connections or sentinels; return whether one is ready before the process is overdue."""
    assert process.pid is not None
    pid = process.pid
    overdue = wait(
        lambda patience: bool(wait_for(signs, patience)),
        lambda: tree_of(pid),
        own=seconds,
        longest=LONGEST * seconds,
    )
    return overdue is None
