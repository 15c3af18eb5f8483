"""The Docker replica: a notice over every page, and a modal that the footer opens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.visit_support import Visit, visit
from websp_gym.actions.scrolling import scroll_popup
from websp_gym.observation.marks import collect_marks

__all__ = ["visit"]

HOME = "https://www.docker.com/"
KINDS = ("functional", "performance", "targeting")


def centre_of(here: Visit) -> None:
    """Opens the preference centre from the footer."""
    here.press(here.link("Do Not Sell/Share"))


def marked_switches(here: Visit) -> list[str]:
    """The switches that an agent sees, by name."""
    return [mark.name for mark in collect_marks(here.page).marks if mark.role == "switch"]


def test_the_short_address_leads_to_the_front_page_with_the_notice(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto("http://docker.com")
    assert here.page.url == HOME
    notice = here.page.locator("#onetrust-banner-sdk")
    assert notice.get_by_role("button").all_text_contents() == [
        "Cookies Settings",
        "Reject All",
        "Accept All Cookies",
    ]


def test_the_notice_covers_nothing_of_the_footer(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto(HOME)
    here.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    notice = here.page.locator("#onetrust-banner-sdk").bounding_box()
    link = here.link("Do Not Sell/Share").bounding_box()
    assert notice
    assert link
    assert link["y"] + link["height"] <= notice["y"]


def test_the_centre_has_the_kinds_in_the_published_order_all_on(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto(HOME)
    centre_of(here)
    centre = here.page.get_by_role("dialog", name="Privacy Preference Center")
    assert centre.get_by_role("heading", name="Manage Consent Preferences").is_visible()
    assert centre.get_by_role("heading", level=4).all_text_contents() == [
        "Functional Cookies",
        "Strictly Necessary Cookies",
        "Performance Cookies",
        "Targeting Cookies",
    ]
    assert centre.get_by_role("switch", checked=True).count() == len(KINDS)


def test_the_last_kinds_are_reached_by_scrolling_in_the_centre(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto(HOME)
    centre_of(here)
    assert marked_switches(here) == ["Functional Cookies"]
    scroll_popup(here.page, "down")
    assert marked_switches(here)[-2:] == ["Performance Cookies", "Targeting Cookies"]


def test_only_confirming_keeps_what_was_switched(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto(HOME)
    for button, kept in (("Close preference center", True), ("Confirm My Choices", False)):
        centre_of(here)
        here.page.click("label[for=ot-group-id-C0003]")
        here.press(here.button(button))
        assert here.settings["consent.functional"] is kept
    assert here.settings["consent.targeting"] is True
    assert here.page.locator("#onetrust-banner-sdk").is_hidden(), "what is decided is not asked again"


@pytest.mark.parametrize(("button", "on"), [("Allow All", True), ("Reject All", False)])
def test_one_button_decides_every_kind(visit: Callable[[str], Visit], button: str, on: bool) -> None:
    here = visit("docker")
    assert here.trackers(HOME) == {"C0001", "C0002", "C0003", "C0004"}
    centre_of(here)
    here.press(
        here.page.get_by_role("dialog", name="Privacy Preference Center").get_by_role("button", name=button)
    )
    assert all(here.settings[f"consent.{kind}"] is on for kind in KINDS)
    heard = here.trackers("https://www.docker.com/pricing/")
    assert heard == ({"C0001", "C0002", "C0003", "C0004"} if on else {"C0001"})


def test_prices_follow_the_way_of_billing(visit: Callable[[str], Visit]) -> None:
    here = visit("docker")
    here.goto("https://www.docker.com/pricing/")
    here.press(here.button("Billed monthly"))
    assert here.page.locator(".price b").all_text_contents() == ["$0", "$11", "$16", "$24"]
