"""An account on the live web is put back to how it was found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import MAIN
from tests.live_internet import Internet
from tests.live_support import home, internet, live_env, server, websp_browsing
from websp_gym.live.sealed import kept
from websp_gym.tasks.instances import load_instance

__all__ = ["home", "internet", "server"]
PATIENCE = 150.0
"""Seconds after which a wait is given up; only what never comes takes as long."""

FOUND: dict[str, dict[str, Any]] = {
    # Switches, radio buttons, lists and texts, with the state in which the account is found.
    "Steam-task-194": {"mature.store.general": True, "mature.community.adult_only": True},
    "Steam-task-200-OFF": {},
    "Pinterest-task-61-OFF": {},
}


def settings(internet: Internet, instance: str) -> dict[str, Any]:
    return dict(internet.truth().sites[load_instance(instance).site.slug].settings)


@pytest.mark.parametrize(
    "instance",
    [
        # A run that is stopped puts its switches back.
        pytest.param("Steam-task-194", marks=pytest.mark.proof),
        pytest.param("Steam-task-200-OFF", marks=pytest.mark.proof),
        "Pinterest-task-61-OFF",
    ],
)
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


@pytest.mark.parametrize("by", [pytest.param(signal.SIGINT, marks=pytest.mark.proof), signal.SIGKILL])
def test_a_run_that_is_stopped_puts_the_account_back_or_says_how(
    internet: Internet, tmp_path: Path, by: signal.Signals
) -> None:
    instance, out = "Steam-task-194", tmp_path / "run"
    account = internet.visit(instance)
    assert internet.visitor is not None
    internet.visitor.patch("steam", settings=FOUND[instance])
    before = settings(internet, instance)
    judge = tmp_path / "judge.yaml"
    judge.write_text('answers: ["SUCCESS"]')
    command = ["run", instance, "--agent", "tests.live_support:Patient", "--world", "live", "--account", account,
               "--judge", f"scripted:{judge}", "--restore", "--jobs", "2", "--max-seconds", "300", "--out", str(out)]  # fmt: skip
    run = subprocess.Popen(
        [sys.executable, "-c", MAIN, *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE
    while not list(out.rglob("steps.jsonl")):
        assert run.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    assert settings(internet, instance) != before
    if by is signal.SIGINT:
        run.send_signal(by)
        assert run.wait(PATIENCE) == 130
    else:
        os.killpg(run.pid, by)
        run.wait(PATIENCE)
        assert settings(internet, instance) != before
        assert websp_browsing("live", "restore", account).returncode == 0
    assert settings(internet, instance) == before
    assert kept("found", account) is None
