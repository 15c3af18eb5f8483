"""The user's own accounts on live websites, as described in ``accounts.yaml``, which contains no secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, Field

from websp_gym.errors import SetupError, nearest
from websp_gym.live.vault import Reference, read_secret
from websp_gym.tasks.initial_steps import TracePath
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import ConfigModel
from websp_gym.user_folders import config_folder, write_private

ACCOUNTS = "WEBSP_ACCOUNTS"
"""Environment variable with the path of another ``accounts.yaml``."""
SignInKind = Literal["password", "google", "by_hand"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_HEADER = """\
# Accounts of websp-gym on live websites (`websp accounts`). Use accounts created for this, never your own.
# This file contains no secrets: `keyring` is the keyring of the operating system, `env:NAME` an environment variable.
"""


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'"{value}" is not the address of a website: give http(s)://host/')
    return value


class Account(ConfigModel):
    """One account on one website."""

    site: str
    """Slug of the site."""
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    """The address of the site, if it is not the one in its tasks: a staging copy, your own installation."""
    email: str = ""
    username: str = ""
    name: str = ""
    """The name that its pages show."""
    sign_in: SignInKind = "password"
    """``password``: its login trace types it; ``google``: its login trace goes through another account's sign-in
    (``through``); ``by_hand``: only a person can, with ``websp login``."""
    password: Reference | None = None
    new_password: Reference | None = None
    """The password that a trace sets, if its recording set a new one."""
    totp: Reference | None = None
    """The key of its one-time codes (base32), for ``{{account.code}}`` in a login trace."""
    tokens: dict[str, Reference] = Field(default_factory=dict)
    """Access tokens of its API, by the ids used in tasks (``setup``)."""
    login_trace: TracePath | None = None
    """Trace that signs in; None for the site's."""
    through: str | None = None
    """Name of the account at the provider it signs in with."""
    profile: bool = False
    """Whether its sign-in stores the whole browser profile, of which each episode gets a copy."""
    locale: str | None = None
    """Language of the browser, such as ``en-US``."""
    time_zone: str | None = None
    """Its time zone, such as ``Europe/Oslo``."""
    user_agent: str | None = None
    proxy: str | None = None
    """Address of a proxy, such as ``socks5://127.0.0.1:1080``."""
    browser_args: tuple[str, ...] = ()
    """Further command-line flags of the browser."""
    reset_command: tuple[str, ...] = ()
    """A program of yours with its arguments, run before each episode, that brings your installation of the site back
    to its initial state; nothing else is put back then."""
    requests_per_minute: int = Field(default=600, ge=1)
    """Maximum number of requests to one host per minute; beyond that, actions wait."""

    @property
    def shown(self) -> dict[str, str]:
        """The values for placeholders in traces and ground truth, which agents may know."""
        return {"name": self.name, "username": self.username, "email": self.email}


class _File(ConfigModel):
    accounts: dict[str, Account] = Field(default_factory=dict)


def accounts_file() -> Path:
    """Return the path of ``accounts.yaml``: ``WEBSP_ACCOUNTS``, else in the user's settings folder."""
    named = os.environ.get(ACCOUNTS)
    return Path(named) if named else config_folder() / "accounts.yaml"


def load_accounts() -> dict[str, Account]:
    """Return all accounts by name; none if there is no file.

    Raises:
        SetupError: The file is not valid.
    """
    path = accounts_file()
    if not path.exists():
        return {}
    return dict(read_model(path, _File, keys=[*Account.model_fields, "accounts"]).accounts)


def save_accounts(accounts: Mapping[str, Account]) -> Path:
    """Write all accounts; return the path of the file.

    Raises:
        SetupError: It cannot be written.
    """
    path = accounts_file()
    data = {
        name: account.model_dump(mode="json", exclude_defaults=True) for name, account in accounts.items()
    }
    text = yaml.safe_dump({"accounts": data}, sort_keys=False, allow_unicode=True)
    write_private(path, (_HEADER + text).encode())
    return path


def check_name(name: str) -> str:
    """Return the name of an account. Raise SetupError for one that cannot be the name of a file."""
    if not _NAME.fullmatch(name):
        raise SetupError(
            f'"{name}" cannot name an account: use letters, digits, dots and dashes, such as steam-1',
            option="account",
        )
    return name


def accounts_for(site: str, names: str | None) -> dict[str, Account]:
    """Return the accounts to use on a site, by name.

    Args:
        site: Slug of the site.
        names: Names of accounts, separated by commas; None for all of this site.

    Raises:
        SetupError: There is none, or one of them is for another site.
    """
    accounts = load_accounts()
    of_site = [key for key, account in accounts.items() if account.site == site]
    chosen = of_site if names is None else [name.strip() for name in names.split(",")]
    if not chosen:
        raise SetupError(
            f"there is no account for {site}; add one with `websp accounts add {site}`",
            option="account",
            site=site,
        )
    for name in chosen:
        if name not in accounts:
            raise SetupError(
                f'there is no account "{name}"{nearest(name, list(accounts))} ({_listed(accounts)})',
                option="account",
            )
        if accounts[name].site != site:
            raise SetupError(
                f"account {name} is for {accounts[name].site}, not for {site} ({_listed(of_site)})",
                option="account",
                site=site,
            )
    return {name: accounts[name] for name in chosen}


def secret_of(name: str, account: Account, field: Literal["password", "new_password", "totp"]) -> str | None:
    """Return a secret of an account; None if it has none.

    Raises:
        SetupError: It is not where ``accounts.yaml`` says.
    """
    reference = getattr(account, field)
    return None if reference is None else read_secret(name, field, reference)


def _listed(names: Iterable[str]) -> str:
    found = ", ".join(names)
    return f"accounts: {found}" if found else "no accounts yet: `websp accounts add SITE`"
