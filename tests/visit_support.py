"""Shared parts of the tests of single replica sites: a fresh visitor in a browser, and the server's view of the visit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page


class Visit:
    """Somebody without an account at one site."""

    def __init__(self, context: BrowserContext, episode: EpisodeHandle, slug: str) -> None:
        self.context = context
        self.slug = slug
        self._episode = episode
        self.tabs = Tabs(context)
        self.page: Page = context.new_page()

    def goto(self, url: str) -> None:
        """Opens an address and waits for the page to rest."""
        self.page.goto(url)
        settle(self.tabs)

    def press(self, what: Locator) -> None:
        """Clicks, and waits for what comes of it."""
        what.click()
        settle(self.tabs)

    def link(self, name: str) -> Locator:
        """The link of this name."""
        return self.page.get_by_role("link", name=name, exact=True)

    def button(self, name: str) -> Locator:
        """The button of this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def settings(self) -> dict[str, Any]:
        """The site's settings as the server has them."""
        settings: dict[str, Any] = self._episode.state()["sites"][self.slug]["settings"]
        return settings

    def items(self, collection: str) -> list[dict[str, Any]]:
        """A collection of the site as the server has it."""
        items: list[dict[str, Any]] = self._episode.state()["sites"][self.slug]["collections"][collection]
        return items

    def trackers(self, url: str) -> set[str]:
        """Opens an address; the kinds of trackers that noted it."""
        before = len(self._episode.state()["events"])
        self.goto(url)
        events = self._episode.state()["events"][before:]
        return {event["data"]["group"] for event in events if event["kind"] == "tracker"}


@pytest.fixture
def visit(browser_thread: None) -> Iterator[Callable[[str], Visit]]:
    """A factory of visits, by the site's slug."""
    sandbox = Sandbox.shared()
    browser = shared_browser(BrowserOptions(args=tuple(sandbox.browser_args())))
    opened: list[tuple[EpisodeHandle, BrowserContext]] = []

    def begin(slug: str) -> Visit:
        episode = sandbox.open_episode(slug, signed_in=[])
        context = new_context(browser, viewport=(1280, 1024), extra_http_headers={EPISODE_HEADER: episode.id})
        opened.append((episode, context))
        return Visit(context, episode, slug)

    yield begin
    for episode, context in opened:
        context.close()
        episode.close()
