"""Shared parts of the tests of the Steam replica: a signed-in browser tab with the server's state behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.visit_support import tab_in_episode
from websp_gym.sandbox.client import EpisodeHandle

if TYPE_CHECKING:
    from playwright.sync_api import Page

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


@contextmanager
def _entered(*signed_in: str) -> Iterator[Steam]:
    with tab_in_episode("steam", list(signed_in)) as (tab, episode):
        yield Steam(tab.page, episode, episode.state()["sites"])


@pytest.fixture
def steam(browser_thread: None) -> Iterator[Steam]:
    """Somebody with an account at Steam and at Google."""
    with _entered("steam", "google_accounts") as steam:
        yield steam


@pytest.fixture
def signed_out(browser_thread: None) -> Iterator[Steam]:
    """Somebody who is signed in at Google alone."""
    with _entered("google_accounts") as steam:
        yield steam
