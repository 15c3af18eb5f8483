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
from dataclasses import asdict, dataclass

import psutil

from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.world import InitialStateMode

INSTANCE = "Steam-task-191-ON"
GROUPS = ("python", "sandbox", "browser", "driver")


@dataclass(frozen=True)
class Census:
    """What there is at one moment.

    Args:
        files: Open file descriptors of this process.
        sandbox_files: Open file descriptors of the server.
        threads: Threads of this process.
        processes: Descendants of this process, without the browser's: Chromium starts and ends them at any time.
        zombies: Descendants that ended and were never waited for.
        temporary: Files and folders in the temporary folder, at any depth.
    """

    files: int
    sandbox_files: int
    threads: int
    processes: int
    zombies: int
    temporary: int


@dataclass(frozen=True)
class SoakReport:
    """Growth over many resets.

    Args:
        growth: Growth in KiB per reset, by group of processes.
        megabytes: Memory at the end in MiB, by group.
        before: What there was after the warm-up.
        after: What there was at the end.
    """

    growth: dict[str, float]
    megabytes: dict[str, float]
    before: Census
    after: Census

    @property
    def leaks(self) -> bool:
        """Whether files or processes are left over."""
        kept = ("files", "processes", "temporary")
        return self.after.zombies > 0 or any(getattr(self.after, k) > getattr(self.before, k) for k in kept)

    def text(self) -> str:
        """Return the report as text, one fact per line."""
        lines = [
            f"{name:14} {self.growth[name]:+.2f} KiB per reset, {self.megabytes[name]} MiB" for name in GROUPS
        ]
        before, after = asdict(self.before), asdict(self.after)
        lines += [f"{name:14} {before[name]} after the warm-up, {after[name]} at the end" for name in before]
        return "\n".join(lines) + "\n"


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
        say: Called with a line of progress twenty times.
    """
    numbers: list[int] = []
    sizes: list[dict[str, float]] = []
    with closing(make_env(INSTANCE, initial_state=how)) as env:
        for number in range(warm_up):
            _play(env, number, steps)
        before = _census()
        for number in range(1, resets + 1):
            _play(env, number, steps)
            if number % max(1, resets // samples) == 0:
                numbers.append(number)
                sizes.append(_kibibytes())
            if number % max(1, resets // 20) == 0:
                shown = ", ".join(f"{name} {size / 1024:.0f} MiB" for name, size in _kibibytes().items())
                say(f"{number} of {resets} resets: {shown}")
        after = _census()
    return SoakReport(
        growth={name: _slope(numbers, [size[name] for size in sizes]) for name in GROUPS},
        megabytes={name: round(sizes[-1][name] / 1024, 1) for name in GROUPS},
        before=before,
        after=after,
    )


def _play(env: WebspEnv, seed: int, steps: int) -> None:
    observation, _info = env.reset(seed=seed)
    for _ in range(steps):
        env.step(f"Click [{observation['elements'][0]['number']}]")


def _slope(numbers: Sequence[int], sizes: Sequence[float]) -> float:
    return statistics.linear_regression(numbers, sizes).slope if len(numbers) > 1 else 0.0


def _census() -> Census:
    own = psutil.Process()
    family = list(_family())
    return Census(
        files=own.num_fds(),
        sandbox_files=sum(process.num_fds() for process, group in family if group == "sandbox"),
        threads=own.num_threads(),
        processes=sum(group != "browser" for _process, group in family),
        zombies=sum(group == "zombie" for _process, group in family),
        temporary=sum(len(folders) + len(files) for _, folders, files in os.walk(tempfile.gettempdir())),
    )


def _kibibytes() -> dict[str, float]:
    """Return the memory by group."""
    sizes = dict.fromkeys(GROUPS, 0.0)
    sizes["python"] = psutil.Process().memory_info().rss / 1024
    for process, group in _family():
        with contextlib.suppress(psutil.Error):
            # Chromium's processes share most of their memory; count only what is private to each.
            own = process.memory_full_info().uss if group == "browser" else process.memory_info().rss
            sizes[group] = sizes.get(group, 0.0) + own / 1024
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
        report = soak(**vars(options), say=lambda line: sys.stderr.write(f"{line}\n"))
    sys.stdout.write(report.text())
    return int(report.leaks)


if __name__ == "__main__":
    sys.exit(main())
