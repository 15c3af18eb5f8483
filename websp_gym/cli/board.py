"""What a terminal shows while ``websp run`` goes on: how far each agent is, and how it does on each site."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from websp_gym.cli.output import dollars, plain_table
from websp_gym.records.results import Result
from websp_gym.runner.jobs import Job
from websp_gym.tasks.instances import load_instance

_BESIDE = 8
"""Lines of the terminal that are left to the episodes."""


class Board:
    """What is done of a run so far.

    Args:
        jobs: All episodes.
        names: The names of the runs, by their hashes.
    """

    def __init__(self, jobs: Sequence[Job], names: Mapping[str, str]) -> None:
        self._names = names
        self._asked = {each: [job for job in jobs if job.run.hash == each] for each in names}
        self._sites = list(dict.fromkeys(map(_site, jobs)))
        self._done: dict[str, list[Result]] = {each: [] for each in names}
        self._began = time.monotonic()

    def add(self, result: Result) -> None:
        """Take a result."""
        self._done[result.run_hash].append(result)

    @property
    def done(self) -> int:
        """Number of episodes that are done."""
        return sum(map(len, self._done.values()))

    @property
    def total(self) -> int:
        """Number of all episodes."""
        return sum(map(len, self._asked.values()))

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at the pace so far; ``None`` before the first result and after the last."""
        if not 0 < self.done < self.total:
            return None
        return (time.monotonic() - self._began) / self.done * (self.total - self.done)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        """Show the runs, and the sites where the terminal is high enough for them."""
        yield ""
        if len(self._sites) > 1 and len(self._sites) + len(self._names) + _BESIDE < console.height:
            yield self._by_site()
        yield self._by_run()
        left = self.seconds_left
        yield Text(
            f"{self.done} of {self.total} episodes{time_left(left) if left is not None else ''}", "dim"
        )

    def _by_run(self) -> RenderableType:
        under = any(result.policies is not None for done in self._done.values() for result in done)
        table = plain_table("", "done", "rate", *(["under policy"] if under else []), "cost")
        for each, done in self._done.items():
            scored = [result for result in done if result.status in ("pass", "fail")]
            costs = [result.cost for result in done if result.calls]
            cost = dollars(sum(filter(None, costs))) + " +?" * (None in costs) if costs else ""
            kept = [_rate(sum(result.under_policy for result in done), len(done))] if under else []
            rate = _rate(sum(result.status == "pass" for result in scored), len(scored))
            table.add_row(
                Text(self._names[each], "bold"), f"{len(done)}/{len(self._asked[each])}", rate, *kept, cost
            )
        return table

    def _by_site(self) -> RenderableType:
        table = plain_table("", *map(str, self._names.values()))
        for site in self._sites:
            cells = []
            for each, done in self._done.items():
                own = [result for result in done if _site_of(result.id) == site]
                asked = sum(_site(job) == site for job in self._asked[each])
                passed = sum(result.status == "pass" for result in own)
                more = f" of {asked}" if len(own) < asked else ""
                cells.append(f"{passed}/{len(own)}{more}" if own else f"[dim]0 of {asked}[/]")
            table.add_row(Text(site), *cells)
        return table


def time_left(seconds: float) -> str:
    """Return a time for people, with a space before it."""
    if seconds < 60:
        return f"  ~{max(round(seconds), 1)} s left"
    minutes = round(seconds / 60)
    return f"  ~{minutes} min left" if minutes < 120 else f"  ~{round(seconds / 3600)} h left"


def _rate(hits: int, of: int) -> str:
    return f"{100 * hits / of:.1f} %" if of else ""


def _site(job: Job) -> str:
    return _site_of(job.instance_id)


def _site_of(instance_id: str) -> str:
    return load_instance(instance_id).site.site
