"""Classify why an episode in the sandbox failed, by rules over state and trajectory (docs/reference/judges.md)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from websp_gym.records.trajectory import ActionRecord, Trajectory
from websp_gym.records.verdict import Check, FailureKind
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.state_reward import goal_checks
from websp_gym.tasks.ground_truth import ElementType, GroundTruthStep
from websp_gym.tasks.instances import Instance
from websp_gym.world.state import same

REPEATS = 3
"""How many times the same action must be taken on the same view to count as repeated."""

_STATEFUL = ("turn", "type", "select", "submit", "holds")
_ADMITS = re.compile(
    r"\b(could ?n[o']t|cannot|can't|unable|not able|fail(ed|ure)?|did ?n[o']t|impossible|not possible|no such|"
    r"not found|gave up|giv(e|ing) up|incomplete|not (done|saved|available))\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}")


def failure_kinds(outcome: EpisodeEnd) -> tuple[FailureKind, ...]:
    """Return which of the paper's five kinds of failure apply, in the paper's order.

    The episode must have failed according to the state. The result is empty if no rule applies, for example after a
    failure by a side effect only.
    """
    trajectory, instance = outcome.trajectory, outcome.instance
    s0 = outcome.start.sites[instance.site.slug]
    before = _holding(goal_checks(instance.task.goal, s0, s0))
    after = {name: holds for name, holds in _holding(outcome.truth.checks).items() if name in before}
    rules: dict[FailureKind, bool] = {
        "incorrect navigation": not _reached(trajectory, instance) and not all(after.values()),
        "state misunderstanding": _misunderstood(trajectory, instance, before, after),
        "hallucinated success": _claims_success(outcome) and not all(after.values()),
        "repeated actions": _repeats(trajectory),
        "partial completion": _some_done(before, after) and not all(after.values()),
    }
    return tuple(kind for kind, holds in rules.items() if holds)


def failing_elements(outcome: EpisodeEnd) -> tuple[ElementType, ...]:
    """Return the element types of the ground-truth steps that caused a failure according to the state.

    These are the types of the state-changing steps that were not done although their element was in view.
    If no such element was ever in view, it is the type of the first navigation step that was not done, or else of the
    first undone state-changing step.
    """
    trajectory, steps = outcome.trajectory, outcome.instance.config.ground_truth
    undone = [step for step in steps if step.action in _STATEFUL and not _done(step, steps, trajectory)]
    in_view = [step for step in undone if _seen(step, trajectory)]
    if in_view or not undone:
        return _types(in_view)
    way = [
        step
        for step, after in pairwise(steps)
        if step.action not in _STATEFUL and not _uses(step, trajectory) and not _seen(after, trajectory)
    ]
    return _types(way)[:1] or _types(undone)[:1]


def _types(steps: Iterable[GroundTruthStep]) -> tuple[ElementType, ...]:
    return tuple(dict.fromkeys(step.element for step in steps if step.element))


def _holding(checks: Iterable[Check]) -> dict[str, bool]:
    """Return whether each condition holds, by its name."""
    return {check.name: check.passed is True for check in checks}


def _some_done(before: Mapping[str, bool], after: Mapping[str, bool]) -> bool:
    return any(after[name] and not before.get(name, False) for name in after)


def _reached(trajectory: Trajectory, instance: Instance) -> bool:
    """Whether the element of the first state-changing step, or else of the last step, was ever in view."""
    steps = instance.config.ground_truth
    first = next((step for step in steps if step.action in _STATEFUL), steps[-1])
    return _seen(first, trajectory)


def _misunderstood(
    trajectory: Trajectory, instance: Instance, before: Mapping[str, bool], after: Mapping[str, bool]
) -> bool:
    """Whether something was moved away from its wanted state, on the server or on the page."""
    if any(before.get(name) and not holds for name, holds in after.items()):
        return True
    for key, wanted in instance.task.goal.settings.items():
        reached = any(
            event.get("kind") == "set"
            and event.get("data", {}).get("key") == key
            and same(event["data"].get("new"), wanted)
            for event in trajectory.events
        )
        if reached and not after.get(f"setting {key}", True):
            return True
    return any(
        step.state is not None
        and _uses(step, trajectory)
        and _last_state(step, trajectory) == (step.state != "on")
        for step in instance.config.ground_truth
    )


def _claims_success(outcome: EpisodeEnd) -> bool:
    steps = outcome.trajectory.steps
    said = f"{steps[-1].thought if steps else ''} {outcome.answer}".strip()
    return outcome.answered and bool(said) and not _ADMITS.search(said)


def _repeats(trajectory: Trajectory) -> bool:
    """Whether the same action was taken at least ``REPEATS`` times on the same view."""
    pairs = Counter(
        (step.action.strip(), view.url, json.dumps(view.marks, sort_keys=True))
        for step, view in zip(trajectory.steps, trajectory.views, strict=False)
    )
    return any(count >= REPEATS for count in pairs.values())


def _done(step: GroundTruthStep, steps: tuple[GroundTruthStep, ...], trajectory: Trajectory) -> bool:
    if step.state is not None:
        seen = _last_state(step, trajectory)
        return seen is not None and seen == (step.state == "on")
    if step.action == "holds":
        return True
    used = _uses(step, trajectory)
    if step.action != "submit":
        return bool(used)
    changes = [number for other in steps if other.action in ("turn", "type", "select")
               for number in _uses(other, trajectory)]  # fmt: skip
    return bool(used) and used[-1] > max(changes, default=0)


def _uses(step: GroundTruthStep, trajectory: Trajectory) -> list[int]:
    """Return the numbers of the agent's steps that operated the element of a ground-truth step."""
    return [taken.number for taken in trajectory.steps if not taken.error and _operates(step, taken.act)]


def _operates(step: GroundTruthStep, act: ActionRecord | None) -> bool:
    return act is not None and act.kind != "Scroll" and _matches(step, act.role, act.name or "")


def _seen(step: GroundTruthStep, trajectory: Trajectory) -> bool:
    return any(True for _mark in _sightings(step, trajectory))


def _last_state(step: GroundTruthStep, trajectory: Trajectory) -> bool | None:
    """Return whether the step's element was on when it was last in view; None where that is unknown."""
    states = [mark.get("checked") for mark in _sightings(step, trajectory)]
    return None if not states or states[-1] is None else bool(states[-1])


def _sightings(step: GroundTruthStep, trajectory: Trajectory) -> Iterator[Mapping[str, Any]]:
    return (
        mark
        for view in trajectory.views
        for mark in view.marks
        if _matches(step, mark.get("role"), str(mark.get("name", "")))
    )


def _matches(step: GroundTruthStep, role: object, name: str) -> bool:
    """Whether an element is what a step names: it has the role, and its name begins alike (the oracle's rule)."""
    return role == step.target.role and _pattern(step.target.name).match(_plain(name)) is not None


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern that a mark's name must begin with; values of the account match any text."""
    return re.compile(".*?".join(re.escape(_plain(part)) for part in _PLACEHOLDER.split(name)))


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
