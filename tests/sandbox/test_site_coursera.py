"""The Coursera replica: its own parts are drawn by a script, with other class names at each load."""

from __future__ import annotations

from collections.abc import Callable

from tests.visit_support import Visit, visit

__all__ = ["visit"]

HOME = "https://www.coursera.org/"


def class_names(here: Visit) -> str:
    """All class names of the page, in one text."""
    names: str = here.page.evaluate(
        "[...document.querySelectorAll('main [class]')].map(e => e.className).join(' ')"
    )
    return names


def test_class_names_are_others_at_each_load(visit: Callable[[str], Visit]) -> None:
    here = visit("coursera")
    here.goto("http://coursera.org")
    assert here.page.url == HOME
    first = class_names(here)
    here.goto(HOME)
    assert first
    assert class_names(here) != first


def test_the_preferences_open_from_the_footer_and_are_kept(visit: Callable[[str], Visit]) -> None:
    here = visit("coursera")
    before = here.trackers(HOME)
    here.press(here.link("Do Not Sell/Share"))
    for kind in ("Marketing Cookies", "Analytics Cookies"):
        here.page.locator("label.ot-switch", has_text=kind).click()
    here.press(here.button("Confirm My Choices"))
    assert {key for key, value in here.settings.items() if key.startswith("consent.") and value is False} == {
        "consent.marketing",
        "consent.analytics",
    }
    assert len(here.trackers(HOME)) == len(before) - 2
