"""Score recorded runs again: by the server state in each trajectory, or by the verdicts of a judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Literal

from websp_gym.errors import SetupError
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.results import Result
from websp_gym.records.runs import append_result, no_results, read_lines
from websp_gym.records.trajectory import FILE
from websp_gym.records.verdict import failed_early
from websp_gym.runner.locking import locked
from websp_gym.scoring.judge.judgements import Judgement, read_judgements
from websp_gym.scoring.rewards import paid_by
from websp_gym.scoring.truth import policies_of_record, state_verdict_of_record
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import load_instance

By = Literal["state", "judge"]


@dataclass(frozen=True)
class Rescored:
    """A result before and after rescoring.

    Args:
        before: The result on disk.
        after: The result as scored now; the same object where it was not scored again.
        note: Why it cannot be scored again; empty otherwise.
    """

    before: Result
    after: Result
    note: str = ""

    @property
    def changed(self) -> bool:
        """Whether the outcome is different now."""
        return self.before.outcome != self.after.outcome


def rescore(folder: Path, *, by: By = "state", write: bool = False) -> list[Rescored]:
    """Score the results of a run again, without browser and sandbox.

    Args:
        folder: Folder of the run.
        by: ``state`` uses the server state kept in each trajectory, as the run's reward reads it, and judges its
            policies again; ``judge`` uses the newest verdict that
            ``websp judge`` wrote for each.
        write: Whether to append the new results to the folder's results. Reports then use them; the old lines
            stay in the file.

    Returns:
        Every result, before and after.

    Raises:
        SetupError: The folder has no results or no judgements, or cannot be written to.
    """
    results, broken = read_lines(folder)
    if not results:
        raise no_results([folder], broken)
    if by == "judge" and not any(_newest_judgement(folder, one) for one in results):
        raise SetupError(
            f"no judgements in {folder}: `websp judge {quote(str(folder))}` writes them", path=str(folder)
        )
    done = [_by_judge(folder, one) if by == "judge" else rescored_by_state(folder, one) for one in results]
    if write:
        with locked(folder):
            for one in done:
                if one.after is not one.before:
                    append_result(folder, one.after)
    return done


def rescored_by_state(folder: Path, result: Result) -> Rescored:
    """Return one result of a run as the server state in its trajectory scores it, as the run's reward reads it."""
    if result.brought_down:
        return Rescored(result, result)
    if not (result.trajectory and (folder / result.trajectory / FILE).is_file()):
        return Rescored(result, result, "no trajectory was kept")
    try:
        record = load_trajectory(folder / result.trajectory)
        instance = in_dataset(load_instance(result.id), record.options.get("dataset"))
    except SetupError as error:
        return Rescored(result, result, str(error))
    verdict = state_verdict_of_record(record, instance)
    if verdict.score is None:
        return Rescored(result, result, verdict.reason)
    try:
        verdict = replace(verdict, policies=policies_of_record(record, instance))
    except SetupError as error:
        return Rescored(result, result, str(error))
    if failed_early(record.end_reason) is None:
        verdict = paid_by(str(record.options.get("reward", "state")), verdict)
    return Rescored(result, result.rescored(verdict))


def _by_judge(folder: Path, result: Result) -> Rescored:
    if result.brought_down:
        return Rescored(result, result)
    judgement = _newest_judgement(folder, result)
    if judgement is None:
        return Rescored(result, result, "no judgement of its trajectory")
    if not (folder / result.trajectory / FILE).is_file():
        return Rescored(result, result, "its trajectory is gone")
    if judgement.record != digest_of(folder / result.trajectory):
        return Rescored(result, result, "its trajectory is not the one that was judged")
    return Rescored(result, _judged(result, judgement))


def _judged(result: Result, judgement: Judgement) -> Result:
    why = judgement.why or {}
    return replace(
        result,
        status=judgement.status,
        reward={"pass": 1.0, "fail": 0.0}.get(judgement.status),
        source=judgement.source,
        reason=judgement.reason,
        siblings=_less_paid(judgement, result.siblings, result.sibling_effects),
        strict=_less_paid(judgement, result.strict, result.side_effects),
        error=None,
        failure_kinds=tuple(why.get("kinds", result.failure_kinds if judgement.status == "fail" else ())),
        failure_elements=tuple(
            why.get("elements", result.failure_elements if judgement.status == "fail" else ())
        ),
    )


def _less_paid(judgement: Judgement, known: float | None, effects: tuple[str, ...] | None) -> float | None:
    """Return a score that does not pay these side effects, which come from the server state, even for a judge."""
    if judgement.status != "pass":
        return None if judgement.status == "unscored" else 0.0
    return None if known is None or effects is None else float(not effects)


def _newest_judgement(folder: Path, result: Result) -> Judgement | None:
    judgements = read_judgements(folder / result.trajectory) if result.trajectory else []
    return judgements[-1] if judgements else None
