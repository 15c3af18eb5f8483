"""The headline: the figures of each agent in one row, and below them the floors."""

from __future__ import annotations

from collections.abc import Sequence

from websp_gym.report.tables.floors import NOTHING
from websp_gym.report.tables.overall import mean, strict_rate, total
from websp_gym.report.tables.policy_figures import under_policy_cell
from websp_gym.report.tables.rows import INSTRUCTIONS, WORDS, EpisodeRow, first_trials
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, percent
from websp_gym.report.tables.under_policy import UnderPolicy
from websp_gym.scoring.blunt import blunt_rates, known

ABOUT = "First trials that were scored; completion under policy, effort and cost are of all trials."


def headline(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], planned: UnderPolicy, floors: Sequence[TableRow]
) -> Table:
    """Return the table of the headline.

    Args:
        episodes: All episodes.
        agents: The agents, in the order to show.
        planned: The planned episodes under policies.
        floors: The floors under policy, as rows of the table of completion.
    """
    under = bool(planned.episodes)
    played = [episode for episode in episodes if episode.outcome != "error"]
    models = any(episode.result.calls for episode in played)
    columns = (
        Column("Success rate", "Share of the scored episodes, with Wilson's 95 % interval."),
        Column("CuP", "Completion under policy: done, with every policy kept.", silent=not under),
        Column("Strict", "Share of the scored episodes that did the task without side effects."),
        Column("Actions", "Mean number of actions of an episode that count against the limit."),
        Column("Seconds", "Mean duration of an episode, from the first observation on."),
        Column("Cost", "US dollars of all episodes; shown only if every price is known.", silent=not models),
    )
    several = len({episode.result.instruction for episode in episodes}) > 1
    rows = [
        _row(f"{agent}, {WORDS[variant]}" if several else agent, own, planned.of(agent), variant)
        for agent in agents
        for variant in INSTRUCTIONS
        if (own := [e for e in episodes if e.agent == agent and e.result.instruction == variant])
    ]
    rows += _floors(episodes, floors)
    return Table("headline", "Results", "", "", "Agent", columns, tuple(rows), ABOUT, every_trial=True)


def _row(name: str, own: Sequence[EpisodeRow], planned: Sequence[EpisodeRow], variant: str) -> TableRow:
    scored = [episode for episode in first_trials(own) if episode.scored]
    solved = [episode for episode in scored if episode.solved]
    under = [episode.result for episode in planned if episode.result.instruction == variant]
    results = [episode.result for episode in own if episode.outcome != "error"]
    return TableRow(
        name,
        (
            percent(len(solved), len(scored)),
            under_policy_cell(under) if under else Cell(DASH),
            strict_rate([episode.result.strict for episode in solved], len(scored)),
            mean([result.actions for result in results], "{:.1f}"),
            mean([result.seconds for result in results], "{:.1f}"),
            total([result.cost for result in results if result.calls], "${:.2f}"),
        ),
    )


def _floors(episodes: Sequence[EpisodeRow], under_policy: Sequence[TableRow]) -> list[TableRow]:
    """Return what doing nothing reaches on the same instances, and under policy random actions where measured."""
    if under_policy:
        return [
            TableRow(
                row.label, (*row.cells[:2], *[Cell(DASH)] * 4), computed=row.computed, measured=row.measured
            )
            for row in under_policy
        ]
    ids = known(episode.result.id for episode in episodes)
    if not ids:
        return []
    rate = blunt_rates(ids)["nothing"]
    cells = (percent(rate.solved, rate.instances), Cell(DASH), percent(rate.strict, rate.instances))
    return [TableRow(NOTHING, (*cells, *[Cell(DASH)] * 3), computed=True)]
