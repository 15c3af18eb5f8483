"""Soak test: whether memory, files, processes and threads stay constant while an environment is reset many times.

    python -m benchmarks.soak --resets 500

After a warm-up, a straight line is fitted to the memory of this process, of the sandbox server and of the
browser's processes; its slope is the growth per reset.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import psutil

from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.world import InitialStateMode

INSTANCE = "Steam-task-191-ON"
GROUPS = ("python", "sandbox", "browser", "driver")


@dataclass(frozen=True)
class SoakReport:
    """Growth over many resets.

    Args:
        growth: Growth in KiB per reset, by group of processes.
        kibibytes: Memory at the end, by group.
        before: Numbers of what there was after the warm-up (see :func:`_census`).
        after: The same at the end.
    """

    growth: dict[str, float]
    kibibytes: dict[str, float]
    before: dict[str, int]
    after: dict[str, int]

    @property
    def leaks(self) -> bool:
        """Whether files or processes are left over."""
        kept = ("files", "processes", "temporary files")
        return self.after["zombies"] > 0 or any(self.after[name] > self.before[name] for name in kept)

    def lines(self) -> Iterator[str]:
        """Yield the report, one fact per line."""
        for name in GROUPS:
            yield f"{name:16} {self.growth[name]:+.2f} KiB per reset, {self.kibibytes[name] / 1024:.0f} MiB\n"
        for name, number in self.before.items():
            yield f"{name:16} {number} after the warm-up, {self.after[name]} at the end\n"


def soak(
    *,
    resets: int,
    warm_up: int = 10,
    how: InitialStateMode = "snapshot",
    steps: int = 1,
    samples: int = 100,
    say: Callable[[str], object] = lambda line: None,
) -> SoakReport:
    """Reset one environment many times and return how everything grew.

    Args:
        resets: Number of resets after the warm-up.
        warm_up: Resets that are not counted: caches fill and the browser starts its helpers.
        how: How S0 is reached.
        steps: Actions in each episode.
        samples: Number of memory measurements.
        say: Called with a line of progress at each of them.
    """
    sizes: dict[int, dict[str, float]] = {}
    with closing(make_env(INSTANCE, initial_state=how)) as env:
        for number in range(warm_up):
            _play(env, number, steps)
        before = _census()
        for number in range(1, resets + 1):
            _play(env, number, steps)
            if number % max(1, resets // samples) == 0:
                own = sizes[number] = _kibibytes()
                shown = ", ".join(f"{name} {size / 1024:.0f} MiB" for name, size in own.items())
                say(f"{number} of {resets} resets: {shown}\n")
        after = _census()
    growth = {name: _slope({number: own[name] for number, own in sizes.items()}) for name in GROUPS}
    return SoakReport(growth, sizes[max(sizes)], before, after)


def _play(env: WebspEnv, seed: int, steps: int) -> None:
    observation, _info = env.reset(seed=seed)
    for _ in range(steps):
        env.step(f"Click [{observation['elements'][0]['number']}]")


def _slope(sizes: dict[int, float]) -> float:
    return statistics.linear_regression(list(sizes), list(sizes.values())).slope if len(sizes) > 1 else 0.0


def _census() -> dict[str, int]:
    """Count open files, threads, other processes and temporary files, at any depth."""
    own, family = psutil.Process(), list(_family())
    return {
        "files": own.num_fds(),
        "sandbox files": sum(process.num_fds() for process, group in family if group == "sandbox"),
        "threads": own.num_threads(),
        # Not the browser: Chromium starts and ends renderers at any time.
        "processes": sum(group != "browser" for _process, group in family),
        "zombies": sum(group == "zombie" for _process, group in family),
        "temporary files": sum(len(one) + len(other) for _, one, other in os.walk(tempfile.gettempdir())),
    }


def _kibibytes() -> dict[str, float]:
    """Return the memory by group."""
    sizes = dict.fromkeys((*GROUPS, "zombie"), 0.0)
    for process, group in ((psutil.Process(), "python"), *_family()):
        with contextlib.suppress(psutil.Error):
            # Chromium's processes share most of their memory; count only what is private to each.
            own = process.memory_full_info().uss if group == "browser" else process.memory_info().rss
            sizes[group] += own / 1024
    return sizes


def _family() -> Iterator[tuple[psutil.Process, str]]:
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            words = " ".join(process.cmdline())
            if process.status() == psutil.STATUS_ZOMBIE:
                yield process, "zombie"
            elif "websp_gym.sandbox.server.serve" in words:
                yield process, "sandbox"
            else:
                yield process, "driver" if "run-driver" in words else "browser"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the soak test and print its report; return 1 if files or processes are left over, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--resets", type=int, default=500)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--how", choices=["snapshot", "replay"], default="snapshot")
    parser.add_argument("--steps", type=int, default=1, help="actions in each episode")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="websp-soak-") as own:
        # Other programs write into the common folder.
        os.environ["TMPDIR"] = tempfile.tempdir = own
        report = soak(**vars(options), say=sys.stderr.write)
    sys.stdout.writelines(report.lines())
    return int(report.leaks)


if __name__ == "__main__":
    sys.exit(main())
