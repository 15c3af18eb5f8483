"""Success of each agent (table 2), and effort of its episodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace

from websp_gym.records.results import OutcomeLabel
from websp_gym.report.tables.paper import Paper, label
from websp_gym.report.tables.rows import INSTRUCTIONS, WORDS, EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, number, percent
from websp_gym.scoring.blunt import LABELS, blunt_rates, known

ABOUT = (
    "Success, failure, time-out and stopped add up to the scored episodes, the denominator of the success rate. "
    "Unscored episodes and infrastructure errors are excluded and counted separately; the rate of all counts them as "
    "failures. Computed rows are not agents: they show what setting all switches in one fixed way would reach on "
    "the same instances without reading the instruction."
)
_SCORED: tuple[OutcomeLabel, ...] = ("success", "failure", "time-out", "stopped")
_APART: tuple[OutcomeLabel, ...] = ("unscored", "error")
COLUMNS = (
    Column("Success rate", "Share of the scored episodes, with Wilson's 95 % interval."),
    Column("Siblings", "Share of the scored episodes that did the task and moved nothing else on its page."),
    Column("Strict", "Share of the scored episodes that did the task without side effects."),
    Column("Navigation", "Whether the instruction includes navigation."),
    Column("Success", "Episodes that did the task."),
    Column("Failure", "Other scored episodes; the paper's column Error."),
    Column("Time-out", "Episodes that reached the action or time limit; counted as not solved."),
    Column("Stopped", "Episodes that the harm guard stopped; counted as not solved."),
    Column("Unscored", "Episodes that could not be scored; excluded from the success rate."),
    Column("Errors", "Episodes ended by an infrastructure error; excluded from the success rate."),
    Column("Rate of all", "Share of all episodes; unscored ones and errors count as failures."),
    Column("Retried", "Episodes retried after an infrastructure error."),
    Column("Instances", "Scored instances, of all instances."),
)


def overall(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], *, instances: int, paper: Paper | None
) -> Table:
    """Return table 2, with one row per agent and instruction variant.

    Args:
        episodes: One episode per agent, instruction variant and instance.
        agents: The agents, in the order to show.
        instances: Number of known instances.
        paper: The published figures to show beside; None for none.
    """
    rows = []
    for agent in agents:
        for instruction in INSTRUCTIONS:
            own = [e for e in episodes if e.agent == agent and e.result.instruction == instruction]
            if own:
                rows.append(_row(agent, instruction, own, instances))
    variants = {episode.result.instruction for episode in episodes}
    columns = _columns(episodes, variants)
    rows += _blunt(episodes)
    if paper is not None:
        rows += _published(paper, variants)
    title = ", ".join(
        ["Overall performance", *(WORDS.get(one, one) for one in variants if len(variants) == 1)]
    )
    return Table("overall", title, "2", "", "Agent", columns, tuple(rows), ABOUT)


def _columns(episodes: Sequence[EpisodeRow], variants: Set[str]) -> tuple[Column, ...]:
    """Return the columns; those are silent in which every agent has the same, so that the others are seen at once."""
    outcomes = {episode.outcome for episode in episodes}
    again = any(episode.result.again for episode in episodes)
    silent = {
        "Navigation": len(variants) == 1,
        "Stopped": "stopped" not in outcomes,
        "Unscored": "unscored" not in outcomes,
        "Errors": "error" not in outcomes,
        "Rate of all": not outcomes & {"unscored", "error"},
        "Retried": not again,
    }
    return tuple(replace(column, silent=silent.get(column.label, False)) for column in COLUMNS)


def _row(agent: str, instruction: str, own: Sequence[EpisodeRow], instances: int) -> TableRow:
    count = Counter(episode.outcome for episode in own)
    scored = sum(count[outcome] for outcome in _SCORED)

    def counted(outcome: OutcomeLabel) -> Cell:
        filters = {"agent": agent, "instruction": instruction, "outcome": outcome}
        return number(count[outcome], filters)

    cells = (
        percent(count["success"], scored),
        strict_rate([episode.result.siblings for episode in own if episode.outcome == "success"], scored),
        strict_rate([episode.result.strict for episode in own if episode.outcome == "success"], scored),
        Cell(WORDS[instruction].split()[0], instruction),
        *(counted(outcome) for outcome in _SCORED),
        *(counted(outcome) for outcome in _APART),
        percent(count["success"], len(own)),
        number(sum(episode.result.again > 0 for episode in own)),
        Cell(
            f"{scored} of {instances}",
            {"scored": scored, "played": len(own), "of": instances},
            episodes={"agent": agent, "instruction": instruction, "outcome": "scored"},
        ),
    )
    return TableRow(agent, cells)


def strict_rate(of_successes: Sequence[float | None], scored: int) -> Cell:
    """Return the rate of a score; empty if it is unknown of a success, as in results of older versions."""
    return Cell(DASH) if None in of_successes else percent(of_successes.count(1.0), scored)


def _blunt(episodes: Sequence[EpisodeRow]) -> list[TableRow]:
    """Return the baselines that read no instruction, on the instances that were played."""
    ids = known(episode.result.id for episode in episodes)
    if not ids:
        return []
    rates = blunt_rates(ids)
    rows = []
    for policy, name in LABELS.items():
        rate = rates[policy]
        cells = (
            percent(rate.solved, rate.instances),
            percent(rate.siblings, rate.instances),
            percent(rate.strict, rate.instances),
            Cell(DASH),
            number(rate.solved),
            number(rate.instances - rate.solved),
            *[Cell(DASH)] * 6,
            Cell(f"{rate.instances} of {rate.instances}", {"scored": rate.instances}),
        )
        rows.append(TableRow(f"computed: {name}", cells, computed=True))
    return rows


def _published(paper: Paper, shown: set[str]) -> list[TableRow]:
    rows = []
    for model in paper.models:
        for instruction in INSTRUCTIONS:
            if instruction in shown:
                success, failure, out = getattr(paper.overall, instruction)[model]
                cells = (
                    percent(success, paper.instances),
                    *[Cell(DASH)] * 2,
                    Cell(WORDS[instruction].split()[0], instruction),
                    *(number(count) for count in (success, failure, out)),
                    *[Cell(DASH)] * 5,
                    Cell(f"{paper.instances} of {paper.instances}", {"scored": paper.instances}),
                )
                rows.append(TableRow(label(model), cells, reference=True))
    return rows


def effort(episodes: Sequence[EpisodeRow], agents: Sequence[str]) -> Table:
    """Return the table of effort, cost and side effects of all trials; the paper has no such table."""
    columns = (
        Column("Episodes", "Episodes without an infrastructure error, all trials."),
        Column(
            "Actions", "Mean number of actions that count against the limit; scrolling and waiting are free."
        ),
        Column("Seconds", "Mean duration, from the first observation on."),
        Column("Side effects", "Episodes that changed something the task did not ask for."),
        Column("Calls", "Requests to the agent's model."),
        Column("Tokens in", "Tokens read by the model."),
        Column("Tokens out", "Tokens written by the model."),
        Column("Cost", "US dollars; shown only if every price is known."),
    )
    rows = [_effort(agent, [e for e in episodes if e.agent == agent]) for agent in agents]
    about = "All trials, without infrastructure errors. A cost is shown only if every price is known."
    return Table(
        "effort",
        "Effort, cost and side effects",
        "",
        "",
        "Agent",
        columns,
        tuple(rows),
        about,
        every_trial=True,
    )


def _effort(agent: str, own: Sequence[EpisodeRow]) -> TableRow:
    results = [episode.result for episode in own if episode.outcome != "error"]
    affected = sum(bool(result.side_effects) for result in results)
    calls = sum(result.calls for result in results)
    cells = (
        Cell(str(len(results)), len(results), episodes={"agent": agent, "outcome": "played"}),
        mean([result.actions for result in results], "{:.1f}"),
        mean([result.seconds for result in results], "{:.1f}"),
        number(affected, {"agent": agent, "outcome": "played", "effects": "yes"}),
        Cell(str(calls) if calls else DASH, calls),
        *(
            total([getattr(result, name) for result in results if result.calls], "{:,}")
            for name in ("input_tokens", "output_tokens")
        ),
        total([result.cost for result in results if result.calls], "${:.4f}"),
    )
    return TableRow(agent, cells)


def mean(values: Sequence[float], shown: str) -> Cell:
    if not values:
        return Cell(DASH)
    value = sum(values) / len(values)
    return Cell(shown.format(value), value)


def total(values: Sequence[float | None], shown: str) -> Cell:
    """Return the sum as a cell, or ``unknown`` if a part is unknown."""
    known = [value for value in values if value is not None]
    if not values:
        return Cell(DASH)
    if len(known) < len(values):
        return Cell("unknown")
    return Cell(shown.format(sum(known)), sum(known))
