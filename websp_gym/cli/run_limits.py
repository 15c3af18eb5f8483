"""When ``websp run`` starts no further episode, and when it has failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from websp_gym.cli.output import dollars
from websp_gym.models.probe import Probed
from websp_gym.models.usage import sum_known
from websp_gym.records.results import Result
from websp_gym.records.runs import count
from websp_gym.scoring.judge.batch import Spending


@dataclass
class RunLimits:
    """Decide when a run starts no further episode, and whether it has failed; options of ``websp run``."""

    max_error_share: Annotated[
        float,
        typer.Option(min=0, max=1, help="Exit with 1 if a larger share of the episodes ends in an error."),
    ] = 0.05
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0, help="Start no episode that could raise the total cost above this, in US dollars."
        ),
    ] = None
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", "-x", help="Stop after the first episode that does not pass.")
    ] = False
    stopped: str = field(default="", init=False)
    """Why the run stopped early; empty if it did not."""
    _spending: Spending = field(init=False)
    _done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._spending = Spending(self.max_cost)

    def add(self, result: Result) -> None:
        """Count a result; raise SetupError if the cost is limited and the price unknown."""
        self._done += 1
        if self.fail_fast and result.status != "pass":
            self.stopped = f"--fail-fast: {result.id} did not pass"
        if result.lasting and not self.stopped:
            what = "played" if result.status == "error" else "judged"
            self.stopped = f"no other episode could be {what} either ({result.lasting})"
        cost = result.cost if result.calls else 0.0
        unknown = [
            name for name, each in ((result.agent, cost), ("a judge", result.judge_cost)) if each is None
        ]
        self._spending.add(sum_known([cost, result.judge_cost]), unknown)

    def add_probes(self, probed: Sequence[Probed]) -> None:
        """Count what the first requests cost; raise SetupError if the cost is limited and a price unknown."""
        for each in probed:
            self._spending.add(each.reply.cost, [each.model])

    def go_on(self, running: int) -> bool:
        """Return whether another episode may start while `running` others run."""
        if self.stopped or (self.max_cost is not None and not self._done and running):
            # The first episode runs alone: the cost of one is not known yet.
            return False
        if self._spending.allows(running):
            return True
        if not running:
            self.stopped = f"--max-cost: {dollars(self._spending.spent)} spent"
        return False

    def failed(self, results: Sequence[Result]) -> str:
        """Return why the run has failed; empty if it has not."""
        errors = sum(result.status == "error" for result in results)
        if not results or errors / len(results) <= self.max_error_share:
            return ""
        return (
            f"{errors} of {count(len(results), 'episode')} ended in an error, "
            f"more than --max-error-share {self.max_error_share:g}"
        )
