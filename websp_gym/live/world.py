"""The live web as a world: real websites, with the user's own accounts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.errors import WebspError
from websp_gym.live.account import AccountInUse, AccountsOfSite, LiveSettings
from websp_gym.live.answers import answers
from websp_gym.live.browsers import LiveBrowsers
from websp_gym.live.initial_state import reach_live
from websp_gym.live.restore import FoundState
from websp_gym.live.sealed import require_key
from websp_gym.tasks.instances import Instance, Site
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.browser.tabs import Tabs
    from websp_gym.tasks.goals import Goal
    from websp_gym.world import StartOptions
    from websp_gym.world.effects import EffectResult
    from websp_gym.world.s0_report import S0Report

_log = logging.getLogger(__name__)


class LiveWorld(AccountsOfSite):
    """Real websites, on which an episode can do anything the account is allowed to do.

    Of several accounts, each episode takes the first that no other one uses.

    Args:
        site: The site of the episodes.
        restore: Whether an episode puts the account back.
        options: Options of the browser (:class:`~websp_gym.live.account.LiveSettings`).

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, there is no such account, or several start the browser differently.
    """

    name = "live"
    reacts_at_once = False

    def __init__(self, site: Site, *, restore: bool = False, **options: Any) -> None:
        super().__init__(site, LiveSettings(**options))
        if restore and self.account_name:
            require_key()
        self.restore = restore

    def open_episode(self, site: Site, *, signed_in: bool) -> LiveEpisode:
        """Start an episode with the first account that no other episode uses, once there is one."""
        return LiveEpisode(self, site, self.lock(), restore=self.restore)


class LiveEpisode(AccountInUse):
    """An episode on a live website, whose state can only be read through its pages.

    Args:
        world: The accounts of the site, with the one in use.
        site: The website.
        lock: The lock of its account, taken; ``None`` without one.
        restore: Whether the account is put back after the episode.
    """

    shows_secrets = True

    def __init__(self, world: AccountsOfSite, site: Site, lock: Any, *, restore: bool = False) -> None:
        super().__init__(world, site, lock)
        self._restores = restore
        self._put_back: Callable[[], None] | None = None

    def reach(self, instance: Instance, tabs: Tabs, options: StartOptions) -> S0Report:
        """Bring the account to S0 and verify it; see :func:`~websp_gym.live.initial_state.reach_live`."""
        found = FoundState(self.account_name) if self._restores else None
        browsers = LiveBrowsers(instance.site, self, headless=options.headless, viewport=options.viewport)
        if found is not None:
            self._put_back = lambda: self._restore(found, instance.site, browsers)
        self.put_back()  # what an episode left that was killed
        self.reset_installation(options.reset_timeout)
        return reach_live(instance, self, tabs, browsers=browsers, found=found)

    def put_back(self) -> None:
        """Restore the account to how it was found, in a separate browser, if the options ask for it.

        Whatever is not as it was found is logged as a warning.
        """
        if self._put_back is not None:
            self._put_back()

    def _restore(self, found: FoundState, site: Site, browsers: LiveBrowsers) -> None:
        if not found:
            return
        try:
            problems = found.put_back(site, self, browsers)
        except (WebspError, PlaywrightError) as error:
            problems = [str(error)]
        for problem in problems:
            _log.warning("%s is not as it was found: %s", self.account_name, problem)

    def stage(
        self,
        texts: Mapping[str, Sequence[str]],
        faults: Sequence[Mapping[str, Any]],
        decision: Mapping[str, Any] | None = None,
        forms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Do nothing: on a website of others nothing can be planted."""

    def open_page(self, tabs: Tabs, url: str) -> None:
        """Open a page, and see that the site lets the browser in: the agent must not be blamed for its answer."""
        with answers(tabs, self.site, self.account_name) as answered:
            answered.load(url)
            answered.check()

    def log_position(self) -> Callable[[], None]:
        """Return what says that there is no log."""
        return lambda: None

    def seal(self) -> None:
        """Do nothing: the website goes on."""

    def state(self) -> WorldState:
        """Return an empty state: nobody can read it."""
        return WorldState()

    def effects(self, site: str, goal: Goal, start: WorldState, end: WorldState) -> tuple[EffectResult, ...]:
        """Return no effects: nothing is tested on a website of others."""
        return ()

    def copy_for(self, context: BrowserContext) -> None:
        """Return None: there are no copies of a website."""

    def token_texts(self, site: str) -> tuple[str, ...]:
        """Return all secrets of the account: which of them are tokens, only the site knows."""
        return self.secrets
