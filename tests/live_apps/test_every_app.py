"""On every application: sign in, reach S0, do the task, and leave no secret behind; the database is the truth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.endpoint_support import Endpoint, endpoint, server
from tests.live_apps.application import Application, Running
from tests.live_apps.apps import APPS
from tests.live_apps.checks import (
    check_judged_episode,
    check_kept_sign_in,
    check_sign_in_again,
    check_wrong_password,
)
from tests.live_apps.support import User, home, ids_of, live_env, reach, serving, user
from websp_gym.errors import SetupError

__all__ = ["endpoint", "home", "server", "user"]
pytestmark = pytest.mark.timeout(600)


CANNOT_BE_PUT_BACK = {"Roundup-task-2"}
"""The tracker makes an organisation of the new address, which no trace sets."""
INSTANCES = {instance: app for app in APPS.values() for instance in ids_of(app)}


@pytest.fixture(params=APPS, ids=str)
def app(request: pytest.FixtureRequest) -> Application:
    return APPS[request.param]


@pytest.fixture
def site(app: Application, tmp_path: Path) -> Iterator[Running]:
    with serving(app, tmp_path) as site:
        yield site


@pytest.mark.parametrize("instance", INSTANCES)
def test_s0_is_what_the_database_has_for_both_accounts(instance: str, user: User, tmp_path: Path) -> None:
    app = INSTANCES[instance]
    with serving(app, tmp_path) as site:
        for person in app.people:
            assert reach(instance, user.account(site, person), site, person)["read_back"]


@pytest.mark.parametrize("instance", INSTANCES)
def test_an_account_is_put_back_and_is_never_left_changed_in_silence(
    instance: str, user: User, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = INSTANCES[instance]
    with serving(app, tmp_path) as site:
        person = app.people[0]
        before = site.truth(person)
        with closing(live_env(instance, user.account(site, person), restore=True)) as env:
            env.reset(seed=1)
        said = [line for line in caplog.messages if "is not as it was found" in line]
        assert site.truth(person) == before or said
        assert site.truth(person) == before or instance in CANNOT_BE_PUT_BACK, said


def test_a_kept_sign_in_is_used_again(site: Running, user: User) -> None:
    check_kept_sign_in(site, user)


def test_an_account_that_was_signed_out_is_signed_in_again(site: Running, user: User) -> None:
    check_sign_in_again(site, user)


def test_whoever_can_only_sign_in_by_hand_is_told_so_when_signed_out(site: Running, user: User) -> None:
    account = user.account(site, site.app.people[0], sign_in="by_hand")
    instance = ids_of(site.app)[0]
    before = site.truth(site.app.people[0])
    with (
        closing(live_env(instance, account)) as env,
        pytest.raises(SetupError, match=f"websp login {account}"),
    ):
        env.reset(seed=1)
    assert site.truth(site.app.people[0]) == before


def test_a_wrong_password_is_an_error_of_the_setup_and_changes_nothing(site: Running, user: User) -> None:
    check_wrong_password(site, user)


def test_the_task_is_done_and_judged_and_its_record_has_no_secret(
    site: Running, user: User, endpoint: Endpoint, tmp_path: Path
) -> None:
    check_judged_episode(ids_of(site.app)[0], site, user, endpoint, tmp_path / "runs")
