"""Why an episode failed, in the form in which its verdict carries it."""

from __future__ import annotations

import logging
from dataclasses import replace

from websp_gym.records.verdict import Failure, Verdict
from websp_gym.scoring.failures import failing_elements, failure_kinds
from websp_gym.scoring.outcome import EpisodeEnd

_log = logging.getLogger(__name__)


def with_failure_causes(verdict: Verdict, outcome: EpisodeEnd) -> Verdict:
    """Adds to a failure why it is one.

    Args:
        verdict: Of any reward, or of a limit.
        outcome: The end of the episode.

    Returns:
        The same verdict, for a failure with :attr:`~websp_gym.records.verdict.Verdict.failure`; nothing else of it
        changes.
    """
    if verdict.status != "fail" or verdict.failure is not None:
        return verdict
    return replace(verdict, failure=failure_of(outcome))


def failure_of(outcome: EpisodeEnd) -> Failure:
    """Why an episode in the sandbox failed.

    Args:
        outcome: The end of the episode.

    Returns:
        Kinds and elements, none for an episode that did its task according to the state. Where the rules cannot be
        applied, ``error`` says why.
    """
    truth = outcome.truth
    if not outcome.trajectory.views:
        return Failure(error="what the agent saw was not kept")
    if truth.status == "unscored":
        return Failure(error=truth.reason)
    if truth.status == "pass":
        return Failure()
    try:
        return Failure(kinds=failure_kinds(outcome), elements=failing_elements(outcome))
    except Exception as error:
        # An episode that was played has its verdict, whatever is wrong here; the reader is told what.
        _log.exception("the rules on failures broke on a run of %s", outcome.instance.id)
        return Failure(error=f"{type(error).__name__}: {error}")
