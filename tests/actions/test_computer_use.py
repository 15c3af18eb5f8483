"""Computer-use agents, which have a picture and a keyboard: valid points, names of keys, and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.actions_support import Hands, hands, sites
from websp_gym.actions.browsergym import Listener, parse_calls, perform_calls
from websp_gym.actions.keys import _WINDOW_KEYS, read_keys
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

__all__ = ["hands", "sites"]

FIELDS = "<input id=one value='ab cd' autofocus><textarea id=two></textarea><p style='height:4000px'>Long</p>"


def do(hands: Hands, *calls: str) -> str:
    """Makes calls on the current tab, and returns the notices for the agent."""
    hands.tabs.begin_step()
    perform_calls(parse_calls("\n".join(calls)), hands.tabs, Listener(*[lambda text: None] * 4))
    settle(hands.tabs)
    return "\n".join(hands.tabs.notices.texts)


OUTSIDE = (
    "mouse_click(1280, 5)",
    "mouse_click(5, 1024.5, 'right')",
    "mouse_dblclick(x=-1, y=5)",
    "mouse_move(5000, 5000)",
    "mouse_down(5, -0.5)",
    "mouse_up(-3, 5)",
    "mouse_drag_and_drop(5, 5, 5, 2000)",
    "mouse_drag_and_drop(2000, 5, 5, 5)",
    "scroll_at(5, 5000, 0, 100)",
)


def test_points_outside_the_window_are_refused_before_anything_happens(hands: Hands) -> None:
    # Playwright 1.65 moves the pointer to the corner by itself when a page opens.
    page = hands.show(
        "<script>n = 0; for (const t of ['mousemove', 'mousedown', 'mouseup', 'keydown']) "
        "addEventListener(t, (e) => { if (e.clientX !== 0 || e.clientY !== 0) n++; })</script>"
    )
    for call in OUTSIDE:
        with pytest.raises(ActionError, match="outside the window of 1280 x 1024 pixels; nothing happened"):
            do(hands, "keyboard_press('a')", "mouse_click(5, 5)", call)
        assert page.evaluate("n") == 0, call


def test_the_edges_of_the_window_are_inside(hands: Hands) -> None:
    page = hands.show("<script>n = 0; addEventListener('mousedown', () => n++)</script>")
    assert do(hands, "mouse_click(0, 0)", "mouse_click(1279, 1023)", "mouse_click(1279.5, 3)") == ""
    assert page.evaluate("n") == 3


KEYS = (
    ("ctrl+a", "Control+a"),
    ("CTRL+A", "Control+a"),
    ("Control+A", "Control+a"),
    ("Control_L+a", "Control+a"),
    ("ctrl + c", "Control+c"),
    ("cmd+a", "ControlOrMeta+a"),
    ("super", "Meta"),
    ("WIN", "Meta"),
    ("Return", "Enter"),
    ("KP_Enter", "NumpadEnter"),
    ("\n", "Enter"),
    ("ESC", "Escape"),
    ("BackSpace", "Backspace"),
    ("DEL", "Delete"),
    ("space", "Space"),
    (" ", " "),
    ("Page_Down", "PageDown"),
    ("Prior", "PageUp"),
    ("pgdn", "PageDown"),
    ("Left", "ArrowLeft"),
    ("ARROWLEFT", "ArrowLeft"),
    ("shift+tab", "Shift+Tab"),
    ("ISO_Left_Tab", "Shift+Tab"),
    ("ctrl+shift+Left", "Control+Shift+ArrowLeft"),
    ("CTRL+SHIFT+T", "Control+Shift+t"),
    ("shift+a", "Shift+A"),
    ("A", "A"),
    ("f5", "F5"),
    ("ctrl+plus", "Control++"),
    ("ctrl++", "Control++"),
    ("+", "+"),
    ("minus", "Minus"),
    ("bracketleft", "BracketLeft"),
    ("KeyZ", "KeyZ"),
    ("option+x", "Alt+x"),
)


def test_keys_have_the_names_that_models_write() -> None:
    assert [(written, read_keys(written)) for written, _ in KEYS] == list(KEYS)


def test_the_keys_do_what_they_are_called(hands: Hands) -> None:
    page = hands.show(FIELDS)
    page.focus("#one")
    do(hands, "keyboard_press('ctrl+a')", "keyboard_press('BackSpace')")
    assert page.input_value("#one") == ""
    do(hands, "keyboard_type('wxyz')", "keyboard_press('Left')", "keyboard_press('DEL')")
    do(hands, "keyboard_down('SHIFT')", "keyboard_press('HOME')", "keyboard_up('shift')")
    assert page.evaluate("[one.value, one.selectionStart, one.selectionEnd]") == ["wxy", 0, 3]
    do(hands, "keyboard_press('CTRL+C')", "keyboard_press('Tab')", "keyboard_press('cmd+v')")
    do(hands, "keyboard_press('Return')", "keyboard_press('space')", "keyboard_press('plus')")
    assert page.input_value("#two") == "wxy\n +"


def test_an_unknown_key_is_refused_before_anything_happens(hands: Hands) -> None:
    page = hands.show("<script>n = 0; addEventListener('keydown', () => n++)</script>")
    for call in (
        "keyboard_press('ctrl+nokey')",
        "keyboard_press('')",
        "keyboard_down('XF86Back')",
        "keyboard_down('ctrl+a')",
    ):
        with pytest.raises(ActionError, match="nothing was done"):
            do(hands, "keyboard_press('a')", call)
        assert page.evaluate("n") == 0, call


STATE = """JSON.stringify([kept, scrollX, scrollY, devicePixelRatio, innerWidth, innerHeight, !!document.fullscreenElement,
document.hasFocus(), String(getSelection()), location.href, one.value, one.selectionStart, one.selectionEnd,
document.activeElement.id, getComputedStyle(document.body).zoom])"""


def test_shortcuts_of_the_browser_window_do_nothing_and_are_reported(hands: Hands) -> None:
    hands.show("<p>First</p>")
    page = hands.show(f"{FIELDS}<script>kept = 1</script>")
    page.focus("#one")
    before = page.evaluate(STATE)
    for keys in ("+".join([*held, key]) for held, named in _WINDOW_KEYS.items() for key in named.split()):
        assert f"{keys} did nothing unless the page listens for it" in do(hands, f"keyboard_press('{keys}')")
        assert page.evaluate(STATE) == before, keys
        assert hands.tabs.pages == [page], keys


def test_a_modifier_alone_does_nothing_and_is_reported(hands: Hands) -> None:
    hands.show(FIELDS)
    for keys in ("ctrl", "SHIFT", "Alt_L", "super"):
        assert "alone did nothing" in do(hands, f"keyboard_press('{keys}')"), keys


def test_keys_that_a_page_handles_are_not_reported(hands: Hands) -> None:
    page = hands.show(FIELDS)
    page.focus("#one")
    keys = ("ctrl+a", "ctrl+c", "ctrl+z", "End", "Escape", "Tab", "shift+Tab", "Page_Down", "ctrl+shift+Left")
    assert do(hands, *(f"keyboard_press('{each}')" for each in keys)) == ""


def test_the_page_gets_keys_of_the_browsers_window(hands: Hands) -> None:
    page = hands.show(
        "<script>addEventListener('keydown', e => { document.title += e.ctrlKey + e.key })</script>"
    )
    assert "unless the page listens" in do(hands, "keyboard_press('CTRL+K')")
    assert page.title() == "trueControltruek"


CHOICE = """<label>Who <select id=who style="font-size:13px"><option>Everyone<option>Friends of friends<option>Friends<option>Nobody</select></label>
<script>who.addEventListener('change', e => { document.title = who.value + e.isTrusted })</script>"""


def middle(page: Page | Frame, selector: str) -> str:
    """The middle of an element in the window, as the arguments of a call."""
    box = page.locator(selector).bounding_box()
    assert box is not None
    return f"{box['x'] + box['width'] / 2}, {box['y'] + box['height'] / 2}"


def test_an_option_is_clicked_where_the_picture_shows_it(hands: Hands) -> None:
    page = hands.show(CHOICE)
    page.evaluate("who.setAttribute('bid', '7')")
    before = page.locator("#who").bounding_box()
    assert before is not None
    corner = f"{before['x'] + before['width'] - 2}, {before['y'] + before['height'] - 2}"
    for opening in ("mouse_click({0})", "mouse_down({0}) mouse_up({0})", "click('7')", "mouse_click({1})"):
        page.evaluate("who.selectedIndex = 0; document.title = ''")
        do(hands, opening.format(middle(page, "#who"), corner))
        hands.look()
        assert page.locator("#who").bounding_box() == before, opening
        do(hands, f"mouse_click({middle(page, 'option:nth-child(3)')})")
        hands.look()
        assert page.title() == "Friendstrue", opening
        assert page.evaluate("who.attributes.length") == 3, "nothing of the opening is left in the page"


def test_an_open_list_obeys_the_keyboard(hands: Hands) -> None:
    page = hands.show(CHOICE)
    for keys in ("Down Down Enter", "f r i e n d s Enter", "End Up Return"):
        page.evaluate("who.selectedIndex = 0")
        do(hands, f"mouse_click({middle(page, '#who')})")
        do(hands, *(f"keyboard_press('{key}')" for key in keys.split()))
        assert page.evaluate("who.value").startswith("Friends"), keys


def test_a_list_in_an_iframe_of_another_site_is_opened_too(hands: Hands) -> None:
    inner = hands.other.put("/choice", f"<!doctype html>{CHOICE}")
    page = hands.show(
        f"<div style='height:50px'></div><iframe bid=a style='margin-left:90px;height:200px' src={inner}></iframe>"
    )
    frame = page.frames[1]
    frame.evaluate("who.setAttribute('bid', 'a7')")
    for opening in (f"mouse_click({middle(frame, '#who')})", "click('a7')"):
        frame.evaluate("who.selectedIndex = 0")
        do(hands, opening)
        do(hands, f"mouse_click({middle(frame, 'option:nth-child(4)')})")
        assert frame.evaluate("who.value") == "Nobody", opening


def test_other_elements_than_closed_dropdowns_are_clicked_normally(hands: Hands) -> None:
    page = hands.show(
        "<select id=many size=3><option>A<option>B<option>C</select><button onclick=\"title = 'done'\">Go</button>"
    )
    do(hands, f"mouse_click({middle(page, 'option:nth-child(2)')})", f"mouse_click({middle(page, 'button')})")
    assert page.evaluate("[many.value, document.querySelector('button').title]") == ["B", "done"]


def test_keys_after_typing_go_into_the_field_that_was_left(hands: Hands) -> None:
    page = hands.show(
        "<input aria-label=Tag onkeydown=\"if (event.key === 'Enter') document.title = this.value\">"
    )
    hands.type("Tag", "ads")
    assert page.evaluate("document.activeElement.localName") == "body"
    do(hands, "keyboard_press('Enter')")
    assert page.title() == "ads"
