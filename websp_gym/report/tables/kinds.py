"""Why agents fail: the paper's five kinds of failure (section 6, table 9)."""

from __future__ import annotations

from collections.abc import Sequence

from websp_gym.records.verdict import KINDS
from websp_gym.report.tables.paper import Paper, label
from websp_gym.report.tables.rows import WORDS, Episode
from websp_gym.report.tables.table import DASH, Cell, Column, Row, Table, part

ABOUT = (
    "Of all failures, time-outs included: how many are of each kind; one may be of several. The paper's are counts "
    "from a sample of 40 failures (35 of Gemini-3-Pro) labelled by hand, less those that turned out to be none."
)
_HINTS = (
    "Never reached the page or the section in question.",
    "Left or put a control in the opposite of the wanted state.",
    "Reported success that its actions do not bear out.",
    "Repeated itself without getting on.",
    "Did a part of what was asked.",
)


def kinds(
    episodes: Sequence[Episode], agents: Sequence[str], instruction: str, paper: Paper | None
) -> Table | None:
    """Table 9.

    Args:
        episodes: One of each agent and instance in this wording.
        agents: The agents, in the order to show.
        instruction: The wording.
        paper: What was published; None for nothing beside.

    Returns:
        The table; None where nothing failed.
    """
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
            Row(label(m), (Cell(DASH), *(Cell(str(n), n) for n in row), Cell(DASH)), reference=True)
            for m, row in paper.kinds.rows.items()
        ]
    columns = (
        Column("Failures", "Time-outs included; the denominator."),
        *(Column(kind.capitalize(), hint) for kind, hint in zip(KINDS, _HINTS, strict=True)),
        Column("No kind", "Failures no rule and no model named a kind of."),
    )
    title = f"Kinds of failure, {WORDS.get(instruction, instruction)}"
    number = "9" if instruction == "without_navigation" else ""
    return Table("kinds", title, number, instruction, "Agent", columns, tuple(rows), ABOUT)


def _row(agent: str, failed: Sequence[Episode], instruction: str) -> Row:
    filters = {"agent": agent, "instruction": instruction, "outcome": "unsolved"}
    counts = [(kind, sum(kind in episode.result.failure_kinds for episode in failed)) for kind in KINDS]
    bare = sum(not episode.result.failure_kinds for episode in failed)
    cells = (
        Cell(str(len(failed)), len(failed), episodes=filters),
        *(part(count, len(failed), {**filters, "kind": kind}) for kind, count in counts),
        part(bare, len(failed), {**filters, "kind": "none"}),
    )
    return Row(agent, cells)
