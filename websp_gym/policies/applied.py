"""The policies of an environment: shown to the agent, watched and judged; loaded where there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.policies.briefing import policy_block
from websp_gym.policies.judging import judge
from websp_gym.policies.policy_watch import PolicyWatch
from websp_gym.policies.sets import Policies, policies_for
from websp_gym.policies.user import make_user

if TYPE_CHECKING:
    from collections.abc import Sequence

    from websp_gym.browser.tabs import Tabs
    from websp_gym.records.policy_verdict import PolicyVerdict
    from websp_gym.records.trajectory import Trajectory
    from websp_gym.tasks.instances import Instance
    from websp_gym.world import WorldEpisode


class AppliedPolicies:
    """The policies that hold for an instance, and who answers the agent's questions.

    Args:
        instance: The instance.
        spec: Names of sets, or paths of files.
        user: Who answers: ``scripted``, ``model:MODEL`` or ``console``.

    Raises:
        SetupError: There is no such set or user, or a set is not valid for the instance.
    """

    def __init__(self, instance: Instance, spec: Sequence[str], user: str) -> None:
        self.declared: Policies = policies_for(instance, spec)
        self._user = user
        make_user(user, self.declared)  # one that is unavailable must fail here, not in an episode

    @property
    def shown(self) -> tuple[dict[str, Any], ...]:
        """The policies that the agent is told, as JSON data."""
        return tuple(each.as_dict() for each in self.declared.shown)

    @property
    def block(self) -> str:
        """The text that tells them; empty if none is told."""
        return policy_block(list(self.shown))

    def watch(self, episode: WorldEpisode, tabs: Tabs, instruction: str, site: str) -> PolicyWatch:
        """Return the observer of an episode that records the facts that policies are judged by."""
        user = make_user(self._user, self.declared)
        return PolicyWatch(self.declared, user, episode, tabs, instruction, site)

    def judge(self, record: Trajectory, instance: Instance) -> tuple[PolicyVerdict, ...]:
        """Return a verdict for each policy."""
        return judge(self.declared, record, instance)
