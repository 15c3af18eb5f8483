"""An account on the live web is put back to how it was found."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from benchmarks.internet import Internet
from tests.live_support import home, internet, live_env, server
from websp_gym.tasks.instances import load_instance
from websp_gym.world.live.sealed import kept

__all__ = ["home", "internet", "server"]

FOUND: dict[str, dict[str, Any]] = {
    # Switches, radio buttons, lists and texts, with the state in which the account is found.
    "Steam-task-194": {"mature.store.general": True, "mature.community.adult_only": True},
    "Steam-task-200-OFF": {},
    "Pinterest-task-61-OFF": {},
}


def settings(internet: Internet, instance: str) -> dict[str, Any]:
    return dict(internet.truth().sites[load_instance(instance).site.slug].settings)


@pytest.mark.parametrize("instance", FOUND)
def test_the_account_is_as_it_was_found_when_the_episode_is_over(internet: Internet, instance: str) -> None:
    account = internet.visit(instance)
    assert internet.visitor is not None
    internet.visitor.patch(load_instance(instance).site.slug, settings=FOUND[instance])
    before = settings(internet, instance)
    with closing(live_env(instance, account=account, restore=True)) as env:
        env.reset(seed=0)
        assert settings(internet, instance) != before
        assert kept("found", account)
    assert settings(internet, instance) == before
    assert kept("found", account) is None
