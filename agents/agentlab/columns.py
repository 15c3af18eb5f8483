"""Columns for AgentLab's tables from the result of an episode.

A table has one row per experiment, built from its arguments and its ``summary_info.json``. AgentXRay's "Global Stats"
adds up columns that begin with ``stats.cum_`` per agent, so counts are stored under such names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.records.verdict import KINDS

if TYPE_CHECKING:
    from websp_gym.records.results import Result
    from websp_gym.tasks.instances import Instance

OUTCOMES = ("success", "failure", "time-out", "unscored", "error")


def columns_of(result: Result, instance: Instance) -> dict[str, Any]:
    """Return the columns of one episode; texts and numbers only, because AgentXRay counts distinct values."""
    texts = {
        "site": instance.site.site,
        "category": instance.task.category,
        "state": instance.config.state or "",
        "elements": ", ".join(instance.config.element_types),
        "status": result.status,
        "outcome": result.outcome,
        "source": result.source,
        "end_reason": result.end_reason or "",
        "reason": result.reason,
        "failure_kinds": ", ".join(result.failure_kinds),
        "failure_elements": ", ".join(result.failure_elements),
        "side_effects": "; ".join(result.side_effects),
        "actions": result.actions,
    }
    counts = {name: int(result.outcome == name) for name in OUTCOMES}
    counts |= {f"kind {kind}": int(kind in result.failure_kinds) for kind in KINDS}
    counts["side effects"] = len(result.side_effects)
    counts["siblings"] = int(result.siblings == 1.0)
    counts["strict"] = int(result.strict == 1.0)
    return {
        **{f"websp.{name}": value for name, value in texts.items()},
        **{f"stats.cum_{_plain(name)}": count for name, count in counts.items()},
    }


def _plain(name: str) -> str:
    return name.replace(" ", "_").replace("-", "_").lower()
