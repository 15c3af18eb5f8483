"""Measurements in processes of their own, and counting steps in a given time."""

from __future__ import annotations

import multiprocessing
import queue
import time
from collections.abc import Callable
from typing import Any

from websp_gym.sandbox.client import Sandbox

STEPPING = 4.0
"""Seconds for which steps are counted."""


def count(function: Callable[[], Any], barrier: Any) -> int:
    """Wait for the other processes, then return how often the function ran in :data:`STEPPING` seconds."""
    barrier.wait(timeout=300)
    end = time.monotonic() + STEPPING
    number = 0
    while time.monotonic() < end:
        function()
        number += 1
    return number


def in_process(function: Callable[..., None], *arguments: Any) -> Any:
    """Run a measurement in a new process, so that earlier ones do not affect it."""
    Sandbox.shared()
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    worker = context.Process(target=function, args=(results, *arguments))
    worker.start()
    while True:
        alive = worker.is_alive()
        try:
            value = results.get(timeout=1)
        except queue.Empty:
            if not alive:
                raise SystemExit(f"a measurement failed (exit code {worker.exitcode})") from None
        else:
            worker.join()
            return value
