"""The Allrecipes replica: the switch stands behind a tab, and a recipe box keeps what was saved."""

from __future__ import annotations

from collections.abc import Callable

from tests.visit_support import Visit, visit

__all__ = ["visit"]

HOME = "https://www.allrecipes.com/"


def test_the_switch_is_seen_only_on_its_tab(visit: Callable[[str], Visit]) -> None:
    here = visit("allrecipes")
    assert here.trackers(HOME) == {"C0001", "C0002", "C0003", "C0004"}
    here.press(here.link("Your Privacy Choices"))
    switch = here.page.locator("label[for=ot-group-id-C0004]")
    assert switch.is_hidden()
    here.press(here.page.get_by_role("tab", name="Targeted Cookies"))
    switch.click()
    here.press(here.button("Confirm my Choices"))
    assert here.settings["consent.targeting"] is False
    assert here.settings["consent.performance"] is True
    assert here.trackers(HOME) == {"C0001", "C0002", "C0003"}


def test_a_saved_recipe_is_in_the_box(visit: Callable[[str], Visit]) -> None:
    here = visit("allrecipes")
    here.goto(f"{HOME}recipe/24101/")
    here.press(here.button("Save to my recipe box"))
    assert [item["recipe"] for item in here.items("saved")] == ["24101"]
    here.goto(f"{HOME}saved/")
    assert "Skillet Chicken" in here.page.inner_text("main")
