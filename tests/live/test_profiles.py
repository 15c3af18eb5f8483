"""Accounts whose sign-in keeps the whole browser profile: each episode begins with a copy of it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command_support import LONGEST, websp_here
from tests.live_internet import Internet
from tests.live_support import home, internet, live_env, server, websp_browsing
from websp_gym.browser.driver import kill_driver
from websp_gym.browser.launch import close_profile
from websp_gym.browser.owner import call, shut_down
from websp_gym.browser.scratch import scratch_folder
from websp_gym.env import WebspEnv
from websp_gym.live.account_browser import account_browser
from websp_gym.live.sign_ins import keep_sign_in, kept_profile, kept_sign_in
from websp_gym.tasks.instances import load_instance

__all__ = ["home", "internet", "server"]
INSTANCE = "Steam-task-191-ON"
STORE = """value => new Promise(done => {
  const asked = indexedDB.open("known", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("device");
  asked.onsuccess = () => {
    const change = asked.result.transaction("device", "readwrite");
    change.objectStore("device").put(value, "name");
    change.oncomplete = done;
  };
})"""
READ = """() => new Promise(done => {
  const asked = indexedDB.open("known", 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore("device");
  asked.onsuccess = () => {
    const found = asked.result.transaction("device").objectStore("device").get("name");
    found.onsuccess = () => done(found.result ?? null);
  };
})"""


def known_as(env: WebspEnv, name: str | None = None) -> Any:
    """What the site keeps in its database of the browser, after it kept ``name`` there."""
    if name is not None:
        env.page.evaluate(STORE, name)
    return env.page.evaluate(READ)


def keep_profile(name: str) -> None:
    """Sign in by the login trace, as a browser that the site then knows."""

    def sign_in() -> None:
        with account_browser(name, headless=True) as (sign_in, _, tabs):
            sign_in.sign_in(tabs)
            tabs.current.evaluate(STORE, "known")
            state = dict(tabs.context.storage_state())
            keep_sign_in(name, state, close_profile(tabs.context))

    call(sign_in)


def browsers_with_a_profile() -> list[int]:
    family = psutil.Process().children(recursive=True)
    return [each.pid for each in family if any("/profile-" in word for word in each.cmdline())]


@pytest.mark.proof
def test_each_episode_begins_with_a_copy_of_the_profile(internet: Internet, tmp_path: Path) -> None:
    keep_profile(internet.visit(INSTANCE, profile=True))
    for _ in range(2):
        with closing(live_env(INSTANCE, record_to=tmp_path)) as env:
            env.reset(seed=0)
            assert known_as(env) == "known"
            assert known_as(env, "changed") == "changed"
            assert browsers_with_a_profile() != []
            assert env.task is not None
            assert env.task.trajectory.versions["chromium"].count(".") >= 2
            assert tabs_after_a_click(env) == 2
    assert list(scratch_folder().glob("profile-*")) == []
    assert browsers_with_a_profile() == []


def tabs_after_a_click(env: WebspEnv) -> int:
    """The number of tabs that the agent sees right after a click that opens one."""
    env.page.evaluate(
        "() => document.body.insertAdjacentHTML('afterbegin', '<a id=new target=_blank href=/>open</a>')"
    )
    observation, *_ = env.step("Wait")
    (number,) = [each["number"] for each in observation["elements"] if each["name"] == "open"]
    observation, *_ = env.step(f"Click [{number}]")
    return len(observation["tabs"])


def test_no_copy_is_left_where_the_driver_has_died(internet: Internet) -> None:
    keep_profile(internet.visit(INSTANCE, profile=True))
    with closing(live_env(INSTANCE)) as env:
        env.reset(seed=0)
        assert list(scratch_folder().glob("profile-*")) != []
        kill_driver()
    shut_down()
    assert list(scratch_folder().glob("profile-*")) == []


RECORDS = """
import os, signal, sys
from pathlib import Path
from websp_gym.errors import SetupError
from websp_gym.recording.by_hand import record_by_hand

def ready(studio):
    sys.stdout.write(str(studio.page.evaluate(read)))
    os.kill(os.getpid(), signal.SIGINT)

url, read, account = sys.argv[1:]
try:
    record_by_hand(url, Path("mine.json"), name="mine", slug="steam", account=account, headless=True, on_ready=ready)
except SetupError as error:
    sys.exit(error.message)
"""


@pytest.mark.proof
def test_a_recording_begins_with_the_profile_too(internet: Internet, tmp_path: Path) -> None:
    name = internet.visit(INSTANCE, profile=True)
    keep_profile(name)
    start = load_instance(INSTANCE).site.start_url
    command = [sys.executable, "-c", RECORDS, start, READ, name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert done.stdout == "known", done.stderr


def test_a_profile_is_kept_encrypted_and_removed_with_its_account(internet: Internet, home: Path) -> None:
    name = internet.visit(INSTANCE, profile=True)
    assert kept_profile(name) == b""
    assert websp_browsing("login", name).returncode == 0
    assert 0 < len(kept_profile(name)) < 1_000_000
    state = kept_sign_in(name)
    assert state is not None
    secrets = [cookie["value"].encode() for cookie in state["cookies"]]
    for file in home.rglob("*"):
        assert file.is_dir() or not any(secret in file.read_bytes() for secret in secrets if len(secret) > 12)
    assert "is signed in already" in websp_browsing("login", name).stdout
    assert websp_here("accounts", "remove", name).returncode == 0
    assert kept_profile(name) == b""
