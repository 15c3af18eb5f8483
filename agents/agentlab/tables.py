"""Tables of the outcomes of a study, without times and paths, so that studies can be compared."""

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
    "siblings",
    "strict",
)


def episode_table(study: Path | str) -> pd.DataFrame:
    """Return a table with one row per episode of a study.

    Args:
        study: The study's folder.

    Returns:
        A table indexed and sorted by agent, instance and trial.

    Raises:
        SetupError: There is no such folder, or it has no experiment on our instances.
    """
    results = [one.result for one in read_study(Path(study))]
    rows = [{name: getattr(result, name) for name in (*EPISODE, *FACTS)} for result in results]
    return pd.DataFrame(rows).set_index(list(EPISODE)).sort_index()


def outcome_table(study: Path | str) -> pd.DataFrame:
    """Return how often each agent succeeded, failed, reached a limit, was not scored or had an error.

    AgentLab's own summary counts an error as reward 0; here errors have their own column.

    Args:
        study: The study's folder.

    Returns:
        A table by agent, the one with most successes first.

    Raises:
        SetupError: There is no such folder, or it has no experiment on our instances.
    """
    episodes = episode_table(study)
    counts = episodes.groupby("agent")["outcome"].value_counts().unstack(fill_value=0)
    table = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    table.columns.name = None
    return table.sort_values("success", ascending=False, kind="stable")
