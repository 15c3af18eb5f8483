"""The BBC replica: radio buttons in a help article that count as soon as they are chosen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.visit_support import Visit, visit

__all__ = ["visit"]

HOME = "https://www.bbc.com/"
COOKIES = HOME + "usingthebbc/cookies/"
SETTINGS = COOKIES + "how-can-i-change-my-bbc-cookie-settings/"


@pytest.mark.parametrize(
    ("start", "role", "name"),
    [
        (COOKIES, "button", "Cookie settings"),
        (COOKIES, "link", "How can I change my BBC cookie settings?"),
        (HOME, "link", "No, take me to settings"),
        (HOME, "link", "Do not share or sell my info"),
    ],
)
def test_every_way_leads_to_the_settings_and_decides_nothing(
    visit: Callable[[str], Visit], start: str, role: str, name: str
) -> None:
    here = visit("bbc")
    here.goto(start)
    here.press(here.link(name) if role == "link" else here.button(name))
    assert here.page.url.split("?")[0] == SETTINGS
    assert here.settings["consent.choice"] == "none"


@pytest.mark.parametrize("kind", ["functional", "performance"])
def test_a_radio_button_counts_at_once_and_for_its_kind_only(
    visit: Callable[[str], Visit], kind: str
) -> None:
    here = visit("bbc")
    here.goto(SETTINGS)
    for name, on in ((f"Do not use {kind} cookies", False), (f"Use {kind} cookies", True)):
        here.press(here.page.get_by_role("radio", name=name, exact=True))
        kinds = {"consent.functional": True, "consent.performance": True, f"consent.{kind}": on}
        assert here.settings == {"consent.choice": "custom", **kinds}
        assert f"{kind} cookies" in here.page.locator(".saved").inner_text()


def test_the_reply_to_a_radio_button_is_read_so_that_its_request_ends(visit: Callable[[str], Visit]) -> None:
    here = visit("bbc")
    here.goto(SETTINGS)
    radio = here.page.get_by_role("radio", name="Do not use performance cookies", exact=True)
    with here.page.expect_event(
        "requestfinished", lambda request: request.url.endswith("/_consent"), timeout=120_000
    ):
        radio.check()


def test_the_settings_page_shows_what_holds(visit: Callable[[str], Visit]) -> None:
    here = visit("bbc")
    here.goto(SETTINGS)
    here.press(here.page.get_by_text("Do not use performance cookies", exact=True))
    here.goto(HOME)
    here.goto(SETTINGS)
    checked = here.page.locator("input[type=radio]:checked")
    assert [checked.nth(at).get_attribute("value") for at in range(checked.count())] == ["1", "0"]


def test_trackers_obey_the_radio_buttons(visit: Callable[[str], Visit]) -> None:
    here = visit("bbc")
    assert here.trackers(SETTINGS) == {"necessary", "functional", "performance"}
    here.press(here.page.get_by_role("radio", name="Do not use functional cookies", exact=True))
    assert here.trackers(HOME) == {"necessary", "performance"}


def test_agreeing_ends_the_question_of_the_first_visit(visit: Callable[[str], Visit]) -> None:
    here = visit("bbc")
    here.goto(HOME)
    question = here.page.get_by_role("region", name="Let us know you agree to cookies")
    assert question.is_visible()
    here.press(here.button("Yes, I agree"))
    assert question.is_hidden()
    assert here.settings["consent.choice"] == "accept_all"
    here.goto(SETTINGS)
    assert question.is_hidden()


def test_the_drawer_holds_a_search_that_finds_stories(visit: Callable[[str], Visit]) -> None:
    here = visit("bbc")
    here.goto(HOME)
    here.press(here.button("Search BBC"))
    here.page.keyboard.type("glacier")
    here.page.keyboard.press("Enter")
    here.page.wait_for_url(HOME + "search?q=glacier")
    assert here.page.get_by_role("heading", name="What a glacier says").is_visible()
