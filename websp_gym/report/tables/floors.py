"""The floors of the figures under policy: what doing nothing reaches, and what random actions do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from websp_gym.errors import SetupError
from websp_gym.policies.sets import Policies, policies_for
from websp_gym.records.policy_verdict import PolicyStatus, PolicyVerdict
from websp_gym.records.results import Result, ResultStatus
from websp_gym.records.runs import Run, count
from websp_gym.report.tables.policy_figures import COMPLETION, completion_cells
from websp_gym.report.tables.table import DASH, Cell, TableRow
from websp_gym.report.tables.under_policy import Asked
from websp_gym.scoring.nothing_done import nothing_done
from websp_gym.tasks.instances import load_instance

_FILES = "random_floor_*.json"
"""What `random` reached under each set, as ``make floor`` wrote it; there is no such row before that."""
NOTHING = "computed: nothing done"


@dataclass(frozen=True)
class Played:
    """An episode of `random`, as it is kept.

    Args:
        id: Id of the instance.
        trial: The trial.
        status: Its status.
        completed: :attr:`Result.completed`.
        progress: :attr:`Result.progress`.
        config_hash: Digest of the instance.
        policy_digest: Digest of its policies.
        policies: The status of each policy, by its id.
    """

    id: str
    trial: int
    status: ResultStatus
    completed: bool
    progress: float | None
    config_hash: str
    policy_digest: str
    policies: Mapping[str, PolicyStatus]


@dataclass(frozen=True)
class Measured:
    """A run of `random`, as it is kept.

    Args:
        sets: Names of its sets.
        started: Its day.
        dataset: Version of the dataset.
        options: Its options that are not the default.
        episodes: Its episodes.
    """

    sets: tuple[str, ...]
    started: str
    dataset: str
    options: Mapping[str, Any] = field(default_factory=dict)
    episodes: tuple[Played, ...] = ()

    @property
    def label(self) -> str:
        """The heading of its row."""
        return f"random, {self.started}, dataset {self.dataset}"


def floors(
    asked: Sequence[Asked], trials: int, known: Mapping[tuple[str, ...], Measured]
) -> tuple[list[TableRow], list[str]]:
    """Return the rows of the table of completion that show the floors, and notes on them.

    Args:
        asked: The sets and the instances of the runs.
        trials: Number of trials in the table.
        known: What `random` reached, by the sets.
    """
    rows: list[TableRow] = []
    notes: list[str] = []
    for each in asked:
        of = f", {' + '.join(each.sets) or 'policies not known'}" if len(asked) > 1 else ""
        try:
            nothing = [_nothing(name, each.sets) for name in each.ids]
        except SetupError as error:
            notes.append(f"What doing nothing reaches cannot be computed: {error}.")
            continue
        rows.append(TableRow(NOTHING + of, _cells(nothing, trials), computed=True))
        if not each.sets:
            notes.append(
                "What doing nothing breaks is unknown: the sets of policies are missing or have changed."
            )
        elif (kept := known.get(each.sets)) is not None:
            found = [result for name in each.ids for result in _of_random(kept, name)]
            missing = len(set(each.ids) - {result.id for result in found})
            if missing:
                notes.append(
                    f"{kept.label}: {count(missing, 'instance')} of {len(each.ids)} not measured in their current "
                    "version."
                )
            else:
                rows.append(TableRow(kept.label + of, _cells(found, trials), measured=True))
    return rows, notes


def _cells(results: Sequence[Result], trials: int) -> tuple[Cell, ...]:
    cells = completion_cells(results, trials if any(each.trial == trials for each in results) else 1)
    if all(each.policies is not None for each in results):
        return cells
    known = ("CR", "PCR", "Episodes", "Not played")
    return tuple(cell if name in known else Cell(DASH) for name, cell in zip(COMPLETION, cells, strict=True))


def _nothing(name: str, sets: tuple[str, ...]) -> Result:
    instance = load_instance(name)
    verdict = nothing_done(instance, policies_for(instance, sets) if sets else None)
    return Result(
        id=name,
        agent=NOTHING,
        reward=verdict.score,
        status=verdict.status,
        progress=verdict.progress,
        policies=verdict.policies,
    )


def _of_random(kept: Measured, name: str) -> Iterator[Result]:
    """Yield what `random` did on an instance, if that and its policies are the same now."""
    instance = load_instance(name)
    policies = policies_for(instance, kept.sets)
    for each in kept.episodes:
        if (each.id, each.config_hash, each.policy_digest) == (name, instance.config_hash, policies.digest):
            yield Result(
                id=name,
                agent="random",
                trial=each.trial,
                reward=None,
                status=each.status,
                completed=each.completed,
                progress=each.progress,
                policies=tuple(_verdicts(each, policies)),
            )


def _verdicts(played: Played, policies: Policies) -> Iterator[PolicyVerdict]:
    for policy in policies.policies:
        yield PolicyVerdict(
            id=policy.id,
            level=policy.level,
            dimension=policy.dimension,
            sentence=policy.rule.sentence(policies.names),
            status=played.policies[policy.id],
        )


def measure(run: Run, results: Iterable[Result]) -> Measured:
    """Return what is kept of a run of `random`; every result must have verdicts on its policies."""
    return Measured(
        sets=tuple(run.options["policies"]),
        started=run.started[:10],
        dataset=str(run.versions.get("dataset", "")),
        options=dict(run.options),
        episodes=tuple(
            Played(
                id=each.id,
                trial=each.trial,
                status=each.status,
                completed=each.completed,
                progress=each.progress,
                config_hash=each.config_hash,
                policy_digest=each.policy_digest,
                policies={policy.id: policy.status for policy in each.policies or ()},
            )
            for each in results
        ),
    )


def measured() -> dict[tuple[str, ...], Measured]:
    """Return what `random` reached, by the sets under which it was measured."""
    files = sorted(Path(__file__).parent.glob(_FILES))
    found = [_read(path, path.stat().st_mtime_ns) for path in files]
    return {each.sets: each for each in found}


@cache
def _read(path: Path, changed: int) -> Measured:
    return TypeAdapter(Measured).validate_json(path.read_bytes())


def write(kept: Measured) -> Path:
    """Write what `random` reached, for the reports of everybody; return the file."""
    path = Path(__file__).with_name(_FILES.replace("*", "_".join(kept.sets)))
    path.write_bytes(TypeAdapter(Measured).dump_json(kept, indent=1) + b"\n")
    return path
