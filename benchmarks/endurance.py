"""Endurance test: many episodes under kills, crowds, full disks, little memory and clocks that jump.

    python -m benchmarks.endurance [--scale 0.1] [vector kills crowd disk memory clock]

Each kind is played in a process of its own, with a time limit; what it leaves running is counted and ended. The
result has what was expected and what happened. Kinds that this machine cannot run (no root, no compiler) are marked.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict

import psutil

from benchmarks.hardships import KINDS, MARKER, Outcome, outcome_of


def play(name: str, scale: float) -> tuple[Outcome, int, float]:
    """Play a kind in a process of its own; return its outcome, the processes left over, and the seconds it took."""
    number, began = f"{name}-{os.getpid()}-{random.random()}", time.monotonic()
    with tempfile.TemporaryDirectory(prefix="websp-endurance-") as own:
        command = [sys.executable, "-m", "benchmarks.endurance", "--one", name, "--scale", str(scale)]
        variables = {key: value for key, value in os.environ.items() if key != "WEBSP_SANDBOX"}
        child = subprocess.Popen(
            command,
            env={**variables, MARKER: number, "TMPDIR": own},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            said, failed = child.communicate(timeout=KINDS[name][1])
            outcome = outcome_of(said, failed)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            outcome = Outcome("the kind ends", {"failed": f"no end within {KINDS[name][1]:g} s"}, False)
        left = _left_over(number)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
    return outcome, len(left), time.monotonic() - began


def _left_over(number: str) -> list[psutil.Process]:
    """Return the processes that a kind started and that still run ten seconds after its end."""
    found: list[psutil.Process] = []
    for _ in range(20):
        # Of a process that it may not see into, `environ` is None here.
        every = psutil.process_iter(["environ"])
        found = [each for each in every if (each.info["environ"] or {}).get(MARKER) == number]
        if not found:
            break
        psutil.wait_procs(found, timeout=0.5)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the kinds and print a line for each; return 1 if one was not as expected or left a process, else 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endurance", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"kinds to play: {', '.join(KINDS)}; all by default")
    parser.add_argument("--scale", type=float, default=1.0, help="scales the numbers of episodes")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    if options.one:
        sys.stdout.write(json.dumps(asdict(KINDS[options.one][0](options.scale))) + "\n")
        return 0
    wrong = False
    for name in options.kinds or KINDS:
        outcome, left, seconds = play(name, options.scale)
        wrong = wrong or outcome.right is False or left > 0
        verdict = {True: "as expected", False: "NOT AS EXPECTED", None: "not run"}[outcome.right]
        facts = "; ".join(f"{key}: {value}" for key, value in outcome.happened.items())
        sys.stdout.write(
            f"{name}: {verdict}, {left} processes left, {seconds:.0f} s\n"
            f"  expected: {outcome.expected}\n  happened: {facts}\n"
        )
        sys.stdout.flush()
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
