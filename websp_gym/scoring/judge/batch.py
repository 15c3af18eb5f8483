"""Judge many recorded runs: in parallel, within a budget, and resumable."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.models.usage import sum_known
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.runs import append_line
from websp_gym.records.trajectory import FILE, Trajectory
from websp_gym.records.verdict import Status, unscored
from websp_gym.scoring.judge.failures import Analysis, ask_why
from websp_gym.scoring.judge.judge import SOURCE, Judge
from websp_gym.scoring.judge.tally import Ballot
from websp_gym.tasks.instances import load_instance
from websp_gym.texts import encodable

JUDGEMENTS = "judgements.jsonl"
"""Name of the file with judgements, in the folder of a recorded run."""
CACHE = "judge-cache.sqlite"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A judge's verdict on one recorded run: one line of ``judgements.jsonl`` in the folder of the run.

    Args:
        run: The run's folder, relative to the folder that was judged.
        record: Digest of the record; a run recorded again has another one.
        instance: Id of the instance.
        judge: Identity of the judge: its models, settings and rules.
        status: ``pass``, ``fail`` or ``unscored``.
        source: ``judge``, or ``limit`` for a run stopped by a limit.
        reason: The reason.
        state: Status by the state reward when the run was recorded; empty where another reward was used.
        cost: US dollars paid for the opinions when they were given; None where a price is unknown.
        spent: US dollars spent now, without opinions from the cache.
        votes: The votes.
        why: Kinds of failure and elements that caused it, where a model was asked and answered.
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

    @property
    def ballot(self) -> Ballot:
        """The votes and their verdict; no votes where those of a line from elsewhere are not valid."""
        return Ballot.of(asdict(self)) or Ballot(self.status, ())

    @property
    def complete(self) -> bool:
        """Whether no opinion of a model is missing."""
        ballot = Ballot.of(asdict(self))
        return ballot is not None and ballot.complete

    def line(self) -> str:
        """Return the judgement as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))


@dataclass
class Spending:
    """A budget, and what was spent of it.

    Args:
        limit: US dollars; None for no limit.
        spent: US dollars spent so far.
        unknown: Whether a price was unknown, so that ``spent`` is too low.
        dearest: US dollars for the most expensive run so far.
    """

    limit: float | None = None
    spent: float = 0.0
    unknown: bool = False
    dearest: float = 0.0

    def add(self, amount: float | None, models: Iterable[str] = ()) -> None:
        """Add the cost of a run.

        Args:
            amount: US dollars; None where a price is unknown.
            models: The models that were asked, for the error message.

        Raises:
            SetupError: A price is unknown although there is a limit.
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
        """Whether one more run fits beside ``running`` others, if each costs as much as the dearest so far."""
        return self.limit is None or self.spent + (running + 1) * self.dearest <= self.limit


def find_runs(folder: Path) -> list[Path]:
    """Return the folders of recorded runs in a folder or below, sorted.

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
    """Judge recorded runs, several at a time.

    Args:
        judge: The judge.
        runs: Folders of the runs.
        parent: The folder that the names of runs are relative to.
        jobs: How many runs are judged at a time.
        spending: The budget; no run is started that could exceed it. None for no limit.
        ask_for_causes: Whether the judge's first model is asked why a run failed.
        on_result: Called with each judgement as it arrives.

    Returns:
        The judgements in the order of arrival; fewer than runs where the budget was used up.

    Raises:
        SetupError: A price is unknown although there is a limit.
    """
    budget = spending or Spending()
    todo = list(runs)[::-1]
    done: list[Judgement] = []
    running: set[Future[Judgement]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        while todo or running:
            # Start with a single run: what a run costs is not known yet.
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
    """Judge one recorded run, named relative to ``parent``; with ``ask_for_causes``, also ask why it failed.

    A record that cannot be read gives an unscored judgement with the reason, so that the other runs are still
    judged.
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
        # The instance is not installed here, so its element types are unknown; the verdict did not need them.
        return None
    return ask_why(
        judge.models[0],
        instruction=trajectory.instruction,
        ground_truth=trajectory.ground_truth,
        elements=elements,
        reason=reason,
    )


def keep_judgement(folder: Path, judgement: Judgement) -> None:
    """Append a judgement to ``judgements.jsonl`` of a recorded run.

    Raises:
        SetupError: The folder cannot be written to.
    """
    append_line(folder / JUDGEMENTS, judgement.line())


def read_judgements(folder: Path) -> list[Judgement]:
    """Return the judgements of a recorded run, oldest first; lines that cannot be read are skipped."""
    try:
        text = read_file(folder / JUDGEMENTS, MAX_RECORD).decode("utf-8", "replace")
    except OSError:
        return []
    found = []
    for line in text.split("\n"):
        try:
            found.append(Judgement(**json.loads(line)))
        except (ValueError, TypeError, RecursionError):
            continue
    return found


def latest_by(judge: Judge, folder: Path) -> Judgement | None:
    """Return the newest judgement of a run by this judge; None where there is none."""
    return next((each for each in reversed(read_judgements(folder)) if each.judge == judge.identity), None)


def already_judged(judge: Judge, runs: Iterable[Path]) -> set[Path]:
    """Return the runs that need not be judged again.

    These have a verdict of this judge on the record as it is now, with an opinion of each of its models. Others are
    judged again, and then a cache keeps the models that gave an opinion from being asked again.
    """
    return {
        run
        for run in runs
        if any(
            known.judge == judge.identity
            and known.status != "unscored"
            and known.complete
            and known.record == digest_of(run)
            for known in read_judgements(run)
        )
    }
