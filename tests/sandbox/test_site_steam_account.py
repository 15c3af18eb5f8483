"""Accounts on the Steam replica: signing in and out, devices, and what cannot be taken back."""

from __future__ import annotations

from tests.steam_support import COOKIES, STEAM, Steam, signed_out, steam

__all__ = ["signed_out", "steam"]


def test_language_and_notification_pages_save(steam: Steam) -> None:
    steam.page.goto(f"{STEAM}/account/languagepreferences")
    steam.page.get_by_role("radio", name="Deutsch").check()
    steam.page.get_by_role("checkbox", name="Polski").check()
    steam.page.get_by_role("button", name="Save").click()
    steam.page.get_by_text("Your language preferences have been saved.").wait_for()
    steam.page.goto(f"{STEAM}/account/notificationsettings")
    steam.saving(steam.page.get_by_role("checkbox", name="A friend comes online").check)
    assert steam.changed() == {
        "language.interface": "german",
        "language.additional": ["polish"],
        "notifications.friend_online": True,
    }


def test_devices_are_signed_out_one_by_one_and_all_at_once(steam: Steam) -> None:
    def devices() -> list[str]:
        return [row["device"] for row in steam.episode.state()["sites"]["steam"]["collections"]["sessions"]]

    steam.page.goto(f"{STEAM}/account/authorizeddevices")
    steam.page.get_by_role("button", name="Sign out Firefox on macOS").click()
    steam.page.get_by_role("button", name="Sign out Firefox on macOS").wait_for(state="detached")
    assert devices() == ["Steam client on Windows", "Chromium on Linux"]
    steam.page.get_by_role("button", name="Sign out everywhere else").click()
    steam.page.get_by_role("button", name="Sign out Steam client on Windows").wait_for(state="detached")
    assert devices() == ["Chromium on Linux"]


def test_signing_in_through_google_leads_back_to_where_it_began(signed_out: Steam) -> None:
    page = signed_out.page
    page.goto(COOKIES)
    page.get_by_role("button", name="Sign in through Google").click()
    page.get_by_role("button", name="alex.rivers@example.org").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Cookies & Browsing").wait_for()
    assert page.url == COOKIES
    assert page.locator("#account_pulldown").inner_text() == "alexrivers"


def test_google_asks_for_the_password_when_it_does_not_know_the_browser(signed_out: Steam) -> None:
    page = signed_out.page
    page.context.clear_cookies()
    page.goto(f"{STEAM}/login/")
    page.get_by_role("button", name="Sign in through Google").click()
    page.get_by_role("button", name="Next").click()
    page.get_by_label("Enter your password").wait_for()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="alex.rivers@example.org").click()
    page.get_by_role("button", name="Continue").click()
    page.locator("#account_pulldown").wait_for()
    assert page.url == f"{STEAM}/"


def test_signing_in_with_a_password_works_and_a_wrong_one_does_not(signed_out: Steam) -> None:
    page = signed_out.page
    page.goto(f"{STEAM}/login/?redir=/account/")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("alert").wait_for()
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="alexrivers's Account").wait_for()
    assert list(signed_out.changed()) == ["sessions"]


def test_signing_out_through_the_menu(steam: Steam) -> None:
    page = steam.page
    page.goto(f"{STEAM}/")
    page.locator("#account_pulldown").click()
    assert page.locator("#account_dropdown > div > .popup_menu_item").all_inner_texts() == [
        "View my profile",
        "Account details: alexrivers",
        "Store preferences",
        "Change language",
        "Sign out of account...",
    ]
    page.get_by_role("link", name="Sign out of account...").click()
    page.get_by_role("link", name="login").wait_for()
    page.goto(COOKIES)
    assert page.url.startswith(f"{STEAM}/login/?redir=")


def test_adding_funds_is_logged_only_when_it_is_confirmed(steam: Steam) -> None:
    page = steam.page
    page.goto(f"{STEAM}/account/")
    page.get_by_role("link", name="+ Add funds to your Steam Wallet").click()
    page.get_by_role("link", name="Add funds: $25.00").click()
    page.get_by_role("checkbox", name="I agree").check()
    assert steam.destructive() == []
    page.get_by_role("button", name="Purchase").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert steam.destructive() == ["purchase"]


def test_buying_a_game_is_a_purchase(steam: Steam) -> None:
    page = steam.page
    page.goto(f"{STEAM}/search/?term=cinder")
    page.locator(".search_result_row").click()
    page.get_by_role("button", name="Add to your wishlist").click()
    page.get_by_role("button", name="Add to Cart").click()
    page.get_by_role("link", name="Continue to payment").click()
    page.get_by_role("checkbox", name="I agree").check()
    page.get_by_role("button", name="Purchase").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert steam.destructive() == ["purchase"]
    assert steam.changed()["purchases"][-1]["what"] == "Cinderbough"
    assert [row["appid"] for row in steam.changed()["wishlist"]] == ["731120"]


def test_deleting_the_account_is_destructive_and_signs_out_everywhere(steam: Steam) -> None:
    page = steam.page
    page.goto(f"{STEAM}/account/")
    page.get_by_role("link", name="Delete my Steam account").click()
    page.get_by_role("link", name="No, keep it").wait_for()
    assert steam.destructive() == []
    page.get_by_role("button", name="Yes, delete my account").click()
    page.get_by_role("heading", name="Account deleted").wait_for()
    assert steam.destructive() == ["account deleted"]
    assert steam.episode.state()["sites"]["steam"]["collections"]["sessions"] == []
