"""Scoring a recorded run by the server's state in its record."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.policies.judging import judge
from websp_gym.policies.sets import policies_for
from websp_gym.records.ending import Ending
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import Verdict, failed_early, unscored
from websp_gym.scoring.explain import with_failure_causes
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world import world_kind
from websp_gym.world.fresh import declared
from websp_gym.world.state import WorldState, world_state


def state_verdict_of_record(trajectory: Trajectory, instance: Instance) -> Verdict:
    """Return the verdict on a recorded sandbox run by the server's state, with the causes of a failure.

    A run stopped by a limit fails. Unscored if the run has no recorded state, did not finish, or was played with a
    different configuration than ``instance`` has now. A record keeps the whole state of the task's site only; side
    effects on other sites are taken from the recorded verdict.
    """
    if trajectory.config_hash != instance.config_hash:
        return unscored("state", _changed(instance))
    outcome = outcome_of(trajectory, instance)
    if outcome is None:
        return unscored("state", "the run did not finish")
    kept = trajectory.s0 and trajectory.end
    early = failed_early(outcome.ending.reason)
    # A record of ours has the state of its world whatever ended it; without one, nobody knows what was played.
    if early is not None and (kept or not world_kind(trajectory.world).is_ours):
        return with_failure_causes(replace(early, progress=outcome.truth.progress), outcome)
    if not kept:
        return unscored("state", "the run kept no state")
    return with_failure_causes(
        _with_other_sites(outcome.truth, instance.site.slug, trajectory.verdict or {}), outcome
    )


def _changed(instance: Instance) -> str:
    return f"the configuration of {instance.id} has changed since the run was recorded"


def policies_of_record(trajectory: Trajectory, instance: Instance) -> tuple[PolicyVerdict, ...] | None:
    """Return the verdict on each policy of a recorded run; ``None`` for a run without policies.

    Raises:
        SetupError: Its sets are missing, or their policies or the instance have changed since the run was recorded.
    """
    if trajectory.policies is None:
        return None
    if trajectory.config_hash != instance.config_hash:
        raise SetupError(_changed(instance))
    policies = policies_for(instance, trajectory.policies.sets)
    if policies.digest != trajectory.policies.digest:
        sets = ", ".join(trajectory.policies.sets)
        raise SetupError(f"the policies of {sets} for {instance.id} have changed since the run was recorded")
    return judge(policies, trajectory, instance)


def progress_of_record(trajectory: Trajectory, instance: Instance) -> float | None:
    """Return how much of the task was done in a recorded run (:attr:`Verdict.progress`); ``None`` if unknown."""
    same = trajectory.config_hash == instance.config_hash
    outcome = outcome_of(trajectory, instance) if same and trajectory.s0 and trajectory.end else None
    return outcome.truth.progress if outcome is not None else None


def outcome_of(trajectory: Trajectory, instance: Instance) -> EpisodeEnd | None:
    """Return the end of a recorded sandbox run, with the state of the task's own site only.

    None for a run that did not finish.
    """
    if trajectory.end_reason is None:
        return None
    ending = Ending(trajectory.end_reason, trajectory.answer)
    if ending.cause != "agent":
        return None
    start = _world(instance, trajectory.s0)
    end = _world(instance, trajectory.end, trajectory.events)
    return EpisodeEnd(instance.ending_in(trajectory.right_end), start, end, ending, trajectory)


def _world(
    instance: Instance, state: dict[str, Any], events: list[dict[str, Any]] | None = None
) -> WorldState:
    world = world_state({"sites": {instance.site.slug: state} if state else {}, "events": events or []})
    with contextlib.suppress(SetupError):  # its site is not here, so nobody knows what it shows together
        together = declared(site_schema(instance.site.slug)).shown_together
        for slug, site in world.sites.items():
            world.sites[slug] = replace(site, declared=replace(site.declared, shown_together=together))
    return world


def _with_other_sites(verdict: Verdict, slug: str, kept: dict[str, Any]) -> Verdict:
    """Add to a verdict the side effects on other sites that the recorded verdict lists."""
    own = f"{slug}: "
    elsewhere = tuple(line for line in kept.get("side_effects", ()) if not line.startswith(own))
    strict = verdict.strict
    if strict == 1.0 and (elsewhere or "strict" not in kept):
        # A recorded verdict without "strict" did not check for all side effects.
        strict = 0.0 if elsewhere else None
    return replace(
        verdict,
        side_effects=verdict.side_effects + elsewhere,
        less_private=tuple(kept.get("less_private", ())),
        strict=strict,
    )
