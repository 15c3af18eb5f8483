"""Why a run failed, in the form in which a verdict carries it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from websp_gym.records.trajectory import Trajectory
from websp_gym.scoring.failures import failing_elements, failure_kinds
from websp_gym.scoring.truth import truth_of
from websp_gym.scoring.verdict import Verdict
from websp_gym.tasks.instances import LoadedInstance

FAILURE = "failure"
"""Where in a verdict's details the explanation stands."""


def explained(verdict: Verdict, trajectory: Trajectory, loaded: LoadedInstance) -> Verdict:
    """Adds to a failure why it is one.

    Args:
        verdict: Of any reward, or of a limit.
        trajectory: The run, with its end; it need not be on disk.
        loaded: Its instance.

    Returns:
        The same verdict, for a failure with ``details["failure"]``. The analysis decides nothing else of it.
    """
    if verdict.status != "fail" or FAILURE in verdict.details:
        return verdict
    return replace(verdict, details={**verdict.details, FAILURE: explain(trajectory, loaded)})


def explain(trajectory: Trajectory, loaded: LoadedInstance) -> dict[str, Any]:
    """Why a run in the sandbox failed.

    Args:
        trajectory: The run.
        loaded: Its instance.

    Returns:
        ``kinds`` and ``elements`` as lists, both empty for a run that did its task according to the state. Where the
        rules cannot be applied both are empty too, and ``error`` says why.
    """
    try:
        reason = _untold(trajectory, loaded)
        if reason:
            return _unknown(reason)
        kinds, elements = failure_kinds(trajectory, loaded), failing_elements(trajectory, loaded)
    except Exception as error:
        # A run that was played has its verdict, whatever is wrong here; the reader is told what.
        return _unknown(f"{type(error).__name__}: {error}")
    return {"kinds": list(kinds), "elements": list(elements)}


def _untold(trajectory: Trajectory, loaded: LoadedInstance) -> str:
    """Why the record does not tell; empty where it does."""
    if not trajectory.views:
        return "what the agent saw was not kept"
    truth = truth_of(trajectory, loaded)
    return truth.reason if truth.status == "unscored" else ""


def _unknown(why: str) -> dict[str, Any]:
    return {"kinds": [], "elements": [], "error": why}
