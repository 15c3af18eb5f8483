"""Speed of websp-gym, compared with stock BrowserGym on the same pages in the same run.

    python -m benchmarks.speed [--repeat N] [--quick]

Prints, and without ``--quick`` writes to ``benchmarks/results.md``, medians, ratios and a description of the machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.door import presses
from benchmarks.pages import BOX, INSTANCE, PAGE, at_page, bid_of, number_of
from benchmarks.profile import profile_tables
from benchmarks.raw import raw_stepper
from benchmarks.stepping import STEPPING, count, in_process
from benchmarks.stock import find_browser_for_stock, stock_env
from websp_gym.env.registration import make_env
from websp_gym.sandbox.client import Sandbox

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.md"
POLICIES = str(HERE / "policies.yaml")
LONG = "Steam-task-194"
"""Instance with ten recorded events."""
FIGURE_SECONDS = 8.0
"""Most seconds spent on repeating one measurement; it is made at least three times."""
PAIRS = 150
"""Steps without and with policies, measured in turn."""
ORACLES = 50
"""Most instances that the oracle plays, evenly spaced among all."""


PROCESSES = (1, 2, 4, 8)
RAW = """
## Beside raw Chromium

Steps per second on the same page. Raw is Playwright alone in as many processes: click, wait for the answer that
the setting is saved (before that the page takes no other click) and for the next frame, read all controls with their
boxes (and take a PNG, which is not decoded). It names, marks and records nothing.

| processes | raw, text | websp-gym, text | share | raw, pictures | websp-gym, pictures | share |
|---|---|---|---|---|---|---|
{}
"""
PROFILE = """
## Where the time goes

Median milliseconds of each part, without what is inside of another part.

{}
"""


@dataclass(frozen=True)
class Row:
    """One row of the result table."""

    what: str
    stock: float | None
    ours: float
    unit: str
    goal: str
    higher_is_better: bool = False

    def markdown(self) -> str:
        """Return the row as Markdown."""
        digits = {"MB": 0, "ms": 0, "s": 3}.get(self.unit, 1)
        stock = "–" if self.stock is None else f"{self.stock:.{digits}f} {self.unit}"
        ratio = "–"
        if self.stock is not None:
            factor = self.ours / self.stock if self.higher_is_better else self.stock / self.ours
            ratio = f"{factor:.2f}×" if 0.8 < factor < 1.2 else f"{factor:.1f}×"
        return f"| {self.what} | {stock} | {self.ours:.{digits}f} {self.unit} | {ratio} | {self.goal} |"


def main() -> None:
    """Run all benchmarks and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--repeat", type=int, default=10, help="at most so many measurements per figure (default 10)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="leave out memory, parallel runs and the oracle, and write nothing",
    )
    parser.add_argument("--profile", action="store_true", help="also show where the time goes")
    options = parser.parse_args()
    began = time.monotonic()
    find_browser_for_stock()
    rows = [*_resets(options.repeat), *_steps(options.repeat)]
    if not options.quick:
        rows += [*_memory(), *_parallel(), *_oracle()]
    rows += [_import_time()]
    text = _page(rows, options.repeat)
    if not options.quick:
        text += RAW.format("\n".join(_beside_raw()))
    if options.profile:
        text += PROFILE.format("\n".join(profile_tables(options.repeat)))
    if not options.quick:
        RESULTS.write_text(text, "utf-8")
    _say(f"all of it took {time.monotonic() - began:.0f} s")
    sys.stdout.write(text)


# --- resets and steps -----------------------------------------------------------------------------------


def _resets(repeat: int) -> Iterator[Row]:
    stock = in_process(_stock_reset, repeat)
    _say(f"stock reset {stock:.2f} s")
    cases = (
        ("reset to a verified S0, replay of 2 events", INSTANCE, "replay", "≤ 0.9 s"),
        ("reset to a verified S0, replay of 10 events", LONG, "replay", "–"),
        ("reset to a verified S0, snapshot", INSTANCE, "snapshot", "≤ 0.25 s"),
    )
    for what, instance, how, goal in cases:
        ours = in_process(_our_reset, repeat, instance, how)
        yield Row(f"{what} (stock: no S0)", stock, ours, "s", goal)


def _stock_reset(results: Any, repeat: int) -> None:
    with stock_env(PAGE) as env:
        results.put(_median(env.reset, repeat))


def _our_reset(results: Any, repeat: int, instance: str, how: str) -> None:
    env = make_env(instance, initial_state=how)
    env.reset(seed=0)
    results.put(_median(env.reset, repeat))
    env.close()


def _steps(repeat: int) -> Iterator[Row]:
    stock = in_process(_stock_step, repeat, 0.5)
    no_sleep = in_process(_stock_step, repeat, 0.0)
    _say(f"stock step {stock:.2f} s, without its fixed sleep {no_sleep:.2f} s")
    for what, kind, scale, goal in (
        ("marks", "marks", 1.0, "≤ 0.09 s"),
        ("marks, picture_scale=0.5", "marks", 0.5, "–"),
        ("text", "text", 1.0, "≤ 0.03 s"),
        ("all BrowserGym keys", "browsergym", 1.0, "≤ 0.20 s"),
    ):
        ours = in_process(_our_step, repeat, kind, scale)
        yield Row(f"step, {what}", stock, ours, "s", goal)
        yield Row(f"step, {what} (stock without its fixed sleep)", no_sleep, ours, "s", "–")
    plain, under = in_process(_steps_under_policies)
    yield Row("step, text, with twelve policies (beside: without any)", plain, under, "s", "≥ 0.95×")
    by_step, by_door = in_process(presses)
    yield Row(
        "press, text, through an outside agent's door (beside: by step)", by_step, by_door, "s", "≥ 0.87×"
    )


def _stock_step(results: Any, repeat: int, delay: float) -> None:
    with stock_env(PAGE) as env:
        env.pre_observation_delay = delay
        observation, _ = env.reset()
        action = f"click({bid_of(observation, BOX)!r})"
        results.put(_median(lambda: env.step(action), repeat))


def _our_step(results: Any, repeat: int, kind: str, scale: float) -> None:
    env, action = _at_box(kind, scale)
    results.put(_median(lambda: env.step(action), repeat))
    env.close()


def _steps_under_policies(results: Any) -> None:
    """Measure steps without and with policies in turn: what they cost is less than two runs differ."""
    envs = [_at_box("text", 1.0, policies) for policies in (None, POLICIES)]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAIRS):
        for (env, action), each in zip(envs, times, strict=True):
            began = time.perf_counter()
            env.step(action)
            each.append(time.perf_counter() - began)
    results.put(tuple(map(statistics.median, times)))
    for env, _ in envs:
        env.close()


def _at_box(kind: str, scale: float, policies: str | None = None) -> tuple[Any, str]:
    """Return an environment at the page of the measurements, and the action that clicks its check box."""
    env = make_env(
        INSTANCE,
        initial_state="snapshot",
        observation=kind,
        picture_scale=scale,
        max_actions=10_000,
        policies=policies,
    )
    observation = at_page(env)
    if kind == "browsergym":
        return env, f"click({bid_of(observation, BOX)!r})"
    return env, f"Click [{number_of(observation, BOX)}]"


# --- memory and parallel runs ---------------------------------------------------------------------------


def _memory() -> Iterator[Row]:
    stock = statistics.median(in_process(_stock_memory) for _ in range(2))
    own = statistics.median(in_process(_our_memory, 1) for _ in range(2))
    three = statistics.median(in_process(_our_memory, 3) for _ in range(2))
    yield Row("memory of one env process with its own Chromium (PSS)", stock, own, "MB", "≤ 250 MB")
    yield Row("memory of a further env in the same process", stock, (three - own) / 2, "MB", "≤ 160 MB")


def _stock_memory(result: Any) -> None:
    with stock_env(PAGE) as env:
        env.reset()
        result.put(_tree_pss())


def _our_memory(result: Any, count: int) -> None:
    envs = [make_env(INSTANCE, initial_state="snapshot") for _ in range(count)]
    for env in envs:
        at_page(env)
    result.put(_tree_pss())
    for env in envs:
        env.close()


def _tree_pss() -> float:
    """Return the proportional set size of this process and its descendants, without the shared sandbox, in MiB."""
    me = psutil.Process()
    sandbox = Sandbox.shared().address.pid
    tree = [me, *(child for child in me.children(recursive=True) if child.pid != sandbox)]
    total = 0
    for process in tree:
        try:
            total += process.memory_full_info().pss
        except psutil.Error:
            continue  # it has ended meanwhile
    return total / 2**20


def _parallel() -> Iterator[Row]:
    for processes in PROCESSES:
        stock = _steps_per_second(_stock_stepper, processes)
        ours = _steps_per_second(_our_stepper, processes, "marks")
        yield Row(
            f"steps/s with pictures, {processes} env processes",
            stock,
            ours,
            "/s",
            "≥ 25 /s" if processes >= 4 else "–",
            higher_is_better=True,
        )
        _say(f"{processes} processes: stock {stock:.1f}, ours {ours:.1f} steps/s")


def _beside_raw() -> Iterator[str]:
    """Yield the rows of the table that compares with Playwright alone."""
    for processes in PROCESSES:
        cells = [str(processes)]
        for kind, pictures in (("text", False), ("marks", True)):
            raw = _steps_per_second(raw_stepper, processes, pictures)
            ours = _steps_per_second(_our_stepper, processes, kind)
            cells += [f"{raw:.1f}", f"{ours:.1f}", f"{ours / raw:.0%}"]
        _say(f"beside raw Chromium: {cells}")
        yield f"| {' | '.join(cells)} |"


def _steps_per_second(stepper: Callable[..., None], processes: int, *arguments: Any) -> float:
    Sandbox.shared()
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    results = context.Queue()
    workers = [context.Process(target=stepper, args=(results, barrier, *arguments)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    total = sum(results.get(timeout=300) for _ in workers)
    for worker in workers:
        worker.join()
    return float(total / STEPPING)


def _our_stepper(results: Any, barrier: Any, kind: str) -> None:
    env = make_env(INSTANCE, initial_state="snapshot", observation=kind, max_actions=100_000)
    action = f"Click [{number_of(at_page(env), BOX)}]"
    results.put(count(lambda: env.step(action), barrier))
    env.close()


def _stock_stepper(results: Any, barrier: Any) -> None:
    with stock_env(PAGE) as env:
        observation, _ = env.reset()
        action = f"click({bid_of(observation, BOX)!r})"
        results.put(count(lambda: env.step(action), barrier))


def _oracle() -> Iterator[Row]:
    from websp_gym.records.runs import Run
    from websp_gym.runner.batch import run_batch
    from websp_gym.runner.jobs import plan_run
    from websp_gym.tasks.selection import select_instances

    every = select_instances(["*"])
    ids = every[:: -(-len(every) // ORACLES)]
    began = time.monotonic()
    results = run_batch(plan_run(Run(agent="oracle"), ids), processes=2)
    took = time.monotonic() - began
    wrong = [result.id for result in results if result.status != "pass"]
    if wrong:
        raise SystemExit(f"the oracle did not pass: {wrong}")
    yield Row(f"oracle over {len(ids)} instances, 2 processes", None, took, "s", "≤ 600 s for 200")


def _import_time() -> Row:
    code = "import time, gymnasium; t = time.perf_counter(); import websp_gym; print(time.perf_counter() - t)"
    runs = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    return Row("`import websp_gym` after gymnasium", None, statistics.median(runs) * 1000, "ms", "≤ 50 ms")


# --- helpers --------------------------------------------------------------------------------------------


def _median(function: Callable[[], Any], repeat: int) -> float:
    times: list[float] = []
    while len(times) < min(3, repeat) or (len(times) < repeat and sum(times) < FIGURE_SECONDS):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def _page(rows: list[Row], repeat: int) -> str:
    from importlib.metadata import version

    from websp_gym.browser.launch import BrowserOptions, shared_browser

    chromium = shared_browser(BrowserOptions(args=tuple(Sandbox.shared().browser_args()))).version
    facts = (
        f"{os.cpu_count()} cores, {psutil.virtual_memory().total / 2**30:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}, Chromium {chromium}, Playwright {version('playwright')}, "
        f"browsergym-core {version('browsergym-core')}; {time.strftime('%Y-%m-%d')}"
    )
    table = "\n".join(row.markdown() for row in rows)
    return f"""# Speed

Measured by `make bench` in one run; medians of up to {repeat}. Machine: {facts}.

Stock is BrowserGym's own `BrowserEnv` on the same pages of the same sandbox, viewport 1280×1024, without slow motion;
its reset opens the page and prepares no initial state. A step clicks a check box that saves by a request to the
server. [soak.md](soak.md) says what a thousand resets leave behind.

| | stock BrowserGym | websp-gym | ratio | goal |
|---|---|---|---|---|
{table}
"""


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    main()
