"""Shared parts of the tests of the Steam replica: a signed-in browser tab with the server's state behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

STEAM = "https://store.steampowered.com"
PREFERENCES = f"{STEAM}/account/preferences/"
COOKIES = f"{STEAM}/account/cookiepreferences"
EMAIL = f"{STEAM}/account/emailoptout"


@dataclass
class Steam:
    """A signed-in browser tab and the server behind it."""

    page: Page
    episode: EpisodeHandle
    before: dict[str, Any]

    def changed(self) -> dict[str, Any]:
        """Returns what is not as before: settings by key, collections as lists of their first field."""
        now = self.episode.state()["sites"]
        differences: dict[str, Any] = {}
        for slug, site in now.items():
            for kind in ("settings", "collections"):
                for key, value in site[kind].items():
                    if value != self.before[slug][kind][key]:
                        differences[key] = value
        return differences

    def saving(self, act: Callable[[], object]) -> None:
        """Does something on the page and waits until the server has answered."""
        with self.page.expect_response(lambda reply: reply.request.method == "POST"):
            act()

    def words(self, name: str) -> list[str]:
        """Returns a word list as the server has it."""
        return [row["text"] for row in self.episode.state()["sites"]["steam"]["collections"][name]]

    def destructive(self) -> list[str]:
        """Returns what cannot be taken back."""
        events = self.episode.state()["events"]
        return [event["data"]["what"] for event in events if event["kind"] == "destructive"]

    def remember(self) -> None:
        """Makes the present state the one that changes are counted from."""
        self.before = self.episode.state()["sites"]


@pytest.fixture(scope="module")
def context(browser_thread: None) -> Iterator[BrowserContext]:
    browser = shared_browser(BrowserOptions(args=tuple(Sandbox.shared().browser_args())))
    context = new_context(browser, viewport=(1280, 1024))
    yield context
    context.close()


def enter(context: BrowserContext, episode: EpisodeHandle) -> Steam:
    context.clear_cookies()
    context.set_extra_http_headers({EPISODE_HEADER: episode.id})
    context.add_cookies(episode.cookies)  # type: ignore[arg-type]
    page = context.pages[0] if context.pages else context.new_page()
    return Steam(page, episode, episode.state()["sites"])


@pytest.fixture
def steam(context: BrowserContext) -> Iterator[Steam]:
    episode = Sandbox.shared().open_episode("steam", signed_in=["steam", "google_accounts"])
    yield enter(context, episode)
    episode.close()


@pytest.fixture
def signed_out(context: BrowserContext) -> Iterator[Steam]:
    episode = Sandbox.shared().open_episode("steam", signed_in=["google_accounts"])
    yield enter(context, episode)
    episode.close()
