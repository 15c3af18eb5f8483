"""Run jobs over processes that share one sandbox; a process that dies fails no job but its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

POLL = 0.2
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


def map_unordered(batch: Batch[Item, Outcome], processes: int) -> list[Outcome]:
    """Run a batch over several processes, or in this one if there is only one; return the outcomes as they arrive."""
    work, go_on = batch.work, batch.go_on
    todo = list(batch.jobs)
    outcomes: list[Outcome] = []

    def done(outcome: Outcome) -> None:
        outcomes.append(outcome)
        batch.on_result(outcome)

    if processes <= 1 or len(todo) <= 1:
        for job in todo:
            if not go_on(0):
                break
            done(work(job))
        return outcomes
    while todo and go_on(0):
        suspects, todo = _run_pool(work, todo, min(processes, len(todo)), done, go_on)
        for job in map(batch.again, suspects):
            # One at a time: a job that kills its process must not use up the retries of the others.
            for dead in _run_pool(work, [job], 1, done)[0]:
                done(batch.on_crash(dead))
    return outcomes


def _run_pool(
    work: Callable[[Item], Outcome],
    jobs: list[Item],
    processes: int,
    done: Callable[[Outcome], None],
    go_on: Callable[[int], bool] = lambda running: True,
) -> tuple[list[Item], list[Item]]:
    """Run jobs until all are done, ``go_on`` returns False, or a process dies.

    Returns:
        The jobs that were running when a process died, and the jobs not started.
    """
    left = list(jobs)
    broken: list[Item] = []
    running: dict[Future[Outcome], Item] = {}
    # Playwright does not work in a forked process.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=follow_parent) as pool:
        try:
            while running or (left and not broken and go_on(0)):
                while left and len(running) < processes and not broken and go_on(len(running)):
                    job = left.pop(0)
                    try:
                        running[pool.submit(work, job)] = job
                    except BrokenProcessPool:
                        broken.append(job)
                for future in wait(running, timeout=POLL, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    try:
                        done(future.result())
                    except BrokenProcessPool:
                        broken.append(job)
        except BaseException:
            # Do not wait for the running jobs: an episode may take minutes.
            for process in list(pool._processes.values()):
                process.terminate()
            raise
    return broken, left


def follow_parent() -> None:
    """Ignore Ctrl-C, which the parent handles by ending its processes, and exit when the parent dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
