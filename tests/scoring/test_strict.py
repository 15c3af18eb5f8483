"""The stricter scores on the sandbox itself: what an accept-all or reject-all policy is paid, and what not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from websp_gym.records.verdict import Verdict
from websp_gym.scoring.rewards import state_verdict
from websp_gym.tasks.instances import load_instance
from websp_gym.world.sandbox import SandboxWorld


def verdict_of(name: str, prefix: str, *, all_to: bool | None) -> Verdict:
    """Sets all settings of a kind to one value, then those that the goal names: accept all, then two off."""
    instance = load_instance(name)
    slug, goal = instance.site.slug, instance.task.goal
    episode = SandboxWorld().open_episode(instance.site, signed_in=True)
    try:
        episode.prepare(slug, instance.config.expect.settings, {})
        start = episode.state()
        declared = start.sites[slug].declared
        kinds = [key for key in declared.least_private if key.startswith(prefix)]
        policy = (
            {key: all_to for key in kinds if key not in declared.bookkeeping} if all_to is not None else {}
        )
        episode.prepare(slug, {**policy, **goal.settings}, {})
        # As if pages had changed it.
        end = replace(episode.state(), events=start.events)
        return state_verdict(instance, start, end, answered=True)
    finally:
        episode.close()


@pytest.mark.parametrize(
    ("name", "prefix", "all_to"),
    [
        ("AllRecipes-task-154", "consent.", False),
        ("IKEA-task-158", "consent.", False),
        ("Shein-task-161", "consent.", False),
        ("Steam-task-191-ON", "cookies.", False),
        ("Steam-task-191-OFF", "cookies.", True),
        ("Steam-task-192-ON", "cookies.", False),
        ("Steam-task-192-OFF", "cookies.", True),
        ("Steam-task-195", "mature.", True),
    ],
)
def test_all_or_nothing_first_and_the_named_settings_then_is_paid_but_not_strict(
    name: str, prefix: str, all_to: bool
) -> None:
    right = verdict_of(name, prefix, all_to=None)
    assert (right.score, right.siblings, right.strict, right.side_effects) == (1.0, 1.0, 1.0, ())
    crude = verdict_of(name, prefix, all_to=all_to)
    assert (crude.score, crude.siblings, crude.strict) == (1.0, 0.0, 0.0)
    assert bool(crude.less_private) == all_to
    assert set(crude.less_private) <= set(crude.side_effects)
