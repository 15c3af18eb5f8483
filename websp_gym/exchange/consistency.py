"""Whether the results of a run follow from its records, and the records from this version's instances."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.env.options import Options
from websp_gym.errors import SetupError, WorldError
from websp_gym.exchange.states import not_s0, unexplained
from websp_gym.exchange.submission import Key, reward_of
from websp_gym.exchange.timing import fingerprint, out_of_time
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Result, facts_of
from websp_gym.records.runs import AGENT_LOG, RESULTS, RUN, Run, read_lines, read_run
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import failed_early
from websp_gym.runner.rescoring import rescored_by_state
from websp_gym.scoring.judge.judgements import judgements_of
from websp_gym.scoring.outcome import REWARDS
from websp_gym.scoring.truth import policies_of_record
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.world import world_kind

_OF_A_SCORE = ("reward", "siblings", "strict", "completed", "failure_kinds", "failure_elements")
"""What an episode without a verdict does not have."""
_SCORES = ("status", "source", "partial", "progress", "side_effects", *_OF_A_SCORE)
_LIMITS = ("world", "instruction", "login", "max_actions", "max_seconds")
"""Options that make a task easier or harder, checked also where a run leaves them at their default."""


@dataclass(frozen=True)
class Inconsistency:
    """Something that is wrong.

    Args:
        where: The file, or the episode.
        what: What is wrong with it.
    """

    where: str
    what: str


def check_run(folder: Path, wanted: Iterable[Key], *, others: bool = False) -> Iterator[Inconsistency]:
    """Yield what is wrong with a run that should have these episodes, and no others unless ``others``.

    Each must have one result and a record. The result must be what the record's state or judgement gives, and the
    record that of the instance as it is in this version, played with the run's agent, options and seed.
    """
    run = read_run(folder)
    if run is None:
        yield Inconsistency(RUN, "it is missing")
        return
    results, broken = read_lines(folder)
    yield from (Inconsistency(f"{RESULTS}:{line.line}", line.reason) for line in broken)
    keys = dict.fromkeys(wanted)
    found: dict[Key, Result] = {}
    records: dict[str, str] = {}
    played: dict[str, str] = {}
    for result in results:
        key, name = (result.id, result.trial), _name(result.id, result.trial)
        if key in found:
            yield Inconsistency(name, "it has two results")
            continue
        if key not in keys:
            if not others:
                yield Inconsistency(name, "it is not one of the claimed episodes")
            continue
        found[key] = result
        if result.trajectory and result.trajectory in records:
            yield Inconsistency(name, f"its record is that of {records[result.trajectory]}")
        records[result.trajectory] = name
        yield from (Inconsistency(name, what) for what in _wrong_with(folder, run, result, played))
    yield from (Inconsistency(_name(*key), "it has no result") for key in keys if key not in found)


def _name(instance_id: str, trial: int) -> str:
    return f"{instance_id}, trial {trial}"


def _wrong_with(folder: Path, run: Run, result: Result, played: dict[str, str]) -> Iterator[str]:
    """Yield what is wrong with an episode; ``played`` has the names of those before it by their fingerprints."""
    if result.status == "error":
        yield f"it was not played to its end ({result.error}); `websp run --resume` plays it again"
        return
    instruction = run.options.get("instruction", Options.instruction)
    its = (result.agent, result.run_hash, result.seed, result.instruction)
    if its != (run.agent, run.hash, run.seed + result.trial - 1, instruction):
        yield f"its agent, options or seed are not those of {RUN}"
    try:
        world_kind(run.world)  # one that is not here could not be checked
        instance = in_dataset(load_instance(result.id), run.options.get("dataset"))
    except SetupError as error:
        yield str(error)
        return
    if result.config_hash != instance.config_hash:
        yield f"it was played as {result.config_hash}, and this version has {instance.config_hash}"
        return
    if not result.trajectory:
        yield "no record was kept"
        return
    try:
        record = load_trajectory(folder / result.trajectory)
    except SetupError as error:
        yield f"its record cannot be read: {error}"
        return
    mark = fingerprint(record)
    if mark in played:
        yield f"its record is a copy of that of {played[mark]}: the same times and the same log"
    elif mark:
        played[mark] = _name(result.id, result.trial)
    if (agent := _agent_of(folder / result.trajectory)) not in ("", run.agent):
        yield f"its record is of the agent {agent!r}"
    try:
        yield from out_of_time(record)
        yield from _other_episode(run, result, record)
        if result.brought_down:
            yield from _without_own_error(result, record)
        elif not record.came_to_its_end:
            why = record.error or record.end_reason or "it was cut short"
            yield f"its record did not reach its end ({why}), which is an error and has no verdict"
        else:
            yield from _not_given(folder, run, result, record, instance)
    except (TypeError, ValueError, LookupError, AttributeError, WorldError) as error:
        # States and events of a record by others may have any shape.
        yield f"its record cannot be scored: {type(error).__name__}: {error}"


def _agent_of(record: Path) -> str:
    """Return the agent that a log of model calls names; empty without one."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        log = json.loads(read_file(record / AGENT_LOG, MAX_RECORD))
        return str(log["agent"]) if isinstance(log, dict) and "agent" in log else ""
    return ""


def _other_episode(run: Run, result: Result, record: Trajectory) -> Iterator[str]:
    mine = (result.id, result.seed, result.config_hash)
    if (record.instance, record.seed, record.config_hash) != mine:
        yield f"its record is that of {record.instance}, seed {record.seed}, content {record.config_hash}"
    if record.world != run.world:
        yield f"its record is of the world {record.world}, not {run.world}"
    asked = {**{name: getattr(Options, name) for name in _LIMITS}, **run.options}
    played = {name: record.options.get(name, getattr(Options, name, None)) for name in asked}
    yield from (
        f"its record was played with {name} {played[name]!r}, not {asked[name]!r}"
        for name in asked
        if played[name] != asked[name]
    )
    told, facts = (result.steps, result.actions), facts_of(record)
    if told != (facts["steps"], facts["actions"]):
        have = f"{facts['steps']} and {facts['actions']}"
        yield f"it has {told[0]} steps and {told[1]} counted actions, and its record {have}"
    if result.choices not in (None, facts["choices"]):
        yield f"it claims the choices {result.choices}, and its record gives {facts['choices']}"
    if facts["actions"] > asked["max_actions"] and record.end_reason != "action_limit":
        yield f"its record has {facts['actions']} counted actions, and {asked['max_actions']} were allowed"


def _without_own_error(result: Result, record: Trajectory) -> Iterator[str]:
    """Yield why a result is not that of an agent whose action ended the episode with an error twice."""
    if record.came_to_its_end:
        yield f"it failed by an error, but its record ended otherwise: {record.end_reason}"
    if result.again < 1:
        yield "it failed by an error that did not happen twice"
    unknown = {name: getattr(Result, name, None) for name in (*_SCORES, "policies")}
    yield from _other_outcome(result, {**unknown, "status": "fail", "reward": 0.0, "source": "runner"})


def _not_given(
    folder: Path, run: Run, result: Result, record: Trajectory, instance: Instance
) -> Iterator[str]:
    """Yield what the record does not give: S0, its end state, or the result."""
    if world_kind(run.world).is_ours:
        if record.s0 and record.end:
            yield from not_s0(record, instance)
            yield from unexplained(record, instance.site.slug)
        else:
            yield "its record has no state of the server"
    if result.end_reason != record.end_reason:
        yield f"it ended by {result.end_reason}, and its record by {record.end_reason}"
    try:
        if policies_of_record(record, instance) != result.policies:
            yield "its verdicts on policies are not those that its record gives"
    except SetupError as error:
        yield str(error)
    yield from _other_outcome(result, _given(folder, run, result, record))


def _given(folder: Path, run: Run, result: Result, record: Trajectory) -> dict[str, Any]:
    """Return the fields of the result as the record of an episode that came to its end determines them."""
    reward, early = reward_of(run), failed_early(record.end_reason)
    if reward == "judge" and early is None:
        judgements = judgements_of(folder / result.trajectory)
        status = judgements[-1].status if judgements else "unscored"
        source = judgements[-1].source if judgements else reward
        return {"status": status, "reward": {"pass": 1.0, "fail": 0.0}.get(status), "source": source}
    if reward not in REWARDS and early is None:  # a function of the user's, which is not here
        kept = record.verdict or {}
        return {"status": kept.get("status"), "reward": kept.get("score"), "source": kept.get("source")}
    again = rescored_by_state(folder, result)
    if again.note:
        return {"status": "unscored", **{name: getattr(Result, name, None) for name in _OF_A_SCORE}}
    return {name: getattr(again.after, name) for name in _SCORES}


def _other_outcome(result: Result, given: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        if name == "progress" and result.progress is None:
            continue  # a result of an older version; it counts as nothing done
        if getattr(result, name) != value:
            yield f"it claims {name} {getattr(result, name)}, and its record gives {value}"
