"""The Al Jazeera replica: a switch whose name is about opting out, and which is on from the start."""

from __future__ import annotations

from collections.abc import Callable

from tests.visit_support import Visit, visit

__all__ = ["visit"]

HOME = "https://www.aljazeera.com/"
LABEL = "label[for=ot-group-id-SPD_BG]"


def test_visitors_are_reported_unless_they_have_opted_out(visit: Callable[[str], Visit]) -> None:
    here = visit("aljazeera")
    assert here.trackers(HOME) == {"C0001"}
    here.press(here.link("Cookie Preferences"))
    assert here.page.get_by_role("switch").is_checked()
    here.page.click(LABEL)
    here.press(here.button("Confirm my choices"))
    assert here.settings["consent.opt_out_of_sale"] is False
    assert here.trackers(HOME) == {"C0001", "SPD_BG"}


def test_confirming_without_a_change_keeps_the_opt_out(visit: Callable[[str], Visit]) -> None:
    here = visit("aljazeera")
    here.goto(HOME)
    here.press(here.link("Cookie Preferences"))
    here.press(here.button("Confirm my choices"))
    assert here.settings["consent.opt_out_of_sale"] is True
    assert here.settings["consent.choice"] == "custom"
    assert here.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_search_finds_stories_and_the_story_opens(visit: Callable[[str], Visit]) -> None:
    here = visit("aljazeera")
    here.goto(HOME)
    here.page.fill("[name=q]", "coffee")
    here.press(here.button("Submit search"))
    assert "1 story" in here.page.inner_text("main")
    here.press(here.page.locator("main h3"))
    assert here.page.inner_text("h1").startswith("Coffee growers")
