"""The Airbnb replica: one button on a help page, which opens in a new tab and needs no account."""

from __future__ import annotations

from collections.abc import Callable

from tests.visit_support import Visit, visit

__all__ = ["visit"]

HOME = "https://www.airbnb.com/"
OPT_OUT = HOME + "help/sale-share-opt-out"
KEY = "privacy.sale_share_opt_out"


def test_your_privacy_choices_opens_in_a_new_tab(visit: Callable[[str], Visit]) -> None:
    here = visit("airbnb")
    here.goto("http://airbnb.com")
    here.press(here.link("Your Privacy Choices"))
    assert here.page.url == HOME
    assert here.tabs.current.url == OPT_OUT
    assert here.settings[KEY] is False, "reading the page decides nothing"


def test_the_button_opts_out_and_the_page_confirms_it(visit: Callable[[str], Visit]) -> None:
    here = visit("airbnb")
    here.goto(OPT_OUT)
    here.press(here.button("I WANT TO OPT OUT"))
    assert here.settings[KEY] is True
    assert "You have opted out" in here.page.get_by_role("status").inner_text()
    assert here.button("I WANT TO OPT OUT").count() == 0
    here.goto(OPT_OUT)
    assert here.page.get_by_role("status").is_visible(), "a new visit shows it, too"


def test_nothing_is_sent_to_the_advertising_partner_after_opting_out(visit: Callable[[str], Visit]) -> None:
    here = visit("airbnb")
    assert here.trackers(HOME) == {"sale_share"}
    here.goto(OPT_OUT)
    here.press(here.button("I WANT TO OPT OUT"))
    assert here.trackers(HOME) == set()


def test_saving_a_home_asks_for_an_account(visit: Callable[[str], Visit]) -> None:
    here = visit("airbnb")
    here.goto(HOME)
    here.press(here.page.get_by_role("button", name="Add to wishlist").first)
    assert here.page.get_by_role("dialog", name="Log in or sign up").is_visible()
