"""Many episodes: one at a time, over processes, and again where a run was interrupted.

Three layers: :func:`run_episode` plays one episode, :func:`run_one` builds what it needs and turns errors into
results, :func:`run_batch` does many. An infrastructure error is a result of its own kind, never a score.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.errors import SetupError, nearest
from websp_gym.index import canonical_id, instance_ids
from websp_gym.pool import run_all

if TYPE_CHECKING:
    from websp_gym.agents import Agent
    from websp_gym.env import WebspEnv

RESULTS = "results.jsonl"


@dataclass(frozen=True)
class Result:
    """The outcome of one episode, as one line of ``results.jsonl``.

    ``status`` is ``pass``, ``fail`` or ``unscored``, or ``error`` when the episode could not be played to an end;
    then ``reward`` is ``None`` and ``error`` says why.
    """

    id: str
    agent: str
    reward: float | None
    status: Literal["pass", "fail", "unscored", "error"]
    steps: int
    seconds: float
    error: str | None = None
    reason: str = ""
    config_hash: str = ""

    def line(self) -> str:
        """The result as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def summary(self) -> str:
        """The fields a program that runs episodes reads, as one line of JSON."""
        keys = ("id", "agent", "reward", "status", "steps", "seconds", "error")
        return json.dumps({key: getattr(self, key) for key in keys}, ensure_ascii=False)


@dataclass(frozen=True)
class Job:
    """Everything a process needs to play one episode."""

    instance_id: str
    agent: str
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def run_episode(env: WebspEnv, agent: Agent, *, seed: int = 0) -> Result:
    """Plays one episode.

    Args:
        env: The environment; reset here.
        agent: The agent.
        seed: Seed of the episode.

    Returns:
        The result.

    Raises:
        WebspError: The episode could not be played to an end.
    """
    from websp_gym.agents import Briefing

    began = time.monotonic()
    observation, _info = env.reset(seed=seed)
    if env.task is None:
        raise SetupError("the environment has no task after reset")
    agent.begin(Briefing(env.loaded, env.task.episode.account, seed))
    steps = 0
    while True:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        steps += 1
        if terminated or truncated:
            break
    verdict = info["verdict"]
    return Result(
        id=env.loaded.id,
        agent=agent.name,
        reward=reward,
        status=verdict["status"],
        steps=steps,
        seconds=round(time.monotonic() - began, 3),
        reason=verdict["reason"],
        config_hash=env.loaded.config_hash,
    )


def run_one(job: Job) -> Result:
    """Builds environment and agent, plays the episode, and turns errors into a result.

    Args:
        job: What to run.

    Returns:
        The result; its status is ``error`` when environment or agent failed.
    """
    from websp_gym.agents import make_agent
    from websp_gym.registration import make_env

    began = time.monotonic()
    config_hash = ""
    try:
        env = make_env(job.instance_id, **job.options)
        config_hash = env.loaded.config_hash
        try:
            return run_episode(env, make_agent(job.agent), seed=job.seed)
        finally:
            env.close()
    except Exception as error:
        # Whatever it was, it is this episode's: the others go on, and nothing is scored.
        seconds = round(time.monotonic() - began, 3)
        return _failure(job, f"{type(error).__name__}: {error}", seconds, config_hash)


def run_batch(
    jobs: Iterable[Job], *, processes: int = 1, on_result: Callable[[Result], None] = lambda result: None
) -> list[Result]:
    """Runs many episodes, in this process or over several.

    Args:
        jobs: What to run.
        processes: How many processes; 1 runs here.
        on_result: Called with each result as it comes, in this process.

    Returns:
        The results, in the order they came.
    """
    todo = list(jobs)
    if processes > 1 and len(todo) > 1:
        _start_shared(todo)
    return run_all(run_one, todo, processes=processes, lost=_lost, on_done=on_result)


def select_instances(patterns: Iterable[str]) -> list[str]:
    """Chooses instances by glob.

    Args:
        patterns: Such as ``Steam-*`` or ``*-ON``; any spelling of an id will do.

    Returns:
        The matching ids, in file order.

    Raises:
        SetupError: A pattern matches nothing.
    """
    known = instance_ids()
    chosen: set[str] = set()
    for pattern in patterns:
        plain = canonical_id(pattern)
        found = [name for name in known if fnmatchcase(name, plain)]
        if not found:
            raise SetupError(f'no instance matches "{pattern}"{nearest(plain, known)}', pattern=pattern)
        chosen.update(found)
    return [name for name in known if name in chosen]


def read_results(folder: Path) -> list[Result]:
    """Reads the results of a run.

    Args:
        folder: The run's folder.

    Returns:
        Its results, the last one of each instance; a half-written last line is left out.
    """
    path = folder / RESULTS
    if not path.is_file():
        return []
    found: dict[str, Result] = {}
    for line in path.read_text("utf-8").splitlines():
        try:
            result = Result(**json.loads(line))
        except (ValueError, TypeError):
            continue
        found[result.id] = result
    return list(found.values())


def finished(folder: Path, agent: str) -> set[str]:
    """Which instances a run need not play again.

    Args:
        folder: The run's folder.
        agent: Name of the agent.

    Returns:
        Ids with a result of this agent for the configuration as it is now; errors are played again.
    """
    from websp_gym.instances import load_instance

    known = set(instance_ids())
    return {
        result.id
        for result in read_results(folder)
        if result.agent == agent
        and result.status != "error"
        and result.id in known
        and load_instance(result.id).config_hash == result.config_hash
    }


def _lost(job: Job) -> Result:
    return _failure(job, "the process that ran this episode died twice", 0.0, "")


def _failure(job: Job, message: str, seconds: float, config_hash: str) -> Result:
    return Result(
        id=canonical_id(job.instance_id),
        agent=job.agent,
        reward=None,
        status="error",
        steps=0,
        seconds=seconds,
        error=message,
        config_hash=config_hash,
    )


def _start_shared(jobs: list[Job]) -> None:
    """Starts the sandbox here, so that all processes find it and share it."""
    from websp_gym.world import make_world

    for name in {str(job.options.get("world", "sandbox")) for job in jobs}:
        make_world(name).browser_args()
