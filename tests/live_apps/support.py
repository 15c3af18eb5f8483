"""A user of the live world with accounts on an application that runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.live_apps.application import Application, Person, Running, running
from tests.live_apps.site import TASKS, TRACES
from tests.live_support import home
from websp_gym.env import WebspEnv
from websp_gym.live.accounts import Account, load_accounts, save_accounts
from websp_gym.replay import fill
from websp_gym.tasks.instances import load_instance, load_site

__all__ = ["home", "user"]
_SHORTEST = 12


@dataclass
class User:
    """A user who allowed to act on live websites.

    Args:
        home: The user's folder.
        patch: Sets variables of the environment.
    """

    home: Path
    patch: pytest.MonkeyPatch

    def account(self, site: Running, person: Person, **fields: Any) -> str:
        """Add the account of a person to accounts.yaml; return its name there."""
        app = site.app
        name = f"{app.slug}-{[each.email for each in app.people].index(person.email) + 1}"
        variable = _variable(name)
        self.set_password(name, person.password)
        given: dict[str, Any] = {
            "site": app.slug,
            "url": site.url,
            "username": person.username,
            "email": person.email,
            "name": person.name,
            "password": f"env:{variable}_PASSWORD",
            "requests_per_minute": 100_000,
        }
        if person.totp:
            self.patch.setenv(f"{variable}_TOTP", person.totp)
            given["totp"] = f"env:{variable}_TOTP"
        save_accounts({**load_accounts(), name: Account(**{**given, **fields})})
        return name

    def set_password(self, account: str, password: str) -> None:
        """Let the user's environment have this password for an account."""
        self.patch.setenv(f"{_variable(account)}_PASSWORD", password)


def _variable(account: str) -> str:
    return account.upper().replace("-", "_")


@pytest.fixture
def user(home: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """A user with the tasks and traces of the applications."""
    monkeypatch.setenv("WEBSP_TASK_CONFIGS", str(TASKS))
    monkeypatch.setenv("WEBSP_TRACES", str(TRACES))
    return User(home, monkeypatch)


@contextmanager
def serving(app: Application, tmp_path: Path) -> Iterator[Running]:
    """Run an application for a test."""
    app.install()
    with running(app, tmp_path / app.slug) as site:
        yield site


def live_env(instance: str, account: str, **options: Any) -> WebspEnv:
    """An environment in the live world; its reward is 0 unless options say another."""
    given = {"reward": lambda end: 0.0, "observation": "text", "reset_timeout": 300.0, **options}
    return WebspEnv(load_instance(instance), world="live", account=account, **given)


def reach(instance: str, account: str, site: Running, person: Person) -> dict[str, Any]:
    """Reach S0, which must be what the database holds then; return what ``info`` says of it."""
    with closing(live_env(instance, account)) as env:
        _, info = env.reset(seed=1)
    wanted = expected(instance, person)
    assert {key: site.truth(person)[key] for key in wanted} == wanted, instance
    found: dict[str, Any] = info["initial_state"]
    return found


def expected(instance: str, person: Person) -> dict[str, Any]:
    """The settings of S0 for the account of a person, with the keys of the application's truth."""
    account = {"username": person.username, "email": person.email, "name": person.name}
    settings = load_instance(instance).config.expect.settings
    return {key: fill(value, account) if isinstance(value, str) else value for key, value in settings.items()}


def ids_of(app: Application) -> list[str]:
    """The ids of all instances on an application."""
    return [instance.id for instance in load_site(TASKS / f"{app.slug}.yaml")]


def secrets_of(env: WebspEnv, person: Person) -> set[str]:
    """What must not be in the record: password and key of a person, and what the browser keeps for the site."""
    assert env.context is not None
    state = env.context.storage_state()
    kept = {cookie["value"] for cookie in state["cookies"]}
    for origin in state["origins"]:
        for item in origin["localStorage"]:
            kept |= set(re.findall(r"[A-Za-z0-9+/=_.-]{20,}", item["value"]))
    return {text for text in kept if len(text) >= _SHORTEST} | ({person.password, person.totp} - {""})


def files_with(secrets: set[str], folder: Path) -> list[str]:
    """The files of a folder in which one of the secrets is, in any encoding of addresses."""
    forms = {form.encode() for text in secrets for form in (text, quote(text), json.dumps(text)[1:-1])}
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [str(path) for path in files if any(form in path.read_bytes() for form in forms)]
