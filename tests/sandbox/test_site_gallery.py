"""The kit's dialects in the gallery: an agent's clicks on marks change the server's state, whatever the markup."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.visit_support import Visit, tab_in_episode
from websp_gym.actions.grammar import parse_action
from websp_gym.actions.perform import perform
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.panel_proofs import prove_panels
from websp_gym.browser.settle import settle
from websp_gym.observation.marks import Mark, Marks, collect_marks
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_files import load_site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.usefixtures("browser_thread")

GALLERY = "https://sandbox.websp/gallery"
DIALECTS = ("native", "aria", "shadow", "material", "bootstrap", "app")
SWITCHES = {
    "Visible to search engines": "visible",
    "Blur mature content": "blur",
    "Replies": "replies",
}


PROBLEMS: list[str] = []
"""Errors and messages of the scripts of the gallery since the test began."""


def listen(context: BrowserContext) -> None:
    """Take note of what the scripts of a context complain of."""
    context.on("page", lambda page: page.on("pageerror", lambda error: PROBLEMS.append(str(error))))
    context.on("console", lambda message: PROBLEMS.append(message.text))


class Visitor(Visit):
    """Somebody who operates the gallery through marks, as agents do."""

    def open(self, page: str) -> None:
        """Opens a page of the gallery."""
        self.goto(f"{GALLERY}/{page}".rstrip("/"))

    def marks(self) -> Marks:
        """The operable controls."""
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

    def type(self, name: str, text: str) -> None:
        """Types into what bears the name."""
        marks = self.marks()
        number = next(mark.number for mark in marks if mark.name == name)
        perform(parse_action(f"Type [{number}]; {text}"), self.tabs, marks)
        settle(self.tabs)


@pytest.fixture
def visitor(browser_thread: None) -> Iterator[Visitor]:
    """Somebody in the gallery, whose scripts have nothing to complain of."""
    PROBLEMS.clear()
    with tab_in_episode(
        "websp", [], viewport=(1280, 1600), with_tabs=True, prepare=listen
    ) as tab_and_episode:
        yield Visitor(*tab_and_episode, "websp")
        assert PROBLEMS == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_switch_saves_at_once_and_shows_its_state(visitor: Visitor, dialect: str) -> None:
    visitor.open(dialect)
    before = visitor.settings
    for name, key in SWITCHES.items():
        assert visitor.mark(name).checked is before[f"{dialect}.{key}"], name
        visitor.click(name)
        assert visitor.settings[f"{dialect}.{key}"] is (not before[f"{dialect}.{key}"]), name
        assert visitor.mark(name).checked is (not before[f"{dialect}.{key}"]), name
    visitor.page.reload()
    settle(visitor.tabs)
    assert {name: visitor.mark(name).checked for name in SWITCHES} == {
        name: not before[f"{dialect}.{key}"] for name, key in SWITCHES.items()
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_choice_is_made_in_a_list_of_options_and_in_a_dialog(visitor: Visitor, dialect: str) -> None:
    visitor.open(dialect)
    visitor.click("How often Every day")
    visitor.click("Every week")
    visitor.click("New followers All on")
    assert visitor.settings[f"{dialect}.digest"] == "weekly"
    visitor.click("Inbox")
    assert visitor.settings[f"{dialect}.followers"] == "on"
    visitor.click("Save")
    assert visitor.settings[f"{dialect}.followers"] == "inbox"
    assert "How often Every week" in [mark.name for mark in visitor.marks()]


def test_a_combobox_filters_its_options(visitor: Visitor) -> None:
    visitor.open("aria")
    visitor.type("Country", "land")
    options = [mark.name for mark in visitor.marks() if mark.role == "option"]
    assert options == ["Switzerland", "Netherlands"]
    visitor.click("Netherlands")
    assert visitor.settings["aria.country"] == "nl"
    assert visitor.page.get_by_role("combobox", name="Country").input_value() == "Netherlands"
    assert "Switzerland" not in [mark.name for mark in visitor.marks()]


def test_implied_and_disabled_settings_are_shown_and_stored(visitor: Visitor) -> None:
    visitor.open("aria")
    visitor.click("All notifications")
    assert [visitor.mark(name).checked for name in ("All notifications", "Mentions", "Replies")] == [
        False
    ] * 3
    visitor.click("Show mature content")
    visitor.click("No")
    assert not visitor.settings["aria.mature"]
    visitor.click("Show mature content")
    visitor.click("Yes, I'm over 18")
    assert visitor.settings["aria.mature"]
    assert visitor.mark("Blur mature content").disabled
    off = ("aria.all", "aria.mentions", "aria.replies")
    assert [visitor.settings[key] for key in off] == [False] * 3


def test_the_client_side_app_has_other_names_at_each_load(visitor: Visitor) -> None:
    def names() -> str:
        found: str = visitor.page.evaluate("document.querySelector('[data-kit-place] section').className")
        return found

    visitor.open("app")
    first = names()
    handle = visitor.page.query_selector("[role=switch]")
    visitor.click("Mentions")
    assert handle is not None
    assert not handle.evaluate("element => element.isConnected"), "a change draws everything anew"
    visitor.page.reload()
    settle(visitor.tabs)
    assert names() != first


def test_a_form_changes_nothing_until_it_is_saved(visitor: Visitor) -> None:
    visitor.open("form")
    before = visitor.settings
    visitor.click("Visible to search engines")
    visitor.click("Nobody")
    assert visitor.settings == before
    visitor.click("Save options")
    assert visitor.settings == {**before, "native.visible": False, "native.audience": "nobody"}


def test_a_bar_saves_resets_and_asks_before_the_page_is_left(visitor: Visitor) -> None:
    visitor.open("bar")
    before = visitor.settings
    assert "Save" not in [mark.name for mark in visitor.marks()]
    visitor.click("Use of partner info")
    visitor.click("Reset")
    assert visitor.mark("Use of partner info").checked
    visitor.click("Words")
    visitor.type("Blocked words", "bad, wrong")
    visitor.click("Gallery")
    visitor.click("Stay")
    assert visitor.page.url.endswith("/bar")
    assert visitor.settings == before
    visitor.click("Save")
    assert visitor.settings == {**before, "saving.bar_text": "bad, wrong"}
    visitor.click("Gallery")
    assert visitor.page.url == GALLERY


def test_a_button_is_enabled_by_a_change(visitor: Visitor) -> None:
    visitor.open("button")
    assert visitor.mark("Save changes").disabled
    visitor.click("Make my profile public")
    visitor.click("Save changes")
    assert visitor.settings["saving.button"] is False
    assert visitor.mark("Save changes").disabled


def test_items_are_added_and_removed_without_leaving_the_page(visitor: Visitor) -> None:
    visitor.open("lists")
    visitor.type("Add words or phrases", "Bad, spoiler, wrong")
    visitor.click("Add")
    assert [item["text"] for item in visitor.items("words")] == ["spoiler", "bad", "wrong"]
    visitor.click("Remove spoiler")
    assert [item["text"] for item in visitor.items("words")] == ["bad", "wrong"]
    visitor.click("Clear all words")
    visitor.click("Keep")
    assert len(visitor.items("words")) == 2
    visitor.click("Clear all words")
    visitor.click("Clear")
    assert visitor.items("words") == []
    assert visitor.page.get_by_text("No words yet.").is_visible()


def test_a_list_that_is_full_refuses_more_and_keeps_what_was_typed(visitor: Visitor) -> None:
    visitor.open("lists")
    visitor.type("Add words or phrases", "a, b, c, d, e")
    visitor.page.get_by_role("button", name="Add", exact=True).click()
    visitor.page.get_by_role("alert").wait_for()
    assert [item["text"] for item in visitor.items("words")] == ["spoiler"]
    assert visitor.page.get_by_label("Add words or phrases").input_value() == "a, b, c, d, e"
    assert [problem for problem in PROBLEMS if "409" not in problem] == []
    PROBLEMS.clear()


def test_a_long_list_has_pages_and_a_search(visitor: Visitor) -> None:
    def shown() -> list[str]:
        return [mark.name for mark in visitor.marks() if mark.name.startswith("Unblock ")]

    visitor.open("lists")
    assert shown() == ["Unblock crazybuddy", "Unblock devil_person"]
    visitor.click("Next")
    assert shown() == ["Unblock quiet_one", "Unblock red_baron"]
    visitor.type("Filter your blocked users", "devil")
    visitor.click("Unblock devil_person")
    visitor.click("Unblock")
    assert [item["name"] for item in visitor.items("people")] == [
        "crazybuddy",
        "the_owner",
        "quiet_one",
        "red_baron",
    ]


def test_several_questions_are_asked_and_one_wants_a_word_typed(visitor: Visitor) -> None:
    visitor.open("lists")
    visitor.click("Delete everything")
    visitor.click("I want to delete everything")
    visitor.click("Yes")
    assert visitor.mark("Delete").disabled
    visitor.type('To confirm, type "delete" in the box below', "delete")
    assert visitor.items("deleted") == []
    visitor.click("Delete")
    assert len(visitor.items("deleted")) == 1


def test_menus_folds_and_dialogs_show_what_they_hide(visitor: Visitor) -> None:
    def names() -> list[str]:
        return [mark.name for mark in visitor.marks()]

    visitor.open("")
    visitor.click("Reject All")  # the banner is in the way
    assert "Inside a fold" not in names()
    visitor.click("Unfold")
    assert "Inside a fold" in names()
    visitor.click("Click")
    assert "Gallery" in names()
    visitor.click("Click")
    assert "Gallery" not in names()
    visitor.click("Open a dialog")
    assert names() == ["Close"]
    visitor.click("Close")
    marks = visitor.marks()
    number = next(mark.number for mark in marks if mark.name == "Hover")
    perform(parse_action(f"Hover [{number}]"), visitor.tabs, marks)
    settle(visitor.tabs)
    assert "Gallery" in names()


# Declarations of the gallery, and what they are made into: the pages stay as they are.
UNTRUE = {
    ', implies: {false: {"{dialect}.mentions": false, "{dialect}.replies": false}}': "",
    "label: Visible to search engines,": 'label: Visible to search engines, disabled_when: {"{dialect}.mature": false},',
    "label: Show mature content": "label: Nothing is called so",
    '    save: bar\n    reset: Reset\n    dialect: aria\n    leave: {title: "Leave without saving?", '
    "text: Your changes will be lost., accept: Leave, decline: Stay}\n": "    dialect: aria\n",
}


def found(site: SiteSchema) -> dict[str, Finding]:
    """The findings about two panels of the gallery, by path."""
    panels = [panel for panel in site.panels if panel.path in ("/gallery/aria", "/gallery/bar")]
    findings = prove_panels(site.model_copy(update={"panels": panels}), signed_in=())
    return {finding.subject.removeprefix("websp"): finding for finding in findings}


@pytest.mark.proof
def test_a_page_that_does_not_do_what_its_panel_declares_is_found(tmp_path: Path) -> None:
    assert {each.outcome for each in found(load_site(BUILTIN / "websp")).values()} == {"ok"}
    shutil.copytree(BUILTIN / "websp", tmp_path / "websp")
    declared = (tmp_path / "websp" / "site.yaml").read_text("utf-8")
    for true, untrue in UNTRUE.items():
        assert true in declared
        declared = declared.replace(true, untrue)
    (tmp_path / "websp" / "site.yaml").write_text(declared, "utf-8")
    wrong = found(load_site(tmp_path / "websp"))
    assert {each.outcome for each in wrong.values()} == {"failed"}
    aria = wrong["/gallery/aria"].detail
    assert '"Visible to search engines" is not disabled by aria.mature' in aria
    assert '"Nothing is called so" (switch)' in aria
    assert "\"All notifications\" should change {'aria.all': False}" in aria
    assert '"Use of partner info" should change' in wrong["/gallery/bar"].detail
