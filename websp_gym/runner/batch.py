"""Run episodes: one at a time or in parallel over processes or a cluster, with retries and resuming.

Three layers: :func:`run_episode` plays one episode, :func:`run_one` builds the environment and the agent and
turns errors into results, and :func:`run_batch` runs many episodes. An infrastructure error has a status of
its own and is never a score. An error that the same action of the agent causes twice is the agent's failure
(:mod:`websp_gym.scoring.blame`).
"""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.agents.registry import OUTSIDE, make_player
from websp_gym.env.options import Options, kind_for
from websp_gym.env.registration import make_env
from websp_gym.env.rollout import OutsidePlayer, Rollout
from websp_gym.errors import SetupError, WebspError, WorldBusyError, unwritable
from websp_gym.records.results import Result, Try, facts_of, spent
from websp_gym.records.runs import AGENT_LOG, append_result, read_run
from websp_gym.runner.deaths import died
from websp_gym.runner.jobs import Job
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.runner.tries import lasting_cause, may_pass, prepared
from websp_gym.scoring.blame import blamed_step, is_own_failure, own_failure
from websp_gym.tasks.ids import canonical_id, known_ids
from websp_gym.texts import encodable
from websp_gym.world import start_shared

if TYPE_CHECKING:
    from websp_gym.agents import Turn
    from websp_gym.agents.base import NamedPlayer
    from websp_gym.env import WebspEnv
    from websp_gym.records.verdict import Verdict

_log = logging.getLogger(__name__)
_OURS = Path(__file__).resolve().parent.parent
_TO_WAIT_FOR_ACCOUNTS = 3600.0
"""Seconds to wait for accounts on live websites: as long as other processes of the run may play with them."""
Backend = Literal["processes", "ray"]
"""Where the processes of a batch are: on this machine, or on the nodes of a Ray cluster."""


def run_episode(env: WebspEnv, agent: NamedPlayer, *, seed: int = 0) -> Result:
    """Play one episode.

    Args:
        env: The environment. It is reset here.
        agent: The agent.
        seed: Seed of the episode.

    Returns:
        The result.

    Raises:
        WebspError: The episode could not be played to its end.
    """
    return _play(Rollout(env, agent, seed=seed), agent)


def run_one(job: Job) -> Result:
    """Build the environment and the agent, play the episode, and turn errors into a result.

    Args:
        job: The episode to play.

    Returns:
        The result, with every attempt that an error ended. Its status is ``error`` where the environment or
        the agent failed in every attempt, and ``fail`` where the same action ended two attempts. The token
        counts and the cost cover all attempts.

    Raises:
        SetupError: Something that every episode needs is missing, or results can no longer be written.
    """
    return play_job(job, lambda: make_player(job.run.player))


def play_job(job: Job, new_agent: Callable[[], NamedPlayer]) -> Result:
    """Do the same as :func:`run_one` with agents of the caller.

    Args:
        job: The episode to play.
        new_agent: Makes an agent: at first, and again where a model gave no reply.
    """
    agent = prepared(new_agent())
    outside = isinstance(agent, OutsidePlayer)
    asked, tries, before = [agent], list(job.tries), 0
    for left in range(job.retries, -1, -1):
        result, error = _once_there_is_an_account(job, agent)
        if error is None:
            break
        (failure,) = result.tries
        tries.append(failure)
        if is_own_failure(tries[before:], outside=outside):
            result = _agent_caused_failure(result, failure)
            break
        if not (left and may_pass(error, failure.stage)):
            break
        if failure.stage == "agent" and blamed_step(failure, outside=outside) is None:
            # The model gave no reply, for reasons of its own: a fresh agent gains nothing by it.
            agent = prepared(new_agent())
            asked.append(agent)
            before = len(tries)
    parts = (_spent(each) for each in asked)
    return replace(result, tries=tuple(tries), **spent(part for part in parts if part))


def run_batch(
    jobs: Iterable[Job],
    *,
    processes: int = 1,
    backend: Backend = "processes",
    on_result: Callable[[Result], None] = lambda result: None,
    go_on: Callable[[int], bool] = lambda running: True,
) -> list[Result]:
    """Run many episodes, in this process or over several.

    Args:
        jobs: The episodes to run.
        processes: Number of processes; 1 runs in this process, unless on a cluster.
        backend: Where the processes are. On a cluster all nodes need the folders of the jobs.
        on_result: Called in this process with each result as it arrives.
        go_on: Called with the number of running episodes before another one starts. When it returns False, no
            further episode starts, and the running ones finish.

    Returns:
        The results, in order of arrival. The result of a job with a folder is on disk as soon as it arrives.

    Raises:
        SetupError: Something that every episode needs is missing, or a result cannot be written.
    """
    todo = list(jobs)
    folders = {
        (job.run.hash, canonical_id(job.instance_id).casefold(), job.trial): job.folder for job in todo
    }

    def keep(result: Result) -> None:
        folder = folders[(result.run_hash, result.id.casefold(), result.trial)]
        if folder is not None:
            append_result(folder, result)
        on_result(result)

    work, engine = run_one, None
    if backend == "ray":
        from websp_gym.rollouts import ray

        work, engine = _run_on_node, ray.tasks
        # The processes of a node are in another folder than this one.
        todo = [replace(job, folder=job.folder and job.folder.resolve()) for job in todo]
    elif processes > 1 and len(todo) > 1:
        start_shared(job.run.world for job in todo)
    batch = Batch(work, todo, again=_retry_of, on_crash=crashed, on_result=keep, go_on=go_on)
    return map_unordered(batch, processes, engine)


def _once_there_is_an_account(job: Job, agent: NamedPlayer) -> tuple[Result, Exception | None]:
    """Try a job; again as long as other episodes use all accounts of its live website."""
    end, level = time.monotonic() + _TO_WAIT_FOR_ACCOUNTS, logging.WARNING
    while True:
        result, error = _try(job, agent)
        if not isinstance(error, WorldBusyError) or time.monotonic() > end:
            return result, error
        _log.log(level, "%s; waiting", error)
        level = logging.DEBUG  # said once


def _try(job: Job, agent: NamedPlayer) -> tuple[Result, Exception | None]:
    rollout: Rollout | None = None
    try:
        options = job.options
        env = make_env(job.instance_id, **{"observation": kind_for(agent.observation, options), **options})
        rollout = Rollout(env, agent, seed=job.seed)
        try:
            return _with_run_facts(_play(rollout, agent), job), None
        finally:
            env.close()
            _write_log(job, agent, rollout)
    except SetupError:
        # It would end every other episode too.
        raise
    except Exception as error:
        # Any other error concerns this episode only: the others go on, and this one is not scored.
        return _failure(job, rollout, error), error


def _play(rollout: Rollout, agent: NamedPlayer) -> Result:
    for _step in rollout:
        pass
    task = rollout.task
    assert task is not None
    assert task.verdict is not None
    return Result.of(
        task.verdict,
        task.trajectory,
        agent=agent.name,
        seconds=rollout.seconds,
        reset_seconds=rollout.reset_seconds,
        trajectory=str(task.folder or ""),
        lasting=_unjudgeable(task.verdict),
        **_spent(agent),
    )


def _unjudgeable(verdict: Verdict) -> str:
    """Return why a model of the judge would answer about no other episode either; empty if there is a verdict."""
    votes = verdict.details.get("votes", []) if verdict.status == "unscored" else []
    return next((str(vote["error"]) for vote in votes if vote.get("lasting")), "")


def _spent(agent: NamedPlayer | None) -> dict[str, Any]:
    """Sum up the calls, tokens and cost of the agent's model; a sum is None where one amount is unknown."""
    turns: Sequence[Turn] = getattr(agent, "turns", ())
    return spent(turn.as_dict() for turn in turns)


def _write_log(job: Job, agent: NamedPlayer, rollout: Rollout) -> None:
    """Write the replies of the agent's model to a file beside the trajectory."""
    turns: Sequence[Any] = getattr(agent, "turns", ())
    folder = rollout.task.folder if rollout.task else None
    if not turns or folder is None:
        return
    data = {"agent": job.run.agent, "turns": [asdict(turn) for turn in turns]}
    try:
        (folder / AGENT_LOG).write_text(encodable(json.dumps(data, ensure_ascii=False, indent=1)), "utf-8")
    except OSError as error:
        raise unwritable(folder, error) from error


def _with_run_facts(result: Result, job: Job) -> Result:
    """Return the result with the facts of the job's run."""
    return replace(result, **_run_facts(job, result.trajectory))


def _run_facts(job: Job, trajectory: str) -> dict[str, Any]:
    return {
        "agent": job.run.agent,
        "trial": job.trial,
        "seed": job.seed,
        "run_hash": job.run.hash,
        "trajectory": _relative(job, trajectory),
        "instruction": str(job.run.options.get("instruction", Options.instruction)),
    }


def _relative(job: Job, trajectory: str) -> str:
    if job.folder is None or not trajectory:
        return trajectory
    return Path(trajectory).relative_to(job.folder).as_posix()


def _failure(job: Job, rollout: Rollout | None, error: Exception) -> Result:
    """Return the result of an attempt that an error ended."""
    text = f"{type(error).__name__}: {error}{_where(error)}"
    if rollout is None:
        return _unplayed(job, Try(error=text, stage="reset"), lasting=lasting_cause(error))
    task = rollout.task
    trajectory = str(task.folder or "") if task else ""
    failure = Try(
        error=text,
        stage=rollout.stage,
        step=rollout.actions,
        seconds=round(rollout.reset_seconds + rollout.seconds, 3),
        trajectory=_relative(job, trajectory),
    )
    env = rollout.env
    unknown = {"config_hash": env.instance.config_hash, "dataset": env.options.dataset or ""}
    known = facts_of(task.trajectory) if task else unknown
    lasting = lasting_cause(error)
    return _unplayed(job, failure, trajectory, **known, seconds=rollout.seconds, lasting=lasting)


def _where(error: Exception) -> str:
    """Return the line of the user's own code that raised an error; empty for an error of ours."""
    if isinstance(error, WebspError):
        return ""
    theirs = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((str(_OURS), sys.prefix, sys.base_prefix, "<"))
    ]
    return f" ({Path(theirs[-1].filename).name}:{theirs[-1].lineno} in {theirs[-1].name})" if theirs else ""


def _unplayed(job: Job, failure: Try, trajectory: str = "", **known: Any) -> Result:
    facts = {"id": known_ids([job.instance_id])[0], **known, **_run_facts(job, trajectory)}
    return Result(**facts, reward=None, status="error", error=failure.error, tries=(failure,))


def _agent_caused_failure(result: Result, failure: Try) -> Result:
    """Return the failing result of an episode that the same action ended twice with an error."""
    return replace(
        result,
        reward=0.0,
        status="fail",
        source="runner",
        end_reason="error",
        error=None,
        reason=own_failure(failure),
    )


def _retry_of(job: Job) -> Job:
    """Return the job to run again after its process died, with the lost attempt noted."""
    return replace(job, tries=(*job.tries, died(job)))


def crashed(job: Job, *, outside: bool | None = None) -> Result:
    """Return the result of a job whose process died, for the last time that is tried.

    Args:
        job: The job.
        outside: Whether its agent drives the browser itself; ``None`` takes that from its name.
    """
    failure = died(job)
    tries = (*job.tries, failure)
    lost = replace(failure, error=f"{failure.error}{' twice' if job.tries else ''}")
    result = replace(_unplayed(job, lost), tries=tries)
    is_outside = job.run.player.partition(":")[0] in OUTSIDE if outside is None else outside
    # It has the means to end the process, and it must not gain by it.
    if is_outside and is_own_failure(tries, outside=True):
        return replace(_agent_caused_failure(result, failure), trajectory=failure.trajectory)
    return result


def _run_on_node(job: Job) -> Result:
    there = read_run(job.folder) if job.folder is not None else job.run
    if there is None or there.hash != job.run.hash:
        raise SetupError(
            f"{socket.gethostname()} does not see {job.folder}: --out on a cluster needs a folder that all nodes "
            "share, under the same path",
            path=str(job.folder),
        )
    return run_one(job)
