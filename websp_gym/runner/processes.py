"""Work spread over processes that share one sandbox; a process that dies takes no other work with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

Job = TypeVar("Job")
Done = TypeVar("Done")


def map_unordered(
    work: Callable[[Job], Done],
    jobs: Iterable[Job],
    *,
    processes: int,
    on_crash: Callable[[Job], Done],
    again: Callable[[Job], Job] = lambda job: job,
    on_result: Callable[[Done], None] = lambda done: None,
    go_on: Callable[[int], bool] = lambda running: True,
) -> list[Done]:
    """Does many jobs, in this process or over several.

    Args:
        work: Does one job; a function of a module, so that other processes can find it.
        jobs: What to do.
        processes: How many processes; 1 works here.
        on_crash: What stands for the outcome of a job whose process died twice.
        again: What is done once more for a job whose process died.
        on_result: Called with each outcome as it comes, in this process.
        go_on: Asked with the number of running jobs before another one is begun; after a no, those that run come to
            their end.

    Returns:
        The outcomes, in the order they came.
    """
    todo = list(jobs)
    outcomes: list[Done] = []

    def done(outcome: Done) -> None:
        outcomes.append(outcome)
        on_result(outcome)

    if processes <= 1 or len(todo) <= 1:
        for job in todo:
            if not go_on(0):
                break
            done(work(job))
        return outcomes
    while todo and go_on(0):
        suspects, todo = _run_pool(work, todo, min(processes, len(todo)), done, go_on)
        for job in map(again, suspects):
            # Alone: the one that kills its process must not spend the tries of those that ran beside it.
            for dead in _run_pool(work, [job], 1, done)[0]:
                done(on_crash(dead))
    return outcomes


def _run_pool(
    work: Callable[[Job], Done],
    jobs: list[Job],
    processes: int,
    done: Callable[[Done], None],
    go_on: Callable[[int], bool] = lambda running: True,
) -> tuple[list[Job], list[Job]]:
    """Works until all is done, no more is to be begun, or a process died.

    Returns:
        The jobs that were running when a process died, and those not begun.
    """
    left = list(jobs)
    broken: list[Job] = []
    running: dict[Future[Done], Job] = {}
    # Spawned: a forked Playwright does not work.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_follow_parent) as pool:
        try:
            while running or (left and not broken and go_on(0)):
                while left and len(running) < processes and not broken and go_on(len(running)):
                    job = left.pop(0)
                    try:
                        running[pool.submit(work, job)] = job
                    except BrokenProcessPool:
                        broken.append(job)
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(future)
                    try:
                        done(future.result())
                    except BrokenProcessPool:
                        broken.append(job)
        except BaseException:
            # Nobody waits for what is running: an episode may take minutes.
            for process in list(pool._processes.values()):
                process.terminate()
            raise
    return broken, left


def _follow_parent() -> None:
    """Leaves Ctrl-C to the parent, which ends its processes; a parent that was killed takes them along."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=follow, daemon=True).start()
