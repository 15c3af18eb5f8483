"""The NVIDIA replica: the cookie settings of this site are three links deep, among those of other sites."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.visit_support import Visit, visit

__all__ = ["visit"]

COOKIES = "https://www.nvidia.com/en-us/about-nvidia/privacy-center/cookies/"
KINDS = ("performance", "personalization", "advertising")


def test_three_links_lead_from_the_footer_to_the_panel(visit: Callable[[str], Visit]) -> None:
    here = visit("nvidia")
    here.goto("https://www.nvidia.com/en-us/geforce/")
    for name in ("Manage My Privacy", "Cookie Settings", "nvidia.com cookie settings"):
        assert here.page.get_by_role("dialog").count() == 0, "no panel before the last link"
        here.press(here.link(name))
    assert here.page.get_by_role("dialog", name="Cookie Settings").is_visible()


@pytest.mark.parametrize(
    "other", ["developer.nvidia.com cookie settings", "Investor relations cookie settings"]
)
def test_another_sites_cookies_are_not_decided_here(visit: Callable[[str], Visit], other: str) -> None:
    here = visit("nvidia")
    here.goto(COOKIES)
    here.press(here.link(other))
    assert here.page.get_by_role("heading", name="Another site").is_visible()
    assert here.settings["consent.choice"] == "none"


def test_only_save_and_accept_keeps_what_was_switched(visit: Callable[[str], Visit]) -> None:
    here = visit("nvidia")
    here.goto(COOKIES)
    for button, kept in (("Close preference center", True), ("Save and Accept", False)):
        here.press(here.link("nvidia.com cookie settings"))
        here.page.click("label[for=ot-group-id-C0002]")
        here.press(here.button(button))
        assert here.settings["consent.performance"] is kept
    assert here.settings["consent.advertising"] is True


def test_decline_all_silences_every_optional_tracker(visit: Callable[[str], Visit]) -> None:
    here = visit("nvidia")
    assert here.trackers(COOKIES) == {"C0001", "C0002", "C0003", "C0004"}
    here.press(here.link("nvidia.com cookie settings"))
    here.press(here.button("Decline All"))
    assert not any(here.settings[f"consent.{kind}"] for kind in KINDS)
    assert here.trackers("https://www.nvidia.com/en-us/geforce/") == {"C0001"}
