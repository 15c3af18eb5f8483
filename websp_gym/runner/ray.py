"""Run jobs on all nodes of a Ray cluster; a process or a node that dies fails no job but its own."""

from __future__ import annotations

from collections import deque
from typing import Any

from websp_gym.cluster import connected, ray
from websp_gym.runner.processes import POLL, Batch, Item, Outcome


def map_unordered(batch: Batch[Item, Outcome], processes: int) -> list[Outcome]:
    """Run a batch as Ray tasks of one CPU each, at most ``processes`` at once; return the outcomes as they arrive.

    Where an error or Ctrl-C ends the batch, its running tasks end with the connection: Ray 2.60 may end the process
    itself where a task is cancelled just as it finishes.

    Raises:
        SetupError: There is no cluster.
    """
    todo, outcomes = deque(batch.jobs), []
    running: dict[Any, tuple[Item, bool]] = {}
    with connected(processes):
        start = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(batch.work).remote
        while running or (todo and batch.go_on(0)):
            while todo and len(running) < processes and batch.go_on(len(running)):
                job = todo.popleft()
                running[start(job)] = job, False
            for ref in ray.wait([*running], timeout=POLL)[0] if running else ():
                job, retried = running.pop(ref)
                try:
                    outcome = ray.get(ref)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                except ray.exceptions.RayError:
                    # Unlike in a pool of processes, this job alone is the suspect.
                    if not retried:
                        job = batch.again(job)
                        running[start(job)] = job, True
                        continue
                    outcome = batch.on_crash(job)
                outcomes.append(outcome)
                batch.on_result(outcome)
    return outcomes
