"""The kit's dialects in the gallery: an agent's clicks on marks change the server's state, whatever the markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from websp_gym.actions.grammar import parse_action
from websp_gym.actions.perform import perform
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.observation.marks import Mark, Marks, collect_marks
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox

if TYPE_CHECKING:
    from playwright.sync_api import Page

GALLERY = "https://sandbox.websp/gallery"
SWITCHES = {
    "Show my status": "aria",
    "Personalised ads": "component",
    "Share usage data": "material",
    "Visible to search engines": "bootstrap",
    "Mentions": "app_a",
    "Followers": "app_b",
}


class Visitor:
    """Somebody who operates the gallery through marks, as agents do."""

    def __init__(self, page: Page, episode: EpisodeHandle) -> None:
        self.page = page
        self.episode = episode
        self.tabs = Tabs(page.context)
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text))
        page.goto(GALLERY)
        settle(self.tabs)
        self.click("Reject All")  # the banner is in the way

    def marks(self) -> Marks:
        """What can be operated now."""
        return collect_marks(self.tabs.current)

    def mark(self, name: str) -> Mark:
        """The mark of that name."""
        return next(mark for mark in self.marks() if mark.name == name)

    def click(self, name: str) -> None:
        """Clicks what bears the name."""
        marks = self.marks()
        number = next(mark.number for mark in marks if mark.name == name)
        perform(parse_action(f"Click [{number}]"), self.tabs, marks)
        settle(self.tabs)

    @property
    def settings(self) -> dict[str, Any]:
        """The server's settings."""
        settings = self.episode.state()["sites"]["websp"]["settings"]
        return {key.removeprefix("gallery."): value for key, value in settings.items()}


@pytest.fixture
def visitor() -> Iterator[Visitor]:
    sandbox = Sandbox.shared()
    browser = shared_browser(BrowserOptions(args=tuple(sandbox.browser_args())))
    episode = sandbox.open_episode("websp", signed_in=[])
    context = new_context(browser, viewport=(1280, 1600), extra_http_headers={EPISODE_HEADER: episode.id})
    someone = Visitor(context.new_page(), episode)
    yield someone
    assert someone.problems == []
    context.close()
    episode.close()


def test_every_switch_saves_at_once_and_shows_its_state(visitor: Visitor) -> None:
    before = visitor.settings
    for name, key in SWITCHES.items():
        assert visitor.mark(name).checked is before[key], name
        visitor.click(name)
        assert visitor.settings[key] is (not before[key]), name
        assert visitor.mark(name).checked is (not before[key]), name
    visitor.page.reload()
    settle(visitor.tabs)
    assert {name: visitor.mark(name).checked for name in SWITCHES} == {
        name: not before[key] for name, key in SWITCHES.items()
    }


def test_the_client_side_app_has_other_names_at_each_load(visitor: Visitor) -> None:
    def names() -> str:
        found: str = visitor.page.evaluate("document.querySelector('[data-kit-app] section').className")
        return found

    first = names()
    handle = visitor.page.query_selector("[data-kit-app] [role=switch]")
    visitor.click("Mentions")
    assert handle is not None
    assert not handle.evaluate("element => element.isConnected"), "a change draws everything anew"
    visitor.page.reload()
    settle(visitor.tabs)
    assert names() != first


def test_the_form_changes_nothing_until_it_is_saved(visitor: Visitor) -> None:
    before = visitor.settings
    visitor.click("Offers by e-mail")
    visitor.click("Never")
    assert visitor.settings == before
    visitor.click("Save")
    assert visitor.settings == {**before, "form_a": False, "frequency": "never"}


def test_menus_folds_tabs_and_dialogs_show_what_they_hide(visitor: Visitor) -> None:
    def names() -> list[str]:
        return [mark.name for mark in visitor.marks()]

    assert "Inside a fold" not in names()
    visitor.click("Unfold")
    visitor.click("Inside a fold")
    assert visitor.settings["folded"] is True
    visitor.click("Click")
    assert "Gallery" in names()
    visitor.click("Open a dialog")
    assert names() == ["Close"]
    visitor.click("Close")
    visitor.click("Two")
    assert visitor.page.is_visible("#tab-b")
    assert visitor.page.is_hidden("#tab-a")
    marks = visitor.marks()
    number = next(mark.number for mark in marks if mark.name == "Hover")
    perform(parse_action(f"Hover [{number}]"), visitor.tabs, marks)
    settle(visitor.tabs)
    assert "Gallery" in names()
