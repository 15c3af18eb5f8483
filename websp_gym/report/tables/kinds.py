"""The paper's five kinds of failure (section 6, table 9)."""

from __future__ import annotations

from collections.abc import Sequence

from websp_gym.records.verdict import KINDS
from websp_gym.report.tables.paper import Paper, label
from websp_gym.report.tables.rows import WORDS, EpisodeRow
from websp_gym.report.tables.table import DASH, Cell, Column, Table, TableRow, part

ABOUT = (
    "The number of failures of each kind, out of all failures including time-outs; a failure may be of several "
    "kinds. The paper's counts are from a sample of 40 failures (35 for Gemini-3-Pro) labelled by hand, without "
    "those that turned out not to be failures."
)
_HINTS = (
    "Never reached the right page or section.",
    "Left or put a control in the opposite state.",
    "Reported a success that its actions did not achieve.",
    "Repeated the same actions without progress.",
    "Did a part of the task.",
)


def kinds(
    episodes: Sequence[EpisodeRow], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table | None:
    """Return table 9, the failures of each kind; None if there are none. Arguments as of ``breakdown.sites``."""
    failed = [episode for episode in episodes if episode.scored and not episode.solved]
    if not failed:
        return None
    rows = [
        _row(agent, [e for e in failed if e.agent == agent], instruction)
        for agent in agents
        if any(episode.agent == agent for episode in failed)
    ]
    if paper and instruction == "without_navigation":
        rows += [
            TableRow(label(m), (Cell(DASH), *(Cell(str(n), n) for n in row), Cell(DASH)), reference=True)
            for m, row in paper.kinds.rows.items()
        ]
    columns = (
        Column("Failures", "Failures including time-outs; the denominator."),
        *(Column(kind.capitalize(), hint) for kind, hint in zip(KINDS, _HINTS, strict=True)),
        Column("No kind", "Failures that no rule and no model assigned a kind."),
    )
    title = f"Kinds of failure, {WORDS.get(instruction, instruction)}"
    number = "9" if instruction == "without_navigation" else ""
    return Table("kinds", title, number, instruction, "Agent", columns, tuple(rows), ABOUT)


def _row(agent: str, failed: Sequence[EpisodeRow], instruction: str) -> TableRow:
    filters = {"agent": agent, "instruction": instruction, "outcome": "unsolved"}
    counts = [(kind, sum(kind in episode.result.failure_kinds for episode in failed)) for kind in KINDS]
    bare = sum(not episode.result.failure_kinds for episode in failed)
    cells = (
        Cell(str(len(failed)), len(failed), episodes=filters),
        *(part(count, len(failed), {**filters, "kind": kind}) for kind, count in counts),
        part(bare, len(failed), {**filters, "kind": "none"}),
    )
    return TableRow(agent, cells)
