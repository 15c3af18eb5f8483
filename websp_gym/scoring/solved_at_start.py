"""Instances that are solved at the start: their initial state S0 meets the goal.

They are part of the benchmark, so that always toggling does not pay. A learner finds them first, because answering at
once is enough; these functions identify them, leave them out or balance them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from websp_gym.scoring.state_reward import goal_checks
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.world.fresh import expected_s0


def solved_at_start(instance: Instance | str) -> bool:
    """Whether an agent that does nothing but answer passes an instance.

    Args:
        instance: The instance, or its id.

    Raises:
        SetupError: There is no such instance, or its site is invalid.
    """
    one = load_instance(instance) if isinstance(instance, str) else instance
    if one.task.goal.visited or one.task.goal.answer or one.task.refuse:
        return False
    start = expected_s0(one)
    return all(check.passed for check in goal_checks(one.task.goal, start, start))


def without_solved(ids: Iterable[str]) -> list[str]:
    """Return the instances in which something must be done, in the same order."""
    return [name for name in ids if not solved_at_start(name)]


def balance_solved(ids: Iterable[str], *, seed: int = 0) -> list[str]:
    """Return equally many instances that are solved at the start and others.

    Surplus instances of the larger kind are left out, in an order that depends on the seed only.

    Args:
        ids: Ids of instances.
        seed: Seed of the choice.

    Returns:
        The ids that are kept, in the same order; an empty list if all are of one kind.
    """
    names = list(ids)
    solved = [name for name in names if solved_at_start(name)]
    others = [name for name in names if name not in solved]
    size = min(len(solved), len(others))
    kept = {
        name for group in (solved, others) for name in sorted(group, key=lambda n: _digest(seed, n))[:size]
    }
    return [name for name in names if name in kept]


def _digest(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()
