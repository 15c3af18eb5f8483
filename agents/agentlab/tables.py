"""The outcomes of a study: what may be compared between studies, without times and folders."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from websp_gym.agents.agentlab.columns import OUTCOMES
from websp_gym.agents.agentlab.reading import read_study

EPISODE = ("agent", "id", "trial")
FACTS = (
    "outcome",
    "reward",
    "end_reason",
    "steps",
    "actions",
    "reason",
    "failure_kinds",
    "failure_elements",
    "side_effects",
    "strict",
)


def episode_table(study: Path | str) -> pd.DataFrame:
    """One row for each episode of a study.

    Args:
        study: The study's folder.

    Returns:
        A table by agent, instance and trial, in that order.

    Raises:
        SetupError: There is no such folder, or none of our instances in it.
    """
    results = [one.result for one in read_study(Path(study))]
    rows = [{name: getattr(result, name) for name in (*EPISODE, *FACTS)} for result in results]
    return pd.DataFrame(rows).set_index(list(EPISODE)).sort_index()


def outcome_table(study: Path | str) -> pd.DataFrame:
    """How often each agent succeeded, failed, ran into a limit, and was not scored.

    AgentLab's own summary counts an error as a reward of nothing; here it is in a column of its own.

    Args:
        study: The study's folder.

    Returns:
        A table by agent, the most successful first.

    Raises:
        SetupError: There is no such folder, or none of our instances in it.
    """
    episodes = episode_table(study)
    counts = episodes.groupby("agent")["outcome"].value_counts().unstack(fill_value=0)
    table = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    table.columns.name = None
    return table.sort_values("success", ascending=False, kind="stable")
