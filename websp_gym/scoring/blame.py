"""Whose failure an episode is that an error ended: the law for an action that breaks its world twice.

A losing agent must not gain from an error, neither by a second try nor by dropping out of the denominator. So its
actions are repeated from a fresh S0, and one that ends the episode with an error again is the agent's failure. The
actions of an agent that drives the browser itself (``outside``) cannot be repeated, so it begins again; a second
error while it acts is its failure, whichever action it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websp_gym.records.results import Try

_OF_MODELS = ("JudgeError", "ModelError")
"""What errors of models begin with in a :class:`~websp_gym.records.results.Try`."""


def is_own_failure(tries: Sequence[Try], *, outside: bool = False) -> bool:
    """Return whether the last of some attempts is the agent's failure: it ended where an earlier one had.

    Args:
        tries: The attempts that an error ended, in order.
        outside: Whether the agent drives the browser itself.
    """
    *earlier, last = (blamed_step(each, outside=outside) for each in tries)
    return last is not None and last in earlier


def own_failure(again: Try) -> str:
    """Return why an episode has failed whose second attempt ended with the same error."""
    return f"action {again.step} ended the episode with an error, and did so again: {again.error}"


def blamed_step(failure: Try, *, outside: bool = False) -> int | None:
    """Return the step for which an agent is to blame if an attempt ends there again; ``None`` for no such step.

    An agent that drives the browser itself is to blame wherever it can cause an error: from its first moment at the
    door to the verdict, and also where the process dies. A model that judges it is out of its reach.
    """
    if not outside:
        return failure.step if failure.stage == "action" else None
    if failure.stage == "process":
        return 0 if failure.step > 0 else None
    caused = failure.stage in ("agent", "action", "scoring") and not failure.error.startswith(_OF_MODELS)
    return 0 if caused else None
