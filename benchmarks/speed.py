"""Speed of websp-gym, compared with stock BrowserGym on the same pages in the same run.

    python -m benchmarks.speed [--repeat N] [--quick]

Prints, and without ``--quick`` fills in ``benchmarks/results.md``, medians, ratios and a description of the machine.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from benchmarks.profile import profile_tables
from benchmarks.stock import find_browser_for_stock, stock_env
from benchmarks.tables import fill, machine, table
from benchmarks.ways import (
    INSTANCE,
    PAGE,
    at_page,
    door_press,
    in_process,
    in_turn,
    our_reset,
    our_step,
    per_second,
    raw_step,
    seconds_of,
    stock_reset,
    stock_step,
)
from websp_gym.env.registration import make_env
from websp_gym.sandbox.client import Sandbox

RESULTS = Path(__file__).with_name("results.md")
POLICIES = str(Path(__file__).with_name("policies.yaml"))
LONG = "Steam-task-194"
"""Instance with ten recorded events."""
ORACLES = 50
"""Most instances that the oracle plays, evenly spaced among all."""
PROCESSES = (1, 2, 4, 8)


@dataclass(frozen=True)
class Row:
    """One row of the result table."""

    what: str
    stock: float | None
    ours: float
    unit: str
    goal: str = "–"
    higher_is_better: bool = False

    def cells(self) -> tuple[str, ...]:
        """Return the row's cells."""
        digits = {"MB": 0, "ms": 0, "s": 3}.get(self.unit, 1)
        ours = f"{self.ours:.{digits}f} {self.unit}"
        if self.stock is None:
            return self.what, "–", ours, "–", self.goal
        factor = self.ours / self.stock if self.higher_is_better else self.stock / self.ours
        ratio = f"{factor:.2f}×" if 0.8 < factor < 1.2 else f"{factor:.1f}×"
        return self.what, f"{self.stock:.{digits}f} {self.unit}", ours, ratio, self.goal


def main() -> None:
    """Run all benchmarks and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--repeat", type=int, default=10, help="at most so many measurements per figure (default 10)")
    add(
        "--quick",
        action="store_true",
        help="leave out memory, parallel runs and the oracle, and write nothing",
    )
    add("--profile", action="store_true", help="also show where the time goes")
    options = parser.parse_args()
    began = time.monotonic()
    find_browser_for_stock()
    rows = [*_resets(options.repeat), *_steps(options.repeat)]
    if not options.quick:
        rows += [*_memory(), *_parallel(), *_oracle()]
    rows.append(_import_time())
    head = ("", "stock BrowserGym", "websp-gym", "ratio", "goal")
    blocks = {"machine": _machine(options.repeat), "figures": table(head, (row.cells() for row in rows))}
    if not options.quick:
        blocks["raw"] = _beside_raw()
    if options.profile:
        blocks["profile"] = "\n\n".join(profile_tables(options.repeat))
    if not options.quick:
        fill(RESULTS, blocks)
    sys.stderr.write(f"all of it took {time.monotonic() - began:.0f} s\n")
    sys.stdout.writelines(f"{block}\n\n" for block in blocks.values())


def _machine(repeat: int) -> str:
    memory = psutil.virtual_memory().total / 2**30
    return f"Medians of up to {repeat}; {memory:.0f} GiB, {machine('playwright', 'browsergym-core')}."


# --- resets and steps -----------------------------------------------------------------------------------


def _resets(repeat: int) -> Iterator[Row]:
    stock = seconds_of(repeat, stock_reset)
    for what, instance, how, goal in (
        ("replay of 2 events", INSTANCE, "replay", "≤ 0.9 s"),
        ("replay of 10 events", LONG, "replay", "–"),
        ("snapshot", INSTANCE, "snapshot", "≤ 0.25 s"),
    ):
        ours = seconds_of(repeat, our_reset, instance, how)
        yield Row(f"reset to a verified S0, {what} (stock: no S0)", stock, ours, "s", goal)


def _steps(repeat: int) -> Iterator[Row]:
    stock, no_sleep = (seconds_of(repeat, stock_step, delay) for delay in (0.5, 0.0))
    for what, kind, scale, goal in (
        ("marks", "marks", 1.0, "≤ 0.09 s"),
        ("marks, picture_scale=0.5", "marks", 0.5, "–"),
        ("text", "text", 1.0, "≤ 0.03 s"),
        ("all BrowserGym keys", "browsergym", 1.0, "≤ 0.20 s"),
    ):
        ours = seconds_of(repeat, our_step, kind, scale)
        yield Row(f"step, {what}", stock, ours, "s", goal)
        yield Row(f"step, {what} (stock without its fixed sleep)", no_sleep, ours, "s")
    ways = [partial(our_step, "text", policies=policies) for policies in (None, POLICIES)]
    plain, under = in_process(in_turn, *ways)
    yield Row("step, text, with twelve policies (beside: without any)", plain, under, "s", "≥ 0.95×")
    by_step, by_door = in_process(in_turn, partial(our_step, "text", at_point=True), door_press)
    what = "press, text, through an outside agent's door (beside: by step)"
    yield Row(what, by_step, by_door, "s", "≥ 0.87×")


# --- memory and parallel runs ---------------------------------------------------------------------------


def _memory() -> Iterator[Row]:
    stock = statistics.median(in_process(_stock_memory) for _ in range(2))
    own, three = (statistics.median(in_process(_our_memory, count) for _ in range(2)) for count in (1, 3))
    yield Row("memory of one env process with its own Chromium (PSS)", stock, own, "MB", "≤ 250 MB")
    yield Row("memory of a further env in the same process", stock, (three - own) / 2, "MB", "≤ 160 MB")


def _stock_memory() -> float:
    with stock_env(PAGE) as env:
        env.reset()
        return _tree_pss()


def _our_memory(count: int) -> float:
    with ExitStack() as stack:
        for _ in range(count):
            at_page(stack.enter_context(closing(make_env(INSTANCE, initial_state="snapshot"))))
        return _tree_pss()


def _tree_pss() -> float:
    """Return the proportional set size of this process and its descendants, without the shared sandbox, in MiB."""
    me = psutil.Process()
    sandbox = Sandbox.shared().address.pid
    total = 0
    for process in (me, *me.children(recursive=True)):
        try:
            total += 0 if process.pid == sandbox else process.memory_full_info().pss
        except psutil.Error:
            continue  # it has ended meanwhile
    return total / 2**20


def _parallel() -> Iterator[Row]:
    for processes in PROCESSES:
        stock, ours = per_second(processes, stock_step, 0.5), per_second(processes, our_step, "marks")
        goal = "≥ 25 /s" if processes >= 4 else "–"
        what = f"steps/s with pictures, {processes} env processes"
        yield Row(what, stock, ours, "/s", goal, higher_is_better=True)


def _beside_raw() -> str:
    """Return the table that compares with Playwright alone."""
    rows = []
    for processes in PROCESSES:
        cells = [str(processes)]
        for kind, pictures in (("text", False), ("marks", True)):
            raw, ours = per_second(processes, raw_step, pictures), per_second(processes, our_step, kind)
            cells += [f"{raw:.1f}", f"{ours:.1f}", f"{ours / raw:.0%}"]
        rows.append(cells)
    head = [cell for kind in ("text", "pictures") for cell in (f"raw, {kind}", f"websp-gym, {kind}", "share")]
    return table(["processes", *head], rows)


def _oracle() -> Iterator[Row]:
    # Not above: what every process of this program imports counts for the memory of an environment.
    from websp_gym.records.runs import Run
    from websp_gym.runner.batch import run_batch
    from websp_gym.runner.jobs import plan_run
    from websp_gym.tasks.selection import select_instances

    every = select_instances(["*"])
    ids = every[:: -(-len(every) // ORACLES)]
    began = time.monotonic()
    results = run_batch(plan_run(Run(agent="oracle"), ids), processes=2)
    took = time.monotonic() - began
    if wrong := [result.id for result in results if result.status != "pass"]:
        raise SystemExit(f"the oracle did not pass: {wrong}")
    yield Row(f"oracle over {len(ids)} instances, 2 processes", None, took, "s", "≤ 600 s for 200")


def _import_time() -> Row:
    code = "import time, gymnasium; t = time.perf_counter(); import websp_gym; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    runs = [float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(5)]
    return Row("`import websp_gym` after gymnasium", None, statistics.median(runs) * 1000, "ms", "≤ 50 ms")


if __name__ == "__main__":
    main()
