"""Whether the results of a run follow from its records, and the records from this version's instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.datasets import in_dataset
from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.exchange.submission import Key, reward_of, world_of
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Result, facts_of
from websp_gym.records.runs import RESULTS, RUN, Run, read_lines, read_run
from websp_gym.records.trajectory import Trajectory
from websp_gym.runner.rescoring import rescored_by_state
from websp_gym.scoring.judge.judgements import judgements_of
from websp_gym.scoring.outcome import REWARDS
from websp_gym.tasks.instances import load_instance

_SCORES = (
    "status", "reward", "siblings", "strict", "partial", "completed", "side_effects", "failure_kinds",
    "failure_elements",
)  # fmt: skip
_CUT_OFF = ("limit", "guard")
"""Sources of a verdict that no reward decides."""
_LIMITS = ("world", "instruction", "login", "max_actions", "max_seconds")
"""Options that make a task easier or harder, checked also where a run leaves them at their default."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong.

    Args:
        where: The file, or the episode.
        what: What is wrong with it.
    """

    where: str
    what: str


def check_run(folder: Path, wanted: Iterable[Key], *, others: bool = False) -> Iterator[Problem]:
    """Yield what is wrong with a run of which these episodes are wanted, and no others unless ``others``.

    Each must have one result and a record. The result must be what the record's state or judgement gives, and the
    record that of the instance as it is in this version, played with the run's agent, options and seed.
    """
    run = read_run(folder)
    if run is None:
        yield Problem(RUN, "it is missing")
        return
    results, broken = read_lines(folder)
    yield from (Problem(f"{RESULTS}:{line.line}", line.reason) for line in broken)
    keys = dict.fromkeys(wanted)
    found: dict[Key, Result] = {}
    records: dict[str, str] = {}
    for result in results:
        key, name = (result.id, result.trial), _name(result.id, result.trial)
        if key in found:
            yield Problem(name, "it has two results")
            continue
        if key not in keys:
            if not others:
                yield Problem(name, "it is not one of the claimed episodes")
            continue
        found[key] = result
        if result.trajectory and result.trajectory in records:
            yield Problem(name, f"its record is that of {records[result.trajectory]}")
        records[result.trajectory] = name
        yield from (Problem(name, what) for what in _wrong_with(folder, run, result))
    yield from (Problem(_name(*key), "it has no result") for key in keys if key not in found)


def _name(instance_id: str, trial: int) -> str:
    return f"{instance_id}, trial {trial}"


def _wrong_with(folder: Path, run: Run, result: Result) -> Iterator[str]:
    if result.status == "error":
        yield f"it was not played to its end ({result.error}); `websp run --resume` plays it again"
        return
    instruction = run.options.get("instruction", Options.instruction)
    its = (result.agent, result.run_hash, result.seed, result.instruction)
    if its != (run.agent, run.hash, run.seed + result.trial - 1, instruction):
        yield f"its agent, options or seed are not those of {RUN}"
    try:
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
    yield from _other_episode(run, result, record)
    if result.brought_down:
        if result.again < 1:
            yield "it is a failure by an error that did not happen twice"
        return
    try:
        yield from _not_given(folder, run, result, record)
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        # States and events of a record by others may have any shape.
        yield f"its record cannot be scored: {type(error).__name__}: {error}"


def _other_episode(run: Run, result: Result, record: Trajectory) -> Iterator[str]:
    mine = (result.id, result.seed, result.config_hash)
    if (record.instance, record.seed, record.config_hash) != mine:
        yield f"its record is that of {record.instance}, seed {record.seed}, content {record.config_hash}"
    if record.world != world_of(run):
        yield f"its record is of the world {record.world}, not {world_of(run)}"
    asked = {**{name: getattr(Options, name) for name in _LIMITS}, **run.options}
    other = [name for name in asked if name in record.options and record.options[name] != asked[name]]
    yield from (
        f"its record was played with {name} {record.options[name]!r}, not {asked[name]!r}" for name in other
    )
    told, facts = (result.steps, result.actions), facts_of(record)
    if told != (facts["steps"], facts["actions"]) and not result.brought_down:
        have = f"{facts['steps']} and {facts['actions']}"
        yield f"it has {told[0]} steps and {told[1]} counted actions, and its record {have}"


def _not_given(folder: Path, run: Run, result: Result, record: Trajectory) -> Iterator[str]:
    """Yield what the record does not give: its end state, or the result."""
    if world_of(run) == "sandbox" and not (record.s0 and record.end):
        yield "its record has no state of the server"
    yield from _unexplained(record)
    yield from _other_outcome(folder, run, result, record)


def _unexplained(record: Trajectory) -> Iterator[str]:
    """Yield the settings whose value at the end is not what the log of events makes of S0."""
    settings = dict(record.s0.get("settings", {}))
    for event in record.events:
        data = event.get("data", {})
        if "key" in data and "new" in data and "collection" not in data:
            settings[data["key"]] = data["new"]
    for key, value in record.end.get("settings", {}).items():
        if settings.get(key) != value:
            yield f"its end state has {key}={value!r}, which S0 and the log of events do not give"


def _other_outcome(folder: Path, run: Run, result: Result, record: Trajectory) -> Iterator[str]:
    """Yield how the result differs from what its record gives."""
    reward = reward_of(run)
    if reward == "judge" and result.source not in _CUT_OFF:
        judgements = judgements_of(folder / result.trajectory)
        given: dict[str, Any] = {"status": judgements[-1].status if judgements else "unscored"}
        given["reward"] = {"pass": 1.0, "fail": 0.0}.get(given["status"])
    elif reward in REWARDS or result.source in _CUT_OFF:
        again = rescored_by_state(folder, result)
        if again.note and result.reward is not None:
            yield f"it claims {result.status}, and its record gives no score: {again.note}"
        given = {} if again.note else {name: getattr(again.after, name) for name in _SCORES}
        if not again.note and again.after.policies != result.policies:
            yield "its verdicts on policies are not those that its record gives"
    else:  # a function of the user's, which is not here
        kept = record.verdict or {}
        given = {"status": kept.get("status"), "reward": kept.get("score")}
    for name, value in given.items():
        if getattr(result, name) != value:
            yield f"it claims {name} {getattr(result, name)}, and its record gives {value}"
