"""Run jobs over processes that share one sandbox; a process that dies fails no job but its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import Any, Generic, Protocol, Self, TypeVar

from websp_gym.processes import Answer, EpisodeProcess, ProcessError, Tell

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

_POLL = 0.2
"""Seconds after which a waiting thread looks for Ctrl-C: one that comes just before a wait does not end it."""


@dataclass(frozen=True)
class Batch(Generic[Item, Outcome]):
    """Jobs that are run in any order, over processes or over the nodes of a cluster.

    Args:
        work: Runs one job. A module-level function, so that other processes can import it.
        jobs: The jobs.
        on_crash: Returns the outcome of a job whose process or node died twice.
        again: Returns the job to retry in place of one whose process or node died.
        on_result: Called in this process with each outcome as it arrives.
        go_on: Called with the number of running jobs before another one starts. When it returns False, no
            further job starts, and the running ones finish.
    """

    work: Callable[[Item], Outcome]
    jobs: Iterable[Item]
    _: KW_ONLY
    on_crash: Callable[[Item], Outcome]
    again: Callable[[Item], Item] = lambda job: job
    on_result: Callable[[Outcome], None] = lambda done: None
    go_on: Callable[[int], bool] = lambda running: True


class Engine(Protocol):
    """Where jobs run: the processes of this machine, or a cluster."""

    def start(self, job: Any) -> Any:
        """Start a job; return what stands for it while it runs."""

    def ready(self, running: Sequence[Any], seconds: float) -> Iterable[Any]:
        """Wait for some seconds at most; return which jobs have ended."""

    def result(self, ended: Any) -> Any:
        """Return the outcome of a job that has ended. Raise ``ProcessError`` if its process or node died."""


def map_unordered(
    batch: Batch[Item, Outcome],
    processes: int,
    engine: Callable[[Callable[[Item], Outcome]], AbstractContextManager[Engine]] | None = None,
) -> list[Outcome]:
    """Run a batch, at most ``processes`` jobs at once; return the outcomes as they arrive.

    Args:
        batch: The batch.
        processes: Number of processes.
        engine: Makes the engine. Default: processes of this machine, but this one for one process or one job.
    """
    todo, outcomes = deque(batch.jobs), []

    def done(outcome: Outcome) -> None:
        outcomes.append(outcome)
        batch.on_result(outcome)

    if engine is None and (processes <= 1 or len(todo) <= 1):
        while todo and batch.go_on(0):
            done(batch.work(todo.popleft()))
        return outcomes
    running: dict[Any, tuple[Item, bool]] = {}
    with (engine or _Processes)(batch.work) as workers:
        while running or (todo and batch.go_on(0)):
            while todo and len(running) < processes and batch.go_on(len(running)):
                job = todo.popleft()
                running[workers.start(job)] = job, False
            for ended in workers.ready([*running], _POLL) if running else ():
                job, retried = running.pop(ended)
                try:
                    outcome: Outcome = workers.result(ended)
                except ProcessError:
                    if not retried:
                        job = batch.again(job)
                        running[workers.start(job)] = job, True
                        continue
                    outcome = batch.on_crash(job)
                done(outcome)
    return outcomes


class _Processes:
    """Processes of this machine, each for one job at a time."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._play = partial(_worker, work)
        self._all: set[EpisodeProcess] = set()
        self._idle: list[EpisodeProcess] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None:
            # Do not wait for the running jobs: an episode may take minutes.
            for process in self._all:
                process.kill(process.running)
        elif self._all:
            with ThreadPoolExecutor(len(self._all)) as threads:
                list(threads.map(EpisodeProcess.close, self._all))

    def start(self, job: Any) -> EpisodeProcess:
        process = self._idle.pop() if self._idle else EpisodeProcess(self._play)
        self._all.add(process)
        process.start()
        process.send(job)
        return process

    def ready(self, running: Sequence[EpisodeProcess], seconds: float) -> Iterable[EpisodeProcess]:
        signs: dict[Any, EpisodeProcess] = {sign: each for each in running for sign in each.signs}
        return {signs[sign] for sign in wait([*signs], seconds)}

    def result(self, ended: EpisodeProcess) -> Any:
        self._idle.append(ended)
        return ended.receive()


def _worker(work: Callable[[Any], Any], tell: Tell) -> AbstractContextManager[Answer]:
    return nullcontext(work)
