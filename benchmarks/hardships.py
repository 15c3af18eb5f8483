"""The hardships of the endurance test and their expected outcomes (:mod:`benchmarks.endurance`)."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import psutil

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.env.registration import make_env
from websp_gym.errors import StorageError
from websp_gym.records.load import load_trajectory
from websp_gym.rollouts import Pool, Transcript, agent_policy
from websp_gym.sandbox.client import Sandbox

TODO, DONE = "Steam-task-191-ON", "Steam-task-191-OFF"
SMALL: dict[str, Any] = {"viewport": (400, 300), "initial_state": "snapshot"}
_LITTLE = 500 * 2**20
"""Bytes for four processes with their browsers, which take twice as much."""
MARKER = "WEBSP_ENDURANCE"
"""Variable that all processes of a kind inherit, by which those that are left over are found."""


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


Kind = Callable[[float], Outcome]
"""Plays a kind; its argument scales the numbers of episodes."""


def _nothing(played: Transcript) -> str:
    return "ANSWER; done"


def _wrong(episodes: Sequence[tuple[str, int]], played: Sequence[Transcript]) -> int:
    """Return how many rollouts that do nothing have a reward that is wrong."""
    pairs = zip(episodes, played, strict=True)
    return sum(each.reward not in (None, float(name == DONE)) for (name, _), each in pairs)


def _paid(played: Iterable[Transcript]) -> int:
    return sum(each.reward == 1.0 for each in played)


def _unscored(played: Iterable[Transcript]) -> int:
    return sum(each.reward is None for each in played)


def vector(scale: float) -> Outcome:
    """Play episodes in a vector of environments against one sandbox."""
    episodes, size = max(4, int(300 * scale)), 4
    envs = gym.make_vec(f"websp/{DONE}", num_envs=size, on_error="truncate", observation="text", **SMALL)
    rewards: Counter[float] = Counter()
    try:
        envs.reset(seed=1)
        while rewards.total() < episodes:
            _observations, paid, terminated, truncated, _infos = envs.step(("ANSWER; done",) * size)
            rewards.update(float(each) for each, end in zip(paid, terminated | truncated, strict=True) if end)
    finally:
        envs.close()
    return Outcome(
        "every episode is paid 1.0",
        {"episodes": rewards.total(), "rewards": dict(rewards)},
        set(rewards) == {1.0},
    )


def kills(scale: float) -> Outcome:
    """Play rollouts in a pool of eight while workers, browsers, drivers and the sandbox are killed at random."""
    episodes = [(each, seed) for seed in range(max(2, int(60 * scale))) for each in (TODO, DONE)]
    killed: Counter[str] = Counter()
    with Pool(8, timeout=120, **SMALL) as pool:
        with _killing(killed):
            lost = pool.rollouts(episodes, _nothing)
            won = pool.rollouts([(TODO, seed) for seed in range(len(episodes) // 4)], agent_policy("oracle"))
        after = pool.rollouts([(DONE, 1)] * 8, _nothing)
    # A kill changes no state, so an oracle that is scored has solved its task.
    wrong = _wrong(episodes, lost) + len(won) - _paid(won) - _unscored(won)
    unscored = _unscored((*lost, *won))
    return Outcome(
        "no wrong reward; a kill costs only rollouts that used what was killed; afterwards all are paid",
        {
            "rollouts": len(lost) + len(won),
            "wrong rewards": wrong,
            "unscored": unscored,
            "kills": dict(killed),
            "paid afterwards": _paid(after),
        },
        wrong == 0 and unscored < len(lost) + len(won) and _paid(after) == len(after),
    )


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
    return Outcome(
        "every reset works, every episode is paid 1.0",
        {
            "resets at once": size,
            "rewards": {str(key): many for key, many in rewards.items()},
            "seconds": round(seconds, 1),
        },
        rewards == {1.0: size},
    )


def disk(scale: float) -> Outcome:
    """Record episodes until the disk is full: a small disk of this process alone."""
    folder = os.environ.get(f"{MARKER}_DISK")
    if folder is None:
        return _in_a_small_disk(scale)
    env = make_env(DONE, record_to=Path(folder) / "runs", **SMALL)
    message, scored, error = "", 0, None
    try:
        for seed in range(2000):
            env.reset(seed=seed)
            env.step("Scroll_to_end")
            scored += env.step("ANSWER; done")[1] == 1.0
    except Exception as caught:
        error, message = caught, str(caught)
    torn = whole = unreadable = 0
    for path in sorted((Path(folder) / "runs").rglob("trajectory.json")):
        try:
            record = load_trajectory(path.parent)
            whole += record.verdict is not None
            torn += record.torn or record.verdict is None
        except Exception:
            unreadable += 1
    shutil.rmtree(Path(folder) / "runs")
    env.reset(seed=1)
    again = env.step("ANSWER; done")[1]
    env.close()
    return Outcome(
        "a StorageError that names the folder; records before it are whole; with room, the next episode is paid",
        {
            "episodes": scored,
            "error": f"{type(error).__name__}: {message}",
            "whole records": whole,
            "torn or without verdict": torn,
            "unreadable records": unreadable,
            "paid afterwards": again,
        },
        isinstance(error, StorageError) and folder in message and whole == scored and again == 1.0,
    )


def _in_a_small_disk(scale: float) -> Outcome:
    """Play ``disk`` in a mount namespace of its own, where a folder is a disk of two megabytes."""
    with tempfile.TemporaryDirectory(prefix="websp-small-") as folder:
        mount = f'mount -t tmpfs -o size=2m tmpfs "{folder}" && exec "$0" "$@"'
        outcome = _elsewhere("disk", scale, {f"{MARKER}_DISK": folder}, "unshare", "-m", "sh", "-c", mount)
    if "failed" in outcome.happened:
        return Outcome("needs root and mount namespaces", {"not run": outcome.happened["failed"]}, None)
    return outcome


def _elsewhere(kind: str, scale: float, variables: Mapping[str, str], *prefix: str) -> Outcome:
    """Play a kind again in another process, with more variables and behind another command."""
    own = [sys.executable, "-m", "benchmarks.endurance", "--one", kind, "--scale", str(scale)]
    done = subprocess.run(
        [*prefix, *own], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    return outcome_of(done.stdout, done.stderr)


def memory(scale: float) -> Outcome:
    """Play episodes of a pool while the memory of all its processes together is too little."""
    episodes = [(each, seed) for seed in range(max(4, int(20 * scale))) for each in (TODO, DONE)]
    Sandbox.shared()  # outside of the group: without it there is no world
    try:
        group = Path(f"/sys/fs/cgroup/memory/websp-{os.getpid()}")
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text(str(_LITTLE))
    except OSError as error:
        return Outcome("needs root and cgroups (version 1)", {"not run": str(error)}, None)
    mine = psutil.Process()
    server = Sandbox.shared().address.pid

    def move(stop: threading.Event) -> None:
        while not stop.wait(0.05):
            for process in mine.children():
                if process.pid != server:
                    for each in (process, *_descendants(process)):
                        with contextlib.suppress(OSError):
                            (group / "cgroup.procs").write_text(str(each.pid))

    try:
        with _meanwhile(move), Pool(4, timeout=60, **SMALL) as pool:
            played = pool.rollouts(episodes, _nothing)
            # The system is told to allow more: everything must work again.
            (group / "memory.limit_in_bytes").write_text(str(16 * 2**30))
            after = pool.rollouts([(DONE, 1)] * 4, _nothing)
    finally:
        limit_hits = int((group / "memory.failcnt").read_text())
        _remove(group)
    wrong = _wrong(episodes, played)
    return Outcome(
        "no wrong reward; what the system kills is unscored; with memory, all are paid",
        {
            "rollouts": len(played),
            "wrong rewards": wrong,
            "unscored": _unscored(played),
            "times the limit was hit": limit_hits,
            "paid afterwards": _paid(after),
        },
        wrong == 0 and _paid(after) == len(after),
    )


def _remove(group: Path) -> None:
    """Remove a control group; what still runs in it, such as Python's resource tracker, leaves it before."""
    for _ in range(50):
        with contextlib.suppress(OSError):
            for process in (group / "cgroup.procs").read_text("ascii").split():
                (group.parent / "cgroup.procs").write_text(process)
            group.rmdir()
            return
        time.sleep(0.1)


def clock(scale: float) -> Outcome:
    """Play episodes while the clock of day jumps, as seen by all our processes; the machine's is not touched."""
    jumps = os.environ.get("WEBSP_CLOCK")
    if jumps is None:
        return _with_a_clock_of_its_own(scale)
    rounds = max(2, int(20 * scale))
    rewards: Counter[object] = Counter()
    reasons: Counter[str] = Counter()
    shown = time.time()
    with Pool(2, timeout=120, **SMALL) as pool:
        for seed in range(rounds):
            with _jumping(Path(jumps)):
                played = pool.rollouts([(TODO, seed), (TODO, seed)], agent_policy("oracle"))
            rewards.update(each.reward for each in played)
            reasons.update(each.page.reason for each in played)
    moved = abs(time.time() - shown) > 3600
    return Outcome(
        "every oracle is paid 1.0; no time limit, no session expires, no stall is seen",
        {
            "episodes": rewards.total(),
            "rewards": {str(key): many for key, many in rewards.items()},
            "ends": dict(reasons),
            "the clock moved": moved,
        },
        set(rewards) == {1.0} and moved,
    )


def _with_a_clock_of_its_own(scale: float) -> Outcome:
    compiler = shutil.which("cc")
    if compiler is None:
        return Outcome("needs a C compiler", {"not run": "no cc"}, None)
    with tempfile.TemporaryDirectory(prefix="websp-clock-") as folder:
        library, jumps = f"{folder}/clock.so", Path(folder) / "jump"
        jumps.write_bytes(bytes(8))
        source = Path(__file__).with_name("clock.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return _elsewhere("clock", scale, {"LD_PRELOAD": library, "WEBSP_CLOCK": str(jumps)})


@contextmanager
def _jumping(jumps: Path) -> Iterator[None]:
    """Let the clock jump in the background, by hours and years, forwards and back; it stays where it is at last."""
    chance = random.Random(7)

    def jump(stop: threading.Event) -> None:
        while not stop.wait(0.2):
            seconds = chance.choice((-31_536_000, -86_400, -3600, 7200, 86_400, 315_360_000))
            with jumps.open("r+b") as file:
                file.write(seconds.to_bytes(8, "little", signed=True))

    with _meanwhile(jump):
        yield


@contextmanager
def _killing(killed: Counter[str]) -> Iterator[None]:
    """Kill random processes of this one in the background, one in two seconds or so, and count them by kind."""
    chance = random.Random(11)

    def kill(stop: threading.Event) -> None:
        while not stop.wait(chance.uniform(1.0, 3.0)):
            named = [(each, kind) for each in _descendants(psutil.Process()) if (kind := _kind(each))]
            # The sandbox ends all episodes at once, so it is killed less often than there are others.
            wanted = chance.choices(("worker", "browser", "driver", "sandbox"), (4, 4, 3, 1))[0]
            fitting = [each for each, kind in named if kind == wanted]
            if fitting:
                with contextlib.suppress(psutil.Error):
                    chance.choice(fitting).kill()
                    killed[wanted] += 1

    with _meanwhile(kill):
        yield


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


def _kind(process: psutil.Process) -> str:
    try:
        words = " ".join(process.cmdline())
    except psutil.Error:
        return ""
    names = {
        "multiprocessing.spawn": "worker",
        "--remote-debugging-pipe": "browser",
        "run-driver": "driver",
        "websp_gym.sandbox.server.serve": "sandbox",
    }
    return next((kind for word, kind in names.items() if word in words and "--type=" not in words), "")


def _descendants(process: psutil.Process) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        found: list[psutil.Process] = process.children(recursive=True)
        return found
    return []


def outcome_of(said: str, failed: str) -> Outcome:
    """Return the outcome that a process printed last; if it printed none, the last line of its errors."""
    with contextlib.suppress(IndexError, ValueError, TypeError):
        return Outcome(**json.loads(said.strip().splitlines()[-1]))
    last = (failed.strip().splitlines() or ["it said nothing"])[-1][:300]
    return Outcome("the kind ends", {"failed": last}, False)


KINDS: dict[str, tuple[Kind, float]] = {
    "vector": (vector, 900.0),
    "kills": (kills, 1500.0),
    "crowd": (crowd, 900.0),
    "disk": (disk, 600.0),
    "memory": (memory, 900.0),
    "clock": (clock, 600.0),
}
"""Each kind and how many seconds it may take."""
