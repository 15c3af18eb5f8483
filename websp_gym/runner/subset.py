"""The instances to play again for a table of robustness: all failures of a first trial, and a few successes."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import count, no_results, read_lines
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance


@dataclass(frozen=True)
class Subset:
    """Instances chosen by the outcome of their first trial.

    Args:
        failures: Those that failed.
        successes: Some of those that succeeded.
        unscored: Number of those without a score; they are not chosen.
    """

    failures: tuple[str, ...]
    successes: tuple[str, ...]
    unscored: int

    @property
    def ids(self) -> list[str]:
        """The chosen instances, in the order of all instances."""
        chosen = {*self.failures, *self.successes}
        return [name for name in instance_ids() if name in chosen]

    def __str__(self) -> str:
        left = f"; {self.unscored} without a score left out" if self.unscored else ""
        return f"{count(len(self.failures), 'failure')} of trial 1 and {len(self.successes)} of its successes{left}"


def failed_of(folder: Path, *, per_site: int = 2, seed: int = 0) -> Subset:
    """Choose the instances of a run that table 8 of the paper plays again (section 5.5).

    Args:
        folder: Folder of the run; later trials in it do not change the choice.
        per_site: Number of successes drawn per website, where there are as many.
        seed: Seed of the draw.

    Returns:
        The choice: all failures of trial 1, time-outs included, and the successes drawn.

    Raises:
        SetupError: The folder has no results, or none of a known instance failed in trial 1.
    """
    results, broken = read_lines(folder)
    if not results:
        raise no_results([folder], broken)
    known = set(instance_ids())
    first = [result for result in results if result.trial == 1 and result.id in known]
    failures = tuple(result.id for result in first if result.status == "fail")
    if not failures:
        raise SetupError(
            f"no instance failed in trial 1 of {folder}: there is nothing to play again", path=str(folder)
        )
    solved = _by_site(result for result in first if result.status == "pass")
    successes = [
        name
        for site, names in sorted(solved.items())
        for name in random.Random(f"{seed} {site}").sample(sorted(names), min(per_site, len(names)))
    ]
    unscored = sum(result.status not in ("pass", "fail") for result in first)
    return Subset(failures, tuple(successes), unscored)


def _by_site(results: Iterable[Result]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for result in results:
        found.setdefault(load_instance(result.id).site.site, []).append(result.id)
    return found
