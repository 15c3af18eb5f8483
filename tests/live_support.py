"""The sandbox as "the internet" for the live world, which has no part in its control API; truth is looked up there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from websp_gym.env import WebspEnv
from websp_gym.sandbox.client import EpisodeHandle, Sandbox
from websp_gym.tasks.instances import load_instance
from websp_gym.world.live.accounts import Account, load_accounts, save_accounts
from websp_gym.world.live.sign_ins import keep_sign_in
from websp_gym.world.state import WorldState, world_state

PROVIDER = "google-1"


@dataclass
class Internet:
    """A browsing server of the sandbox, with one visitor."""

    sandbox: Sandbox
    visitor: EpisodeHandle | None = None

    def visit(self, instance: str, **fields: Any) -> str:
        """Let one new account exist, with a provider that is signed in; return its name in accounts.yaml."""
        site = load_instance(instance).site
        self.leave()
        self.visitor = self.sandbox.open_episode(site.slug, signed_in=["google_accounts"], default=True)
        shown = {key: self.visitor.account[key] for key in ("email", "username", "name")}
        common: dict[str, Any] = {
            **shown, "browser_args": tuple(self.sandbox.browser_args()), "requests_per_minute": 100_000,
        }  # fmt: skip
        name = f"{site.slug}-1"
        save_accounts(
            {
                **load_accounts(),
                PROVIDER: Account(site="google_accounts", **common),
                name: Account(**{"site": site.slug, "through": PROVIDER, **common, **fields}),
            }
        )
        keep_sign_in(PROVIDER, {"cookies": self.visitor.cookies, "origins": []})
        return name

    def truth(self) -> WorldState:
        """The state of the server."""
        assert self.visitor is not None
        return world_state(self.visitor.state())

    def defaults(self) -> WorldState:
        """The state of a new account."""
        assert self.visitor is not None
        return world_state(self.visitor.defaults())

    def leave(self) -> None:
        """Let the account be gone."""
        if self.visitor is not None:
            self.visitor.close()
            self.visitor = None


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
