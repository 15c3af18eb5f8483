"""Signing in with a one-time code, on pgAdmin: the key of the account makes it, and without one nobody gets in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.live_apps.application import Running
from tests.live_apps.pgadmin import PgAdmin
from tests.live_apps.support import User, home, live_env, serving, user
from websp_gym.errors import SetupError
from websp_gym.replay.library import read_trace

__all__ = ["home", "user"]
pytestmark = pytest.mark.timeout(600)
PGADMIN = PgAdmin()
ADA, GRACE = PGADMIN.people
INSTANCE = "PgAdmin-task-1-ON"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Running]:
    with serving(PGADMIN, tmp_path) as site:
        yield site


def test_the_code_itself_is_in_no_recording(user: User) -> None:
    asked = [event for event in read_trace("pgadmin/login.json").events if event.type == "omitted"]
    assert [event.value for event in asked] == ["{{account.code}}"]


def test_without_the_key_the_way_out_is_said_and_nothing_changes(site: Running, user: User) -> None:
    account = user.account(site, replace(ADA, totp=""))
    before = site.truth(ADA)
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match="no key for one-time codes"),
    ):
        env.reset(seed=1)
    assert site.truth(ADA) == before


def test_with_the_key_of_another_account_the_site_is_quoted(site: Running, user: User) -> None:
    account = user.account(site, ADA)
    user.patch.setenv("PGADMIN_1_TOTP", GRACE.totp)
    before = site.truth(ADA)
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match="not signed in to PgAdmin") as caught,
    ):
        env.reset(seed=1)
    assert GRACE.totp not in str(caught.value)
    assert site.truth(ADA) == before


def test_a_key_that_is_none_is_named_without_being_shown(site: Running, user: User) -> None:
    account = user.account(site, ADA)
    user.patch.setenv("PGADMIN_1_TOTP", "not-a-key-1890")
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match="is not base32") as caught,
    ):
        env.reset(seed=1)
    assert "1890" not in str(caught.value)
