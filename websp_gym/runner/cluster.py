"""Run jobs on all nodes of a Ray cluster; a process or a node that dies fails no job but its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from websp_gym.cluster import connected, ray

Job = TypeVar("Job")
Done = TypeVar("Done")

_POLL = 0.2
"""Seconds after which a waiting thread looks for Ctrl-C."""


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
    """Run jobs as Ray tasks of one CPU each, and return the outcomes in order of arrival.

    Args:
        work: Runs one job. A module-level function, so that the nodes can import it.
        jobs: The jobs.
        processes: Maximum number of jobs at once, over all nodes.
        on_crash: Returns the outcome of a job whose process or node died twice.
        again: Returns the job to retry in place of one whose process or node died.
        on_result: Called in this process with each outcome as it arrives.
        go_on: Called with the number of running jobs before another one starts. When it returns False, no
            further job starts, and the running ones finish.

    Raises:
        SetupError: There is no cluster.
    """
    todo, outcomes = deque(jobs), []
    running: dict[Any, tuple[Job, bool]] = {}
    with connected(processes):
        start = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(work).remote
        try:
            while running or (todo and go_on(0)):
                while todo and len(running) < processes and go_on(len(running)):
                    job = todo.popleft()
                    running[start(job)] = job, False
                for ref in ray.wait([*running], timeout=_POLL)[0] if running else ():
                    job, retried = running.pop(ref)
                    try:
                        outcome = ray.get(ref)
                    except ray.exceptions.RayTaskError as error:
                        raise error.cause from None
                    except ray.exceptions.RayError:
                        # Unlike in a pool of processes, this job alone is the suspect.
                        if not retried:
                            job = again(job)
                            running[start(job)] = job, True
                            continue
                        outcome = on_crash(job)
                    outcomes.append(outcome)
                    on_result(outcome)
        except BaseException:
            # Do not wait for the running jobs: an episode may take minutes.
            for ref in running:
                ray.cancel(ref, force=True)
            raise
    return outcomes
