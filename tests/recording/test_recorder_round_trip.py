"""What the extension records with real mouse and keyboard, replay does again: the site ends in the same state."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Error

from tests.recorder_support import (
    Record,
    Server,
    facts,
    opened_studio,
    record,
    replayed,
    rest,
    server,
    studio,
)
from tests.sample import long_table

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.recording import RecorderBrowser
    from websp_gym.replay import Trace

__all__ = ["opened_studio", "record", "replayed", "server", "studio"]


def _fill_form(page: Page) -> None:
    page.click("[name=nick]")
    page.keyboard.type("Carol J")
    page.keyboard.press("Tab")
    page.keyboard.type("carol.jones@example.org")
    page.click("[name=about]")
    page.keyboard.type("First line\nand a second")
    page.focus("[name=born]")
    page.keyboard.type("04152001")
    page.focus("[name=volume]")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.focus("[name=language]")
    page.keyboard.type("Ger")
    page.click("label[for=news]")
    page.click("text=Friends")
    page.keyboard.press("ArrowDown")


def _form_by_click(page: Page) -> None:
    _fill_form(page)
    page.click("text=Save")
    page.wait_for_url("**/form_other.html")


def _form_by_enter(page: Page) -> None:
    _fill_form(page)
    page.click("[name=nick]")
    page.keyboard.press("End")
    page.keyboard.type("ones")
    page.keyboard.press("Enter")
    page.wait_for_url("**/form_other.html")


def _react(page: Page) -> None:
    page.click("[aria-label=Ads]")
    page.wait_for_selector("[aria-label=Ads][aria-checked=false]")
    page.focus("[aria-label=History]")
    page.keyboard.press("Space")
    page.wait_for_selector("[aria-label=History][aria-checked=true]")
    page.focus("select")
    page.keyboard.type("D")
    page.click("input")
    page.keyboard.type("neo")
    page.click("text=Save changes")


def _shadow(page: Page) -> None:
    tracking = page.locator("x-panel").nth(1)
    tracking.get_by_text("With partners").click()
    tracking.get_by_text("With friends").click()
    tracking.locator("select").focus()
    page.keyboard.type("a w")
    tracking.locator("input:not([type])").click()
    page.keyboard.type("short note")
    page.get_by_text("Save Tracking").click()


def _framed(page: Page) -> None:
    page.frame_locator("#own").get_by_text("Continue").click()
    inner = page.frame_locator("div > iframe")
    inner.get_by_text("Personal ads").click()
    inner.locator("[name=reason]").click()
    page.keyboard.type("I do not like them")
    inner.get_by_text("Confirm").click()


def _popup(page: Page) -> None:
    with page.expect_popup() as opened:
        page.click("text=Sign in with Other")
    window = opened.value
    window.click("text=Bob")
    # The click closes the window, perhaps before it is answered.
    with window.expect_event("close"), contextlib.suppress(Error):
        window.click("text=Allow")
    page.click("text=Finish")


def _presses(page: Page) -> None:
    page.hover("text=Theme")
    page.mouse.down()
    page.mouse.up()
    page.hover("text=Dark")
    page.mouse.down()
    page.mouse.up()


def _spa(page: Page) -> None:
    page.click("text=Privacy")
    page.click("text=Private account")
    page.click("text=Home")
    page.click("text=Privacy")
    page.click("text=Store")


def _link(page: Page) -> None:
    page.click("text=Another page")
    page.click("text=I have seen it")


def _css_menu(page: Page) -> None:
    page.hover("text=Account")
    page.wait_for_selector("text=More")
    rest(page)
    page.hover("text=More")
    page.wait_for_selector("text=Delete data")
    rest(page)
    page.click("text=Delete data")


def _script_menu(page: Page) -> None:
    page.hover("text=Settings")
    page.wait_for_selector("text=Privacy settings")
    rest(page)
    page.click("text=Privacy settings")


def _row_actions(page: Page) -> None:
    row = page.locator("tr", has_text="Carla")
    row.hover()
    rest(page)
    row.get_by_text("edit").click()


def _editor(page: Page) -> None:
    page.click("[contenteditable]")
    page.keyboard.type("I like ")
    page.keyboard.press("Control+b")
    page.keyboard.type("cats")
    page.click("textarea")
    page.keyboard.type("hello")
    page.keyboard.press("Enter")
    page.keyboard.type("line one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("line two")
    page.keyboard.press("Enter")
    page.click("text=Publish")


def _left(page: Page) -> None:
    page.click("#bio")
    page.keyboard.type("hello")
    page.focus("#who")
    page.keyboard.type("N")
    page.click("h1")


def _left_with_an_answer(page: Page) -> None:
    page.click("#nick")
    page.keyboard.type("ada")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("h1")


def _left_for_a_page(page: Page) -> None:
    page.click("#bio")
    page.keyboard.type("hello")
    page.click("h1")
    page.goto(page.url.split("?")[0] + "?public")
    page.click("text=Public")


def _drawn_list(page: Page) -> None:
    page.click("#photos")
    page.click("a >> text=always")
    page.click("#language")
    page.keyboard.type("D")
    page.keyboard.press("Enter")
    page.click("#color")
    page.click("text=Green")
    page.click("text=Save")


def _drawn_list_by_key(page: Page) -> None:
    page.focus("#photos")
    page.keyboard.press("Space")
    page.click("a >> text=always")
    page.click("text=Save")


def _dialogs(page: Page) -> None:
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.click("text=Leave group")
    page.once("dialog", lambda dialog: dialog.accept("fresh"))
    page.click("text=Rename")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("text=Delete history")


def _widgets(page: Page) -> None:
    page.click("[role=combobox]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.click("text=Open dialog")
    page.keyboard.press("Escape")
    page.focus("#custom")
    page.keyboard.press("Space")
    page.click("text=Row with a box")
    page.click("text=Plain text that reacts")
    page.click("#q")
    page.keyboard.type("cats")
    page.keyboard.press("Enter")


def _drawn_boxes(page: Page) -> None:
    for css in ("#under", "#around", "#off [onclick]", "#cut [onclick]", "#text [onclick]", ".beside"):
        place = page.locator(css).bounding_box()
        assert place is not None
        page.mouse.click(place["x"] + 8, place["y"] + 8)


FORM = {
    "nick": "Carol J",
    "mail": "carol.jones@example.org",
    "about": "First line\r\nand a second",
    "born": "2001-04-15",
    "volume": "7",
    "language": "de",
    "news": "on",
    "who": "none",
}
TRIPS: dict[str, tuple[str, Callable[[Page], None], dict[str, Any]]] = {
    "form-click": ("form.html", _form_by_click, FORM),
    "form-enter": ("form.html", _form_by_enter, {**FORM, "nick": "Carol Jones"}),
    "react": (
        "react.html",
        _react,
        {"Ads": False, "Location": True, "History": True, "theme": "dark", "nick": "neo", "saved": 1},
    ),
    "shadow": (
        "shadow.html",
        _shadow,
        {
            "Tracking With partners": True,
            "Tracking With friends": True,
            "Tracking for": "week",
            "Tracking note": "short note",
        },
    ),
    "framed": ("framed.html", _framed, {"reason": "I do not like them"}),
    "popup": ("opener.html", _popup, {"user": "bob"}),
    "presses": ("presses.html", _presses, {"theme": "Dark"}),
    "spa": ("spa.html", _spa, {"visits": ["home", "privacy", "home", "privacy"], "private": True}),
    "link": ("form.html", _link, {"other": True}),
    "drawn-boxes": (
        "drawn_boxes.html",
        _drawn_boxes,
        dict.fromkeys(("under", "around", "off", "cut", "opened", "beside"), True),
    ),
    "css-menu": ("menus.html", _css_menu, {"said": ["delete"]}),
    "script-menu": ("menus.html", _script_menu, {"said": ["privacy"]}),
    "row-actions": ("row_actions.html", _row_actions, {"asked": "/edit/Carla"}),
    "row-actions-gone": ("row_actions.html?gone", _row_actions, {"asked": "/edit/Carla"}),
    "editor": ("editor.html", _editor, {"sent": ["hello", "line one\nline two"], "biography": "I like cats"}),
    "left": ("left.html", _left, {"bio": "hello", "who": "none"}),
    "left-with-an-answer": ("left.html", _left_with_an_answer, {"nick": "ada"}),
    "left-for-a-page": ("left.html", _left_for_a_page, {"bio": "hello", "public": False}),
    "drawn-list": (
        "drawn_list.html",
        _drawn_list,
        {"photos": "always", "language": "de", "color": "#00ff00"},
    ),
    "drawn-list-by-pointer": (
        "drawn_list.html?pointer",
        _drawn_list,
        {"photos": "always", "language": "de", "color": "#00ff00"},
    ),
    "drawn-list-by-key": (
        "drawn_list.html",
        _drawn_list_by_key,
        {"photos": "always", "language": "en", "color": "#000000"},
    ),
    "dialogs": ("dialogs.html", _dialogs, {"left": False, "name": "fresh", "deleted": True}),
    "widgets": (
        "widgets.html",
        _widgets,
        {"country": "Belgium", "closed": True, "custom": "true", "row": True, "reacted": True, "q": "cats"},
    ),
}


@pytest.mark.parametrize(
    "trip",
    long_table(TRIPS, "websp_gym/recording/", "websp_gym/replay/", "extension/", "tests/recording/", most=3),
)
def test_a_replay_leaves_the_site_as_the_recording_did(
    trip: str, studio: RecorderBrowser, server: Server, record: Record, replayed: Callable[[Trace], Tabs]
) -> None:
    name, drive, expected = TRIPS[trip]
    page = record(name)
    drive(page)
    server.wait_for(page, expected)
    trace = studio.stop()
    tabs = replayed(trace)
    try:
        server.wait_for(tabs.current, expected)
    except AssertionError as error:
        raise AssertionError(f"{error}\nrecorded: {facts(trace)}") from None


def test_a_field_is_left_where_the_next_press_is_not_needed(
    studio: RecorderBrowser, server: Server, record: Record, replayed: Callable[[Trace], Tabs]
) -> None:
    page = record("left.html")
    page.click("#bio")
    page.keyboard.type("hello")
    page.click("text=Public")
    trace = studio.stop()
    tabs = replayed(trace.model_copy(update={"start_url": f"{server.base}/left.html?public"}))
    server.wait_for(tabs.current, {"bio": "hello"})
