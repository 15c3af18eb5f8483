"""Read the experiments of an AgentLab study from disk, as results.

Some of their files are pickles, so read only studies that you made or trust.
"""

from __future__ import annotations

import gzip
import json
import pickle
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC
from pathlib import Path
from typing import Any

from agentlab.experiments.loop import ExpResult, yield_all_exp_results

from websp_gym.agents.agentlab.benchmark import NAME
from websp_gym.agents.agentlab.env_args import WebspEnvArgs
from websp_gym.agents.agentlab.episode import RESULT, plain_error
from websp_gym.agents.agentlab.info import TURN
from websp_gym.agents.agentlab.summary import summarised
from websp_gym.agents.turns import Turn
from websp_gym.errors import SetupError
from websp_gym.records.results import Result, spent
from websp_gym.records.runs import read_result
from websp_gym.tasks.ids import canonical_id


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One episode as stored by AgentLab.

    Args:
        folder: Its folder.
        options: The environment's options that differ from the default.
        started: Start time as stored by AgentLab; empty for an episode that never started.
        turns: The agent's turns, as data of :class:`websp_gym.agents.Turn`.
        result: Its result; status ``error`` if it failed or did not finish.
    """

    folder: Path
    options: Mapping[str, Any]
    started: str = ""
    turns: list[dict[str, Any]] = field(default_factory=list)
    result: Result

    @property
    def group(self) -> tuple[str, str]:
        """Agent and options, which are the same for all episodes of a run."""
        return self.result.agent, json.dumps(self.options, sort_keys=True, default=str)


def read_study(study: Path) -> list[Experiment]:
    """Return the experiments of a study on our instances, in the study's order, including those that never ran.

    Raises:
        SetupError: There is no such folder, or it has no experiment on our instances.
    """
    if not study.is_dir():
        raise SetupError(f"no folder {study}", path=str(study))
    found = list(yield_all_exp_results(study, progress_fn=None, use_cache=False))
    ours = [one for one in found if str(one.exp_args.env_args.task_name).startswith(f"{NAME}.")]
    if not ours:
        raise SetupError(f"{study} holds no experiment on instances of websp-gym", path=str(study))
    ours.sort(key=lambda one: (one.exp_args.order or 0, str(one.exp_dir)))
    return _with_trials([_read(one) for one in ours])


def _read(one: ExpResult) -> Experiment:
    args = one.exp_args
    env_args = args.env_args
    options = env_args.options() if isinstance(env_args, WebspEnvArgs) else {}
    turns = read_turns(one.exp_dir)
    facts = {
        "agent": str(args.agent_args.agent_name),
        "seed": int(env_args.task_seed or 0),
        "instruction": str(options.get("instruction", "without_navigation")),
        **spent(turns),
    }
    result = _noted(one) or _without_note(one)
    date = getattr(args, "exp_date", None)
    return Experiment(
        folder=one.exp_dir,
        options=options,
        started=date.astimezone(UTC).isoformat(timespec="seconds") if date else "",
        turns=turns,
        result=replace(result, **facts),
    )


def _noted(one: ExpResult) -> Result | None:
    """Return the stored result; None if AgentLab would repeat the episode for an unknown reason."""
    try:
        result = read_result((one.exp_dir / RESULT).read_bytes())
    except FileNotFoundError:
        return None
    ended = one.status == "done" or (one.status == "error" and result.status in ("error", "unscored"))
    return result if ended else None


def _without_note(one: ExpResult) -> Result:
    """Return the result of an episode made with AgentLab's own ``EnvArgs``, from its summary; else an error."""
    env_args = one.exp_args.env_args
    name = canonical_id(env_args.task_name)
    # Only episodes of AgentLab's EnvArgs lack a result. With on_unscored, a reward of 0 may mean unscored.
    readable = not isinstance(env_args, WebspEnvArgs) and "on_unscored" not in (env_args.task_kwargs or {})
    facts = summarised(one.summary_info) if readable and one.status == "done" else None
    if facts is not None:
        return Result(id=name, agent="", **facts)
    return Result(id=name, agent="", reward=None, status="error", error=_problem(one))


def _problem(one: ExpResult) -> str:
    if one.status == "incomplete":
        return "the study was interrupted before this episode ended"
    problem = one.summary_info.get("err_msg")
    if problem:
        return plain_error(problem)
    return "no verdict was recorded: make the study with WebspBenchmark, or environments with WebspEnvArgs"


def _with_trials(experiments: list[Experiment]) -> list[Experiment]:
    """Number the episodes of the same agent, options and instance by their seeds."""
    same = defaultdict(list)
    for one in experiments:
        same[(*one.group, one.result.id)].append(one)
    trial = {
        id(one): number
        for episodes in same.values()
        for number, one in enumerate(sorted(episodes, key=lambda one: one.result.seed), 1)
    }
    return [replace(one, result=replace(one.result, trial=trial[id(one)])) for one in experiments]


def read_turns(folder: Path) -> list[dict[str, Any]]:
    """Return the agent's turns in an experiment's folder, as data of :class:`websp_gym.agents.Turn`.

    The list is empty for an agent without a model.
    """
    steps = sorted(folder.glob("step_*.pkl.gz"), key=lambda path: int(path.name.split("_")[1].split(".")[0]))
    found = []
    for path in steps:
        try:
            with gzip.open(path, "rb") as file:
                turn = _turn(pickle.load(file))
        except (OSError, EOFError, pickle.UnpicklingError):
            break  # The process died while writing this file.
        if turn is not None:
            found.append(turn)
    return found


def _turn(step: Any) -> dict[str, Any] | None:
    info = step.agent_info or {}
    kept = (info.get("extra_info") or {}).get(TURN)
    if kept is not None:
        return dict(kept)
    stats = step.stats or {}
    if "input_tokens" not in stats:
        return None
    calls = 1 + int(stats.get("n_retry", 0))
    return Turn(
        reply=_last_said(info.get("chat_messages")),
        action=step.action or "",
        thought=info.get("think") or "",
        attempts=calls,
        calls=calls,
        input_tokens=int(stats["input_tokens"]),
        output_tokens=int(stats.get("output_tokens", 0)),
        # AgentLab stores 0 for an unknown price.
        cost=stats.get("cost") or None,
        seconds=round(float(stats.get("agent_elapsed", 0.0)), 3),
    ).as_dict()


def _last_said(chat: Any) -> str:
    messages = list(getattr(chat, "messages", chat) or ())
    return str(messages[-1]) if messages else ""
