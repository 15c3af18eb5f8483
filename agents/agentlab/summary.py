"""What AgentLab's own summary of an episode says of it, where nobody has noted a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REASON = "no verdict was noted: reward and end are those of AgentLab's summary"


def summarised(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Reads an episode's ``summary_info.json``, as stock ``EnvArgs`` leave it.

    Args:
        summary: Its data.

    Returns:
        Fields of a :class:`~websp_gym.records.results.Result`; None where it does not say how the episode ended: an
        error, no end, or a reward that is neither 1.0 nor 0.0. An answer terminates an episode, a limit truncates it.
    """
    reward = summary.get("cum_reward")
    terminated, truncated = (summary.get(name) is True for name in ("terminated", "truncated"))
    if summary.get("err_msg") is not None or terminated == truncated or reward not in (0.0, 1.0):
        return None
    if truncated and reward:
        return None
    steps = int(summary.get("n_steps") or 0)
    spent = (summary.get(f"stats.cum_{who}_elapsed") or 0.0 for who in ("step", "agent"))
    return {
        "reward": float(reward),
        "status": "pass" if reward else "fail",
        "source": "agentlab",
        "end_reason": "answer" if terminated else "action_limit",
        "steps": steps,
        "actions": steps,
        "seconds": round(sum(spent), 3),
        "reason": REASON,
    }
