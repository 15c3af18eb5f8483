"""An account on a live website while it is in use: its values and secrets, its browser's options, its lock."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from websp_gym.errors import SetupError, WorldBusyError, WorldError, missing_extra
from websp_gym.live.accounts import Account, accounts_for, secret_of
from websp_gym.live.apis import ApiRequest, send, undo_of
from websp_gym.live.pace import Pace
from websp_gym.live.permission import require_live
from websp_gym.live.sign_ins import kept_profile, kept_sign_in
from websp_gym.live.totp import code_for_some_seconds
from websp_gym.live.vault import read_secret
from websp_gym.tasks.instances import Site
from websp_gym.user_folders import state_folder

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_TO_WAIT = 20.0
"""Seconds to wait for other episodes of the same accounts."""
_POLL = 0.1
_SHORTEST = 12
"""Characters from which a cookie's value is a secret: shorter ones are settings, such as a language."""
_TOKEN = re.compile(r"[A-Za-z0-9+/=_.-]{24,}")
_PROXY_ENV = ("HTTPS_PROXY", "https_proxy")


@dataclass(frozen=True, kw_only=True)
class LiveSettings:
    """Options of the live world; ``None`` leaves it to the account.

    Args:
        account: Name of the account, or of several, separated by commas; ``None`` for all of the site.
        locale: Language of the browser.
        time_zone: Its time zone.
        user_agent: Its user agent.
        proxy: Address of a proxy.
    """

    account: str | None = None
    locale: str | None = None
    time_zone: str | None = None
    user_agent: str | None = None
    proxy: str | None = None


_NOBODY = Account(site="")


class AccountsOfSite:
    """The accounts that the episodes on a site may use, and the options of their browsers.

    Args:
        site: The site of the episodes.
        settings: Options.

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, there is no such account, or several start the browser differently.
    """

    def __init__(self, site: Site, settings: LiveSettings) -> None:
        require_live('world="live"')
        self._settings = settings
        if site.account == "none" and settings.account is None:
            self._accounts = {"": _NOBODY}
        else:
            self._accounts = accounts_for(site.slug, settings.account)
        self.account_name, self.account = next(iter(self._accounts.items()))
        if any(each.browser_args != self.account.browser_args for each in self._accounts.values()):
            raise SetupError(
                f"the accounts {', '.join(self._accounts)} differ in their browser_args: choose one (account=…)",
                option="account",
                site=site.slug,
            )

    def browser_args(self) -> tuple[str, ...]:
        """Return the flags of the account."""
        return self.account.browser_args

    def context_options(self) -> dict[str, Any]:
        """Return the options of the browser context, with the kept sign-in, and the profile of the account."""
        state = self.stored()
        options = {**self.fresh_options(), **({"storage_state": state} if state else {})}
        return {**options, "profile": kept_profile(self.account_name)} if self.account.profile else options

    def fresh_options(self) -> dict[str, Any]:
        """Return the options of a browser context that is signed in nowhere: language, time zone, proxy."""
        chosen = self.chosen()
        names = {"locale": "locale", "time_zone": "timezone_id", "user_agent": "user_agent"}
        options: dict[str, Any] = {ours: chosen[name] for name, ours in names.items() if chosen[name]}
        if chosen["proxy"]:
            options["proxy"] = {"server": chosen["proxy"]}
        return options

    def chosen(self) -> dict[str, str | None]:
        """Return the effective options: those given, else the account's."""
        return {
            name: getattr(self._settings, name) or getattr(self.account, name)
            for name in ("locale", "time_zone", "user_agent", "proxy")
        }

    def stored(self) -> dict[str, Any] | None:
        """Return the stored sign-in of the account, and of the account it signs in through; ``None`` for none."""
        states = [kept_sign_in(name) for name in (self.account.through, self.account_name) if name]
        found = [state for state in states if state]
        if not found:
            return None
        return {
            part: [each for state in found for each in state.get(part, ())] for part in ("cookies", "origins")
        }

    def lock(self) -> Any:
        """Take the first account that no other episode uses, once there is one; return its lock, None without one.

        Raises:
            WorldBusyError: Others use all of them.
        """
        if "" in self._accounts:
            return None
        self.account_name, lock = locked(self._accounts)
        self.account = self._accounts[self.account_name]
        return lock


class AccountInUse:
    """An account on a live website, with its lock.

    Args:
        world: The accounts of the site, with the one in use.
        site: The website.
        lock: The lock of its account, taken; ``None`` without one.
    """

    def __init__(self, world: AccountsOfSite, site: Site, lock: Any) -> None:
        self.world = world
        self.site = site
        self._lock = lock
        self._pace = Pace(world.account.requests_per_minute)
        url = urlsplit(world.account.url or site.start_url)
        self._host = (url.hostname or "", url.port or (443 if url.scheme == "https" else 80))
        try:
            self._secrets = tuple(self._all_secrets())
        except BaseException:
            self.close()
            raise

    @property
    def site_url(self) -> str | None:
        """The address of the site, if it is not the one in its tasks."""
        return self.world.account.url

    @property
    def login_trace(self) -> str | None:
        """The trace that signs in; ``None`` if only a person can."""
        if self.world.account.sign_in == "by_hand":
            return None
        return self.world.account.login_trace or self.site.login_trace

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``."""
        return self.world.account.shown

    @property
    def account_name(self) -> str:
        """Name of the account in ``accounts.yaml``; empty for none."""
        return self.world.account_name

    @property
    def secrets(self) -> tuple[str, ...]:
        """The password, the keys and tokens of the account, and the cookies of its sign-in."""
        return self._secrets

    def learn(self, state: Mapping[str, Any]) -> None:
        """Treat what a signed-in browser stores as secrets too: a login trace brings new cookies.

        Args:
            state: The storage state of its context, as Playwright returns it.
        """
        self._secrets = tuple({*self._secrets, *_kept_secrets(state)})

    def reset_installation(self, seconds: float) -> None:
        """Run the account's ``reset_command``, if it has one.

        Args:
            seconds: How long it may take.

        Raises:
            WorldError: It could not be run, or it failed.
        """
        command = self.world.account.reset_command
        if not command:
            return
        told = f"reset_command of {self.account_name} ({command[0]})"
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise WorldError(f"{told}: {error}") from error
        if done.returncode != 0:
            raise WorldError(f"{told} ended with {done.returncode}: {(done.stderr or done.stdout)[-500:]}")

    def credentials(self) -> dict[str, str]:
        """Return the values that only a replay may know: password and new password."""
        return {field: value for field in _PASSWORDS if (value := self._secret(field))}

    @property
    def has_kept_sign_in(self) -> bool:
        """Whether the browser started with a stored sign-in."""
        return self.world.stored() is not None

    @property
    def has_codes(self) -> bool:
        """Whether the account has a key for one-time codes."""
        return self.world.account.totp is not None

    def code(self) -> str | None:
        """Return the current one-time code; ``None`` if the account has no key for them."""
        key = self._secret("totp")
        return None if key is None else code_for_some_seconds(key)

    def attach(self, context: BrowserContext) -> None:
        """Count the requests of the browser context."""
        self._pace.attach(context)

    def send(self, request: ApiRequest, token: str) -> None:
        """Send a request to a site's API with its official client, and read back what it set.

        Args:
            request: The request.
            token: Id of the access token.
        """
        send(request, self._token(token))

    def undo_of(self, request: ApiRequest, token: str) -> ApiRequest | None:
        """Return the request that restores what a request is about to set; ``None`` if there is none."""
        return undo_of(request, self._token(token))

    def to_wait(self) -> float:
        """Return the seconds until the next request is within the limit of the account."""
        return self._pace.to_wait()

    def check(self) -> None:
        """Do nothing: a website that is gone shows on its pages."""

    def answers(self, seconds: float) -> bool:
        """Whether the host of the site accepts a connection within ``seconds``; nothing is sent."""
        if self.world.chosen()["proxy"] or any(os.environ.get(name) for name in _PROXY_ENV):
            return True  # only the browser knows the way
        try:
            socket.create_connection(self._host, timeout=seconds).close()
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Let other episodes use the account."""
        if self._lock is not None:
            self._lock.release()

    def _all_secrets(self) -> set[str]:
        account = self.world.account
        found = {self._secret("totp") or "", *self._typed()}
        found |= {self._token(name) for name in account.tokens}
        found |= _kept_secrets(self.world.stored() or {})
        return {text for text in found if len(text) >= _SHORTEST or text in self._typed()}

    def _typed(self) -> set[str]:
        return {self._secret(field) or "" for field in _PASSWORDS} - {""}

    def _secret(self, field: Literal["password", "new_password", "totp"]) -> str | None:
        return secret_of(self.world.account_name, self.world.account, field)

    def _token(self, name: str) -> str:
        tokens = self.world.account.tokens
        if name not in tokens:
            raise SetupError(
                f"account {self.account_name} has no access token `{name}`, which this task needs for its initial "
                f"state; add it to accounts.yaml (`tokens: {{{name}: env:NAME}}`)",
                option="account",
                site=self.site.slug,
            )
        return read_secret(self.account_name, f"token {name}", tokens[name])


_PASSWORDS: tuple[Literal["password", "new_password"], ...] = ("password", "new_password")


def _kept_secrets(state: Mapping[str, Any]) -> set[str]:
    """Return the values of cookies, and the tokens that single-page sites keep in stored items."""
    cookies = {str(cookie["value"]) for cookie in state.get("cookies", ())}
    items = [item["value"] for origin in state.get("origins", ()) for item in origin.get("localStorage", ())]
    tokens = {
        text
        for item in items
        for text in _TOKEN.findall(item)
        if any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    }
    return {text for text in cookies | tokens if len(text) >= _SHORTEST}


def locked(accounts: Collection[str]) -> tuple[str, Any]:
    """Return the first account that no other episode uses, and its lock, taken.

    Raises:
        WorldBusyError: Others use all of them.
    """
    try:
        from filelock import FileLock, Timeout
    except ImportError as error:
        raise missing_extra("locking accounts while they are in use needs filelock", "live") from error
    folder = state_folder() / "locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    locks = {name: FileLock(folder / f"{name}.lock", thread_local=False) for name in accounts}
    end = time.monotonic() + _TO_WAIT
    while True:
        for name, lock in locks.items():
            with contextlib.suppress(Timeout):
                lock.acquire(timeout=0)
                return name, lock
        if time.monotonic() > end:
            break
        time.sleep(_POLL)
    several = (
        f"the accounts {', '.join(accounts)} are"
        if len(accounts) > 1
        else f"account {next(iter(accounts))} is"
    )
    raise WorldBusyError(
        f"{several} in use by another episode: fewer --jobs, or more accounts, need no waiting"
    )
