"""The preference pages of the Steam replica, used in a real browser: every control changes exactly its setting."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.steam_support import COOKIES, EMAIL, PREFERENCES, STEAM, Steam, steam

__all__ = ["steam"]

BANNED = "#text_filter_custom_banned_words_form"

MATURE = {5: "general", 2: "violence", 1: "some_nudity", 4: "frequent_nudity", 3: "adult_only"}
MATURE_NAMES = {
    5: "General Mature Content",
    2: "Frequent Violence or Gore",
    1: "Some Nudity or Sexual Content",
    4: "Frequent Nudity or Sexual Content",
    3: "Adult Only Sexual Content",
}
ALL_MATURE = {f"mature.{column}.{key}" for column in ("store", "community") for key in MATURE.values()}
BOXES = {
    "Show Early Access titles": "home.early_access",
    "Show Prepurchase offers": "home.prepurchase",
    "Show Software": "home.software",
    "Show Videos & Movies": "home.video",
    "Show titles not in my languages": "home.localized",
    "Show Virtual Reality content": "home.virtual_reality",
    "Hide items in my library": "search.hide_owned",
    "Hide ignored items": "search.hide_ignored",
    "Hide items on my wishlist": "search.hide_wishlist",
    "Enable infinite scroll when searching.": "search.infinite_scroll",
    "Do not filter text from my Steam Friends": "chat.friends_unfiltered",
    "Windows": "platform.windows",
    "macOS": "platform.mac",
    "SteamOS + Linux": "platform.linux",
    "Hide all live broadcasts on the store product pages.": "broadcast.hide_store",
}
FILTERS = {
    "text_filter_enabled": "filter_all",
    "text_filter_enabled_allow_profanity": "allow_profanity",
    "text_filter_disabled": "disabled",
}
TOGGLES = {
    "recentapps": "cookies.content_customization",
    "app_impressions": "cookies.valve_analytics",
    "YouTube": "cookies.youtube",
    "Vimeo": "cookies.vimeo",
    "Sketchfab": "cookies.sketchfab",
}
EMAILS = {
    "A discount is applied": "wishlist_discount",
    "An item on my wishlist has released (": "wishlist_release",
    "A demo for an item on my wishlist has": "wishlist_demo",
    "A Greenlight submission": "greenlight_release",
    "A publisher or developer I followed has released (": "creator_release",
    "A publisher or developer I followed has released a demo.": "creator_demo",
    "A seasonal promotion is beginning.": "seasonal",
    "A Steam sponsored Theme fest": "theme_fest",
    "Steam Next Fest is beginning.": "next_fest",
    "A developer on Steam sends a review copy": "curator_connect",
    "I receive Steam Community Awards.": "community_awards",
    "Game-specific event notifications": "game_events",
    "My annual Steam Replay": "year_in_review",
    "A season pass I own": "season_pass",
    "A game I follow has shipped": "roadmap",
}


def test_ticking_a_mature_content_box_saves_it_alone(steam: Steam) -> None:
    steam.episode.patch("steam", settings=dict.fromkeys(ALL_MATURE, False))
    page, saved, columns = steam.page, {}, ("store", "community")
    page.goto(PREFERENCES)
    for column in columns:
        for number, name in MATURE_NAMES.items():
            box = page.get_by_role("checkbox", name=f"{name} {column.capitalize()}", exact=True)
            steam.remember()
            steam.saving(box.check)
            saved[f"descriptor_{number}_{column}"] = steam.changed()
            assert box.get_attribute("id") == f"descriptor_{number}_{column}"
    assert saved == {
        f"descriptor_{number}_{column}": {f"mature.{column}.{key}": True}
        for column in columns
        for number, key in MATURE.items()
    }
    page.reload()
    assert page.locator(".content_descriptor_checkbox:checked").count() == len(saved)


def test_unticking_a_mature_content_box_clears_what_depends_on_it_in_its_column(steam: Steam) -> None:
    cleared = {5: [5, 2, 1, 4, 3], 1: [1, 4, 3], 4: [4, 3], 2: [2], 3: [3]}
    saved = {}
    for number, others in cleared.items():
        steam.episode.patch("steam", settings=dict.fromkeys(ALL_MATURE, True))
        steam.remember()
        steam.page.goto(PREFERENCES)
        steam.saving(steam.page.locator(f"#descriptor_{number}_community").uncheck)
        saved[number] = steam.changed()
        expect(steam.page.locator(".content_descriptor_checkbox:checked")).to_have_count(10 - len(others))
    assert saved == {
        number: {f"mature.community.{MATURE[other]}": False for other in others}
        for number, others in cleared.items()
    }


def test_a_preference_box_saves_its_setting_at_once(steam: Steam) -> None:
    steam.page.goto(PREFERENCES)
    saved, before = {}, steam.before["steam"]["settings"]
    for label in BOXES:
        steam.remember()
        steam.saving(steam.page.get_by_role("checkbox", name=label, exact=True).click)
        saved[label] = steam.changed()
    assert saved == {label: {key: not before[key]} for label, key in BOXES.items()}


def test_a_chat_filter_radio_saves_its_setting_at_once(steam: Steam) -> None:
    steam.episode.patch("steam", settings={"chat.filter": "disabled"})
    steam.page.goto(PREFERENCES)
    saved = {}
    for chosen in FILTERS:
        steam.remember()
        steam.saving(steam.page.locator(f"#{chosen}").check)
        saved[chosen] = steam.changed()
    assert saved == {chosen: {"chat.filter": value} for chosen, value in FILTERS.items()}


def test_a_box_reverts_with_a_message_when_saving_fails(steam: Steam) -> None:
    steam.page.goto(PREFERENCES)
    elsewhere = steam.page.context.new_page()
    elsewhere.goto(f"{STEAM}/")
    elsewhere.evaluate("Logout()")
    elsewhere.get_by_role("link", name="login").wait_for()
    elsewhere.close()
    steam.saving(steam.page.locator("#descriptor_5_store").click)
    steam.page.get_by_role("dialog", name="Error").get_by_role("button", name="OK").click()
    assert steam.page.locator("#descriptor_5_store").is_checked()
    assert steam.page.locator("#descriptor_2_store").is_checked()
    assert set(steam.changed()) == {"sessions"}  # it signed out


def test_custom_words_are_added_shown_and_cleared(steam: Steam) -> None:
    page = steam.page
    page.goto(PREFERENCES)
    page.locator(f"{BANNED} [name=word]").fill("scam,  Spoiler , ,SCAM")
    steam.saving(page.locator(BANNED).get_by_role("button", name="Add").click)
    assert steam.words("always_filter") == ["scam", "spoiler"]
    assert steam.words("never_filter") == []
    chips = page.locator("#text_filter_custom_banned_words_ctn .tag_downvoted")
    expect(chips).to_have_text(["scam", "spoiler"])

    page.reload()
    assert not chips.first.is_visible()
    page.locator("#text_filter_show_banned_words").click()
    assert chips.all_inner_texts() == ["scam", "spoiler"]
    page.locator("#text_filter_clear_banned_words").click()
    page.get_by_role("button", name="No", exact=True).click()
    assert chips.count() == 2
    page.locator("#text_filter_clear_banned_words").click()
    steam.saving(page.get_by_role("button", name="Yes", exact=True).click)
    assert steam.words("always_filter") == []
    page.get_by_role("button", name="Hide custom words").click()
    assert page.locator("#text_filter_show_banned_words").is_visible()


def test_words_that_are_there_already_are_not_added_again(steam: Steam) -> None:
    steam.episode.patch("steam", collections={"always_filter": [{"text": "scam"}]})
    steam.page.goto(PREFERENCES)
    steam.page.locator(f"{BANNED} [name=word]").fill("Scam")
    steam.page.locator(f"{BANNED} [name=word]").press("Enter")
    steam.page.locator("#text_filter_custom_banned_words_ctn").wait_for()
    steam.page.locator(f"{BANNED} [name=word]").fill("scam, spoiler")
    steam.saving(lambda: steam.page.locator(f"{BANNED} [name=word]").press("Enter"))
    assert steam.words("always_filter") == ["scam", "spoiler"]
    steam.saving(steam.page.get_by_role("button", name="Remove scam").click)
    assert steam.words("always_filter") == ["spoiler"]


def test_clearing_an_empty_word_list_does_nothing(steam: Steam) -> None:
    steam.page.goto(PREFERENCES)
    steam.page.locator("#text_filter_show_banned_words").press("Enter")
    steam.page.locator("#text_filter_clear_banned_words").click()
    steam.page.get_by_role("button", name="Yes", exact=True).click()
    assert steam.page.get_by_role("dialog").count() == 0
    assert steam.changed() == {}


def test_the_other_word_list_uploads_and_tags_are_excluded(steam: Steam, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("blimey\ncrikey\n")
    steam.page.goto(PREFERENCES)
    upload = steam.page.locator("#text_filter_upload_clean_words")
    steam.saving(lambda: upload.set_input_files(tmp_path / "words.txt"))
    steam.page.locator("#app_tag_form [name=tag]").fill("Horror")
    steam.saving(steam.page.locator("#app_tag_form").get_by_role("button", name="Add").click)
    assert steam.words("never_filter") == ["blimey", "crikey"]
    assert steam.words("excluded_tags") == ["Horror"]
    assert set(steam.changed()) == {"never_filter", "excluded_tags"}


def test_clickable_scenery_is_harmless(steam: Steam) -> None:
    steam.page.goto(PREFERENCES)
    for _ in range(3):
        steam.page.get_by_role("button", name="Discovery Queue").click()
    steam.page.get_by_role("link", name="View Example Products").first.click()
    steam.page.get_by_role("button", name="OK").click()
    assert steam.changed() == {}


def test_a_cookie_toggle_saves_its_cookie_at_once(steam: Steam) -> None:
    steam.page.goto(COOKIES)
    for label, key in TOGGLES.items():
        toggle = steam.page.get_by_role("switch", name=label, exact=True)
        steam.saving(toggle.click)
        expect(toggle).to_have_attribute("aria-checked", "false")
        assert steam.changed() == {key: False, "cookies.state": "custom"}
        steam.saving(lambda toggle=toggle: toggle.press(" "))  # type: ignore[misc]
        expect(toggle).to_have_attribute("aria-checked", "true")
        expect(toggle).to_be_focused()
        assert steam.changed() == {"cookies.state": "custom"}


def test_the_marketing_toggle_is_not_one_of_the_cookies(steam: Steam) -> None:
    steam.page.goto(COOKIES)
    steam.saving(steam.page.get_by_role("switch", name="UTM measurement").click)
    assert steam.changed() == {"marketing.utm": False}


def test_all_cookies_are_rejected_and_accepted_with_one_button(steam: Steam) -> None:
    steam.page.goto(COOKIES)
    reject, accept = (steam.page.get_by_role("button", name=name) for name in ("Reject All", "Accept All"))
    highlight = re.compile("_3OVHZhM_IefZqAOIsPxatj")
    assert highlight.search(accept.get_attribute("class") or "")
    steam.saving(reject.click)
    assert steam.changed() == dict.fromkeys(TOGGLES.values(), False) | {"cookies.state": "reject_all"}
    expect(reject).to_have_class(highlight)
    expect(accept).not_to_have_class(highlight)
    steam.page.reload()
    states = [toggle.get_attribute("aria-checked") for toggle in steam.page.get_by_role("switch").all()]
    assert states == ["false"] * 5 + ["true"]
    steam.saving(lambda: accept.press("Enter"))
    assert steam.changed() == {"cookies.state": "accept_all"}


def test_an_email_box_is_saved_with_save_and_not_before(steam: Steam) -> None:
    page, on = steam.page, {f"email.{key}": True for key in EMAILS.values()}
    # Box 5 is unticked in the rounds of 1 and 4, so no two boxes are unticked in the same rounds.
    for round_ in (1, 2, 4, 8):
        unticked = {
            label: f"email.{key}" for number, (label, key) in enumerate(EMAILS.items(), 1) if number & round_
        }
        steam.episode.patch("steam", settings=on)
        steam.remember()
        page.goto(EMAIL)
        for label in unticked:
            page.get_by_role("checkbox", name=label).uncheck()
        assert steam.changed() == {}
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()
        page.get_by_text("Your email preferences have been saved.").wait_for()
        assert steam.changed() == dict.fromkeys(unticked.values(), False)
        for label in EMAILS:
            assert page.get_by_role("checkbox", name=label).is_checked() is (label not in unticked)


def test_leaving_the_email_page_without_save_changes_nothing(steam: Steam) -> None:
    steam.page.goto(EMAIL)
    steam.page.locator("#opt_out_seasonal").uncheck()
    steam.page.locator("#opt_out_all").check()
    steam.page.goto(f"{STEAM}/account/")
    assert steam.changed() == {}


def test_opting_out_greys_the_boxes_and_keeps_their_values(steam: Steam) -> None:
    steam.episode.patch("steam", settings={"email.roadmap": False})
    steam.remember()
    page = steam.page
    page.goto(EMAIL)
    page.locator("#opt_out_seasonal").uncheck()
    page.get_by_role("radio", name="Opt out of all email marketing communication").check()
    assert page.locator(".individual_pref input:disabled").count() == 15
    page.get_by_role("button", name="Save").click()
    page.locator("#error_display.saved").wait_for()
    assert steam.changed() == {"email.opt_out_all": True}
    assert page.locator(".individual_pref input:disabled:checked").count() == 14

    page.get_by_role("radio", name="Send me an email when:").check()
    assert page.locator(".individual_pref input:enabled").count() == 15
    page.get_by_role("button", name="Save").click()
    page.locator("#error_display.saved").wait_for()
    assert steam.changed() == {}


def test_no_address_shows_a_save_that_was_none(steam: Steam) -> None:
    for address in (f"{EMAIL}?saved=1", f"{STEAM}/account/languagepreferences?saved=1&l=german"):
        steam.page.goto(address)
        assert "have been saved" not in steam.page.content()
    assert steam.page.get_by_role("radio", name="English").is_checked()


def test_a_save_is_confirmed_once(steam: Steam) -> None:
    steam.page.goto(EMAIL)
    steam.page.locator("#opt_out_seasonal").uncheck()
    steam.page.get_by_role("button", name="Save").click()
    steam.page.locator("#error_display.saved").wait_for()
    steam.page.goto(steam.page.url)
    assert steam.page.locator("#error_display.saved").count() == 0
