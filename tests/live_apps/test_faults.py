"""Websites that turn visitors away, cover their pages or lie about what they did: no episode starts from a wrong S0."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.live_apps.application import Running
from tests.live_apps.checks import check_wrong_password
from tests.live_apps.proxy import CONSENT, SESSION, Fault, Proxy, in_front_of
from tests.live_apps.roundup import Roundup
from tests.live_apps.support import (
    User,
    expected,
    files_with,
    home,
    live_env,
    reach,
    secrets_of,
    serving,
    user,
)
from websp_gym.errors import InitialStateError, SetupError

__all__ = ["home", "user"]
pytestmark = pytest.mark.timeout(600)
ROUNDUP = Roundup()
ADA, GRACE = ROUNDUP.people
INSTANCE = "Roundup-task-1-ON"
_DETAILS = "/tracker/user3"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Running]:
    with serving(ROUNDUP, tmp_path) as site:
        yield site


@pytest.fixture
def proxy(site: Running) -> Iterator[Proxy]:
    with in_front_of(site.url) as proxy:
        yield proxy


@pytest.fixture
def account(site: Running, proxy: Proxy, user: User) -> str:
    """Ada's account behind the proxy."""
    return user.account(replace(site, url=proxy.url), ADA)


@pytest.mark.parametrize("status", [403, 429, 500, 503])
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault(), id="at the sign-in"),
        pytest.param(Fault(method="POST"), id="when it signs in"),
        pytest.param(Fault(method="POST", after=1), id="when S0 is set"),
        pytest.param(Fault(path=_DETAILS, after=2), id="when S0 is read back"),
    ],
)
def test_a_site_that_turns_the_browser_away_is_named_with_status_and_address(
    proxy: Proxy, account: str, fault: Fault, status: int
) -> None:
    proxy.put(replace(fault, status=status))
    with closing(live_env(INSTANCE, account)) as env, pytest.raises(SetupError) as caught:
        env.reset(seed=1)
    assert f"Roundup answered with {status} (" in str(caught.value)
    assert f" at {proxy.url}/tracker/" in str(caught.value)
    assert not isinstance(caught.value, InitialStateError)
    assert caught.value.site == "roundup"
    assert caught.value.path is not None
    assert Path(caught.value.path).stat().st_mode & 0o777 == 0o600


def test_a_start_page_that_is_turned_away_starts_no_episode(
    site: Running, proxy: Proxy, account: str
) -> None:
    paths = _requested(proxy, account)
    last = len(paths) - 1 - paths[::-1].index("/tracker/")
    proxy.put(Fault(status=503, after=last))
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match=r"with 503 .* at .*/tracker/:"),
    ):
        env.reset(seed=1)
    assert site.truth(ADA)["phone"] == "555-0199"


def test_wherever_the_site_goes_down_no_episode_starts_from_a_wrong_state(
    site: Running, proxy: Proxy, account: str
) -> None:
    count = len(_requested(proxy, account))
    started = []
    for after in (*range(2, count, count // 4), count):
        ROUNDUP.write(site.place, ADA, phone="")
        proxy.put(Fault(status=503, after=after))
        with closing(live_env(INSTANCE, account)) as env:
            try:
                env.reset(seed=1)
            except (SetupError, InitialStateError):
                continue
        started.append(after)
        assert site.truth(ADA)["phone"] == "555-0199"
    assert started[-1] == count


def _requested(proxy: Proxy, account: str) -> list[str]:
    """Reach S0; return the paths that were asked for."""
    proxy.sent.clear()
    with closing(live_env(INSTANCE, account)) as env:
        env.reset(seed=1)
    return [path for _, path in proxy.sent]


def test_a_form_that_is_accepted_and_forgotten_is_no_s0(site: Running, proxy: Proxy, account: str) -> None:
    proxy.put(Fault(status=200, method="POST", path=_DETAILS))
    with closing(live_env(INSTANCE, account)) as env, pytest.raises(InitialStateError):
        env.reset(seed=1)
    assert site.truth(ADA)["phone"] == ""


def test_a_consent_wall_at_the_sign_in_is_named(site: Running, proxy: Proxy, account: str) -> None:
    proxy.put(Fault(cover=CONSENT))
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match=r'covered by .*"Your privacy"'),
    ):
        env.reset(seed=1)
    assert not [path for method, path in proxy.sent if method == "POST"]


def test_a_consent_wall_before_a_setting_is_named(site: Running, proxy: Proxy, account: str) -> None:
    proxy.put(Fault(cover=CONSENT, path=_DETAILS))
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(InitialStateError, match='"Your privacy"'),
    ):
        env.reset(seed=1)
    assert site.truth(ADA)["phone"] == ""


def test_a_site_that_is_not_there_is_named(user: User, site: Running) -> None:
    with in_front_of(site.url) as gone:
        account = user.account(replace(site, url=gone.url), ADA)
    with closing(live_env(INSTANCE, account)) as env, pytest.raises(SetupError, match="cannot be reached at"):
        env.reset(seed=1)


def test_an_address_that_the_server_refuses_is_no_s0(site: Running, user: User) -> None:
    account = user.account(site, ADA)
    ROUNDUP.write(site.place, GRACE, email=str(expected("Roundup-task-2", ADA)["email"]))
    with (
        closing(live_env("Roundup-task-2", account)) as env,
        pytest.raises(InitialStateError, match="already in use"),
    ):
        env.reset(seed=1)
    assert site.truth(ADA)["email"] == ADA.email


def test_a_server_that_limits_sign_ins_is_quoted(site: Running, user: User) -> None:
    """Roundup itself lets nobody try more than three passwords a minute."""
    for _ in range(3):
        check_wrong_password(site, user)
    account = user.account(site, ADA)
    with (
        closing(live_env(INSTANCE, account)) as env,
        pytest.raises(SetupError, match="Logins occurring too fast"),
    ):
        env.reset(seed=1)


def test_a_session_that_a_page_shows_is_in_no_record(proxy: Proxy, account: str, tmp_path: Path) -> None:
    """The login trace brings it, so it was not known when the episode began."""
    proxy.put(Fault(cover=SESSION))
    runs = tmp_path / "runs"
    with closing(live_env(INSTANCE, account, record_to=runs)) as env:
        observation, _ = env.reset(seed=1)
        assert "roundup_session" in observation["elements_text"]
        secrets = secrets_of(env, ADA)
        assert len(secrets) > 1
        env.step("ANSWER; done")
    assert files_with(secrets, runs) == []


def test_a_site_that_is_well_again_is_used(site: Running, proxy: Proxy, account: str) -> None:
    proxy.put(Fault(status=503))
    with closing(live_env(INSTANCE, account)) as env:
        with pytest.raises(SetupError):
            env.reset(seed=1)
        proxy.put(None)
        env.reset(seed=1)
    assert reach(INSTANCE, account, site, ADA)["read_back"]
