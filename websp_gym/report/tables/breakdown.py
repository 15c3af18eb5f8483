"""Success by website (tables 4, 12), task category (5, 13) and UI element type (6, 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from websp_gym.report.tables.paper import Breakdown, Paper, label
from websp_gym.report.tables.rows import WORDS, EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, crown, part
from websp_gym.tasks.ground_truth import ElementType

TOTAL = "All of these"


@dataclass(frozen=True)
class _By:
    """One way to group episodes, with its table titles here and in the paper."""

    key: str
    filter: str
    stub: str
    title: str
    about: str
    groups: Callable[[EpisodeRow], Sequence[str]]
    papers: tuple[str, str]
    """Numbers of the paper's tables without and with navigation."""

    @property
    def blames(self) -> bool:
        """Whether failures are attributed to a group."""
        return self.key == "elements"

    def ordered(self, episodes: Iterable[EpisodeRow]) -> list[str]:
        """Return the groups that occur, in the paper's order."""
        return sorted({name for episode in episodes for name in self.groups(episode)}, key=_place)


def _place(name: str) -> tuple[int, str]:
    types: tuple[str, ...] = get_args(ElementType)
    return (types.index(name) if name in types else -1, name)


_SITES = _By(
    key="sites",
    filter="site",
    stub="Website",
    title="By website",
    about="Solved instances out of the scored ones, by website.",
    groups=lambda episode: (episode.facts.site,),
    papers=("4", "12"),
)
_CATEGORIES = _By(
    key="categories",
    filter="category",
    stub="Task category",
    title="By task category",
    about="Solved instances out of the scored ones, by task category.",
    groups=lambda episode: (episode.facts.category,),
    papers=("5", "13"),
)
_ELEMENTS = _By(
    key="elements",
    filter="element",
    stub="UI element",
    title="By type of UI element",
    about="Solved instances out of the scored ones whose solution uses the type; an instance counts in the row of "
    "each of its types. In parentheses: failures attributed to the type, without time-outs.",
    groups=lambda episode: episode.facts.elements,
    papers=("6", "14"),
)


def sites(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table:
    """Return the table by website: table 4 without navigation, table 12 with it.

    Args:
        episodes: One episode per agent and instance, all with this instruction variant.
        agents: The agents, in the order to show.
        instruction: The instruction variant.
        paper: The published figures to show beside; None for none.

    Returns:
        The table; sites are rows, agents columns.
    """
    return _table(_SITES, episodes, agents, instruction, paper)


def categories(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table:
    """Return the table by task category (5 without navigation, 13 with it); see :func:`sites`."""
    return _table(_CATEGORIES, episodes, agents, instruction, paper)


def elements(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table:
    """Return the table by UI element type (6 without navigation, 14 with it); see :func:`sites`."""
    return _table(_ELEMENTS, episodes, agents, instruction, paper)


def _table(
    by: _By, episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table:
    block = getattr(paper, by.key).get(instruction) if paper else None
    shown = [agent for agent in agents if any(episode.agent == agent for episode in episodes)]
    order = by.ordered(episodes)

    def row(name: str, groups: Sequence[str]) -> TableRow:
        own = [_cell(by, name, episodes, agent, instruction) for agent in shown]
        published = _published(block, groups, paper) if paper and block else []
        return TableRow(name, (*crown(own, [True] * len(own)), *published), total=name == TOTAL)

    rows = [row(name, [name]) for name in order]
    if not by.blames:
        rows.append(row(TOTAL, order))
    columns = [Column(agent) for agent in shown]
    if paper and block:
        columns += [Column(label(model), reference=True) for model in paper.models]
    return Table(
        by.key,
        f"{by.title}, {WORDS.get(instruction, instruction)}",
        dict(zip(WORDS, by.papers, strict=True)).get(instruction, ""),
        instruction,
        by.stub,
        tuple(columns),
        tuple(rows),
        by.about,
    )


def _cell(by: _By, name: str, episodes: Sequence[EpisodeRow], agent: str, instruction: str) -> Cell:
    own = [e for e in episodes if e.agent == agent and e.scored and (name == TOTAL or name in by.groups(e))]
    filters = {"agent": agent, "instruction": instruction, "outcome": "scored"}
    if name != TOTAL:
        filters[by.filter] = name
    solved = sum(episode.solved for episode in own)
    if not by.blames:
        return part(solved, len(own), filters)
    blamed = sum(e.outcome == "failure" and name in e.result.failure_elements for e in own)
    return part(solved, len(own), filters, blamed=blamed)


def _published(block: Breakdown, names: Sequence[str], paper: Paper) -> list[Cell]:
    """Return the published figures of some groups, added up."""
    found = [block.rows[name] for name in names if name in block.rows]
    of = sum(row.of for row in found)

    def cell(at: int) -> Cell:
        blamed = [row.blamed[at] for row in found if row.blamed]
        solved = sum(row.solved[at] for row in found)
        return part(solved, of, blamed=sum(blamed) if blamed else None)

    return [cell(at) if found else Cell(DASH) for at in range(len(paper.models))]
