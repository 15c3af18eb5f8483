"""A browser on a live website with one of the user's accounts, for commands."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from websp_gym.browser import VIEWPORT
from websp_gym.browser.launch import BrowserOptions, first_page, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError, nearest
from websp_gym.live.accounts import Account, load_accounts
from websp_gym.live.sign_in import LiveSignIn
from websp_gym.live.world import LiveWorld
from websp_gym.tasks.instances import Site, all_instances, signed_in_site

if TYPE_CHECKING:
    from websp_gym.live.account import AccountInUse


def account_named(name: str) -> Account:
    """Return an account by its name. Raise SetupError if there is none."""
    known = load_accounts()
    if name not in known:
        raise SetupError(
            f'there is no account "{name}"{nearest(name, list(known))}; add one with `websp accounts add SITE`',
            option="account",
        )
    return known[name]


def world_of(name: str) -> tuple[LiveWorld, Site]:
    """Return the live world of an account, with its site.

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, there is no such account, or the address of its site is unknown.
    """
    site = site_for(account_named(name))
    return LiveWorld(site, account=name), site


def site_for(account: Account) -> Site:
    """Return the site of an account, as seen by its tasks that start signed in; a bare one for another website.

    Raises:
        SetupError: No task is on it, and the account has no address.
    """
    found = [instance for instance in all_instances() if instance.site.slug == account.site]
    if found:
        return signed_in_site(found)
    if account.url is None:
        raise SetupError(
            f"there are no tasks on {account.site}, so its address is unknown: add `url:` to the account",
            option="account",
        )
    return Site.model_construct(
        site=account.site,
        slug=account.site,
        website_category="",
        start_url=account.url,
        account="password",
        signed_in=(account.site,),
        login_trace=None,
        class_rules=(),
        tasks=(),
    )


@contextlib.contextmanager
def account_browser(
    name: str, *, headless: bool, viewport: tuple[int, int] = VIEWPORT
) -> Iterator[tuple[LiveSignIn, AccountInUse, Tabs]]:
    """Yield the sign-in of an account, its episode with the lock, and the tabs of a browser with the stored sign-in.

    Args:
        name: Name of the account.
        headless: Whether to run without a window.
        viewport: Width and height in CSS pixels.

    Raises:
        SetupError: As for :func:`world_of`.
        WorldError: Another episode uses the account.
    """
    world, site = world_of(name)
    with closing(world.open_episode(site, signed_in=True)) as episode:
        flags = BrowserOptions(headless, world.browser_args())
        context = open_context(flags, viewport=viewport, **world.context_options())
        try:
            episode.attach(context)
            tabs = Tabs(context)
            first_page(context)
            yield LiveSignIn(site, episode), episode, tabs
        finally:
            context.close()
