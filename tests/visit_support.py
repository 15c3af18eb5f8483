"""Shared parts of the tests of single replica sites: a fresh visitor in a browser, and the server's view of the visit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.kept_tab import KeptTab, borrowed_tab
from websp_gym.browser.settle import settle
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox

if TYPE_CHECKING:
    from playwright.sync_api import Locator


class Visit:
    """Somebody without an account at one site."""

    def __init__(self, tab: KeptTab, episode: EpisodeHandle, slug: str) -> None:
        self.context, self.tabs, self.page = tab.context, tab.tabs, tab.page
        self.slug = slug
        self._episode = episode

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

    @property
    def opened(self) -> list[str]:
        """The paths of the pages that were opened, in order."""
        return [each["data"]["path"] for each in self._episode.state()["events"] if each["kind"] == "visit"]

    def trackers(self, url: str) -> set[str]:
        """Opens an address; the kinds of trackers that noted it."""
        before = len(self._episode.state()["events"])
        self.goto(url)
        events = self._episode.state()["events"][before:]
        return {event["data"]["group"] for event in events if event["kind"] == "tracker"}


@contextmanager
def tab_in_episode(
    slug: str, signed_in: list[str], *, viewport: tuple[int, int] = (1280, 1024), **how: Any
) -> Iterator[tuple[KeptTab, EpisodeHandle]]:
    """A blank tab in a fresh episode of the sandbox that this process shares; ``how`` goes to ``borrowed_tab``."""
    sandbox = Sandbox.shared()
    args = tuple(sandbox.browser_args())
    with (
        closing(sandbox.open_episode(slug, signed_in=signed_in)) as episode,
        borrowed_tab(viewport=viewport, args=args, **how) as tab,
    ):
        tab.join({EPISODE_HEADER: episode.id}, episode.cookies)
        yield tab, episode


@pytest.fixture
def visit(browser_thread: None) -> Iterator[Callable[[str], Visit]]:
    """A factory of visits, by the site's slug."""
    with ExitStack() as ends:

        def begin(slug: str) -> Visit:
            return Visit(*ends.enter_context(tab_in_episode(slug, [], with_tabs=True)), slug)

        yield begin
