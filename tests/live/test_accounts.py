"""Accounts, their secrets and their kept sign-ins: no secret in a file, and every error says the way out."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import keyring
import pytest
from cryptography.fernet import Fernet

from tests.command_support import websp_here
from tests.keyring_support import FileKeyring
from tests.live_support import home
from websp_gym.errors import SetupError, WorldBusyError, WorldError
from websp_gym.live.accounts import (
    Account,
    accounts_file,
    accounts_for,
    load_accounts,
    save_accounts,
    secret_of,
)
from websp_gym.live.check import check_account
from websp_gym.live.pace import Pace
from websp_gym.live.sign_ins import forget_sign_in, keep_sign_in, kept_sign_in
from websp_gym.live.totp import code_now
from websp_gym.live.vault import forget_secret, read_secret, store_secret
from websp_gym.live.world import LiveWorld
from websp_gym.tasks.instances import load_instance

__all__ = ["home"]
SECRET = "correct horse battery"
STATE = {
    "cookies": [{"name": "session", "value": "Zk3Q9xPm2LrTwq", "domain": "x.example", "path": "/"}],
    "origins": [],
}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def ring(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A keyring of this test."""
    before = keyring.get_keyring()
    monkeypatch.setenv("TEST_KEYRING", str(home / "ring.json"))
    keyring.set_keyring(FileKeyring())  # type: ignore[no-untyped-call]
    yield home / "ring.json"
    keyring.set_keyring(before)


def test_an_account_is_read_as_it_was_written_and_only_its_owner_can_read_it(home: Path) -> None:
    account = Account(
        site="steam", email="a@example.com", password="env:STEAM_PASSWORD", tokens={"setup": "keyring"}
    )
    save_accounts({"steam-1": account})
    assert load_accounts() == {"steam-1": account}
    assert mode(accounts_file()) == 0o600
    assert accounts_for("steam", None) == {"steam-1": account}


@pytest.mark.parametrize(("text", "message"), [
    ("accounts: {a: {site: steam, password: hunter2hunter2}}", "must be keyring or env:NAME"),
    ("accounts: {a: {site: steam, pasword: keyring}}", 'did you mean "password"'),
    ("accounts: {a: {site: steam, url: steampowered.com}}", "is not the address of a website"),
    ("accounts: {a: {site: steam, requests_per_minute: 0}}", "requests_per_minute"),
    ("accounts: [", "not valid YAML"),
])  # fmt: skip
def test_a_wrong_file_is_explained_and_no_secret_in_it_is_repeated(
    home: Path, text: str, message: str
) -> None:
    accounts_file().write_text(text)
    with pytest.raises(SetupError) as caught:
        load_accounts()
    assert message in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(("site", "name", "message"), [
    ("github", None, "websp accounts add github"),
    ("steam", "steam-1, github-1", 'no account "github-1"'),
    ("steam", "steam-3", 'did you mean "steam-'),
    ("github", "steam-1", "is for steam, not for github"),
])  # fmt: skip
def test_an_account_that_cannot_be_meant_is_refused(
    home: Path, site: str, name: str | None, message: str
) -> None:
    save_accounts({"steam-1": Account(site="steam"), "steam-2": Account(site="steam")})
    with pytest.raises(SetupError, match=message):
        accounts_for(site, name)


def test_a_secret_comes_from_the_keyring_or_a_variable(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_secret("steam-1", "password", SECRET)
    assert read_secret("steam-1", "password", "keyring") == SECRET
    forget_secret("steam-1", "password")
    forget_secret("steam-1", "password")
    with pytest.raises(SetupError, match="the keyring has no password for account steam-1"):
        read_secret("steam-1", "password", "keyring")
    monkeypatch.setenv("STEAM_PASSWORD", SECRET)
    account = Account(site="steam", password="env:STEAM_PASSWORD")
    assert secret_of("steam-1", account, "password") == SECRET
    assert secret_of("steam-1", account, "totp") is None
    monkeypatch.delenv("STEAM_PASSWORD")
    with pytest.raises(SetupError, match="STEAM_PASSWORD, which is not set"):
        secret_of("steam-1", account, "password")


@pytest.fixture
def no_ring(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without a keyring, as in a container, on which nobody has made a key."""
    from keyring.backends.fail import Keyring

    before = keyring.get_keyring()
    monkeypatch.delenv("WEBSP_STATE_KEY")
    keyring.set_keyring(Keyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


@pytest.mark.usefixtures("no_ring")
def test_without_a_keyring_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SetupError, match=r"password: env:NAME") as caught:
        store_secret("steam-1", "password", SECRET)
    (command,) = re.findall(r"`(export [^`]+)`", str(caught.value))
    made = subprocess.run(
        ["bash", "-c", f'{command.replace("python", sys.executable, 1)}; echo "$WEBSP_STATE_KEY"'],
        capture_output=True,
        text=True,
        check=True,
    )
    monkeypatch.setenv("WEBSP_STATE_KEY", made.stdout.strip())
    keep_sign_in("steam-1", STATE)
    assert kept_sign_in("steam-1") == STATE


@pytest.mark.usefixtures("no_ring")
def test_without_a_keyring_nothing_is_asked_and_nobody_signs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_late(*_: object, **__: object) -> None:
        raise AssertionError("asked or signed in first")

    monkeypatch.setattr("typer.prompt", too_late)
    monkeypatch.setattr("websp_gym.cli.signing_in.account_browser", too_late)
    added = websp_here("accounts", "add", "steam")
    assert (added.returncode, added.stdout) == (2, "")
    save_accounts({"steam-1": Account(site="steam", sign_in="by_hand")})
    login = websp_here("login", "steam-1")
    assert (login.returncode, login.stdout) == (2, "")
    with pytest.raises(SetupError) as caught:
        next(check_account("steam-1"))
    with pytest.raises(SetupError) as in_episode:
        LiveWorld(load_instance("Steam-task-194").site, restore=True)
    for told in (added.stderr, login.stderr, str(caught.value), str(in_episode.value)):
        assert "export WEBSP_STATE_KEY=$(python -c" in " ".join(told.split())


def test_a_key_that_is_gone_is_said(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_sign_in("steam-1", STATE)
    monkeypatch.delenv("WEBSP_STATE_KEY")
    with pytest.raises(SetupError, match="set WEBSP_STATE_KEY to the one it was stored with"):
        kept_sign_in("steam-1")


def test_a_kept_sign_in_is_encrypted_and_read_with_its_key_only(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept_sign_in("steam-1") is None
    keep_sign_in("steam-1", STATE)
    assert kept_sign_in("steam-1") == STATE
    (file,) = (home / "state").rglob("steam-1.bin")
    assert mode(file) == 0o600
    assert mode(file.parent) == 0o700
    assert b"session" not in file.read_bytes()
    monkeypatch.setenv("WEBSP_STATE_KEY", Fernet.generate_key().decode())
    with pytest.raises(SetupError, match="sign in again: `websp login steam-1`"):
        kept_sign_in("steam-1")
    monkeypatch.setenv("WEBSP_STATE_KEY", "short")
    with pytest.raises(SetupError, match="is not a key"):
        kept_sign_in("steam-1")
    assert forget_sign_in("steam-1")
    assert not forget_sign_in("steam-1")


def test_the_key_of_sign_ins_is_made_in_the_keyring(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEBSP_STATE_KEY")
    keep_sign_in("steam-1", STATE)
    assert kept_sign_in("steam-1") == STATE
    assert "sign-ins:key" in ring.read_text()


@pytest.mark.parametrize(
    ("at", "code"), [(59, "287082"), (1111111109, "081804"), (1234567890, "005924"), (20000000000, "353130")]
)
def test_codes_are_those_of_rfc_6238(at: int, code: str) -> None:
    assert code_now("gezd gnbv gy3t qojq gezd gnbv gy3t qojq", at=at) == code


def test_a_key_that_is_not_base32_is_not_repeated() -> None:
    with pytest.raises(SetupError, match="is not base32") as caught:
        code_now("hunter2!")
    assert "hunter2" not in str(caught.value)


def test_one_episode_uses_an_account_at_a_time(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("websp_gym.live.account._TO_WAIT", 0.2)
    save_accounts({"steam-1": Account(site="steam"), "steam-2": Account(site="steam")})
    site = load_instance("Steam-task-194").site
    first = LiveWorld(site, account="steam-1")
    episode = first.open_episode(site, signed_in=True)
    with pytest.raises(WorldError, match="steam-1 is in use by another episode"):
        first.open_episode(site, signed_in=True)
    LiveWorld(site, account="steam-2").open_episode(site, signed_in=True).close()
    episode.close()
    first.open_episode(site, signed_in=True).close()


@pytest.mark.parametrize("named", [None, "steam-2,steam-1"])
def test_each_episode_gets_the_first_account_that_is_free(
    home: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    monkeypatch.setattr("websp_gym.live.account._TO_WAIT", 0.2)
    save_accounts({f"steam-{number}": Account(site="steam", locale=f"en-{number}") for number in (1, 2)})
    site = load_instance("Steam-task-194").site
    worlds = [LiveWorld(site, account=named) for _ in range(3)]
    episodes = [world.open_episode(site, signed_in=True) for world in worlds[:2]]
    names = [episode.account_name for episode in episodes]
    assert names == (["steam-1", "steam-2"] if named is None else ["steam-2", "steam-1"])
    assert [world.context_options()["locale"] for world in worlds[:2]] == [f"en-{name[-1]}" for name in names]
    with pytest.raises(WorldBusyError, match=r"the accounts steam-., steam-. are in use"):
        worlds[2].open_episode(site, signed_in=True)
    episodes[1].close()
    with closing(worlds[2].open_episode(site, signed_in=True)) as third:
        assert third.account_name == names[1]
    episodes[0].close()


def test_accounts_that_start_the_browser_differently_are_not_dealt_out(home: Path) -> None:
    save_accounts({"a": Account(site="steam"), "b": Account(site="steam", browser_args=("--lang=de",))})
    site = load_instance("Steam-task-194").site
    with pytest.raises(SetupError, match="the accounts a, b differ in their browser_args"):
        LiveWorld(site)
    assert LiveWorld(site, account="b").browser_args() == ("--lang=de",)


def test_what_must_not_leave_the_account_is_known_and_settings_are_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("P", "short")
    monkeypatch.setenv("T", "ghp_0123456789abcdef")
    save_accounts(
        {"steam-1": Account(site="steam", email="a@example.com", password="env:P", tokens={"setup": "env:T"})}
    )
    keep_sign_in("steam-1", {**STATE, "cookies": [*STATE["cookies"], {"name": "lang", "value": "en"}]})
    site = load_instance("Steam-task-194").site
    episode = LiveWorld(site).open_episode(site, signed_in=True)
    assert set(episode.secrets) == {"short", "ghp_0123456789abcdef", "Zk3Q9xPm2LrTwq"}
    assert episode.account == {"name": "", "username": "", "email": "a@example.com"}
    episode.close()


def test_an_option_of_the_environment_comes_before_that_of_the_account(home: Path) -> None:
    save_accounts(
        {"steam-1": Account(site="steam", locale="de-DE", time_zone="Europe/Berlin", proxy="socks5://p:1")}
    )
    site = load_instance("Steam-task-194").site
    options = LiveWorld(site, locale="en-US").context_options()
    assert options == {"locale": "en-US", "timezone_id": "Europe/Berlin", "proxy": {"server": "socks5://p:1"}}


def test_more_requests_than_a_minute_may_have_wait() -> None:
    class Request:
        def __init__(self, url: str) -> None:
            self.url = url

    pace = Pace(3)
    for _ in range(2):
        pace._note(Request("https://a.example/x"))  # type: ignore[arg-type]
    assert pace.to_wait() == 0.0
    pace._note(Request("https://b.example/x"))  # type: ignore[arg-type]
    assert pace.to_wait() == 0.0
    pace._note(Request("https://a.example/y"))  # type: ignore[arg-type]
    assert 59.0 < pace.to_wait() <= 60.0
