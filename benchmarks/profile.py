"""Profile of a reset and of a step.

    python -m benchmarks.profile [--repeat N]

Prints the median milliseconds of each part, without what is inside of another part. ``make bench ARGS=--profile``
adds the tables to ``benchmarks/results.md``.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from benchmarks.tables import table
from benchmarks.ways import INSTANCE, in_process, our_reset, our_step

REST = "everything else"
PARTS: tuple[tuple[str, str, str], ...] = (
    ("websp_gym.env.episode", "Episode.end", "close the last episode"),
    ("websp_gym.env.environment", "trim_heap", "free memory"),
    ("websp_gym.env.episode", "open_context", "open a browser context"),
    ("playwright.sync_api", "BrowserContext.new_page", "open a tab"),
    ("websp_gym.world.sandbox", "SandboxWorld.open_episode", "open an account on the server"),
    ("websp_gym.world.sandbox", "SandboxEpisode.attach", "set header and cookies"),
    ("websp_gym.world.sandbox", "SandboxEpisode.restore", "restore the snapshot"),
    ("websp_gym.world.initial_state", "_replay_all", "replay the traces"),
    ("websp_gym.world.initial_state", "verify", "verify S0"),
    ("playwright.sync_api", "Page.goto", "load the start page"),
    ("websp_gym.env.turns", "perform", "perform the action"),
    ("websp_gym.env.turns", "perform_calls", "perform the action"),
    ("websp_gym.env.episode", "settle", "wait until the page is at rest"),
    ("websp_gym.world.sandbox", "settle", "wait until the page is at rest"),
    ("websp_gym.observation.observe", "collect_marks", "list the elements"),
    ("websp_gym.observation.camera", "Camera.png", "take the screenshot"),
    ("websp_gym.observation.camera", "Camera.decode", "decode the screenshot"),
    ("websp_gym.observation.observe", "draw_marks", "draw the marks"),
    ("websp_gym.observation.observe", "extract", "BrowserGym's keys"),
)
"""Module, function and name of each part."""


def found(module: str, path: str) -> tuple[Any, str]:
    """Return where the function of a part is, and its name there."""
    owner: Any = importlib.import_module(module)
    *outer, last = path.split(".")
    for each in outer:
        owner = getattr(owner, each)
    return owner, last


class Tracer:
    """A clock per part. The time of a part that runs within another one counts for the inner one only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running: list[str] = [REST]
        self._since = 0.0

    def run(self, function: Callable[[], Any]) -> dict[str, float]:
        """Call a function and return the seconds of each part."""
        self.seconds.clear()
        self._running, self._since = [REST], time.perf_counter()
        function()
        self._stamp()
        return dict(self.seconds)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time within for a part."""
        self._stamp()
        self._running.append(name)
        try:
            yield
        finally:
            self._stamp()
            self._running.pop()

    def _stamp(self) -> None:
        now = time.perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def install(self) -> None:
        """Wrap the functions of :data:`PARTS`. They stay wrapped, so do this in a process of its own."""
        for module, path, name in PARTS:
            owner, last = found(module, path)
            plain = owner.__dict__[last]
            wrapped = self._wrapped(getattr(owner, last), name)
            setattr(owner, last, staticmethod(wrapped) if isinstance(plain, staticmethod) else wrapped)

    def _wrapped(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*arguments: Any, **options: Any) -> Any:
            with self.part(name):
                return function(*arguments, **options)

        return timed


CASES: dict[str, Callable[[], Any]] = {
    "reset, snapshot, text": partial(our_reset, INSTANCE, "snapshot", observation="text"),
    "reset, replay of 2 events, text": partial(our_reset, INSTANCE, "replay", observation="text"),
    "step, text": partial(our_step, "text"),
    "step, marks": partial(our_step, "marks"),
    "step, BrowserGym's keys": partial(our_step, "browsergym"),
}


def profile_tables(repeat: int) -> Iterator[str]:
    """Yield a Markdown table for each kind of reset and step, each measured in a process of its own."""
    for what, way in CASES.items():
        parts = in_process(_medians, way, repeat)
        rows = sorted(parts.items(), key=lambda part: -part[1])
        yield table((what, "ms"), ((name, f"{seconds * 1000:.1f}") for name, seconds in rows))


def _medians(way: Callable[[], Any], repeat: int) -> dict[str, float]:
    """Return the median seconds of each part."""
    tracer = Tracer()
    tracer.install()
    with way() as act:
        for _ in range(5):
            act()
        runs = [tracer.run(act) for _ in range(repeat)]
    names = dict.fromkeys(name for run in runs for name in run)
    parts = {name: statistics.median(run.get(name, 0.0) for run in runs) for name in names}
    return parts | {"all": statistics.median(sum(run.values()) for run in runs)}


def main() -> None:
    """Print the profile of resets and steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="measurements per figure (default 20)")
    sys.stdout.writelines(f"{text}\n\n" for text in profile_tables(parser.parse_args().repeat))


if __name__ == "__main__":
    main()
