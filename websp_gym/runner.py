"""Many episodes: one at a time, over processes, and again where a run was interrupted.

Three layers: :func:`run_episode` plays one episode, :func:`run_one` builds what it needs and turns errors into
results, :func:`run_batch` does many. An infrastructure error is a result of its own kind, never a score.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.errors import InitialStateError, ModelError, ReplayError, SetupError, WorldError, nearest
from websp_gym.index import canonical_id, instance_ids
from websp_gym.pool import run_all
from websp_gym.results import (
    RESULTS,
    TRAJECTORIES,
    Result,
    Run,
    append_result,
    read_results,
    read_run,
    spent,
    unwritable,
    write_run,
)
from websp_gym.texts import encodable
from websp_gym.trajectory import now, versions

if TYPE_CHECKING:
    from websp_gym.agents import Agent, Turn
    from websp_gym.env import WebspEnv

AGENT_LOG = "agent.json"
_PASSING = ("timeout", "rate_limit", "server", "connection")
"""Kinds of model errors that another try may not meet."""


@dataclass(frozen=True)
class Job:
    """Everything a process needs to play one episode.

    Args:
        instance_id: The instance.
        run: What all episodes of the run have in common.
        trial: Which time the instance is played, from 1.
        folder: The run's folder, which gets the trajectory; None keeps none.
        retries: How often it is played again after an infrastructure error that may pass.
    """

    instance_id: str
    run: Run
    _: KW_ONLY
    trial: int = 1
    folder: Path | None = None
    retries: int = 0

    @property
    def seed(self) -> int:
        """Seed of the episode."""
        return self.run.seed + self.trial - 1

    @property
    def options(self) -> dict[str, Any]:
        """Options of the environment."""
        # An unscored episode is a result here, not an exception.
        options: dict[str, Any] = {"on_unscored": "zero", **self.run.options}
        if self.folder is not None:
            options["record_to"] = str(self.folder / TRAJECTORIES)
        return options


@dataclass
class _Progress:
    """What is known of an episode while it runs, for its result."""

    began: float = field(default_factory=time.monotonic)
    steps: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)


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
    return _play(env, agent, seed, _Progress())


def run_one(job: Job) -> Result:
    """Builds environment and agent, plays the episode, and turns errors into a result.

    Args:
        job: What to run.

    Returns:
        The result; its status is ``error`` when environment or agent failed at every try. What earlier tries took of
        the agent's model is in it.
    """
    tries: list[Result] = []
    for left in range(job.retries, -1, -1):
        result, error = _try(job)
        tries.append(result)
        if error is None or not (left and _may_pass(error)):
            break
    return replace(tries[-1], **spent(asdict(each) for each in tries if each.calls))


def run_batch(
    jobs: Iterable[Job], *, processes: int = 1, on_result: Callable[[Result], None] = lambda result: None
) -> list[Result]:
    """Runs many episodes, in this process or over several.

    Args:
        jobs: What to run.
        processes: How many processes; 1 runs here.
        on_result: Called with each result as it comes, in this process.

    Returns:
        The results, in the order they came. Those of jobs with a folder are on disk as soon as they come.

    Raises:
        SetupError: A result cannot be written.
    """
    todo = list(jobs)
    if processes > 1 and len(todo) > 1:
        _start_shared(todo)
    folders = {(job.run.hash, canonical_id(job.instance_id), job.trial): job.folder for job in todo}

    def keep(result: Result) -> None:
        folder = folders[(result.run_hash, result.id, result.trial)]
        if folder is not None:
            append_result(folder, result)
        on_result(result)

    return run_all(run_one, todo, processes=processes, lost=_lost, on_done=keep)


def plan_run(
    run: Run,
    ids: Iterable[str],
    *,
    trials: int = 1,
    folder: Path | None = None,
    resume: bool = False,
    retries: int = 1,
) -> list[Job]:
    """What is to be played for a run, and its folder made ready for it.

    Args:
        run: What all episodes have in common.
        ids: The instances.
        trials: How often each is played.
        folder: Where results and trajectories go; None keeps nothing.
        resume: Go on with what the folder has; only what is missing or ended in an infrastructure error is played.
        retries: How often an episode is played again after an infrastructure error that may pass.

    Returns:
        The jobs, all first trials first.

    Raises:
        SetupError: The folder has results and ``resume`` was not asked for, is another run's, or cannot be written.
    """
    done = _prepare(folder, run, resume) if folder is not None else set()
    return [
        Job(name, run, trial=trial, folder=folder, retries=retries)
        for trial in range(1, trials + 1)
        for name in ids
        if (name, trial) not in done
    ]


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


def finished(folder: Path, run: Run) -> set[tuple[str, int]]:
    """Which episodes a run need not play again.

    Args:
        folder: The run's folder.
        run: The run.

    Returns:
        Instances and trials with a result of this run for the configuration as it is now; infrastructure errors
        are played again.
    """
    from websp_gym.instances import load_instance

    known = set(instance_ids())
    return {
        (result.id, result.trial)
        for result in read_results(folder)
        if result.run_hash == run.hash
        and result.status != "error"
        and result.id in known
        and load_instance(result.id).config_hash == result.config_hash
    }


def _prepare(folder: Path, run: Run, resume: bool) -> set[tuple[str, int]]:
    """Makes the folder the run's; returns what it already has."""
    there = read_run(folder)
    if not resume and (there is not None or read_results(folder)):
        raise SetupError(
            f"{folder} already has results; add --resume to go on with them, or choose another --out"
        )
    if there is not None and there.hash != run.hash:
        raise SetupError(
            f"{folder} is another run ({there.difference(run)}); choose another --out", path=str(folder)
        )
    if there is None:
        write_run(folder, replace(run, started=now(), versions=versions()))
    try:
        (folder / RESULTS).open("ab").close()
    except OSError as error:
        raise unwritable(folder, error) from error
    return finished(folder, run)


def _try(job: Job) -> tuple[Result, Exception | None]:
    from websp_gym.agents import make_agent
    from websp_gym.registration import make_env

    progress = _Progress()
    agent: Agent | None = None
    try:
        agent = make_agent(job.run.agent)
        env = make_env(job.instance_id, **{"observation": agent.observation, **job.options})
        progress.facts["config_hash"] = env.loaded.config_hash
        try:
            return _belonging(_play(env, agent, job.seed, progress), job), None
        finally:
            env.close()
            _write_log(job, agent, progress)
    except Exception as error:
        # Whatever it was, it is this episode's: the others go on, and nothing is scored.
        facts = {**progress.facts, "steps": progress.steps, "seconds": progress.seconds(), **_spent(agent)}
        return _failure(job, f"{type(error).__name__}: {error}", **facts), error


def _play(env: WebspEnv, agent: Agent, seed: int, progress: _Progress) -> Result:
    from websp_gym.agents import Briefing

    observation, info = env.reset(seed=seed)
    if env.task is None:
        raise SetupError("the environment has no task after reset")
    progress.facts["reset_seconds"] = progress.seconds()
    if env.task.folder is not None:
        progress.facts["trajectory"] = str(env.task.folder)
    progress.began = time.monotonic()
    agent.begin(Briefing(env.loaded, env.task.episode.account, seed))
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        progress.steps += 1
        over = terminated or truncated
    verdict = info["verdict"]
    failure = verdict["details"].get("failure", {})
    return Result(
        id=env.loaded.id,
        agent=agent.name,
        seed=seed,
        instruction=env.options.instruction,
        reward=None if info["unscored"] else reward,
        status=verdict["status"],
        source=verdict["source"],
        end_reason=info["reason"],
        steps=progress.steps,
        actions=sum(step.counted for step in env.task.trajectory.steps),
        seconds=progress.seconds(),
        reason=verdict["reason"],
        failure_kinds=tuple(failure.get("kinds", ())),
        failure_elements=tuple(failure.get("elements", ())),
        side_effects=tuple(verdict["side_effects"]),
        strict=verdict["strict"],
        config_hash=env.loaded.config_hash,
        **{name: progress.facts[name] for name in ("reset_seconds", "trajectory") if name in progress.facts},
        **_spent(agent),
    )


def _spent(agent: Agent | None) -> dict[str, Any]:
    """What the agent's model was asked and what it cost; unknown where one answer's is."""
    turns: Sequence[Turn] = getattr(agent, "turns", ())
    return spent(turn.as_dict() for turn in turns)


def _write_log(job: Job, agent: Agent, progress: _Progress) -> None:
    """Keeps what the agent's model said beside the trajectory."""
    turns: Sequence[Any] = getattr(agent, "turns", ())
    if not turns or "trajectory" not in progress.facts:
        return
    data = {"agent": job.run.agent, "turns": [asdict(turn) for turn in turns]}
    folder = Path(progress.facts["trajectory"])
    try:
        (folder / AGENT_LOG).write_text(encodable(json.dumps(data, ensure_ascii=False, indent=1)), "utf-8")
    except OSError as error:
        raise unwritable(folder, error) from error


def _belonging(result: Result, job: Job) -> Result:
    """The result as one of the job's run."""
    return replace(result, **_of_run(job, result.trajectory))


def _of_run(job: Job, trajectory: str) -> dict[str, Any]:
    relative = ""
    if job.folder is not None and trajectory:
        relative = Path(trajectory).relative_to(job.folder).as_posix()
    return {
        "agent": job.run.agent,
        "trial": job.trial,
        "seed": job.seed,
        "run_hash": job.run.hash,
        "trajectory": relative,
        "instruction": str(job.run.options.get("instruction", "without_navigation")),
    }


def _may_pass(error: Exception) -> bool:
    if isinstance(error, ModelError):
        return getattr(error, "kind", None) in _PASSING
    return isinstance(error, WorldError | InitialStateError | ReplayError)


def _lost(job: Job) -> Result:
    return _failure(job, "the process that ran this episode died twice")


def _failure(job: Job, message: str, **facts: Any) -> Result:
    common: Mapping[str, Any] = _of_run(job, str(facts.pop("trajectory", "")))
    return Result(
        id=canonical_id(job.instance_id),
        reward=None,
        status="error",
        error=encodable(message),
        **facts,
        **common,
    )


def _start_shared(jobs: list[Job]) -> None:
    """Starts the sandbox here, so that all processes find it and share it."""
    from websp_gym.world import make_world

    for name in {str(job.options.get("world", "sandbox")) for job in jobs}:
        make_world(name).browser_args()
