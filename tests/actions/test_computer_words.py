"""Actions of computer use in the words of OpenAI, Anthropic and Gemini, carried out on real pages."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.actions.test_computer_use import CHOICE
from tests.actions_support import Hands, hands, sites
from websp_gym.actions.computer.action import Screen
from websp_gym.actions.computer.anthropic import ANTHROPIC
from websp_gym.actions.computer.find import find_computer, written
from websp_gym.actions.computer.gemini import GEMINI
from websp_gym.actions.computer.openai import OPENAI
from websp_gym.actions.computer.perform import perform_computer
from websp_gym.actions.computer.read import read_computer
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from websp_gym.actions.calls import Call

__all__ = ["hands", "sites"]

LISTENING = """<body style='margin:0;height:5000px;width:3000px'><script>
heard = []
for (const type of ['mousedown', 'mouseup', 'keydown', 'contextmenu']) addEventListener(type, (e) => {
  heard.push([type, ...(type === 'keydown' ? [e.key] : [e.clientX, e.clientY, e.button, e.detail]),
    [e.ctrlKey && 'ctrl', e.shiftKey && 'shift'].filter(Boolean).join()].join(' ').trim())
})
moves = 0; addEventListener('mousemove', () => moves++)
</script>"""
FIELD = (
    "<form><input id=one value=before style='position:absolute;left:0;top:0;width:200px;height:40px'></form>"
)


class Use:
    """Uses a computer by dictionaries, as :meth:`WebspEnv.step` does."""

    def __init__(self, hands: Hands, scale: float = 1.0, longest: float = 20.0) -> None:
        self.hands = hands
        self.screen = Screen(1280, 1024, scale)
        self.longest = longest
        self.noted: list[Call] = []

    def __call__(self, *actions: dict[str, Any]) -> list[bool]:
        """Carries actions out; returns which were free."""
        free = []
        self.hands.tabs.begin_step()
        for action in actions:
            read = read_computer(written(action), self.screen)
            perform_computer(
                read, self.hands.tabs, self.screen, longest=self.longest, noting=self.noted.append
            )
            free.append(read.free)
        settle(self.hands.tabs)
        return free

    @property
    def told(self) -> str:
        """The notices for the agent."""
        return "; ".join(self.hands.tabs.notices.texts)


@pytest.fixture
def use(hands: Hands) -> Use:
    """A screen of 1280 x 1024 whose picture has the same size."""
    return Use(hands)


def o(kind: str, **fields: Any) -> dict[str, Any]:
    """An action in OpenAI's words."""
    return {"type": kind, **fields}


def a(name: str, **fields: Any) -> dict[str, Any]:
    """An action in Anthropic's words, as the member of a toolset."""
    return {"type": "tool_use", "toolset_name": "computer", "id": "1", "name": name, "input": fields}


def old(name: str, **fields: Any) -> dict[str, Any]:
    """An action in Anthropic's words, as the input of its tool before the toolset."""
    return {"action": name, **fields}


def g(name: str, **fields: Any) -> dict[str, Any]:
    """An action in Gemini's words."""
    return {"name": name, "args": fields}


def click(at: str, button: int = 0, times: int = 1, keys: str = "") -> list[str]:
    """What a page hears of a click."""
    each = [
        [f"mousedown {at} {button} {n} {keys}", f"mouseup {at} {button} {n} {keys}"]
        for n in range(1, times + 1)
    ]
    return [event.strip() for pair in each for event in pair]


WORDS: tuple[tuple[dict[str, Any], list[str]], ...] = (
        (o("click", x=100, y=200, button="left"), click("100 200")),
        (o("click", x=100, y=200), click("100 200")),
        (o("click", x=100, y=200, button="wheel"), click("100 200", 1)),
        (o("click", x=1, y=2, button="left", keys=["CTRL"]), ["keydown Control ctrl", *click("1 2", keys="ctrl")]),
        (
            o("click", x=1, y=2, button="left", keys=["CTRL", "SHIFT"]),
            ["keydown Control ctrl", "keydown Shift ctrl,shift", *click("1 2", keys="ctrl,shift")],
        ),
        (o("double_click", x=5, y=6), click("5 6", times=2)),
        (o("drag", path=[{"x": n, "y": n} for n in (1, 5, 9)]), ["mousedown 1 1 0 1", "mouseup 9 9 0 1"]),
        (o("keypress", keys=["SHIFT", "ARROWUP"]), ["keydown Shift shift", "keydown ArrowUp shift"]),
        (o("keypress", keys=["TAB", "TAB", "ENTER"]), ["keydown Tab", "keydown Tab", "keydown Enter"]),
        (o("keypress", keys=["h", "i"]), ["keydown h", "keydown i"]),
        (
            o("keypress", keys=["SHIFT", "A", "B"]),
            ["keydown Shift shift", "keydown A shift", "keydown B"],
        ),
        (o("type", text="aB"), ["keydown a", "keydown B"]),
        (old("left_click", coordinate=[100, 200]), click("100 200")),
        (a("left_click", coordinate=[1, 2], text="ctrl"), ["keydown Control ctrl", *click("1 2", keys="ctrl")]),
        (a("middle_click", coordinate=[1, 2]), click("1 2", 1)),
        (a("double_click", coordinate=[1, 2]), click("1 2", times=2)),
        (a("triple_click", coordinate=[1, 2]), click("1 2", times=3)),
        (a("left_click_drag", start_coordinate=[1, 2], coordinate=[3, 4]), ["mousedown 1 2 0 1", "mouseup 3 4 0 1"]),
        (a("key", text="Page_Down"), ["keydown PageDown"]),
        (a("key", text="Down", repeat=3), ["keydown ArrowDown"] * 3),
        (a("key", text="kp_0"), ["keydown 0"]),
        (a("key", text="Tab Tab Up"), ["keydown Tab", "keydown Tab", "keydown ArrowUp"]),
        (a("hold_key", text="shift+a", duration=0), ["keydown Shift shift", "keydown A shift"]),
        (a("type", text="é\n"), ["keydown Enter"]),
        (a("type", text="a\r\nb\rc"), ["keydown a", "keydown Enter", "keydown b", "keydown Enter", "keydown c"]),
        (g("click_at", x=500, y=250), click("640 256")),
        (g("click", x=999, y=999), click("1278 1022")),
        (g("right_click", x=0, y=0), ["mousedown 0 0 2 1", "contextmenu 0 0 2 0", "mouseup 0 0 2 1"]),
        (g("triple_click", x=0, y=0), click("0 0", times=3)),
        (g("mouse_down", x=0, y=0), ["mousedown 0 0 0 1"]),
        (g("key_combination", keys="control+enter"), ["keydown Control ctrl", "keydown Enter ctrl"]),
        (g("hotkey", keys=["Shift", "Tab"]), ["keydown Shift shift", "keydown Tab shift"]),
        (g("press_key", key="escape"), ["keydown Escape"]),
        (g("key_down", key="shift"), ["keydown Shift shift"]),
        (g("drag_and_drop", x=0, y=0, destination_x=500, destination_y=0), ["mousedown 0 0 0 1", "mouseup 640 0 0 1"]),
        (g("drag_and_drop", start_x=0, start_y=0, end_x=500, end_y=0), ["mousedown 0 0 0 1", "mouseup 640 0 0 1"]),
        (g("type", text="a", press_enter=True), ["keydown a", "keydown Enter"]),
)  # fmt: skip


def test_an_action_does_what_its_word_says_and_counts(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for action, heard in WORDS:
        page.evaluate("scrollTo(0, heard.length = 0)")
        assert use(action) == [False], action
        assert page.evaluate("heard") == heard, action
        page.evaluate("heard.length = 0")
        page.keyboard.press("x")
        kept = " shift" if action.get("name") == "key_down" else ""
        assert page.evaluate("heard") == [f"keydown x{kept}"], f"{action}: nothing else is held"
        if action.get("name") in ("key_down", "mouse_down"):
            page.keyboard.up("Shift")
            page.mouse.up()


FREE = (
    o("move", x=3, y=4),
    o("screenshot"),
    o("wait", ms=1),
    a("mouse_move", coordinate=[3, 4]),
    a("screenshot"),
    a("zoom", region=[0, 0, 100, 100]),
    a("wait", duration=0),
    g("hover_at", x=3, y=4),
    g("move", x=3, y=4),
    g("open_web_browser"),
    g("take_screenshot"),
    g("wait", seconds=0),
)


def test_looking_moving_and_waiting_are_free_and_press_nothing(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for action in FREE:
        assert use(action) == [True], action
        assert page.evaluate("heard") == [], action


SCROLLS: tuple[tuple[dict[str, Any], list[int]], ...] = (
    (o("scroll", x=5, y=5, scroll_x=30, scroll_y=200), [30, 200]),
    (o("scroll", x=5, y=5, scroll_y=200), [0, 200]),
    (a("scroll", coordinate=[5, 5], scroll_direction="down", scroll_amount=3), [0, 300]),
    (a("scroll", coordinate=[5, 5], scroll_direction="right", scroll_amount=1, text="shift"), [100, 0]),
    (g("scroll_at", x=5, y=5, direction="down"), [0, 819]),
    (g("scroll_at", x=5, y=5, direction="right", magnitude=100), [128, 0]),
    (g("scroll", x=5, y=5, direction="down"), [0, 300]),
    (g("scroll", x=5, y=5, direction="down", magnitude_in_pixels=450), [0, 450]),
    (g("scroll_document", direction="down"), [0, 677]),
)


def test_scrolling_is_free_and_goes_as_far_as_it_says(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for action, where in SCROLLS:
        page.evaluate("scrollTo(0, 0)")
        assert use(action) == [True], action
        page.wait_for_function("scrollX + scrollY > 0")
        settle(use.hands.tabs)
        there = page.evaluate("[Math.floor(scrollX), Math.floor(scrollY)]")
        assert there == pytest.approx(where, abs=10), action


def test_the_pointer_is_kept_for_actions_without_a_coordinate(use: Use) -> None:
    page = use.hands.show(LISTENING)
    with pytest.raises(ActionError, match="the pointer has not been moved yet; nothing happened"):
        use(a("left_mouse_down"))
    use(a("mouse_move", coordinate=[30, 40]), a("left_mouse_down"), a("mouse_move", coordinate=[50, 60]))
    assert page.evaluate("heard") == ["mousedown 30 40 0 1"]
    use(a("left_mouse_up"), a("right_click"))
    assert page.evaluate("heard.filter((each) => each[0] === 'm')")[1:] == [
        "mouseup 50 60 0 1",
        "mousedown 50 60 2 1",
        "mouseup 50 60 2 1",
    ]
    use(a("cursor_position"))
    assert use.told == "the pointer is at (50, 60)"


def test_a_drag_has_any_number_of_points_and_each_is_passed(use: Use) -> None:
    page = use.hands.show(LISTENING)
    assert use(o("drag", path=[{"x": 10 + n, "y": 20} for n in range(40)])) == [False]
    assert page.evaluate("heard") == ["mousedown 10 20 0 1", "mouseup 49 20 0 1"]
    assert page.evaluate("moves") >= 40


def test_points_of_a_small_picture_are_in_its_pixels(hands: Hands) -> None:
    use = Use(hands, scale=0.5)
    page = hands.show(LISTENING)
    use(o("click", x=100, y=200), a("mouse_move", coordinate=[639, 511]), a("cursor_position"))
    assert page.evaluate("heard") == click("200 400")
    assert use.told == "the pointer is at (639, 511)"
    use(g("click_at", x=500, y=500))
    assert page.evaluate("heard.at(-1)") == "mouseup 640 512 0 1"
    with pytest.raises(ActionError, match="outside the picture of 640 x 512 pixels; nothing happened"):
        use(o("click", x=640, y=5))


def test_typing_at_a_point_clears_first_unless_it_is_told_not_to(use: Use) -> None:
    page = use.hands.show(f"{FIELD}<script>one.onclick = () => one.setSelectionRange(9, 9)</script>")
    typing = {"x": 50, "y": 20, "text": "new", "press_enter": False}
    assert use(g("type_text_at", **typing, clear_before_typing=False)) == [False]
    assert page.input_value("#one") == "beforenew"
    assert use(g("type_text_at", **typing)) == [False]
    assert page.input_value("#one") == "new"


def test_a_triple_click_selects_the_whole_line(use: Use) -> None:
    page = use.hands.show(FIELD)
    use(a("triple_click", coordinate=[20, 20]), a("type", text="all new"))
    assert page.input_value("#one") == "all new"


def test_a_long_text_is_typed_within_the_time_of_a_step(use: Use) -> None:
    page = use.hands.show("<textarea id=one autofocus></textarea>")
    text = ("word " * 100 + "\n") * 19
    assert len(text) > 9_000
    page.evaluate("keys = 0; one.onkeydown = () => keys++")
    use(o("type", text=text))
    assert page.input_value("#one") == text
    # A key costs the browser some milliseconds; a whole line comes at once.
    assert page.evaluate("keys") < 100


def test_what_would_take_longer_than_a_step_is_refused_with_the_limit(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for action in (
        a("wait", duration=21),
        g("wait", seconds=21),
        a("hold_key", text="a", duration=30),
        o("wait", ms=20_001),
    ):
        with pytest.raises(ActionError, match="seconds, and an action may take 20; nothing was done"):
            use(action)
    assert page.evaluate("heard") == []


def test_keys_of_the_window_do_what_they_do_in_a_browser(use: Use) -> None:
    hands = use.hands
    first = hands.show("<title>First</title>")
    hands.show("<title>Second</title>")
    use(a("key", text="alt+Left"))
    assert first.title() == "First"
    use(o("keypress", keys=["ALT", "ARROWRIGHT"]))
    assert first.title() == "Second"
    for keys in ("F5", "ctrl+R", "ctrl+shift+r"):
        first.evaluate("kept = 1")
        use(a("key", text=keys))
        assert first.evaluate("typeof kept") == "undefined", keys
    use(g("key_combination", keys="control+t"))
    assert hands.page is not first
    assert "open an address with goto" in use.told
    hands.show("<title>Third</title>")
    for keys, title in (
        ("ctrl+Tab", "Second"),
        ("ctrl+shift+Tab", "Third"),
        ("ctrl+1", "Second"),
        ("ctrl+9", "Third"),
    ):
        use(a("key", text=keys))
        assert hands.page.title() == title, keys
    use(a("key", text="ctrl+w"))
    assert hands.page is first
    for keys, why in (
        ("ctrl+w", "the only tab"),
        ("ctrl+Tab", "no other tab"),
        ("ctrl+5", "there are 1 tabs"),
        ("alt+Right", "no next page"),
    ):
        with pytest.raises(ActionError, match=why):
            use(a("key", text=keys))


def test_other_keys_of_the_window_are_told_with_the_way_to_open_an_address(use: Use) -> None:
    use.hands.show(FIELD)
    for keys in ("ctrl+L", "F6", "ctrl+shift+T", "alt+d", "F11"):
        use(a("key", text=keys))
        assert "did nothing unless the page listens for it" in use.told, keys
        assert "goto" in use.told, keys


def test_an_address_is_opened_by_an_action(use: Use) -> None:
    url = use.hands.site.put("/there", "<title>There</title>")
    for number, action in enumerate((g("navigate", url=f"{url}?0"), o("goto", url=f"{url}?1"))):
        use(action)
        assert (use.hands.page.title(), use.hands.page.url) == ("There", f"{url}?{number}")
    with pytest.raises(ActionError, match="only http and https"):
        use(o("goto", url="file:///etc/passwd"))
    assert use.hands.page.title() == "There"


def test_back_and_forward_buttons_of_the_mouse_go_through_the_history(use: Use) -> None:
    page = use.hands.show("<title>First</title>")
    use.hands.show("<title>Second</title>")
    use(o("click", x=1, y=1, button="back"))
    assert page.title() == "First"
    use(g("go_forward"))
    assert page.title() == "Second"
    use(g("go_back"))
    assert page.title() == "First"


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


PRESSES: tuple[Callable[[float, float], list[dict[str, Any]]], ...] = (
    lambda x, y: [o("click", x=x, y=y)],
    lambda x, y: [g("click", x=x * 1000 / 1280, y=y * 1000 / 1024)],
    lambda x, y: [a("mouse_move", coordinate=[x, y]), a("left_mouse_down"), a("left_mouse_up")],
)


def test_an_option_of_a_native_list_is_chosen_at_its_place(use: Use) -> None:
    page = use.hands.show(CHOICE)
    for number, press in enumerate(PRESSES):
        page.evaluate("who.selectedIndex = 0; document.title = ''")
        use(*press(*middle(page, "#who")))
        use(*press(*middle(page, "option:nth-child(3)")))
        assert page.title() == "Friendstrue", number


WRONG: tuple[tuple[Any, str], ...] = (
    (o("click", x=5000, y=5), r"\(5000, 5\) is outside the picture of 1280 x 1024 pixels"),
    (g("click", x=1000, y=5), r"\(1000, 5\) is outside the grid of 0 to 999"),
    (o("click", y=5), "click needs x"),
    (o("click", x="5", y=5), "x should be a number"),
    (o("click", x=True, y=5), "x should be a number"),
    (o("click", x=1e300, y=5), "x should be a number"),
    (o("click", x=float("nan"), y=5), "NaN is not a number"),
    (o("click", x=float("inf"), y=5), "Infinity is not a number"),
    (o("click", x=1, y=5, button="fourth"), "button should be one of left, right"),
    (o("click", x=1, y=5, keys=["CTRL", 3]), "keys should be names of keys"),
    (o("click", x=1, y=5, keys=["NOKEY"]), "there is no key 'NOKEY'"),
    (o("drag", path=[{"x": 1, "y": 2}]), "a list of two points or more"),
    (o("drag", path=[{"x": 1, "y": 2}, 3]), "a list of points"),
    (o("keypress", keys=[]), "there is no key"),
    (o("type", text=["a"]), "text should be a text"),
    (o("type", text="a" * 10_001), "text has 10,001 characters; expected at most 10,000"),
    (o("clik", x=1, y=2), "no action 'clik'.*did you mean \"click\""),
    (o("computer_call", actions=[o("wait"), o("wait")]), "one by one"),
    (a("scroll", coordinate=[1, 2], scroll_direction="diagonal", scroll_amount=1), "one of up, down"),
    (a("left_click", coordinate=[1]), "a list of 2 numbers"),
    (a("key", text="a", repeat=101), "a whole number from 1 to 100"),
    (a("wait", duration=-1), "a number from 0"),
    (o("wait", ms=-1), "a number from 0"),
    (g("wait", seconds=-1), "a number from 0"),
    (
        o("move", x=1, y=2, keys=["TAB"]),
        "Tab cannot be held down during an action, only Control, Alt, Meta, Shift can",
    ),
    (o("scroll", x=1, y=2, scroll_y=1, keys=["CTRL", "a"]), "a cannot be held down during an action"),
    (o("click", x=1, y=2, keys=["ENTER"]), "Enter cannot be held down during an action"),
    (
        a("scroll", coordinate=[1, 2], scroll_direction="up", scroll_amount=1, text="space"),
        "Space cannot be held",
    ),
    (a("zoom", region=[5, 5, 5, 9]), "a part of the picture"),
    *(
        (a("zoom", region=region), "a part of the picture")
        for region in ([0, 0, 9999, 9], [0, 0, 9, 9999], [-1, 0, 9, 9])
    ),
    ({"name": "click", "args": [1]}, "args should be an object"),
    ({"x": 5}, "the object is not an action"),
    ({}, "the object is not an action"),
    ({1: {2: {3}}}, "JSON"),
)


def test_a_wrong_action_says_why_and_does_nothing(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for action, why in WRONG:
        with pytest.raises(ActionError, match=why):
            use(action)
        assert page.evaluate("heard") == [], action
        assert use.noted == [], action


def test_one_level_of_wrapping_by_openai_is_taken_off() -> None:
    screen = Screen(1280, 1024)
    wrapped = o("computer_call", call_id="c", actions=[o("click", x=1, y=2, button="left")])
    assert read_computer(written(wrapped), screen).calls == (("mouse_click", [1, 2], {}),)


@pytest.mark.parametrize("table", [OPENAI, ANTHROPIC, GEMINI], ids=["openai", "anthropic", "gemini"])
def test_values_of_any_kind_are_read_or_refused(table: dict[str, Any]) -> None:
    screen = Screen(1280, 1024)
    names = (
        *("x", "y", "path", "keys", "key", "text", "button", "scroll_x", "coordinate", "start_coordinate", "region"),
        *("scroll_direction", "scroll_amount", "duration", "url", "seconds", "direction", "magnitude", "repeat"),
    )  # fmt: skip
    values: tuple[Any, ...] = (None, [], {}, "x", -1, 1e9, True, [[[1]]], "\ud800", [1, "a"])
    for name, form, value in itertools.product(table, (o, a, g), values):
        try:
            read_computer(written(form(name, **dict.fromkeys(names, value))), screen)
        except ActionError as error:
            assert len(str(error)) < 600, "one line for the agent"


LONG = (
    '{"type": "type", "text": "' + "a" * 1_000_000 + '"}',
    "{" * 1_000_000,
    '{"a":' * 300_000,
    '{"a": ' + "[" * 50_000,
    '{"type": "click", "x": ' + "9" * 5_000 + "}",
    '{"type": "drag", "path": [' + "[1,2]," * 15_000 + "[1,2]]}",
    '{"type": "keypress", "keys": [' + '"a",' * 20_000 + '"a"]}',
)


def test_long_and_nested_texts_are_refused_quickly() -> None:
    for text in LONG:
        began = time.thread_time()
        found = find_computer(text)
        assert found is not None
        with contextlib.suppress(ActionError):
            # The time it would take is refused when it is carried out.
            assert len(read_computer(found, Screen(1280, 1024)).calls) > 15_000
        assert time.thread_time() - began < 5, text[:24]


def test_a_path_of_many_points_is_refused_with_the_limit(use: Use) -> None:
    use.hands.show(LISTENING)
    with pytest.raises(ActionError, match="an action may take 20"):
        use(o("drag", path=[[1, 2]] * 5_000))


REPLIES = (
    ('{"type": "wait"}', '{"type": "wait"}'),
    ('```json\n{"type": "wait"}\n```', '{"type": "wait"}'),
    ('Thought: I wait.\nAction: {"type": "wait"}', '{"type": "wait"}'),
    ('Action: {"type": "wait"}\nAction: {"type": "screenshot"}', None),
    ('ANSWER; {"type": "wait"}', None),
    ("Click [7]", None),
    ("", None),
)


def test_an_action_is_found_in_a_reply() -> None:
    assert [(reply, find_computer(reply)) for reply, _ in REPLIES] == list(REPLIES)


def test_keys_and_buttons_are_let_go_if_an_action_fails(use: Use) -> None:
    page = use.hands.show(LISTENING)

    def refuse(call: Call) -> None:
        if call[0] in ("mouse_click", "mouse_up"):
            raise ActionError("refused")

    for action in (o("click", x=1, y=1, keys=["CTRL"]), o("drag", path=[[1, 1], [2, 2]])):
        read = read_computer(written(action), use.screen)
        with pytest.raises(ActionError, match="refused"):
            perform_computer(read, use.hands.tabs, use.screen, longest=20, noting=refuse)
    page.evaluate("heard.length = 0")
    page.keyboard.press("x")
    page.mouse.move(3, 3)
    assert page.evaluate("heard") == ["keydown x"]
