"""``websp accounts`` and ``websp login``: what a person does before the first live episode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_support import websp, websp_here
from tests.live_internet import Internet
from tests.live_support import home, internet, server, websp_browsing
from websp_gym.cli.live_sites import _way_out
from websp_gym.live.accounts import accounts_file, load_accounts
from websp_gym.live.check import LiveFinding
from websp_gym.live.restore import FoundState
from websp_gym.live.sealed import keep
from websp_gym.live.sign_ins import keep_sign_in, kept_sign_in

__all__ = ["home", "internet", "server"]
ADD = ("accounts", "add", "steam", "--email", "a@example.com", "--username", "ann", "--shown-name", "Ann")


def test_an_account_is_added_listed_and_removed(home: Path) -> None:
    assert "no accounts yet" in websp_here("accounts", "list").stdout
    added = websp_here(*ADD, "--password", "env:P", "--token", "setup=env:T")
    assert (added.returncode, added.stderr) == (0, "")
    assert "websp login steam-1" in added.stdout
    assert "steam-1" in websp_here("accounts", "list").stdout
    listed = json.loads(websp_here("accounts", "list", "--json").stdout)
    assert listed["steam-1"]["tokens"] == {"setup": "env:T"}
    assert listed["steam-1"]["kept_at"] is None
    keep_sign_in("steam-1", {"cookies": [], "origins": []})
    assert "today" in websp_here("accounts", "list").stdout
    assert websp_here(*ADD, "--password", "env:P").returncode == 0
    assert list(load_accounts()) == ["steam-1", "steam-2"]
    assert websp_here("accounts", "remove", "steam-1").returncode == 0
    assert list(load_accounts()) == ["steam-2"]
    assert kept_sign_in("steam-1") is None


@pytest.mark.parametrize(("given", "message"), [
    (["--password", "hunter2hunter2"], "must be keyring or env:NAME"),
    (["--password", "env:P", "--url", "steam"], "is not the address of a website"),
    (["--password", "env:P", "--token", "setup"], "--token setup=env:GITHUB_TOKEN"),
    (["--password", "env:P", "--name", "../x"], "cannot name an account"),
])  # fmt: skip
def test_a_wrong_account_is_refused_and_nothing_is_kept(home: Path, given: list[str], message: str) -> None:
    result = websp_here(*ADD, *given)
    assert result.returncode == 2
    assert message in " ".join(result.stderr.split())
    assert "hunter2" not in result.stderr + result.stdout
    assert not accounts_file().exists()


def test_a_password_is_asked_for_and_kept_in_the_keyring(home: Path) -> None:
    ring = {
        "PYTHON_KEYRING_BACKEND": "tests.keyring_support.FileKeyring",
        "TEST_KEYRING": str(home / "ring.json"),
    }
    result = websp(*ADD, variables=ring, input="s3cret words\n")
    assert result.returncode == 0, result.stderr
    assert "s3cret words" in (home / "ring.json").read_text()
    assert "s3cret" not in accounts_file().read_text() + result.stdout
    assert websp("accounts", "remove", "steam-1", variables=ring).returncode == 0
    assert json.loads((home / "ring.json").read_text()) == {}


def test_a_sign_in_by_the_login_trace_is_kept_and_checked(internet: Internet) -> None:
    name = internet.visit("Steam-task-191-ON")
    refused = websp_browsing("login", "--check", name)
    assert refused.returncode == 1
    assert f"websp login {name}" in refused.stdout
    done = websp_browsing("login", name)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert f"signed in {name}" in done.stdout
    state = kept_sign_in(name)
    assert state
    assert state["cookies"]
    assert websp_browsing("login", "--check", name).returncode == 0
    assert "is signed in already" in websp_browsing("login", "steam").stdout


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sign-ins that give a step up after seconds: what is missing does not come."""
    monkeypatch.setattr("websp_gym.live.sign_in.TIMEOUT", 3.0)


@pytest.mark.usefixtures("impatient")
@pytest.mark.proof
def test_a_login_that_leads_nowhere_is_an_error_with_a_picture(internet: Internet, home: Path) -> None:
    name = internet.visit("Steam-task-191-ON", email="somebody.else@example.com", name="Somebody Else")
    result = websp_browsing("login", name)
    assert result.returncode == 2
    assert f"websp login {name} --by-hand" in " ".join(result.stderr.split())
    assert list(home.rglob(f"{name}.png"))
    assert kept_sign_in(name) is None


def test_a_login_without_the_permission_or_an_account_says_what_to_do(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "websp accounts add steam" in websp_browsing("login", "steam").stderr
    assert "which account?" in websp_browsing("login").stderr
    monkeypatch.delenv("WEBSP_LIVE")
    assert "set WEBSP_LIVE=1" in websp_browsing("login", "steam").stderr


@pytest.mark.parametrize(
    ("instance", "site"),
    [
        pytest.param("OpenStreetMap-task-91", "openstreetmap", marks=pytest.mark.proof),
        pytest.param("Duolingo-task-105-ON", "duolingo", marks=pytest.mark.proof),
    ],
    ids=["two tasks", "all of a site"],
)
def test_a_live_site_is_checked_and_the_account_put_back(
    internet: Internet, instance: str, site: str
) -> None:
    name = internet.visit(instance)
    before = internet.truth().sites[site].settings
    result = websp_browsing("live", "check", name, "--json")
    findings = json.loads(result.stdout)
    assert [(each["part"], each["ok"]) for each in findings] == [
        ("sign-in", True), *[("S0", True)] * (len(findings) - 2), ("put back", True),
    ], result.stderr  # fmt: skip
    assert result.returncode == 0
    assert internet.truth().sites[site].settings == before
    assert "nothing to put back" in websp_browsing("live", "restore", name).stdout


@pytest.mark.usefixtures("impatient")
def test_a_check_says_what_does_not_work_and_how_to_look_into_it(internet: Internet) -> None:
    name = internet.visit("Duolingo-task-105-ON", email="somebody.else@example.com", name="Somebody Else")
    result = websp_browsing("live", "check", "duolingo", "--explain")
    assert result.returncode == 1
    assert f"websp login {name} --by-hand" in result.stdout
    assert "0 of 0" in result.stdout


def test_what_cannot_be_put_back_can_be_given_up_and_nothing_tries_it_again(home: Path) -> None:
    websp_here(*ADD, "--password", "env:P")
    trace = {
        "name": "spoiler words",
        "start_url": "https://steam.example/words?id=1",
        "events": "of an old version",
    }
    ways = [
        {"name": "spoiler words", "trace": trace, "lost": [], "pages": {}},
        {"request": None, "token": "setup", "lost": ["DELETE /key: what it removes cannot be restored"]},
    ]
    keep("found", "steam-1", ways)
    told = websp_here("live", "restore", "steam-1", "--forget")
    assert (told.returncode, told.stderr) == (0, "")
    assert told.stdout.splitlines() == [
        "stays as it is what spoiler words set: https://steam.example/words",
        "stays as it is DELETE /key: what it removes cannot be restored",
        "forgot how to put back steam-1",
    ]
    assert not FoundState("steam-1")
    assert "nothing to put back" in websp_here("live", "restore", "steam-1", "--forget").stdout
    assert 'did you mean "steam-1"' in websp_here("live", "restore", "steam-2", "--forget").stderr


def test_the_way_out_of_a_failed_put_back_names_no_instance() -> None:
    way = _way_out(LiveFinding("steam-1", "put back", "", ok=False, seconds=1.0, why="it is gone", event=4))
    assert way.endswith(
        "to try again: websp live restore steam-1; to give up: websp live restore steam-1 --forget"
    )


def test_an_account_that_does_not_exist_is_not_checked(home: Path) -> None:
    assert "no accounts yet" in websp_browsing("live", "check").stderr
    websp_here(*ADD, "--password", "env:P")
    assert 'did you mean "steam"' in websp_browsing("live", "check", "stream").stderr


def test_a_dry_run_prints_each_step_and_each_call_and_sends_nothing(home: Path) -> None:
    websp_here("accounts", "add", "huggingface", *ADD[3:], "--password", "env:P", "--token", "setup=env:T")
    result = websp_browsing("live", "check", "huggingface", "--dry-run")
    assert result.returncode == 0, result.stderr
    assert "sign in, by huggingface/login.json" in result.stdout
    assert "PUT https://huggingface.co/api/datasets/ann/" in result.stdout
    assert "to read it back" in result.stdout
    assert "{{" not in result.stdout
