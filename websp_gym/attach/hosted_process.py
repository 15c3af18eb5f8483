"""A process that plays hosted episodes, one after another, and what it reports of them."""

from __future__ import annotations

import contextlib
import multiprocessing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from websp_gym.attach.agent import OutsideAgent
from websp_gym.errors import SetupError, WebspError
from websp_gym.records.results import Result
from websp_gym.rollouts.process import wait_for_end
from websp_gym.runner.batch import crashed, play_job
from websp_gym.runner.processes import follow_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from websp_gym.env.rollout import Briefing
    from websp_gym.runner.jobs import Job

_TO_END = 20.0
"""Seconds a process may take to end its episode and its browser before it is killed; those in which it waits for a
processor do not count."""


@dataclass(frozen=True)
class Opened:
    """What an agent needs to play an episode; see :class:`~websp_gym.attach.door.Door` for the addresses."""

    instruction: str
    start_url: str
    cdp_url: str
    http_url: str
    debugger_address: str
    mcp_url: str
    finish_url: str
    token: str = field(repr=False)
    port: int


Reply = Opened | Result | WebspError


class Slot:
    """A process that plays one episode at a time; a new one is started where one has died."""

    def __init__(self, public: str) -> None:
        self._public = public
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def begin(self, job: Job, token: str) -> Reply:
        """Begin an episode; return its addresses, or how it ended before it had any."""
        if self._process is None or not self._process.is_alive():
            # A running Playwright must not be forked.
            spawn = multiprocessing.get_context("spawn")
            self._connection, theirs = spawn.Pipe()
            process = spawn.Process(target=_play_all, args=(theirs, self._public), daemon=True)
            process.start()
            self._process = process
            theirs.close()
        assert self._connection is not None
        with contextlib.suppress(OSError):
            self._connection.send((job, token))
        return self.receive() or crashed(job, outside=True)

    def receive(self) -> Reply | None:
        """Return the next message of the process; ``None`` if it died."""
        assert self._connection is not None
        try:
            reply: Reply = self._connection.recv()
        except (EOFError, OSError):
            return None
        return reply

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.terminate()
            wait_for_end(self._process, _TO_END)
            self._process.kill()
            self._process.join()


class _Hosted(OutsideAgent):
    """An outside agent whose addresses are told to another process."""

    def __init__(self, connection: Connection, name: str, public: str, token: str) -> None:
        super().__init__(name, public, token)
        self.observation = "marks"
        self._connection = connection

    def begin(self, briefing: Briefing) -> None:
        door, task = self._begin()
        assert self._env is not None
        opened = Opened(
            instruction=task.trajectory.instruction,
            start_url=self._env.page.url,
            cdp_url=door.cdp_url,
            http_url=door.http_url,
            debugger_address=door.debugger_address,
            mcp_url=door.mcp_url,
            finish_url=door.finish_url,
            token=door.token,
            port=door.port,
        )
        self._connection.send(opened)


def _play_all(connection: Connection, public: str) -> None:
    """Play episodes until the other end of the connection closes. This is the main function of a process."""
    follow_parent()
    with contextlib.suppress(EOFError, OSError):
        while True:
            job, token = connection.recv()
            try:
                reply: Reply = play_job(job, partial(_Hosted, connection, job.run.agent, public, token))
            except SetupError as error:
                reply = error
            connection.send(reply)
