"""The sandbox as "the internet" for the live world, which has no part in its control API; truth is looked up there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from cryptography.fernet import Fernet

from tests.command_support import websp_here
from tests.live_internet import Internet
from websp_gym.agents.simple import NoopAgent
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.sandbox.client import Sandbox
from websp_gym.tasks.instances import load_instance


@pytest.fixture(scope="module")
def server() -> Iterator[Sandbox]:
    """A server for browsing."""
    sandbox = Sandbox.start(browse=True)
    yield sandbox
    sandbox.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of a user who allowed to act on live websites."""
    for name, value in (
        ("WEBSP_LIVE", "1"),
        ("WEBSP_ACCOUNTS", str(tmp_path / "accounts.yaml")),
        ("WEBSP_STATE_KEY", Fernet.generate_key().decode()),
        ("XDG_STATE_HOME", str(tmp_path / "state")),
        ("XDG_CONFIG_HOME", str(tmp_path / "config")),
    ):
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def internet(server: Sandbox, home: Path) -> Iterator[Internet]:
    """The sandbox as the internet, and a user with accounts there."""
    there = Internet(server)
    yield there
    there.leave()


def live_env(instance: str, **options: Any) -> WebspEnv:
    """An environment in the live world; its reward is 0."""
    given = {"reward": lambda end: 0.0, "observation": "text", "reset_timeout": 120.0, **options}
    return WebspEnv(load_instance(instance), world="live", **given)


def websp_browsing(*arguments: str) -> CompletedProcess[str]:
    """Run a command that drives a browser itself, in this process: on the thread that has the browsers."""
    return call(lambda: websp_here(*arguments))


class Patient(NoopAgent):
    """An agent that waits for as long as it may."""

    name = "patient"

    def act(self, observation: Mapping[str, Any]) -> str:
        """Wait."""
        return "Wait"
