"""The initial state of an episode on a live website: reached before it, and restored after it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.env.live_browsers import LiveBrowsers
from websp_gym.env.live_initial_state import reach_live
from websp_gym.env.live_restore import Found
from websp_gym.errors import WebspError
from websp_gym.world.live.sealed import require_key

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.env.options import Options
    from websp_gym.env.s0_report import S0Report
    from websp_gym.tasks.instances import Instance
    from websp_gym.world.live.live import LiveEpisode

_log = logging.getLogger(__name__)


class LiveInitialState:
    """S0 of one episode on a live website.

    Args:
        instance: The instance.
        episode: The episode, with the lock of the account.
        options: Options of the episode.
    """

    def __init__(self, instance: Instance, episode: LiveEpisode, options: Options) -> None:
        self._instance = instance
        self._episode = episode
        self._options = options
        self._found: Found | None = None
        if options.restore:
            if episode.account_name:
                require_key()
            self._found = Found(episode.account_name)
        self._browsers = LiveBrowsers(
            instance.site, episode, headless=options.headless, viewport=options.viewport
        )

    def reach(self, tabs: Tabs) -> S0Report:
        """Bring the account to S0 and verify it; see :func:`~websp_gym.env.live_initial_state.reach_live`."""
        self.put_back()  # what an episode left that was killed
        self._episode.reset_installation(self._options.reset_timeout)
        return reach_live(self._instance, self._episode, tabs, browsers=self._browsers, found=self._found)

    def put_back(self) -> None:
        """Restore the account to how it was found, in a separate browser, if the options ask for it.

        Whatever is not as it was found is logged as a warning.
        """
        if not self._found:
            return
        try:
            problems = self._found.put_back(self._instance.site, self._episode, self._browsers)
        except (WebspError, PlaywrightError) as error:
            problems = [str(error)]
        for problem in problems:
            _log.warning("%s is not as it was found: %s", self._episode.account_name, problem)
