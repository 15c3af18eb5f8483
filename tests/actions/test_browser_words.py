"""Actions in the words of Anthropic's browser toolset, carried out on real pages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from anthropic.types.browser_member_name import BROWSER_MEMBER_NAME_VALUES

from tests.actions.test_computer_words import LISTENING, click
from tests.actions_support import Hands, hands, sites
from websp_gym.actions.computer.action import Screen
from websp_gym.actions.computer.browser import BROWSER, REFUSED
from websp_gym.actions.computer.find import written
from websp_gym.actions.computer.pages import Pages
from websp_gym.actions.computer.perform import perform_computer
from websp_gym.actions.computer.read import read_computer
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError
from websp_gym.models.computer.anthropic import MEMBERS

__all__ = ["hands", "sites"]

FORM = """<h1>Privacy</h1><form>
<label>E-mail <input id=mail value=old></label>
<label>Notes <textarea id=notes></textarea></label>
<label><input type=checkbox id=ads checked> Personal ads</label>
<div role=switch aria-checked=false tabindex=0 aria-label="Share data" id=share
  onclick="this.ariaChecked = this.ariaChecked !== 'true'">o</div>
<label>Audience <select id=who><option>Everyone<option>Friends<option value=me>Only me</select></label>
<input type=password aria-label=Password value=hunter2>
<button type=button onclick="pressed = (window.pressed || '') + event.detail + event.ctrlKey">Save changes</button>
<button type=button disabled>Delete</button>
<p>Some text that nobody operates.</p></form>
<div style='height:3000px'></div><a href=#far>Far away</a>"""


class Use:
    """Uses a browser by the toolset's calls, as :meth:`WebspEnv.step` does."""

    def __init__(self, hands: Hands) -> None:
        self.hands = hands
        self.screen = Screen(1280, 1024, pages=Pages(hands.tabs))
        self.noted: list[str] = []

    def __call__(self, name: str, **fields: Any) -> str:
        """Carries a call out; returns its result."""
        return self.counted(name, **fields)[0]

    def counted(self, name: str, **fields: Any) -> tuple[str, bool]:
        """The same; returns whether it counted too."""
        self.hands.tabs.begin_step()
        said = {"type": "tool_use", "id": "1", "toolset_name": "browser", "name": name, "input": fields}
        action = read_computer(written(said), self.screen)
        result = perform_computer(
            action, self.hands.tabs, self.screen, longest=20, noting=lambda call: self.noted.append(call[0])
        )
        settle(self.hands.tabs)
        return result, not action.free

    def ref(self, name: str) -> dict[str, str]:
        """A target by the reference that the page's tree has for a name."""
        (line,) = [each for each in self("read_page", filter="all").splitlines() if f'"{name}" [' in each]
        found = re.search(r"\[(ref_\d+)\]", line)
        assert found is not None
        return {"type": "ref", "ref": found[1]}


def at(x: int, y: int) -> dict[str, Any]:
    return {"type": "coordinate", "x": x, "y": y}


@pytest.fixture
def use(hands: Hands) -> Use:
    return Use(hands)


def test_all_members_of_the_toolset_are_known_and_only_those_that_are_refused_are_not_offered() -> None:
    assert {*BROWSER} == {*MEMBERS} == {*BROWSER_MEMBER_NAME_VALUES}
    assert {name for name, offered in MEMBERS.items() if not offered} == {*REFUSED}


POINTS: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("left_click", {"target": at(100, 200)}, click("100 200")),
    ("left_click", {"target": at(1, 2), "modifiers": "ctrl"}, ["keydown Control ctrl", *click("1 2", keys="ctrl")]),
    ("middle_click", {"target": at(1, 2)}, click("1 2", 1)),
    ("right_click", {"target": at(1, 2)}, ["mousedown 1 2 2 1", "contextmenu 1 2 2 0", "mouseup 1 2 2 1"]),
    ("double_click", {"target": at(1, 2)}, click("1 2", times=2)),
    ("triple_click", {"target": at(1, 2)}, click("1 2", times=3)),
    ("left_click_drag", {"from": at(1, 2), "target": at(3, 4)}, ["mousedown 1 2 0 1", "mouseup 3 4 0 1"]),
    ("left_mouse_down", {"target": at(5, 6)}, ["mousedown 5 6 0 1"]),
    ("left_mouse_up", {"target": at(5, 9)}, ["mouseup 5 9 0 1"]),
    ("key", {"text": "Tab Down", "repeat": 2}, ["keydown Tab", "keydown ArrowDown"] * 2),
    ("hold_key", {"text": "shift+a", "duration": 0}, ["keydown Shift shift", "keydown A shift"]),
    ("type", {"text": "aB"}, ["keydown a", "keydown B"]),
)  # fmt: skip


def test_mouse_and_keys_do_what_their_word_says_and_count(use: Use) -> None:
    page = use.hands.show(LISTENING)
    for name, fields, heard in POINTS:
        page.evaluate("scrollTo(0, heard.length = 0)")
        assert use.counted(name, **fields) == ("done", True), name
        assert page.evaluate("heard") == heard, name


def test_looking_moving_scrolling_and_waiting_are_free(use: Use) -> None:
    page = use.hands.show(LISTENING)
    free: tuple[tuple[str, dict[str, Any]], ...] = (
        ("mouse_move", {"target": at(3, 4)}),
        ("hover", {"target": at(5, 6)}),
        ("screenshot", {}),
        ("wait", {"duration": 0}),
        ("zoom", {"region": [0, 0, 100, 100]}),
        ("scroll", {"target": at(5, 5), "scroll_direction": "down", "scroll_amount": 2}),
    )
    for name, fields in free:
        result, counted = use.counted(name, **fields)
        assert (bool(result), counted) == (True, False), name
    assert page.evaluate("moves") >= 2
    assert page.evaluate("heard") == []
    page.wait_for_function("scrollY === 200")


def test_a_page_is_read_as_a_tree_of_what_is_in_view_can_be_operated_or_is_there(use: Use) -> None:
    use.hands.show(FORM)
    seen, counted = use.counted("read_page")
    assert not counted
    lines = [re.sub(r" \[ref_\d+\]", "", line.strip()) for line in seen.splitlines()]
    for line in (
        'heading "Privacy"',
        'textbox "E-mail" value="old"',
        'checkbox "Personal ads" (checked)',
        'switch "Share data" (not checked)',
        'combobox "Audience" value="Everyone" (collapsed)',
        'textbox "Password" value="•••••••"',
        'button "Delete" (disabled)',
        'StaticText "Some text that nobody operates."',
    ):
        assert line in lines
    assert "Far away" not in seen
    assert "hunter2" not in seen
    operable = use("read_page", filter="interactive")
    assert '"Save changes"' in operable
    assert "Privacy" not in operable
    assert 'link "Far away"' in use("read_page", filter="all")
    assert use("read_page", ref=use.ref("Audience")["ref"], filter="all").count("\n") == 3
    assert "\n  " not in use("read_page", depth=1)


def test_elements_are_found_by_words_and_the_text_is_read(use: Use) -> None:
    use.hands.show(FORM)
    assert re.fullmatch(r'button "Save changes" \[ref_\d+\]', use("find", query="the save button"))
    assert re.search(r'^switch "Share data" .*', use("find", query="toggle for sharing: share data"))
    assert "(out of view)" in use("find", query="far away")
    assert "read_page lists" in use("find", query="zebra")
    text, counted = use.counted("get_page_text")
    assert ("Some text that nobody operates." in text, "hunter2" in text, counted) == (True, False, False)
    use.hands.show("".join(f"<button>Save {number}</button>" for number in range(30)))
    assert use("find", query="save").splitlines()[20:] == ["and 10 more; give more words"]
    use.hands.show("<p>" + "words " * 20_000)
    assert len(use("get_page_text")) < 51_000


def test_elements_are_operated_by_their_references(use: Use) -> None:
    page = use.hands.show(FORM)
    save = use.ref("Save changes")
    assert use.counted("left_click", target=save) == ("done", True)
    use("left_click", target=save, modifiers="ctrl")
    use("double_click", target=save)
    use("triple_click", target=save)
    assert page.evaluate("pressed") == "1false1true" + "1false2false" + "1false2false3false"
    assert use.counted("hover", target=save) == ("done", False)
    assert page.evaluate("document.querySelector('button:hover').innerText") == "Save changes"
    assert use.counted("scroll_to", target=use.ref("Far away")) == ("done", False)
    page.wait_for_function("scrollY > 2000")
    assert {"click", "hover", "scroll_to"} <= {*use.noted}


VALUES: tuple[tuple[str, Any, str], ...] = (
    ("E-mail", "new@example.com", "mail.value === 'new@example.com'"),
    ("E-mail", 12, "mail.value === '12'"),
    ("Notes", "two\nlines", "notes.value === 'two\\nlines'"),
    ("Personal ads", False, "!ads.checked"),
    ("Personal ads", True, "ads.checked"),
    ("Share data", True, "share.ariaChecked === 'true'"),
    ("Audience", "Friends", "who.value === 'Friends'"),
    ("Audience", "me", "who.value === 'me'"),
)


def test_form_elements_are_set(use: Use) -> None:
    page = use.hands.show(FORM)
    for name, value, holds in VALUES:
        assert use.counted("form_input", target=use.ref(name), value=value) == ("done", True)
        assert page.evaluate(holds), (name, value)


def test_pages_are_opened_and_gone_back_to(use: Use) -> None:
    first = use.hands.site.put("/first", "<title>First</title>one")
    second = use.hands.site.put("/second", "<title>Second</title>two")
    for url, shown in (
        (first, first), (second, second), ("back", first), ("forward", second), ("reload", second),
    ):  # fmt: skip
        assert use.counted("navigate", url=url) == ("done", True)
        assert use.hands.page.url == shown
    with pytest.raises(ActionError, match="navigate failed"):
        use("navigate", url="no-such-host.invalid/path")
    with pytest.raises(ActionError, match="http"):
        use("navigate", url="file:///etc/passwd")


def test_tabs_are_opened_listed_switched_and_closed_by_numbers_that_stay(use: Use) -> None:
    url = use.hands.site.put("/here", "<title>Here</title><button>Go</button>")
    use("navigate", url=url)
    go = use.ref("Go")
    first = re.fullmatch(rf"tab_id (\d+) \(active\): Here  {url}", use("list_tabs"))
    assert first is not None
    opened, counted = use.counted("new_tab")
    second = re.match(r"tab_id (\d+) \(active\)", opened)
    assert (second is not None, counted, use.hands.tabs.notices.texts) == (True, True, [])
    assert second is not None
    with pytest.raises(ActionError, match=f"is of tab {first[1]}"):
        use("left_click", target=go)
    # An action for another tab makes it the active one, and counts even if it only looks.
    assert use.counted("screenshot", tab_id=first[1]) == ("done", True)
    assert use.hands.page.url == url
    assert use.counted("left_click", target=go, tab_id=first[1]) == ("done", True)
    assert "Here" in use("close_tab", tab_id=second[1])
    assert use("new_tab").startswith(f"tab_id {int(second[1]) + 1} (active)")
    assert "Here" in use("switch_tab", tab_id=first[1])
    with pytest.raises(ActionError, match=f"there is no tab '{second[1]}'; the open tabs are"):
        use("switch_tab", tab_id=second[1])


def test_a_reference_is_never_for_another_element(use: Use) -> None:
    page = use.hands.show(FORM)
    save = use.ref("Save changes")
    assert use.ref("Save changes") == save
    page.evaluate("document.querySelector('button').remove()")
    with pytest.raises(ActionError, match="no longer on the page; read_page and find give new references"):
        use("left_click", target=save)
    page.reload()
    settle(use.hands.tabs)
    use("read_page")
    with pytest.raises(ActionError, match="is of a page that is gone"):
        use("left_click", target=save)
    with pytest.raises(ActionError, match="references come from read_page and find"):
        use("scroll_to", target={"type": "ref", "ref": "ref_999"})


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("left_click", {}, "needs target"),
    ("left_click", {"target": [1, 2]}, "target should be an object"),
    ("left_click", {"target": at(5000, 5)}, "outside the picture of 1280 x 1024"),
    ("scroll", {"target": at(5, 5), "scroll_direction": "down", "scroll_amount": 11}, "from 1 to 10"),
    ("scroll", {"target": {"type": "ref", "ref": "ref_1"}, "scroll_direction": "down"}, "needs x"),
    ("read_page", {"filter": "visible"}, "one of interactive, all"),
    ("wait", {"duration": 30}, "would take about 30 seconds"),
    ("key", {"text": "Fly"}, "no key 'Fly'"),
    ("close_tab", {"tab_id": "99"}, "there is no tab '99'"),
    ("fly", {}, "there is no action 'fly'"),
    *((name, {"text": "1"}, f"{name} is not offered here") for name in REFUSED),
)


@pytest.mark.parametrize(
    ("name", "fields", "why"), WRONG, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_wrong_call_is_explained(use: Use, name: str, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(ActionError, match=re.escape(why)):
        use(name, **fields)


def test_the_only_tab_is_not_closed(use: Use) -> None:
    number = use.hands.tabs.number_of(use.hands.page)
    with pytest.raises(ActionError, match="only tab"):
        use("close_tab", tab_id=str(number))


def test_a_target_without_the_name_of_the_toolset_is_not_clicked_at_the_pointer(use: Use) -> None:
    with pytest.raises(ActionError, match='give "toolset_name": "browser"'):
        read_computer(written({"name": "left_click", "input": {"target": at(1, 2)}}), use.screen)
