"""The live world on Roundup, the quickest of the applications of `make test-live`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.endpoint_support import Endpoint, endpoint, server
from tests.live_apps.application import Running
from tests.live_apps.checks import check_judged_episode
from tests.live_apps.roundup import Roundup
from tests.live_apps.support import User, expected, home, live_env, serving, user
from websp_gym.errors import InitialStateError

__all__ = ["endpoint", "home", "server", "user"]
pytestmark = pytest.mark.timeout(600)  # the first one installs it
ROUNDUP = Roundup()
ADA, GRACE = ROUNDUP.people


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Running]:
    with serving(ROUNDUP, tmp_path) as site:
        yield site


def test_a_task_on_a_real_tracker_is_done_and_judged(
    site: Running, user: User, endpoint: Endpoint, tmp_path: Path
) -> None:
    check_judged_episode("Roundup-task-1-ON", site, user, endpoint, tmp_path / "runs")


def test_an_address_that_the_tracker_refuses_is_no_s0(site: Running, user: User) -> None:
    account = user.account(site, ADA)
    ROUNDUP.write(site.place, GRACE, email=str(expected("Roundup-task-2", ADA)["email"]))
    with (
        closing(live_env("Roundup-task-2", account)) as env,
        pytest.raises(InitialStateError, match="already in use"),
    ):
        env.reset(seed=1)
    assert site.truth(ADA)["email"] == ADA.email
