"""Options of ``websp run``: which instances are played, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from websp_gym.cli.completing import complete_id
from websp_gym.cli.options import Category, Processes, Resume, SiteName
from websp_gym.cli.output import Console
from websp_gym.errors import SetupError
from websp_gym.runner.batch import Backend
from websp_gym.runner.subset import failed_of as choose_failed
from websp_gym.tasks.selection import select_instances
from websp_gym.tasks.splits import on_side

_PER_SITE = 2


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which instances to play."""

    tasks: Annotated[
        list[str] | None,
        typer.Option(help="The same as an option; may be repeated.", autocompletion=complete_id),
    ] = None
    site: SiteName = None
    category: Category = None
    split: Annotated[
        str | None,
        typer.Option(
            metavar="SIDE[:BY]",
            help="Only one side of a split by task, site or state, such as test:site; test alone means test:task.",
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first instances, in the order of `websp list`.")
    ] = None
    failed_of: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            help="Only what failed in trial 1 of this run, and a few successes (--per-site); continues that run.",
        ),
    ] = None
    per_site: Annotated[
        int | None,
        typer.Option(min=0, help=f"Successes per website that --failed-of adds. Default: {_PER_SITE}."),
    ] = None

    def matching(self, patterns: Sequence[str]) -> list[str]:
        """Return the ids of the instances that match; raise SetupError if nothing is selected, or wrongly."""
        if self.per_site is not None and self.failed_of is None:
            raise SetupError("--per-site needs --failed-of RUN, the run whose failures are played again")
        patterns = [*patterns, *(self.tasks or ())]
        if not (patterns or self.site or self.category or self.split or self.limit or self.failed_of):
            raise SetupError(
                "choose what to run: ids or globs such as 'Steam-*' (--tasks), --site, --category, --split or "
                "--limit; `websp list` shows all"
            )
        found = select_instances(patterns or ["*"], site=self.site, category=self.category)
        if self.split is None:
            return found
        side, _, by = self.split.partition(":")
        chosen = on_side(found, side, by or "task")
        if not chosen:
            raise SetupError(f"none of these instances is on the side {self.split}", option="split")
        return chosen

    def narrowed(self, ids: Sequence[str], seed: int) -> list[str]:
        """Return those that --failed-of and --limit leave of them; print what --failed-of chose."""
        chosen = list(ids)
        if self.failed_of is not None:
            per_site = _PER_SITE if self.per_site is None else self.per_site
            subset = choose_failed(self.failed_of, per_site=per_site, seed=seed)
            chosen = [name for name in subset.ids if name in set(ids)]
            if not chosen:
                raise SetupError(f"none of these instances was chosen from {self.failed_of}: {subset}")
            Console(stderr=True).print(
                f"from {self.failed_of}: {subset}", style="dim", markup=False, soft_wrap=True
            )
        return chosen[: self.limit]


@dataclass(frozen=True, kw_only=True)
class BatchOptions:
    """How the episodes are played, and where they are written."""

    jobs: Processes = 1
    backend: Annotated[
        Backend,
        typer.Option(
            help="Where the processes run; ray: on the cluster in RAY_ADDRESS, whose nodes share the folder of --out."
        ),
    ] = "processes"
    trials: Annotated[int, typer.Option(min=1, help="Episodes per instance.")] = 1
    out: Annotated[Path | None, typer.Option(help="Folder for results and trajectories.")] = None
    resume: Resume = False
    retries: Annotated[
        int, typer.Option(min=0, help="Retries of an episode after an infrastructure error.")
    ] = 1

    def continuing(self, run: Path | None) -> BatchOptions:
        """Return the same, continuing a run if no other folder is given; raise SetupError if there is no folder."""
        if self.out is None and run is not None:
            return replace(self, out=run, resume=True)
        if self.resume and self.out is None:
            raise SetupError("--resume needs --out DIR, the folder of the run to continue")
        return self
