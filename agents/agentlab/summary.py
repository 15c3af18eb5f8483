"""Results from AgentLab's own summary of an episode, for episodes without a stored verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

REASON = "no verdict was recorded: reward and end are those of AgentLab's summary"


def summarised(summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return fields of a :class:`~websp_gym.records.results.Result` from the data of ``summary_info.json``.

    An answer terminates an episode, a limit truncates it. None if the summary does not show how the episode ended: an
    error, no end, a reward other than 1.0 or 0.0, or a reward of 1.0 after a limit.
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
