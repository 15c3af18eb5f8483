"""Endurance test: many episodes under kills, crowds, full disks and clocks that jump.

    python -m tests.endurance [--scale 0.1] [kills crowd disk clock]

Each kind is played in a process of its own, with a time limit; what it leaves running is counted and ended. The
result has what was expected and what happened. Kinds that this machine cannot run (no root, no compiler) are marked.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from websp_gym.env.registration import make_env
from websp_gym.errors import StorageError
from websp_gym.records.load import load_trajectory
from websp_gym.rollouts import Pool, Transcript, agent_policy

TODO, DONE = "Steam-task-191-ON", "Steam-task-191-OFF"
SMALL: dict[str, Any] = {"viewport": (400, 300), "initial_state": "snapshot"}
MARKER = "WEBSP_ENDURANCE"
"""Variable that all processes of a kind inherit, by which those that are left over are found."""
DISK, CLOCK = "WEBSP_ENDURANCE_DISK", "WEBSP_ENDURANCE_CLOCK"
"""The small disk, and the file with the seconds by which the clock is wrong."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one kind.

    Args:
        expected: What was expected.
        happened: Numbers, by name.
        right: Whether what happened is what was expected; None if this machine cannot have this kind.
    """

    expected: str
    happened: dict[str, object]
    right: bool | None


def _nothing(played: Transcript) -> str:
    return "ANSWER; done"


def kills(scale: float) -> Outcome:
    """Play rollouts in a pool of eight while workers, browsers, drivers and the sandbox are killed at random."""
    episodes = [(each, seed) for seed in range(max(2, int(60 * scale))) for each in (TODO, DONE)]
    killed: Counter[str] = Counter()
    with Pool(8, timeout=120, **SMALL) as pool:
        with _meanwhile(lambda stop: _kill(stop, killed)):
            lost = pool.rollouts(episodes, _nothing)
            won = pool.rollouts([(TODO, seed) for seed in range(len(episodes) // 4)], agent_policy("oracle"))
        after = pool.rollouts([(DONE, 1)] * 8, _nothing)
    # A kill changes no state: who does nothing has solved what is done, and an oracle that is scored its task.
    due = [*(float(name == DONE) for name, _ in episodes), *(1.0 for _ in won)]
    rewards = [each.reward for each in (*lost, *won)]
    wrong = sum(reward not in (None, own) for reward, own in zip(rewards, due, strict=True))
    paid = sum(each.reward == 1.0 for each in after)
    return Outcome(
        "no wrong reward; a kill costs only rollouts that used what was killed; afterwards all are paid",
        {
            "rollouts": len(rewards),
            "wrong rewards": wrong,
            "unscored": rewards.count(None),
            "kills": dict(killed),
            "paid afterwards": paid,
        },
        wrong == 0 and rewards.count(None) < len(rewards) and paid == len(after),
    )


def _kill(stop: threading.Event, killed: Counter[str]) -> None:
    """Kill a random process of this one every two seconds or so, and count them by kind."""
    chance = random.Random(11)
    while not stop.wait(chance.uniform(1.0, 3.0)):
        # The sandbox ends all episodes at once, so it is killed less often than there are others.
        wanted = chance.choices(("worker", "browser", "driver", "sandbox"), (4, 4, 3, 1))[0]
        with contextlib.suppress(psutil.Error):
            fitting = [each for each in psutil.Process().children(recursive=True) if _kind(each) == wanted]
            if fitting:
                chance.choice(fitting).kill()
                killed[wanted] += 1


def _kind(process: psutil.Process) -> str:
    names = {
        "multiprocessing.spawn": "worker",
        "--remote-debugging-pipe": "browser",
        "run-driver": "driver",
        "websp_gym.sandbox.server.serve": "sandbox",
    }
    words = " ".join(process.cmdline())
    return next((kind for word, kind in names.items() if word in words and "--type=" not in words), "")


def crowd(scale: float) -> Outcome:
    """Reset many environments at once, each in a process of its own or sharing one."""
    size = max(8, int(100 * scale))
    with Pool(size, per_process=10, timeout=600, **SMALL) as pool, ThreadPoolExecutor(size) as threads:
        began = time.monotonic()

        def one(seed: int) -> float | None:
            with pool.env() as env:
                env.reset(DONE, seed)
                return env.step("ANSWER; done").reward

        rewards = Counter(threads.map(one, range(size)))
        seconds = time.monotonic() - began
    happened = {"resets at once": size, "rewards": _shown(rewards), "seconds": round(seconds, 1)}
    return Outcome("every reset works, every episode is paid 1.0", happened, rewards == {1.0: size})


def _shown(counts: Counter[Any]) -> dict[str, int]:
    return {str(key): count for key, count in counts.items()}


def disk(scale: float) -> Outcome:
    """Record episodes until the disk is full: a small disk of this process alone."""
    folder = os.environ.get(DISK)
    if folder is None:
        return _in_a_small_disk(scale)
    runs = Path(folder) / "runs"
    env = make_env(DONE, record_to=runs, **SMALL)
    scored, error = 0, None
    try:
        for seed in range(2000):
            env.reset(seed=seed)
            env.step("Scroll_to_end")
            scored += env.step("ANSWER; done")[1] == 1.0
    except Exception as caught:
        error = caught
    records: Counter[str] = Counter()
    for path in runs.rglob("trajectory.json"):
        try:
            record = load_trajectory(path.parent)
            records["torn" if record.torn or record.verdict is None else "whole"] += 1
        except Exception:
            records["unreadable"] += 1
    shutil.rmtree(runs)
    env.reset(seed=1)
    again = env.step("ANSWER; done")[1]
    env.close()
    return Outcome(
        "a StorageError that names the folder; records before it are whole; with room, the next episode is paid",
        {
            "episodes": scored,
            "error": f"{type(error).__name__}: {error}",
            "records": dict(records),
            "paid afterwards": again,
        },
        isinstance(error, StorageError)
        and folder in str(error)
        and records["whole"] == scored
        and again == 1.0,
    )


def _in_a_small_disk(scale: float) -> Outcome:
    """Play ``disk`` in a mount namespace of its own, where a folder is a disk of two megabytes."""
    with tempfile.TemporaryDirectory(prefix="websp-small-") as folder:
        mount = f'mount -t tmpfs -o size=2m tmpfs "{folder}" && exec "$0" "$@"'
        outcome = _elsewhere("disk", scale, {DISK: folder}, "unshare", "-m", "sh", "-c", mount)
    if "failed" in outcome.happened:
        return Outcome("needs root and mount namespaces", {"not run": outcome.happened["failed"]}, None)
    return outcome


def clock(scale: float) -> Outcome:
    """Play episodes while the clock of day jumps, as seen by all our processes; the machine's is not touched."""
    jumps = os.environ.get(CLOCK)
    if jumps is None:
        return _with_a_clock_of_its_own(scale)
    played: list[Transcript] = []
    shown = time.time()
    with Pool(2, timeout=120, **SMALL) as pool:
        for seed in range(max(2, int(20 * scale))):
            with _meanwhile(lambda stop: _jump(stop, Path(jumps))):
                played += pool.rollouts([(TODO, seed), (TODO, seed)], agent_policy("oracle"))
    moved = abs(time.time() - shown) > 3600
    rewards = Counter(each.reward for each in played)
    ends = Counter(each.page.reason for each in played)
    return Outcome(
        "every oracle is paid 1.0; no time limit, no session expires, no stall is seen",
        {
            "episodes": len(played),
            "rewards": _shown(rewards),
            "ends": dict(ends),
            "the clock moved": moved,
        },
        set(rewards) == {1.0} and moved,
    )


def _jump(stop: threading.Event, jumps: Path) -> None:
    """Let the clock jump by hours and years, forwards and back; it stays where it is at last."""
    chance = random.Random(7)
    while not stop.wait(0.2):
        seconds = chance.choice((-31_536_000, -86_400, -3600, 7200, 86_400, 315_360_000))
        with jumps.open("r+b") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))


def _with_a_clock_of_its_own(scale: float) -> Outcome:
    compiler = shutil.which("cc")
    if compiler is None:
        return Outcome("needs a C compiler", {"not run": "no cc"}, None)
    with tempfile.TemporaryDirectory(prefix="websp-clock-") as folder:
        library, jumps = f"{folder}/clock.so", Path(folder) / "jump"
        jumps.write_bytes(bytes(8))
        source = Path(__file__).with_name("clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return _elsewhere("clock", scale, {"LD_PRELOAD": library, CLOCK: str(jumps)})


@contextmanager
def _meanwhile(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do some work in a thread of its own while the block runs; its event is set when the block has ended."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


KINDS: dict[str, tuple[Callable[[float], Outcome], float]] = {
    "kills": (kills, 1500.0),
    "crowd": (crowd, 900.0),
    "disk": (disk, 600.0),
    "clock": (clock, 600.0),
}
"""Each kind, played with a scale of the numbers of episodes, and how many seconds it may take."""


# --- processes of their own ---------------------------------------------------------------------------------


def _command(kind: str, scale: float) -> list[str]:
    return [sys.executable, "-m", "tests.endurance", "--one", kind, "--scale", str(scale)]


def _elsewhere(kind: str, scale: float, variables: Mapping[str, str], *prefix: str) -> Outcome:
    """Play a kind again in another process, with more variables and behind another command."""
    environment = {**os.environ, **variables}
    command = [*prefix, *_command(kind, scale)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return _outcome_of(done.stdout, done.stderr)


def play(name: str, scale: float) -> tuple[Outcome, int, float]:
    """Play a kind in a process of its own; return its outcome, the processes left over, and the seconds it took."""
    number, began = f"{name}-{os.getpid()}-{random.random()}", time.monotonic()
    with tempfile.TemporaryDirectory(prefix="websp-endurance-") as own:
        variables = {key: value for key, value in os.environ.items() if key != "WEBSP_SANDBOX"}
        child = subprocess.Popen(
            _command(name, scale),
            env={**variables, MARKER: number, "TMPDIR": own},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            outcome = _outcome_of(*child.communicate(timeout=KINDS[name][1]))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            outcome = Outcome("the kind ends", {"failed": f"no end within {KINDS[name][1]:g} s"}, False)
        left = _left_over(number)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
    return outcome, len(left), time.monotonic() - began


def _outcome_of(said: str, failed: str) -> Outcome:
    """Return the outcome that a process printed last; if it printed none, the last line of its errors."""
    with contextlib.suppress(IndexError, ValueError, TypeError):
        return Outcome(**json.loads(said.strip().splitlines()[-1]))
    last = (failed.strip().splitlines() or ["it said nothing"])[-1][:300]
    return Outcome("the kind ends", {"failed": last}, False)


def _left_over(number: str) -> list[psutil.Process]:
    """Return the processes that a kind started and that still run ten seconds after its end."""
    found: list[psutil.Process] = []
    for _ in range(20):
        # None of a process that may not be looked into.
        every = psutil.process_iter(["environ"])
        found = [each for each in every if (each.info["environ"] or {}).get(MARKER) == number]
        if not found:
            break
        psutil.wait_procs(found, timeout=0.5)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the kinds and print a line for each; return 1 if one was not as expected or left a process, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"kinds to play: {', '.join(KINDS)}; all by default")
    parser.add_argument("--scale", type=float, default=1.0, help="scales the numbers of episodes")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if unknown := set(options.kinds) - set(KINDS):
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
