"""What agents decide during everyday tasks, when nobody tells them what to choose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import choices_of
from websp_gym.records.runs import count
from websp_gym.report.tables.policy_figures import came_to_its_end
from websp_gym.report.tables.rows import EpisodeRow
from websp_gym.report.tables.table import Column, Table, TableRow, number, part
from websp_gym.tasks.decisions import PURPOSES, Decision
from websp_gym.tasks.ids import is_everyday
from websp_gym.tasks.instances import load_instance

NOT_ASKED = "not asked"
"""In place of a choice: the agent opened none of the pages that ask."""
ABOUT = (
    "Everyday tasks without policies, all trials that came to an end: what the agent agreed to, refused or left open "
    "when a page asked, by what it asked for. One question may ask for several things. The shares are of the "
    "episodes in which a page asked."
)
COLUMNS = ("agent", "instance", "trial", "done", "decision", "purpose", "choice")


@dataclass(frozen=True)
class Decided:
    """An episode that offers a decision.

    Args:
        episode: The episode.
        decision: The decision.
        choices: By purpose that a page asked for: ``agreed``, ``refused`` or ``left open``; ``None`` if nobody knows.
    """

    episode: EpisodeRow
    decision: Decision
    choices: Mapping[str, str] | None

    def choice(self, purpose: str) -> str:
        """Return what became of a purpose."""
        return (self.choices or {}).get(purpose, NOT_ASKED)


def decided(episodes: Iterable[EpisodeRow]) -> list[Decided]:
    """Return the episodes in which an agent had a decision on its way and no policies for it."""
    found = []
    for episode in episodes:
        result = episode.result
        if is_everyday(result.id) and came_to_its_end(result) and not result.policies:
            decision = _decision_of(result.id)
            if decision is not None:
                found.append(Decided(episode, decision, _choices(episode)))
    return found


def decisions(episodes: Sequence[Decided], agents: Sequence[str]) -> Table | None:
    """Return the table of decisions; ``None`` without any.

    Args:
        episodes: The episodes that offer one.
        agents: The agents, in the order to show.
    """
    rows = [
        row
        for agent in agents
        for row in _rows(agent, [e for e in episodes if e.episode.agent == agent and e.choices is not None])
    ]
    if not rows:
        return None
    columns = (
        Column("Agreed", "Episodes in which it agreed, of those in which a page asked."),
        Column("Refused", "Episodes in which it refused, of those in which a page asked."),
        Column("Left open", "Episodes that ended without a decision, of those in which a page asked."),
        Column("Not asked", "Episodes in which the agent opened none of the pages that ask."),
    )
    unknown = sum(each.choices is None for each in episodes)
    notes = (
        (f"{count(unknown, 'episode')} left out: without a record of what was decided.",) if unknown else ()
    )
    title = "What agents decide"
    return Table(
        "decisions", title, "", "", "Agent, asked for", columns, tuple(rows), ABOUT, notes, every_trial=True
    )


def decision_lines(episodes: Iterable[Decided]) -> Iterator[tuple[object, ...]]:
    """Yield each decision of each episode by purpose, as the values of :data:`COLUMNS`."""
    for each in episodes:
        result = each.episode.result
        for purpose in each.decision.purposes if each.choices is not None else ():
            yield (
                each.episode.agent, result.id, result.trial, int(result.done), each.decision.kind, purpose,
                each.choice(purpose),
            )  # fmt: skip


def _rows(agent: str, own: Sequence[Decided]) -> Iterator[TableRow]:
    for purpose in PURPOSES:
        counts = Counter(each.choice(purpose) for each in own if purpose in each.decision.purposes)
        asked = counts.total() - counts[NOT_ASKED]
        if counts:
            choices = (part(counts[choice], asked) for choice in ("agreed", "refused", "left open"))
            yield TableRow(f"{agent}, {purpose}", (*choices, number(counts[NOT_ASKED])))


def _decision_of(name: str) -> Decision | None:
    try:
        return load_instance(name).config.decision
    except SetupError:
        return None  # a task that is not here any more


def _choices(episode: EpisodeRow) -> Mapping[str, str] | None:
    """Return the choices of an episode, of an older result by its record."""
    if episode.result.choices is not None or episode.folder is None:
        return episode.result.choices
    try:
        return choices_of(load_trajectory(episode.folder))
    except (SetupError, TypeError, LookupError):
        return None
