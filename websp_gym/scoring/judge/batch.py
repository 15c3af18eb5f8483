"""Judging many recorded runs: in parallel, within a budget, going on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.models.usage import sum_known
from websp_gym.records.results import append_line
from websp_gym.records.trajectory import FILE, Trajectory, digest_of, load_trajectory
from websp_gym.records.verdict import Status, unscored
from websp_gym.scoring.judge.failures import Analysis, ask_why
from websp_gym.scoring.judge.judge import SOURCE, Judge
from websp_gym.tasks.instances import load_instance
from websp_gym.texts import encodable

JUDGEMENTS = "judgements.jsonl"
"""In the folder of a recorded run, beside its trajectory."""
CACHE = "judge-cache.sqlite"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What a judge made of one recorded run: one line of ``judgements.jsonl`` in the run's folder.

    Args:
        run: The run's folder, relative to the one that was judged.
        record: Digest of its record: a run recorded anew is another run.
        instance: Id of the instance.
        judge: Which judge: its models, settings and rules.
        status: ``pass``, ``fail`` or ``unscored``.
        source: Who decided: ``judge``, or ``limit`` for a run into a limit.
        reason: Why.
        state: What the state reward had said when the run was recorded; empty where it was not asked.
        cost: US dollars its opinions cost when they were given; None where a price is unknown.
        spent: US dollars spent now, so without what the cache knew.
        votes: The votes.
        why: What kind of failure it is and which elements caused it, where that was asked and answered.
    """

    run: str
    record: str
    instance: str
    judge: str
    status: Status
    source: str
    reason: str
    state: str = ""
    cost: float | None = 0.0
    spent: float | None = 0.0
    votes: list[dict[str, Any]] = field(default_factory=list)
    why: dict[str, Any] | None = None

    def line(self) -> str:
        """The judgement as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))


@dataclass
class Spending:
    """What was spent so far, and what may be.

    Args:
        limit: US dollars; None for no limit.
        spent: So far.
        unknown: Whether something was spent of which the price is unknown.
    """

    limit: float | None = None
    spent: float = 0.0
    unknown: bool = False
    dearest: float = 0.0

    def add(self, amount: float | None, models: Iterable[str] = ()) -> None:
        """Adds what a run cost.

        Args:
            amount: US dollars; None where a price is unknown.
            models: Who was asked.

        Raises:
            SetupError: There is a limit, and the price is unknown: the limit could not be kept.
        """
        if amount is None:
            self.unknown = True
            if self.limit is not None:
                raise SetupError(
                    f"the limit on the cost cannot be kept: a price is unknown among {', '.join(models)}; "
                    "give one (WEBSP_PRICES, docs/models.md), or set no limit"
                )
            return
        self.spent += amount
        self.dearest = max(self.dearest, amount)

    def allows(self, running: int) -> bool:
        """Whether one more run may be judged while others are: as if each were as dear as the dearest so far."""
        return self.limit is None or self.spent + (running + 1) * self.dearest <= self.limit


def find_runs(folder: Path) -> list[Path]:
    """The recorded runs below a folder.

    Args:
        folder: A run's own folder, or any above.

    Returns:
        Folders with a trajectory, sorted.

    Raises:
        SetupError: There is none.
    """
    found = sorted(path.parent for path in folder.rglob(FILE)) if folder.is_dir() else []
    if not found:
        raise SetupError(
            f"no {FILE} in {folder} or below; record runs with `websp run --out DIR`", path=str(folder)
        )
    return found


def judge_runs(
    judge: Judge,
    runs: Iterable[Path],
    *,
    parent: Path,
    jobs: int = 4,
    spending: Spending | None = None,
    ask_for_causes: bool = False,
    on_result: Callable[[Judgement], None] = lambda judgement: None,
) -> list[Judgement]:
    """Judges recorded runs, several at a time.

    Args:
        judge: The judge.
        runs: Their folders.
        parent: What their names are relative to.
        jobs: How many at a time.
        spending: What may be spent; no further run is begun once the next could go beyond it.
        ask_for_causes: Whether the first model is asked why a run failed.
        on_result: Called with each judgement as it comes.

    Returns:
        The judgements, in the order they came; fewer than runs where the money did not last.

    Raises:
        SetupError: A price is unknown while there is a limit.
    """
    budget = spending or Spending()
    todo = list(runs)[::-1]
    done: list[Judgement] = []
    running: set[Future[Judgement]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        while todo or running:
            # One alone first: nobody knows yet what a run costs.
            room = 1 if budget.limit is not None and not done else jobs
            while todo and len(running) < room and budget.allows(len(running)):
                running.add(pool.submit(judge_run, judge, todo.pop(), parent, ask_for_causes=ask_for_causes))
            if not running:
                break
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for task in finished:
                judgement = task.result()
                done.append(judgement)
                on_result(judgement)
                budget.add(judgement.spent, [vote["model"] for vote in judgement.votes])
    return done


def judge_run(judge: Judge, folder: Path, parent: Path, *, ask_for_causes: bool = False) -> Judgement:
    """Judges one recorded run.

    Args:
        judge: The judge.
        folder: The run's folder.
        parent: What its name is relative to.
        ask_for_causes: Whether the first model is asked why it failed.

    Returns:
        The judgement; unscored, with the reason, for a record that cannot be read, so that the others are judged.
    """
    name = folder.relative_to(parent).as_posix()
    try:
        trajectory = load_trajectory(folder)
    except SetupError as error:
        broken = unscored(SOURCE, f"not judged: {error}")
        return Judgement(
            run=name,
            record=digest_of(folder),
            instance=folder.parent.name,
            judge=judge.identity,
            status=broken.status,
            source=broken.source,
            reason=broken.reason,
        )
    verdict = judge.verdict(trajectory, folder)
    kept = trajectory.verdict or {}
    wanted = ask_for_causes and verdict.status == "fail" and bool(verdict.details.get("votes"))
    why = _causes(judge, trajectory, verdict.reason) if wanted else None
    costs = [verdict.details.get(name, 0.0) for name in ("cost", "spent")]
    cost, spent = (sum_known([amount, why.cost if why else 0.0]) for amount in costs)
    return Judgement(
        run=name,
        record=digest_of(folder),
        instance=trajectory.instance,
        judge=judge.identity,
        status=verdict.status,
        source=verdict.source,
        reason=verdict.reason,
        state=str(kept.get("status", "")) if kept.get("source") in ("state", "limit") else "",
        cost=cost,
        spent=spent,
        votes=list(verdict.details.get("votes", [])),
        why=why.as_dict() if why else None,
    )


def _causes(judge: Judge, trajectory: Trajectory, reason: str) -> Analysis | None:
    try:
        elements = load_instance(trajectory.instance).config.element_types
    except SetupError:
        # A run of an instance of somebody else's is judged by what it recorded; which elements it has nobody knows.
        return None
    return ask_why(
        judge.models[0],
        instruction=trajectory.instruction,
        ground_truth=trajectory.ground_truth,
        elements=elements,
        reason=reason,
    )


def keep_judgement(folder: Path, judgement: Judgement) -> None:
    """Append a judgement to those of a recorded run.

    Args:
        folder: The run's folder.
        judgement: The judgement.

    Raises:
        SetupError: The folder cannot be written to.
    """
    append_line(folder / JUDGEMENTS, judgement.line())


def read_judgements(folder: Path) -> list[Judgement]:
    """Read the judgements of a recorded run.

    Args:
        folder: The run's folder; nobody need have judged it.

    Returns:
        The judgements, oldest first; a half-written line is left out.
    """
    path = folder / JUDGEMENTS
    if not path.is_file():
        return []
    found = []
    for line in path.read_text("utf-8", errors="replace").split("\n"):
        try:
            found.append(Judgement(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def latest_by(judge: Judge, folder: Path) -> Judgement | None:
    """Return the newest judgement that a judge gave of a recorded run; ``None`` where it gave none."""
    return next((each for each in reversed(read_judgements(folder)) if each.judge == judge.identity), None)


def already_judged(judge: Judge, runs: Iterable[Path]) -> set[Path]:
    """Return the runs on which a judge has given a verdict, as they are now.

    Args:
        judge: The judge.
        runs: Folders.

    Returns:
        Those that need not be judged again; unscored ones are.
    """
    return {
        run
        for run in runs
        if any(
            known.judge == judge.identity and known.status != "unscored" and known.record == digest_of(run)
            for known in read_judgements(run)
        )
    }
