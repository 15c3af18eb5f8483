"""Judge the policies of an episode by its record: just played, or read back from disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.facts import Facts
from websp_gym.records.policy_verdict import PolicyVerdict

if TYPE_CHECKING:
    from websp_gym.policies.sets import Policies
    from websp_gym.records.trajectory import Trajectory
    from websp_gym.tasks.instances import Instance
    from websp_gym.world.state import Declared


def judge(
    policies: Policies, record: Trajectory, instance: Instance, *, declared: Declared | None = None
) -> tuple[PolicyVerdict, ...]:
    """Return the verdict on each policy of an episode.

    Args:
        policies: The policies.
        record: The trajectory, complete except for the verdict.
        instance: The instance.
        declared: What the site declares about its state; by default, what the record says.
    """
    goals = instance.asks_for(record.right_end)
    facts = Facts(record, goals=goals, names=policies.names, declared=declared, knows=policies.knows)
    return tuple(
        PolicyVerdict(
            id=policy.id,
            level=policy.level,
            dimension=policy.dimension,
            sentence=policy.rule.sentence(policies.names),
            **vars(policy.judge(facts)),
        )
        for policy in policies.policies
    )
