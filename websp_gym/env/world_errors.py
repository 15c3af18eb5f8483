"""Errors and ``info`` of an environment whose world or browser fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.errors import WebspError, WorldError
from websp_gym.records.ending import Ending
from websp_gym.records.verdict import unscored

if TYPE_CHECKING:
    from playwright.sync_api import Error as PlaywrightError


def as_world_error(error: PlaywrightError, when: str) -> WorldError:
    """Return the ``WorldError`` for a failure of the browser; ``when`` is put into its message."""
    first_line = str(error).split("\n", 1)[0]
    return WorldError(f"the browser failed {when} ({first_line}); call reset() to start a new episode")


def info_after(error: WebspError, instance_id: str) -> dict[str, Any]:
    """Return the ``info`` of an episode that an error has ended.

    Args:
        error: The error. Its verdict is kept if it has one.
        instance_id: The instance.
    """
    ending = Ending("error", detail=str(error))
    verdict = error.facts.get("verdict") or unscored("world", str(error)).as_dict()
    return {
        "task_info": {"instance": instance_id},
        "reason": ending.reason,
        "caused_by": ending.cause,
        "verdict": verdict,
        "side_effects": list(verdict["side_effects"]),
        "unscored": True,
        "error": str(error),
    }
