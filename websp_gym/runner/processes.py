"""Run jobs over processes that share one sandbox; a process that dies fails no job but its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from websp_gym.processes import Answer, EpisodeProcess, Notify, ProcessError

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


Engine = Callable[[Callable[[Any], Any], int], AbstractContextManager[Callable[[Any], "Future[Any]"]]]
"""Where jobs run: from the work and the most jobs at once to a function that starts one. The future of a job raises
``ProcessError`` if its process or node died."""


def map_unordered(batch: Batch[Item, Outcome], processes: int, engine: Engine | None = None) -> list[Outcome]:
    """Run a batch, at most ``processes`` jobs at once; return the outcomes as they arrive.

    Args:
        batch: The batch.
        processes: Number of processes.
        engine: Where the jobs run. Default: processes of this machine; this one for one process or one job.
    """
    todo, outcomes = deque(batch.jobs), []

    def done(outcome: Outcome) -> None:
        outcomes.append(outcome)
        batch.on_result(outcome)

    if engine is None and (processes <= 1 or len(todo) <= 1):
        while todo and batch.go_on(0):
            done(batch.work(todo.popleft()))
        return outcomes
    running: dict[Future[Outcome], tuple[Item, bool]] = {}
    with (engine or _on_this_machine)(batch.work, processes) as start:
        while running or (todo and batch.go_on(0)):
            while todo and len(running) < processes and batch.go_on(len(running)):
                job = todo.popleft()
                running[start(job)] = job, False
            for ended in wait(running, timeout=_POLL, return_when=FIRST_COMPLETED).done:
                job, retried = running.pop(ended)
                try:
                    outcome = ended.result()
                except ProcessError:
                    if not retried:
                        job = batch.again(job)
                        running[start(job)] = job, True
                        continue
                    outcome = batch.on_crash(job)
                done(outcome)
    return outcomes


@contextmanager
def _on_this_machine(work: Callable[[Any], Any], size: int) -> Iterator[Callable[[Any], Future[Any]]]:
    """Run jobs in processes of this machine, each for one job at a time."""
    every = [EpisodeProcess(partial(_answering, work)) for _ in range(size)]
    idle = [*every]

    def start(job: Any) -> Future[Any]:
        process = idle.pop()
        process.start()  # not in the thread, which would also start one after Ctrl-C
        process.send(job)
        return threads.submit(outcome, process)

    def outcome(process: EpisodeProcess) -> Any:
        try:
            return process.receive()
        finally:
            idle.append(process)

    with ThreadPoolExecutor(size) as threads:
        try:
            yield start
        except BaseException:
            # Do not wait for the running jobs: an episode may take minutes.
            for process in every:
                process.kill(process.running)
            raise
        list(threads.map(EpisodeProcess.close, every))


def _answering(work: Callable[[Any], Any], notify: Notify) -> AbstractContextManager[Answer]:
    return nullcontext(work)
