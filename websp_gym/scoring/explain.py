"""Add the causes of a failure to the verdict of an episode."""

from __future__ import annotations

import logging
from dataclasses import replace

from websp_gym.records.verdict import Failure, Verdict
from websp_gym.scoring.failure_kinds import failing_elements, failure_kinds
from websp_gym.scoring.outcome import EpisodeEnd

_log = logging.getLogger(__name__)


def with_failure_causes(verdict: Verdict, outcome: EpisodeEnd) -> Verdict:
    """Return the verdict, with ``failure`` added if it is a failure without known causes."""
    if verdict.status != "fail" or verdict.failure is not None:
        return verdict
    return replace(verdict, failure=failure_of(outcome))


def failure_of(outcome: EpisodeEnd) -> Failure:
    """Return the kinds and elements of a failure.

    Both are empty for an episode that passed according to the state. If the rules cannot be applied, for example
    because policies make a different end right, ``error`` of the result holds the reason.
    """
    truth = outcome.truth
    if outcome.trajectory.right_end is not None:
        return Failure(error="the ground truth leads to a different end than the policies")
    if not outcome.trajectory.views:
        return Failure(error="the agent's observations were not kept")
    if truth.status == "unscored":
        return Failure(error=truth.reason)
    if truth.status == "pass":
        return Failure()
    try:
        return Failure(kinds=failure_kinds(outcome), elements=failing_elements(outcome))
    except Exception as error:
        # A bug in the rules must not cost an episode its verdict; the result carries the error instead.
        _log.exception("classifying the failure of a run of %s failed", outcome.instance.id)
        return Failure(error=f"{type(error).__name__}: {error}")
