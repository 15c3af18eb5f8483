"""Build a report: all tables, from the results of any number of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError, nearest
from websp_gym.rates import FEW
from websp_gym.records.results import Result
from websp_gym.records.runs import Broken, FoundResults, count, find_results, read_run
from websp_gym.report.tables import breakdown, judges, kinds, overall, paired, policies, trials
from websp_gym.report.tables.decisions import Decided, decided, decisions
from websp_gym.report.tables.floors import floors, measured
from websp_gym.report.tables.headline import headline
from websp_gym.report.tables.paper import NOTE, Paper, reference
from websp_gym.report.tables.rows import (
    INSTRUCTIONS,
    UNKNOWN,
    WORDS,
    EpisodeRow,
    InstanceFacts,
    catalogue,
    first_trials,
    gather,
)
from websp_gym.report.tables.table import Table
from websp_gym.report.tables.under_policy import UnderPolicy, under_policy
from websp_gym.tasks.ids import is_everyday, is_work

SCHEMA = "websp-report/1"
_NAMED = 4
"""Number of names in a note; the rest is only counted."""

Builder = Callable[[Sequence[EpisodeRow], Sequence[str], str, Paper | None], Table | None]


@dataclass(frozen=True)
class Report:
    """Results as the paper's tables.

    Args:
        agents: The agents, in the order given.
        episodes: Every result, in the order given.
        tables: The tables; empty ones are left out.
        notes: Notes on the whole report.
        instances: Number of known instances.
        compare: Name of the publication shown for comparison; empty for none.
        broken: Lines of results that could not be read.
        planned: The planned episodes under policies.
        decided: The episodes of everyday tasks in which an agent had to decide for itself.
    """

    agents: tuple[str, ...]
    episodes: tuple[EpisodeRow, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    instances: int
    compare: str = ""
    broken: tuple[Broken, ...] = ()
    planned: UnderPolicy = field(default_factory=UnderPolicy)
    decided: tuple[Decided, ...] = ()

    def table(self, key: str, instruction: str = "") -> Table:
        """Return one table.

        Args:
            key: For example ``headline``, ``overall``, ``wording``, ``sites``, ``categories``, ``elements``,
                ``states``, ``trials``, ``kinds``, ``effort`` or ``judges``.
            instruction: The instruction variant, for tables that exist once per variant; by default the first.

        Returns:
            The table.

        Raises:
            SetupError: The report has no such table; the message lists those it has.
        """
        for table in self.tables:
            if table.key == key and instruction in ("", table.instruction):
                return table
        known = [f"{table.key} {table.instruction}".strip() for table in self.tables]
        wanted = f"{key} {instruction}".strip()
        raise SetupError(
            f'no table "{wanted}" in this report{nearest(wanted, known)} (tables: {", ".join(known)})',
            option="table",
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        outcomes = Counter(episode.outcome for episode in self.episodes)
        return {
            "schema": SCHEMA,
            "agents": list(self.agents),
            "episodes": len(self.episodes),
            "unscored": outcomes["unscored"],
            "errors": outcomes["error"],
            "retried": sum(episode.result.again > 0 for episode in self.episodes),
            "broken_lines": [
                {"path": str(one.path), "line": one.line, "reason": one.reason} for one in self.broken
            ],
            "instances": self.instances,
            "compare": self.compare or None,
            "notes": list(self.notes),
            "tables": [table.as_dict() for table in self.tables],
        }


def read_report(folders: Iterable[Path | str], *, compare: str = "") -> Report:
    """Return the report of all runs in or below some folders.

    Args:
        folders: The folders.
        compare: ``paper`` to show the published figures beside ours.

    Returns:
        The report.

    Raises:
        SetupError: A folder is missing, no folder has results, or `compare` is unknown.
    """
    found = find_results(map(Path, folders))
    report = make_report(found.results, compare=compare)
    return replace(report, notes=(*_unread(found), *report.notes), broken=tuple(found.broken))


def make_report(
    results: Iterable[Result | tuple[Path | None, Result]],
    *,
    compare: str = "",
    known: Mapping[str, InstanceFacts] | None = None,
) -> Report:
    """Return the report of some results.

    Args:
        results: The results, each with the folder of its run if trajectories are to be shown.
        compare: ``paper`` to show the published figures beside ours.
        known: Known instances by id; by default those of ``task_configs/``.

    Returns:
        The report.

    Raises:
        SetupError: `compare` is unknown, or no episode is of an instance of the paper.
    """
    paper = reference(compare)
    found = [item if isinstance(item, tuple) else (None, item) for item in results]
    known = catalogue(result.id for _, result in found) if known is None else known
    episodes = gather(found, known)
    ours = [is_work(each.result.id) or is_everyday(each.result.id) for each in episodes]
    all_ours = bool(ours) and all(ours)
    if paper is not None and all_ours:
        raise SetupError(f"--compare {compare}: none of these episodes is of an instance of the paper")
    agents = tuple(dict.fromkeys(episode.agent for episode in episodes))
    planned, chosen = under_policy(episodes), decided(episodes)
    lowest, floor_notes = floors(planned.asked, policies.trials_of(planned), measured())
    built = [
        headline(episodes, agents, planned, lowest),
        *_tables(episodes, agents, len(known), paper),
        policies.completion(planned, agents, lowest, floor_notes),
        policies.by_set(planned),
        policies.risk(planned, agents, "dimension"),
        policies.risk(planned, agents, "level"),
        policies.broken(episodes),
        decisions(chosen, agents),
        overall.effort(episodes, agents),
        judges.judges(episodes),
    ]
    tables = [table for table in built if table is not None and table.rows]
    if all_ours:
        tables = [replace(table, paper="") for table in tables]
    return Report(
        agents=agents,
        episodes=tuple(episodes),
        tables=tuple(tables),
        notes=(*_notes(episodes, agents, known, paper), *_silent(tables)),
        instances=len(known),
        compare=compare,
        planned=planned,
        decided=tuple(chosen),
    )


def _tables(
    episodes: Sequence[EpisodeRow],
    agents: Sequence[str],
    instances: int,
    paper: Paper | None,
) -> list[Table | None]:
    """Return the tables that the paper has."""
    first = first_trials(episodes)
    found: list[Table | None] = [
        overall.overall(first, agents, instances=instances, paper=paper),
        paired.wording(first, agents, paper),
    ]
    builders: tuple[tuple[Builder, Sequence[EpisodeRow]], ...] = (
        (breakdown.sites, first),
        (breakdown.categories, first),
        (breakdown.elements, first),
        (paired.states, first),
        (trials.robustness, episodes),
        (kinds.kinds, first),
    )
    for build, of in builders:
        for instruction in _instructions(episodes):
            found.append(build(_worded(of, instruction), agents, instruction, paper))
    return found


def _instructions(episodes: Iterable[EpisodeRow]) -> list[str]:
    present = {episode.result.instruction for episode in episodes}
    return [name for name in INSTRUCTIONS if name in present]


def _worded(episodes: Iterable[EpisodeRow], instruction: str) -> list[EpisodeRow]:
    return [episode for episode in episodes if episode.result.instruction == instruction]


def _notes(
    episodes: Sequence[EpisodeRow],
    agents: Sequence[str],
    known: Mapping[str, InstanceFacts],
    paper: Paper | None,
) -> list[str]:
    outcomes = Counter(episode.outcome for episode in episodes)
    notes = []
    if outcomes["unscored"] or outcomes["error"]:
        notes.append(
            f"{count(outcomes['unscored'], 'episode')} unscored and "
            f"{count(outcomes['error'], 'infrastructure error')}: excluded from success rates; counted as failures "
            "in the rate of all."
        )
    notes += _few(first_trials(episodes), agents)
    notes += _tried_again(episodes)
    notes += _missing(episodes, agents, known)
    further = len(episodes) - len(first_trials(episodes))
    if further:
        notes.append(
            f"{count(further, 'further trial')}: used only in the tables of trials, effort, policies and "
            "decisions. All other tables use the first trial, as in the paper."
        )
    notes += _doubtful(episodes, known)
    notes += _mixed(episodes)
    if paper is not None:
        notes.append(NOTE)
    return notes


def _few(first: Sequence[EpisodeRow], agents: Sequence[str]) -> list[str]:
    """Return a note on agents with so few scored episodes that their rates say little."""
    counts = {
        f"{agent}, {WORDS[instruction]}": sum(episode.scored for episode in _worded(own, instruction))
        for agent in agents
        for own in [[episode for episode in first if episode.agent == agent]]
        for instruction in _instructions(own)
    }
    few = [f"{name}: {number}" for name, number in counts.items() if number < FEW]
    if not few:
        return []
    return [
        f"Fewer than {FEW} scored episodes: the rates say little; look at their intervals ({_named(few, '; ')})."
    ]


def _silent(tables: Sequence[Table]) -> list[str]:
    """Return a note if a judge lacks opinions of its models, which the table of judges counts."""
    if not any(table.key == "judges" and table.notes for table in tables):
        return []
    return [
        "Some judges lack opinions of their models, so their verdicts are not the whole ensemble's: see Judges."
    ]


def _unread(found: FoundResults) -> list[str]:
    """Return notes on folders and lines that could not be read."""
    notes = []
    if found.empty:
        notes.append(f"No results found in {_named([str(folder) for folder in found.empty])}.")
    if found.broken:
        lines = "; ".join(str(one) for one in found.broken[:_NAMED])
        more = f"; and {len(found.broken) - _NAMED} more" if len(found.broken) > _NAMED else ""
        notes.append(f"{count(len(found.broken), 'line')} of results could not be read: {lines}{more}.")
    return notes


def _tried_again(episodes: Sequence[EpisodeRow]) -> list[str]:
    """Return notes on scored episodes that had infrastructure errors."""
    again = [episode for episode in episodes if episode.result.again]
    down = [episode for episode in episodes if episode.result.brought_down]
    notes = []
    if again:
        notes.append(
            f"{count(len(again), 'episode')} retried after an infrastructure error, with the same actions unless the "
            f"agent drives the browser itself: {_named(list(dict.fromkeys(e.result.id for e in again)))}."
        )
    rates = []
    for agent in dict.fromkeys(each.agent for each in again if each.outcome == "success"):
        scored = [each for each in first_trials(episodes) if each.agent == agent and each.scored]
        at_once = sum(each.outcome == "success" and not each.result.again for each in scored)
        rates.append(f"{agent} {100 * at_once / max(len(scored), 1):.1f} %")
    if rates:
        notes.append(f"Counting only passes at the first attempt, the success rate is: {', '.join(rates)}.")
    if down:
        notes.append(
            f"{count(len(down), 'failure')} in which the same action caused an error twice: "
            f"{_named(list(dict.fromkeys(e.result.id for e in down)))}."
        )
    return notes


def _missing(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], known: Mapping[str, InstanceFacts]
) -> list[str]:
    lacking: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for agent in agents:
        own = [episode for episode in episodes if episode.agent == agent]
        for instruction in _instructions(own):
            played = {episode.result.id for episode in _worded(own, instruction)}
            missing = tuple(name for name in known if name not in played)
            if missing and not all(map(is_everyday, played)):
                lacking.setdefault((instruction, missing), []).append(agent)
    return [
        f"{', '.join(names)}, {WORDS[instruction]}: {len(known) - len(missing)} of "
        f"{count(len(known), 'instance')}; not played: {_named(missing)}."
        for (instruction, missing), names in lacking.items()
    ]


def _doubtful(episodes: Sequence[EpisodeRow], known: Mapping[str, InstanceFacts]) -> list[str]:
    strange = {e.result.id for e in episodes if e.facts.category == UNKNOWN}
    stale = {
        e.result.id
        for e in episodes
        if e.result.id in known
        and e.result.config_hash
        # The catalogue is of ours.
        and not e.result.dataset
        and known[e.result.id].config_hash not in ("", e.result.config_hash)
    }
    notes = []
    for name in sorted({e.result.dataset for e in episodes} - {""}):
        of_it = sum(e.result.dataset == name for e in episodes)
        notes.append(
            f'{of_it} of {count(len(episodes), "episode")} are from the dataset "{name}", the others from ours.'
        )
    other = {e.result.instruction for e in episodes} - set(INSTRUCTIONS)
    if other:
        notes.append(f"Not shown: unknown instruction variant: {_named(sorted(other))}.")
    if strange:
        notes.append(f"Not in the installed task files: {_named(sorted(strange))}.")
    if stale:
        notes.append(
            f"Played with a different version of the instance than the installed one: {_named(sorted(stale))}."
        )
    return notes


def _mixed(episodes: Sequence[EpisodeRow]) -> list[str]:
    """Return notes on agents whose runs differ in more than the instruction variant."""
    runs: dict[str, dict[str, dict[str, Any]]] = {}
    for agent, folder in dict.fromkeys((e.agent, e.run) for e in episodes if e.run is not None):
        run = read_run(folder) if folder is not None else None
        if run is not None:
            options = {name: value for name, value in run.options.items() if name != "instruction"}
            runs.setdefault(agent, {})[str(folder)] = options
    notes = []
    for agent, found in runs.items():
        names = {name for options in found.values() for name in options}
        differ = sorted(n for n in names if len({repr(options.get(n)) for options in found.values()}) > 1)
        if differ:
            notes.append(f"{agent}: merged {len(found)} runs that differ in {', '.join(differ)}.")
    return notes


def _named(ids: Sequence[str], between: str = ", ") -> str:
    shown = between.join(ids[:_NAMED])
    return f"{shown} and {len(ids) - _NAMED} more" if len(ids) > _NAMED else shown
