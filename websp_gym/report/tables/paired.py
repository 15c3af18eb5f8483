"""Paired results: with and without navigation (table 3), from ON and from OFF (tables 7 and 15)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from websp_gym.report.tables.intervals import Pairs, difference, mcnemar
from websp_gym.report.tables.paper import Fours, Paper, label
from websp_gym.report.tables.rows import WORDS, EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, number

PAIR = {(True, True): "both", (True, False): "first", (False, True): "second", (False, False): "neither"}
"""Result of a pair: the value that the page filters episodes by."""
WORDING = (
    "Instances scored with both instruction variants: solved with both, only with navigation, only without, or with "
    "neither. The difference is in percentage points with Newcombe's 95 % interval for "
    "paired proportions; p is McNemar's exact test."
)
STATES = (
    "Tasks with two initial states, both scored: solved from both, only from ON, only from OFF, or from neither. "
    "Difference and p are computed as in the comparison with and without navigation."
)


@dataclass(frozen=True)
class _By:
    """One way to pair episodes of an agent, and the role of an episode in its pair."""

    key: str
    what: Callable[[EpisodeRow], Hashable]
    side: Callable[[EpisodeRow], str]
    sides: tuple[str, str]


_WORDING = _By(
    "wording",
    lambda episode: episode.result.id,
    lambda episode: episode.result.instruction,
    ("with_navigation", "without_navigation"),
)
_STATES = _By(
    "states",
    lambda episode: (episode.result.instruction, episode.task),
    lambda episode: episode.facts.state,
    ("ON", "OFF"),
)


def pairings(episodes: Iterable[EpisodeRow]) -> dict[EpisodeRow, dict[str, str]]:
    """Return the outcome of each episode's pairs.

    Args:
        episodes: One episode per agent, instruction variant and instance.

    Returns:
        For each episode in a pair, ``wording`` and ``states`` with a value of :data:`PAIR`.
    """
    found: dict[EpisodeRow, dict[str, str]] = {}
    by_agent: dict[str, list[EpisodeRow]] = {}
    for episode in episodes:
        by_agent.setdefault(episode.agent, []).append(episode)
    for own in by_agent.values():
        for by in (_WORDING, _STATES):
            for both in _twice(own, by):
                for episode in both:
                    found.setdefault(episode, {})[by.key] = PAIR[both[0].solved, both[1].solved]
    return found


def wording(episodes: Sequence[EpisodeRow], agents: Sequence[str], paper: Paper | None) -> Table | None:
    """Return table 3; None if no instance was scored in both instruction variants.

    Args:
        episodes: One episode per agent, instruction variant and instance.
        agents: The agents, in the order to show.
        paper: The published figures to show beside; None for none.
    """
    rows = _rows(episodes, agents, _WORDING, {})
    columns = _columns("Only with", "Only without", "Instances", "With − without")
    return _table(
        "wording",
        "With and without navigation",
        "3",
        "",
        columns,
        rows,
        WORDING,
        paper.wording if paper else None,
    )


def states(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table | None:
    """Return table 7 without navigation, table 15 with it; None if no task was scored from both states.

    Args:
        episodes: One episode per agent and instance, all with this instruction variant.
        agents: The agents, in the order to show.
        instruction: The instruction variant.
        paper: The published figures to show beside; None for none.
    """
    dual = [episode for episode in episodes if episode.facts.state]
    rows = _rows(dual, agents, _STATES, {"instruction": instruction})
    columns = _columns("Only ON", "Only OFF", "Tasks", "ON − OFF")
    block = paper.states.get(instruction) if paper else None
    number_ = {"without_navigation": "7", "with_navigation": "15"}.get(instruction, "")
    title = f"Initial state ON and OFF, {WORDS.get(instruction, instruction)}"
    return _table("states", title, number_, instruction, columns, rows, STATES, block)


def _columns(first: str, second: str, of: str, gap: str) -> tuple[Column, ...]:
    return (
        Column("Both", "Solved in both cases."),
        Column(first, "Solved in this case only."),
        Column(second, "Solved in this case only."),
        Column("Neither", "Solved in neither case."),
        Column(of, "Scored in both cases; the denominator."),
        Column("Incomplete", "Not scored in both cases; excluded."),
        Column(gap, "Percentage points, with Newcombe's 95 % interval."),
        Column("p", "McNemar's exact test, two-sided."),
    )


def _rows(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], by: _By, filters: dict[str, str]
) -> list[TableRow]:
    rows = []
    for agent in agents:
        own = [episode for episode in episodes if episode.agent == agent]
        scored = [(first.solved, second.solved) for first, second in _twice(own, by)]
        if scored:
            left = len({by.what(episode) for episode in own}) - len(scored)
            pairs = Pairs(*(scored.count(outcome) for outcome in PAIR))
            own_filters = {name: {"agent": agent, **filters, by.key: name} for name in PAIR.values()}
            rows.append(_row(agent, pairs, left, own_filters))
    return rows


def _twice(own: Iterable[EpisodeRow], by: _By) -> list[tuple[EpisodeRow, EpisodeRow]]:
    """Return the pairs in which both episodes are scored."""
    found: dict[Hashable, dict[str, EpisodeRow]] = {}
    for episode in own:
        found.setdefault(by.what(episode), {})[by.side(episode)] = episode
    first, second = by.sides
    twice = [(both[first], both[second]) for both in found.values() if first in both and second in both]
    return [pair for pair in twice if all(episode.scored for episode in pair)]


def _row(
    name: str,
    pairs: Pairs,
    left: int | None,
    filters: dict[str, dict[str, str]],
    *,
    reference: bool = False,
) -> TableRow:
    gap, p = difference(pairs), mcnemar(pairs)
    counts = (pairs.both, pairs.first, pairs.second, pairs.neither)
    cells = (
        *(number(count, filters.get(pair)) for count, pair in zip(counts, PAIR.values(), strict=True)),
        Cell(str(pairs.of), pairs.of),
        Cell(DASH) if left is None else number(left),
        _points(gap.value, gap.low, gap.high),
        Cell(DASH) if p is None else Cell("< 0.001" if p < 0.001 else f"{p:.3f}", p),
    )
    return TableRow(name, cells, reference=reference)


def _points(value: float | None, low: float | None, high: float | None) -> Cell:
    if value is None or low is None or high is None:
        return Cell(DASH)
    text = f"{100 * value:+.1f} ({100 * low:+.0f} to {100 * high:+.0f})".replace("-", "−")
    return Cell(text, value, None, low, high)


def _table(
    key: str,
    title: str,
    paper: str,
    instruction: str,
    columns: tuple[Column, ...],
    rows: list[TableRow],
    about: str,
    block: Fours | None,
) -> Table | None:
    if not rows:
        return None
    published = (
        [_row(label(m), Pairs(*row), None, {}, reference=True) for m, row in block.rows.items()]
        if block
        else []
    )
    return Table(key, title, paper, instruction, "Agent", columns, (*rows, *published), about)
