"""The truth about a recorded run: what the state reward says of the state it kept."""

from __future__ import annotations

from dataclasses import replace

from websp_gym.records.trajectory import LIMITS, Trajectory
from websp_gym.scoring.state_reward import state_verdict
from websp_gym.scoring.verdict import Verdict, failed, unscored
from websp_gym.tasks.instances import LoadedInstance
from websp_gym.world.state import WorldState, world_state


def truth_of(trajectory: Trajectory, loaded: LoadedInstance) -> Verdict:
    """Scores a recorded run by the server's state.

    Args:
        trajectory: A run in the sandbox.
        loaded: Its instance, as configured now.

    Returns:
        Pass or fail; a run into a limit fails. Unscored for a run that kept no state, did not come to its end, or was
        played with another configuration. Of the state of other sites than the task's own a record keeps the events
        only; what else moved there is taken from the verdict that the record has.
    """
    if trajectory.config_hash != loaded.config_hash:
        return unscored("state", f"{loaded.id} has another configuration now than when the run was recorded")
    if trajectory.end_reason in LIMITS:
        return failed("limit", "a limit was reached without an answer")
    if trajectory.end_reason not in ("answer", "infeasible"):
        return unscored("state", "the run did not come to its end")
    if not trajectory.s0 or not trajectory.end:
        return unscored("state", "the run kept no state")
    slug = loaded.site.slug
    start = _world(slug, trajectory.s0)
    end = _world(slug, trajectory.end, events=trajectory.events)
    verdict = state_verdict(loaded, start, end, answered=trajectory.end_reason == "answer")
    kept = trajectory.verdict or {}
    own = f"{slug}: "
    elsewhere = tuple(line for line in kept.get("side_effects", ()) if not line.startswith(own))
    given_away = tuple(kept.get("less_private", ()))
    strict = verdict.strict
    if strict == 1.0 and (elsewhere or "strict" not in kept):
        # A verdict that does not speak of it did not look at everything that counts here.
        strict = 0.0 if elsewhere else None
    return replace(
        verdict, side_effects=verdict.side_effects + elsewhere, less_private=given_away, strict=strict
    )


def _world(slug: str, state: dict[str, object], events: list[dict[str, object]] | None = None) -> WorldState:
    return world_state({"sites": {slug: state}, "events": events or []})


def truth_at_start(trajectory: Trajectory, loaded: LoadedInstance) -> Verdict:
    """What the state reward would say had the agent answered at once.

    Args:
        trajectory: A run in the sandbox that kept its state.
        loaded: Its instance.

    Returns:
        The verdict on S0.
    """
    start = _world(loaded.site.slug, trajectory.s0)
    return state_verdict(loaded, start, start, answered=True)
