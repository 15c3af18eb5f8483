"""Soak test: whether memory, files, processes and threads stay constant while an environment is reset many times.

    python -m benchmarks.soak --resets 500

After a warm-up, a straight line is fitted to the memory of this process, of the sandbox server and of the
browser's processes; its slope is the growth per reset.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
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
        resets: Number of resets after the warm-up.
        python: Growth of this process in KiB of resident memory per reset.
        sandbox: The same for the sandbox server.
        browser: The same for all Chromium processes together, private memory only.
        driver: The same for Playwright's driver.
        megabytes: Memory at the end in MiB, by group.
        files_before: Open file descriptors of this process after the warm-up.
        files_after: The same at the end.
        sandbox_files_before: Open file descriptors of the server after the warm-up.
        sandbox_files_after: The same at the end.
        threads_before: Threads of this process after the warm-up.
        threads_after: The same at the end.
        processes_before: Descendants of this process after the warm-up, without the browser's.
        processes_after: The same at the end.
        zombies: Descendants that ended and were never waited for.
        temporary_before: Files and folders in the temporary folder, at any depth, after the warm-up.
        temporary_after: The same at the end.
    """

    resets: int
    python: float
    sandbox: float
    browser: float
    driver: float
    megabytes: dict[str, float]
    files_before: int
    files_after: int
    sandbox_files_before: int
    sandbox_files_after: int
    threads_before: int
    threads_after: int
    processes_before: int
    processes_after: int
    zombies: int
    temporary_before: int
    temporary_after: int

    def text(self) -> str:
        """Return the report as text, one fact per line."""
        return "".join(f"{field.name:22} {_shown(getattr(self, field.name))}\n" for field in fields(self))


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
    env = make_env(INSTANCE, initial_state=how)
    try:
        for number in range(warm_up):
            _play(env, number, steps)
        before = _census()
        sizes: list[tuple[int, dict[str, int]]] = []
        every = max(1, resets // samples)
        for number in range(1, resets + 1):
            _play(env, number, steps)
            if number % every == 0:
                sizes.append((number, _sizes()))
            if number % max(1, resets // 20) == 0:
                shown = ", ".join(f"{name} {size / 2**20:.0f} MiB" for name, size in _sizes().items())
                say(f"{number} of {resets} resets: {shown}")
        after = _census()
    finally:
        env.close()
    slopes = {name: _slope([(number, size[name] / 1024) for number, size in sizes]) for name in GROUPS}
    return SoakReport(
        resets=resets,
        **slopes,
        megabytes={name: round(sizes[-1][1][name] / 2**20, 1) for name in GROUPS},
        files_before=before.files,
        files_after=after.files,
        sandbox_files_before=before.sandbox_files,
        sandbox_files_after=after.sandbox_files,
        threads_before=before.threads,
        threads_after=after.threads,
        processes_before=before.processes,
        processes_after=after.processes,
        zombies=after.zombies,
        temporary_before=before.temporary,
        temporary_after=after.temporary,
    )


def _play(env: WebspEnv, seed: int, steps: int) -> None:
    observation, _info = env.reset(seed=seed)
    for _ in range(steps):
        env.step(f"Click [{observation['elements'][0]['number']}]")


@dataclass(frozen=True)
class _Census:
    files: int
    sandbox_files: int
    threads: int
    processes: int
    zombies: int
    temporary: int


def _census() -> _Census:
    own = psutil.Process()
    family = list(_family())
    return _Census(
        files=own.num_fds(),
        sandbox_files=sum(process.num_fds() for process, group in family if group == "sandbox"),
        threads=own.num_threads(),
        # Not the browser: Chromium starts and ends renderers at any time.
        processes=sum(group != "browser" for _process, group in family),
        zombies=sum(process.status() == psutil.STATUS_ZOMBIE for process, _group in family),
        temporary=sum(len(folders) + len(files) for _, folders, files in os.walk(tempfile.gettempdir())),
    )


def _sizes() -> dict[str, int]:
    """Return the memory by group in bytes."""
    sizes = dict.fromkeys(GROUPS, 0)
    sizes["python"] = psutil.Process().memory_info().rss
    for process, group in _family():
        with contextlib.suppress(psutil.Error):
            # Chromium's processes share most of their memory; count only what is private to each.
            sizes[group] += (
                process.memory_full_info().uss if group == "browser" else process.memory_info().rss
            )
    return sizes


def _family() -> Iterator[tuple[psutil.Process, str]]:
    for process in psutil.Process().children(recursive=True):
        try:
            words = " ".join(process.cmdline())
            if process.status() == psutil.STATUS_ZOMBIE:
                yield process, "zombie"
            elif "websp_gym.sandbox.server.serve" in words:
                yield process, "sandbox"
            elif "run-driver" in words:
                yield process, "driver"
            else:
                yield process, "browser"
        except psutil.NoSuchProcess:
            continue


def _slope(points: Sequence[tuple[int, float]]) -> float:
    """Return the slope of the least-squares line."""
    if len(points) < 2:
        return 0.0
    numbers, values = np.array(points).T
    return float(np.polyfit(numbers, values, 1)[0])


def _shown(value: object) -> str:
    return f"{value:+.2f} KiB per reset" if isinstance(value, float) else str(value)


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
        report = soak(
            resets=options.resets,
            warm_up=options.warm_up,
            how=options.how,
            steps=options.steps,
            say=lambda line: sys.stderr.write(f"{line}\n"),
        )
    sys.stdout.write(report.text())
    leaks = (
        report.files_after > report.files_before
        or report.zombies
        or report.temporary_after > report.temporary_before
        or (report.processes_after > report.processes_before)
    )
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
