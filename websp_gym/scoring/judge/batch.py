"""Judge many recorded runs: in parallel, within a budget, and resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.models.probe import no_price
from websp_gym.models.usage import sum_known
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.trajectory import FILE, Trajectory
from websp_gym.records.verdict import unscored
from websp_gym.scoring.judge.failures import Analysis, ask_why
from websp_gym.scoring.judge.judge import SOURCE, Judge
from websp_gym.scoring.judge.judgements import Judgement
from websp_gym.tasks.instances import load_instance

CACHE = "judge-cache.sqlite"


@dataclass
class Spending:
    """A budget, and how much of it was spent.

    Args:
        limit: US dollars; None for no limit.
        spent: US dollars spent so far.
        unknown: Whether a price was unknown, so that ``spent`` is too low.
        dearest: US dollars for the most expensive run so far.
        stopped: Why no further run can be judged, whatever is left; empty if one can.
    """

    limit: float | None = None
    spent: float = 0.0
    unknown: bool = False
    dearest: float = 0.0
    stopped: str = ""

    def add(self, amount: float | None, models: Iterable[str] = ()) -> None:
        """Add the cost of a run.

        Args:
            amount: US dollars; None if a price is unknown.
            models: The models that were asked, for the error message.

        Raises:
            SetupError: A price is unknown although there is a limit.
        """
        if amount is None:
            self.unknown = True
            if self.limit is not None:
                raise no_price(models)
            return
        self.spent += amount
        self.dearest = max(self.dearest, amount)

    def allows(self, running: int) -> bool:
        """Whether one more run fits next to ``running`` others, if each costs as much as the dearest so far."""
        if self.stopped:
            return False
        return self.limit is None or self.spent + (running + 1) * self.dearest <= self.limit

    def stop_if_lasting(self, votes: Iterable[Mapping[str, Any]]) -> None:
        """Stop if a model fails in a way that affects every run, such as a wrong key."""
        self.stopped = next((vote["error"] for vote in votes if vote.get("lasting")), self.stopped)


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
        ask_for_causes: Whether to ask the judge's first model why a run failed.
        on_result: Called with each judgement as it arrives.

    Returns:
        The judgements in order of arrival; fewer than runs if the budget was used up, or if a model failed in a way
        that affects every run.

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
                budget.stop_if_lasting(judgement.votes)
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
        quorum=judge.quorum,
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
