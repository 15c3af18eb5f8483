"""The Shein replica: coupons in the way, and a preference centre in a frame of another host."""

from __future__ import annotations

from collections.abc import Callable

from tests.visit_support import Visit, visit

__all__ = ["visit"]

SHOP = "https://us.shein.com/"


def test_the_coupons_of_a_first_visit_are_shown_once(visit: Callable[[str], Visit]) -> None:
    here = visit("shein")
    here.goto("http://shein.com")
    assert here.page.url == SHOP
    coupons = here.page.get_by_role("dialog", name="Welcome coupons")
    assert coupons.is_visible()
    here.press(here.button("Close coupons"))
    assert coupons.is_hidden()
    here.goto(SHOP)
    assert coupons.is_hidden()
    assert here.settings["consent.choice"] == "none", "coupons are not cookies"


def test_the_notice_covers_nothing_of_the_footer(visit: Callable[[str], Visit]) -> None:
    here = visit("shein")
    here.goto(SHOP)
    here.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    notice, link = (
        here.page.locator("#onetrust-banner-sdk").bounding_box(),
        here.link("Manage Cookies").bounding_box(),
    )
    assert notice
    assert link
    assert link["y"] + link["height"] <= notice["y"]


def test_the_frame_of_another_host_decides_for_the_shop(visit: Callable[[str], Visit]) -> None:
    here = visit("shein")
    assert here.trackers(SHOP) == {"C0001", "C0002", "C0003", "C0004", "C0005"}
    here.press(here.button("Close coupons"))
    here.press(here.link("Manage Cookies"))
    frame = here.page.frame(url="https://privacy.sheincdn.net/manage")
    assert frame
    for kind in ("C0004", "C0005"):
        frame.click(f"label[for=ot-group-id-{kind}]")
    here.press(frame.get_by_role("button", name="Confirm My Choices"))
    off = {key for key, value in here.settings.items() if value is False}
    assert off == {"consent.social", "consent.targeting"}
    assert here.page.locator("iframe").is_hidden()
    (cookie,) = (each for each in here.context.cookies(SHOP) if each["name"] == "OptanonConsent")
    assert "C0004%3A0%2CC0005%3A0" in cookie["value"], "the shop keeps the cookie that its frame may not set"
    assert here.trackers(SHOP) == {"C0001", "C0002", "C0003"}


def test_the_bag_holds_what_was_added(visit: Callable[[str], Visit]) -> None:
    here = visit("shein")
    here.goto(SHOP + "product/10488")
    here.press(here.button("Close coupons"))
    here.press(here.button("ADD TO BAG"))
    assert [row["sku"] for row in here.items("bag")] == ["10488"]
    here.press(here.button("Remove Half Moon Shoulder Bag"))
    assert here.items("bag") == []


def test_what_is_added_in_the_background_opens_no_page(visit: Callable[[str], Visit]) -> None:
    here = visit("shein")
    here.goto(SHOP + "category/dresses")
    here.press(here.button("Close coupons"))
    here.press(here.page.get_by_role("button", name="Add to bag").first)
    assert len(here.items("bag")) == 1
    assert here.opened == ["/category/dresses"]
    here.goto(SHOP + "bag")
    assert here.opened == ["/category/dresses", "/bag"]
