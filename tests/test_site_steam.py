"""The replica of Steam, and the Google sites around it, used in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.sandbox_support import Visitor
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.sandbox.catalog import BUILTIN
from websp_gym.sandbox.client import EPISODE_HEADER, Episode, Sandbox
from websp_gym.sandbox.site import load_site

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

STEAM = "https://store.steampowered.com"
HELP = "https://help.steampowered.com"
PREFERENCES = f"{STEAM}/account/preferences/"
COOKIES = f"{STEAM}/account/cookiepreferences"
EMAIL = f"{STEAM}/account/emailoptout"
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
    "An item on my wishlist has released": "wishlist_release",
    "A demo for an item on my wishlist": "wishlist_demo",
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


@dataclass
class Steam:
    """A signed-in browser tab and the server behind it."""

    page: Page
    episode: Episode
    before: dict[str, Any]

    def changed(self) -> dict[str, Any]:
        """Returns what is not as before: settings by key, collections as lists of their first field."""
        now = self.episode.state()["sites"]
        differences: dict[str, Any] = {}
        for slug, site in now.items():
            for kind in ("settings", "collections"):
                for key, value in site[kind].items():
                    if value != self.before[slug][kind][key]:
                        differences[key] = value
        return differences

    def saving(self, act: Callable[[], object]) -> None:
        """Does something on the page and waits until the server has answered."""
        with self.page.expect_response(lambda reply: reply.request.method == "POST"):
            act()

    def words(self, name: str) -> list[str]:
        """Returns a word list as the server has it."""
        return [row["text"] for row in self.episode.state()["sites"]["steam"]["collections"][name]]

    def destructive(self) -> list[str]:
        """Returns what cannot be taken back."""
        events = self.episode.state()["events"]
        return [event["data"]["what"] for event in events if event["kind"] == "destructive"]

    def remember(self) -> None:
        """Makes the present state the one that changes are counted from."""
        self.before = self.episode.state()["sites"]


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return Sandbox.shared()


@pytest.fixture(scope="module")
def context(sandbox: Sandbox) -> Iterator[BrowserContext]:
    browser = shared_browser(BrowserOptions(args=tuple(sandbox.browser_args())))
    context = new_context(browser, viewport=(1280, 1024))
    yield context
    context.close()


def enter(context: BrowserContext, episode: Episode) -> Steam:
    context.clear_cookies()
    context.set_extra_http_headers({EPISODE_HEADER: episode.id})
    context.add_cookies(episode.cookies)  # type: ignore[arg-type]
    return Steam(context.new_page(), episode, episode.state()["sites"])


@pytest.fixture
def steam(sandbox: Sandbox, context: BrowserContext) -> Iterator[Steam]:
    episode = sandbox.open_episode("steam", signed_in=["steam", "google_accounts"])
    tab = enter(context, episode)
    yield tab
    tab.page.close()
    episode.close()


@pytest.fixture
def signed_out(sandbox: Sandbox, context: BrowserContext) -> Iterator[Steam]:
    episode = sandbox.open_episode("steam", signed_in=["google_accounts"])
    tab = enter(context, episode)
    yield tab
    tab.page.close()
    episode.close()


# --- store preferences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["store", "community"])
@pytest.mark.parametrize("number", MATURE)
def test_ticking_a_mature_content_box_saves_it_alone(steam: Steam, number: int, column: str) -> None:
    steam.episode.patch("steam", settings=dict.fromkeys(ALL_MATURE, False))
    steam.remember()
    steam.page.goto(PREFERENCES)
    box = steam.page.get_by_role("checkbox", name=f"{MATURE_NAMES[number]} {column.capitalize()}", exact=True)
    assert box.get_attribute("id") == f"descriptor_{number}_{column}"
    steam.saving(box.check)
    assert steam.changed() == {f"mature.{column}.{MATURE[number]}": True}
    steam.page.reload()
    assert steam.page.locator(f"#descriptor_{number}_{column}").is_checked()


@pytest.mark.parametrize(
    ("number", "cleared"), [(5, [5, 2, 1, 4, 3]), (1, [1, 4, 3]), (4, [4, 3]), (2, [2]), (3, [3])]
)
def test_unticking_a_mature_content_box_clears_what_depends_on_it_in_its_column(
    steam: Steam, number: int, cleared: list[int]
) -> None:
    steam.episode.patch("steam", settings=dict.fromkeys(ALL_MATURE, True))
    steam.remember()
    steam.page.goto(PREFERENCES)
    steam.saving(steam.page.locator(f"#descriptor_{number}_community").uncheck)
    assert steam.changed() == {f"mature.community.{MATURE[other]}": False for other in cleared}
    assert steam.page.locator(".content_descriptor_checkbox:checked").count() == 10 - len(cleared)


@pytest.mark.parametrize("label", BOXES)
def test_a_preference_box_saves_its_setting_at_once(steam: Steam, label: str) -> None:
    steam.page.goto(PREFERENCES)
    key = BOXES[label]
    steam.saving(steam.page.get_by_role("checkbox", name=label, exact=True).click)
    assert steam.changed() == {key: not steam.before["steam"]["settings"][key]}


@pytest.mark.parametrize("chosen", FILTERS)
def test_a_chat_filter_radio_saves_its_setting_at_once(steam: Steam, chosen: str) -> None:
    other = "disabled" if chosen == "text_filter_enabled" else "filter_all"
    steam.episode.patch("steam", settings={"chat.filter": other})
    steam.remember()
    steam.page.goto(PREFERENCES)
    steam.saving(steam.page.locator(f"#{chosen}").check)
    assert steam.changed() == {"chat.filter": FILTERS[chosen]}


def test_a_box_goes_back_and_says_so_when_saving_fails(steam: Steam) -> None:
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
    assert steam.changed() == {}


def test_custom_words_are_added_shown_and_cleared(steam: Steam) -> None:
    page = steam.page
    page.goto(PREFERENCES)
    page.locator(f"{BANNED} [name=word]").fill("scam,  Spoiler , ,SCAM")
    steam.saving(page.locator(BANNED).get_by_role("button", name="Add").click)
    assert steam.words("always_filter") == ["scam", "Spoiler"]
    assert steam.words("never_filter") == []
    chips = page.locator("#text_filter_custom_banned_words_ctn .tag_downvoted")
    assert chips.all_inner_texts() == ["scam", "Spoiler"]

    page.reload()
    assert not chips.first.is_visible()
    page.locator("#text_filter_show_banned_words").click()
    assert chips.all_inner_texts() == ["scam", "Spoiler"]
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


def test_what_looks_clickable_but_sets_nothing_is_harmless(steam: Steam) -> None:
    steam.page.goto(PREFERENCES)
    for _ in range(3):
        steam.page.get_by_role("button", name="Discovery Queue").click()
    steam.page.get_by_role("link", name="View Example Products").first.click()
    steam.page.get_by_role("button", name="OK").click()
    assert steam.changed() == {}


# --- cookies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", TOGGLES)
def test_a_cookie_toggle_saves_its_cookie_at_once(steam: Steam, label: str) -> None:
    steam.page.goto(COOKIES)
    toggle = steam.page.get_by_role("switch", name=label, exact=True)
    steam.saving(toggle.click)
    assert toggle.get_attribute("aria-checked") == "false"
    assert steam.changed() == {TOGGLES[label]: False, "cookies.state": "custom"}
    steam.saving(lambda: toggle.press(" "))
    assert toggle.get_attribute("aria-checked") == "true"
    assert toggle.evaluate("element => element === document.activeElement")
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
    assert steam.changed() == {key: False for key in TOGGLES.values()} | {"cookies.state": "reject_all"}
    assert highlight.search(reject.get_attribute("class") or "")
    assert not highlight.search(accept.get_attribute("class") or "")
    steam.page.reload()
    states = [toggle.get_attribute("aria-checked") for toggle in steam.page.get_by_role("switch").all()]
    assert states == ["false"] * 5 + ["true"]
    steam.saving(lambda: accept.press("Enter"))
    assert steam.changed() == {"cookies.state": "accept_all"}


# --- e-mail ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", EMAILS)
def test_an_email_box_is_saved_with_save_and_not_before(steam: Steam, label: str) -> None:
    steam.page.goto(EMAIL)
    steam.page.get_by_role("checkbox", name=label).uncheck()
    assert steam.changed() == {}
    steam.page.get_by_role("button", name="Save").click()
    steam.page.get_by_text("Your email preferences have been saved.").wait_for()
    assert steam.changed() == {f"email.{EMAILS[label]}": False}
    assert not steam.page.get_by_role("checkbox", name=label).is_checked()


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


# --- other account pages ---------------------------------------------------------------------------------------------


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
        return [row["device"] for row in steam.episode.state()["sites"]["steam"]["sessions"]]

    steam.page.goto(f"{STEAM}/account/authorizeddevices")
    steam.page.get_by_role("button", name="Sign out Firefox on macOS").click()
    steam.page.get_by_role("button", name="Sign out Firefox on macOS").wait_for(state="detached")
    assert devices() == ["Steam client on Windows", "Chromium on Linux"]
    steam.page.get_by_role("button", name="Sign out everywhere else").click()
    steam.page.get_by_role("button", name="Sign out Steam client on Windows").wait_for(state="detached")
    assert devices() == ["Chromium on Linux"]


# --- signing in and out ----------------------------------------------------------------------------------------------


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
    assert signed_out.changed() == {}


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


# --- what cannot be taken back ---------------------------------------------------------------------------------------


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
    assert steam.episode.state()["sites"]["steam"]["sessions"] == []


# --- Google search ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("steam cookie settings", COOKIES),
        ("steam email preferences", EMAIL),
        ("steam store preferences", PREFERENCES),
        ("steam", f"{STEAM}/"),
    ],
)
def test_google_finds_the_pages_of_the_sandbox(steam: Steam, query: str, address: str) -> None:
    page = steam.page
    page.goto("https://www.google.com/")
    page.get_by_role("combobox", name="Search").fill(query)
    page.get_by_role("button", name="Google Search").click()
    page.locator(".hit a").first.click()
    page.wait_for_url(address)


def test_google_says_when_it_finds_nothing(steam: Steam) -> None:
    steam.page.goto("https://google.com/")
    assert steam.page.url == "https://www.google.com/"
    steam.page.get_by_role("combobox", name="Search").fill("zzqx")
    steam.page.get_by_role("button", name="I'm Feeling Lucky").click()
    steam.page.get_by_text("found no page").wait_for()


# --- every page ------------------------------------------------------------------------------------------------------

SLUGS = ("steam", "google", "google_accounts", "steamcommunity", "privacy_policies")


def addresses() -> list[str]:
    """Returns every page of the sites that has an address of its own, and some that need a parameter."""
    found = [f"{STEAM}/app/731120/", f"{STEAM}/app/1/", f"{STEAM}/genre/Racing/", f"{STEAM}/genre/None/"]
    found += [f"{STEAM}/search/?term=", f"{STEAM}/checkout/?funds=10", "https://www.google.com/search?q=steam"]
    hand_over = "?client=steam&redir=/"
    for slug in SLUGS:
        site = load_site(BUILTIN / slug)
        for page in site.pages:
            if page.template and "{" not in page.path:
                found.append(f"https://{(page.hosts or site.hosts)[0]}{page.path}")
    return [address + hand_over if "/oauth" in address else address for address in found]


def test_every_page_is_quiet_and_small_and_no_link_is_dead(sandbox: Sandbox, steam: Steam) -> None:
    complaints: list[str] = []
    asked: list[str] = []
    page = steam.page
    page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    links: set[str] = set()
    for address in addresses():
        asked.clear()
        reply = page.goto(address)
        assert reply is not None
        assert reply.status == 200, address
        assert page.locator("[data-websp-replica]").count() == 1, address
        files = [url for url in asked if url.startswith("https:") and url != page.url]
        assert [url.rpartition("/")[2] for url in files] in ([], ["steam.css", "steam.js"]), address
        nodes = page.evaluate("document.querySelectorAll('*').length")
        assert nodes <= 1500, address
        links |= set(page.evaluate("[...document.querySelectorAll('a[href]')].map((link) => link.href)"))
    assert complaints == []

    assert not [link for link in links if link.endswith("#")]
    visitor = Visitor(sandbox.address, steam.episode)
    visited = {link for link in links if link.startswith("https:")}
    assert len(visited) > 100
    dead = [link for link in sorted(visited) if visitor.get(link.partition("#")[0]).status >= 400]
    assert dead == []
    assert not [event for event in steam.episode.state()["events"] if event["kind"] in ("egress", "error")]
