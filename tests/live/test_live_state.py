"""S0 on the live web: set by replay, read back from pages that are loaded once more, and never believed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.live_internet import Internet
from tests.live_support import home, internet, live_env, server
from websp_gym.errors import InitialStateError, SetupError
from websp_gym.tasks.instances import load_instance
from websp_gym.world.initial_state import verify
from websp_gym.world.sandbox import SandboxEpisode

__all__ = ["home", "internet", "server"]


def reached(internet: Internet, instance: str) -> None:
    """Asks the server itself whether S0 is there."""
    assert internet.visitor is not None
    verify(load_instance(instance), SandboxEpisode(internet.sandbox, internet.visitor))


@pytest.mark.parametrize(
    "instance",
    [
        "Steam-task-197-ON",  # texts that are added to a list
        pytest.param("Coursera-task-182", marks=pytest.mark.proof),  # behind a tab without an address
        *(
            pytest.param(each, marks=pytest.mark.proof)
            for each in ("Steam-task-191-ON", "Steam-task-191-OFF", "BBC-task-169", "GitHub-task-129-ON")
        ),
    ],
)
def test_s0_is_reached_and_read_back(internet: Internet, instance: str) -> None:
    account = internet.visit(instance)
    with closing(live_env(instance, account=account)) as env:
        observation, info = env.reset(seed=1)
    assert observation["goal"]
    assert info["initial_state"]["how"] == "replay"
    assert info["initial_state"]["read_back"] is not None
    reached(internet, instance)


def test_a_state_that_the_site_does_not_keep_starts_no_episode(internet: Internet) -> None:
    instance = "Steam-task-191-ON"
    internet.visit(instance)
    assert internet.visitor is not None
    page = "store.steampowered.com/account/ajaxsetcookiepreferences"
    internet.visitor.stage({}, [{"request": page, "method": "POST", "kind": "fails", "times": 99}], None)
    with closing(live_env(instance)) as env, pytest.raises(InitialStateError, match="was not reached"):
        env.reset(seed=1)


def test_without_the_permission_nothing_happens(internet: Internet, monkeypatch: pytest.MonkeyPatch) -> None:
    internet.visit("Steam-task-191-ON")
    monkeypatch.delenv("WEBSP_LIVE")
    with pytest.raises(SetupError, match="WEBSP_LIVE=1"):
        live_env("Steam-task-191-ON")


def test_without_an_account_the_way_to_one_is_said(home: Path) -> None:
    with pytest.raises(SetupError, match="websp accounts add steam"):
        live_env("Steam-task-191-ON")


@pytest.mark.parametrize("reward", ["state", "siblings", "strict", "policy"])
def test_a_reward_that_reads_the_server_says_that_it_cannot_know(home: Path, reward: str) -> None:
    with pytest.raises(SetupError, match=r"impossible on a live website|needs policies"):
        live_env("Steam-task-191-ON", reward=reward)
