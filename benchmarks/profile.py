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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.pages import BOX, INSTANCE, at_page, bid_of, number_of
from benchmarks.stepping import in_process
from websp_gym.env.registration import make_env
from websp_gym.world import InitialStateMode

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
    ("websp_gym.env.task", "settle", "wait until the page is at rest"),
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


def profile_resets(repeat: int, how: InitialStateMode, kind: str) -> dict[str, float]:
    """Return the median seconds of each part of a reset."""
    tracer = Tracer()
    tracer.install()
    env = make_env(INSTANCE, initial_state=how, observation=kind)
    for _ in range(3):
        env.reset(seed=0)
    runs = [tracer.run(lambda: env.reset(seed=0)) for _ in range(repeat)]
    env.close()
    return _medians(runs)


def profile_steps(repeat: int, kind: str) -> dict[str, float]:
    """Return the median seconds of each part of a step that clicks a check box, which the page saves."""
    tracer = Tracer()
    tracer.install()
    env = make_env(INSTANCE, initial_state="snapshot", observation=kind, max_actions=100_000)
    observation = at_page(env)
    click = (
        f"click({bid_of(observation, BOX)!r})"
        if kind == "browsergym"
        else f"Click [{number_of(observation, BOX)}]"
    )
    for _ in range(5):
        env.step(click)
    runs = [tracer.run(lambda: env.step(click)) for _ in range(repeat)]
    env.close()
    return _medians(runs)


def _medians(runs: Sequence[dict[str, float]]) -> dict[str, float]:
    names = list(dict.fromkeys(name for run in runs for name in run))
    parts = {name: statistics.median(run.get(name, 0.0) for run in runs) for name in names}
    return parts | {"all": statistics.median(sum(run.values()) for run in runs)}


CASES: tuple[tuple[str, Callable[..., dict[str, float]], tuple[str, ...]], ...] = (
    ("reset, snapshot, text", profile_resets, ("snapshot", "text")),
    ("reset, replay of 2 events, text", profile_resets, ("replay", "text")),
    ("step, text", profile_steps, ("text",)),
    ("step, marks", profile_steps, ("marks",)),
    ("step, BrowserGym's keys", profile_steps, ("browsergym",)),
)


def profile_tables(repeat: int) -> Iterator[str]:
    """Yield a Markdown table for each kind of reset and step, each measured in a process of its own."""
    for what, function, arguments in CASES:
        parts = in_process(_report, function, repeat, *arguments)
        rows = [
            f"| {name} | {seconds * 1000:.1f} |"
            for name, seconds in sorted(parts.items(), key=lambda item: -item[1])
        ]
        yield "\n".join([f"| {what} | ms |", "|---|---|", *rows, ""])


def _report(results: Any, function: Callable[..., dict[str, float]], *arguments: Any) -> None:
    results.put(function(*arguments))


def main() -> None:
    """Print the profile of resets and steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="measurements per figure (default 20)")
    for table in profile_tables(parser.parse_args().repeat):
        sys.stdout.write(f"{table}\n")


if __name__ == "__main__":
    main()
