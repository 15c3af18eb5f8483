"""The sandbox as "the internet": a server for browsing, with one account. Its control API tells the truth later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from websp_gym.live.accounts import Account, load_accounts, save_accounts
from websp_gym.live.sealed import forget
from websp_gym.live.sign_ins import keep_sign_in
from websp_gym.sandbox.client import EpisodeHandle, Sandbox
from websp_gym.tasks.instances import load_instance
from websp_gym.world.state import WorldState, world_state

PROVIDER = "google-1"
"""Name of the account at the provider that sites sign in with."""
TOKEN = "SANDBOX_TOKEN"
"""Environment variable with the access token of the account."""


@dataclass
class Internet:
    """A server of the sandbox for browsing, with one visitor.

    Args:
        sandbox: The server, started with ``browse=True``.
    """

    sandbox: Sandbox
    visitor: EpisodeHandle | None = None

    def visit(self, instance: str, *, signed_in: bool = False, **fields: Any) -> str:
        """Let one new account exist, with a provider that is signed in.

        Args:
            instance: Id of an instance of the site.
            signed_in: Whether the account is signed in to the site as well, and the sign-in kept.
            fields: Further fields of the account.

        Returns:
            Its name in ``accounts.yaml``.
        """
        site = load_instance(instance).site
        self.leave()
        slugs = ["google_accounts", *([site.slug] if signed_in else [])]
        self.visitor = self.sandbox.open_episode(site.slug, signed_in=slugs, default=True)
        shown = {key: self.visitor.account[key] for key in ("email", "username", "name")}
        browser = {"browser_args": tuple(self.sandbox.browser_args()), "requests_per_minute": 100_000}
        name = f"{site.slug}-1"
        given = {"site": site.slug, "through": PROVIDER, **shown, **browser, **fields}
        known = load_accounts()
        save_accounts(
            {**known, PROVIDER: Account(site="google_accounts", **shown, **browser), name: Account(**given)}
        )
        forget("found", name)  # that of the account that is gone
        for each in (PROVIDER, *([name] if signed_in else [])):
            keep_sign_in(each, {"cookies": self.visitor.cookies, "origins": []})
        return name

    def token(self, site: str, token: str) -> str:
        """Return the text of one of the account's access tokens for a site."""
        (text,) = self.sandbox.credentials(site, tokens=[token])["tokens"].values()
        return str(text)

    def truth(self) -> WorldState:
        """Return the state of the server."""
        assert self.visitor is not None
        return world_state(self.visitor.state())

    def defaults(self) -> WorldState:
        """Return the state of a new account."""
        assert self.visitor is not None
        return world_state(self.visitor.defaults())

    def leave(self) -> None:
        """Let the account be gone."""
        if self.visitor is not None:
            self.visitor.close()
            self.visitor = None
