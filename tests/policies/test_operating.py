"""What was operated is told by the page's own events, whichever way it was done."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.pages_support import blank_page
from websp_gym.browser.inputs import inputs_of
from websp_gym.policies.operating import operations

PAGE = """
<form action="/save" method="post" onsubmit="event.preventDefault()">
  <label><input type="checkbox"> Mail me</label>
  <input aria-label="Note"><select aria-label="Level"><option>All</option><option>None</option></select>
  <label><input type="radio" name="who" checked> Friends</label><label><input type="radio" name="who" id="all"> Everyone</label>
  <button>Save <b>now</b></button>
</form>
<div role="switch" tabindex="0" aria-label="Dark" aria-checked="false">.</div>
<div role="slider" tabindex="0" aria-label="Volume" aria-valuenow="3">.</div>
<div id="long" style="overflow-y: scroll; height: 50px; width: 300px"><div style="height: 900px">a long text</div></div>
<div contenteditable role="textbox" aria-label="Story"></div>
<a href="#there">About <i>us</i></a>
<button draggable="true" id="card">Card</button>
<div role="listitem" aria-label="Done" ondragover="event.preventDefault()" ondrop="event.preventDefault()"
  style="width: 200px; height: 60px">.</div>
"""
__all__ = ["blank_page"]

Act = Callable[[Page], object]


def key(selector: str, *keys: str) -> Act:
    def act(page: Page) -> None:
        page.focus(selector)
        for each in keys:
            page.keyboard.press(each)

    return act


def beside_the_text(page: Page) -> None:
    box = page.locator("#long").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + 25)


def drag(source: str, x: float, y: float) -> Act:
    def act(page: Page) -> None:
        page.hover(source)
        page.mouse.down()
        page.mouse.move(x, y, steps=4)
        page.mouse.up()

    return act


SAVE = ("button", "Save now")
WAYS: dict[str, tuple[Act, list[tuple[str, str]]]] = {
    "a click": (lambda page: page.click("button"), [SAVE]),
    "a click on a part of it": (lambda page: page.click("b"), [SAVE]),
    "Enter in a field of its form": (key("[aria-label=Note]", "Enter"), [("textbox", "Note"), SAVE]),
    "Space": (key("button", "Space"), [SAVE]),
    "Enter": (key("button", "Enter"), [SAVE]),
    "another key": (key("button", "Shift", "Tab"), []),
    "the text of a label": (lambda page: page.click("text=Mail me"), [("checkbox", "Mail me")]),
    "an arrow in a list": (key("select", "ArrowDown"), [("combobox", "Level")]),
    "an arrow among radio buttons": (key("[name=who]", "ArrowDown"), [("radio", "Everyone")]),
    "a key on a widget of a script": (key("[role=switch]", "Enter"), [("switch", "Dark")]),
    "an arrow on one": (key("[role=slider]", "ArrowRight"), [("slider", "Volume")]),
    "an arrow on one that has none": (key("[role=switch]", "ArrowRight"), []),
    "typing": (lambda page: page.type("[aria-label=Note]", "ab"), [("textbox", "Note")]),
    "typing in an editor": (lambda page: page.type("[role=textbox]", "ab"), [("textbox", "Story")]),
    "pointing": (lambda page: page.hover("button"), []),
    "a right click": (lambda page: page.click("button", button="right"), []),
    "a right click on a link": (lambda page: page.click("i", button="right"), []),
    "a middle click": (lambda page: page.click("text=Mail me", button="middle"), []),
    "a middle click on a link": (lambda page: page.click("i", button="middle"), [("link", "About us")]),
    "a link that is dragged away": (drag("a", 700, 500), []),
    "a button that is let go elsewhere": (drag("button", 700, 500), []),
    "what is dropped where the page takes it": (
        lambda page: page.drag_and_drop("#card", "[aria-label=Done]"),
        [("button", "Card"), ("listitem", "Done")],
    ),
    "the bar of a scrolled box": (beside_the_text, []),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_operated(blank_page: Page, way: str) -> None:
    inputs = inputs_of(blank_page.context)
    blank_page.goto(f"data:text/html,{quote(PAGE)}")
    inputs.take()
    act, expected = WAYS[way]
    act(blank_page)
    blank_page.evaluate("0")  # what the page told before has come with the answer
    told = [each for each in inputs.take() if each.trusted and each.event != "submit"]
    controls = [each for each in operations(told) if each.role != "generic"]
    assert [(each.role, each.name) for each in controls] == expected


def test_a_field_is_told_as_it_stands_afterwards(blank_page: Page) -> None:
    inputs = inputs_of(blank_page.context)
    blank_page.goto(f"data:text/html,{quote(PAGE)}")
    blank_page.type("[aria-label=Note]", "hello")
    blank_page.keyboard.press("Control+A")
    blank_page.keyboard.type("by")
    blank_page.keyboard.insert_text("e")
    blank_page.type("[role=textbox]", "well")
    typed = {each.field: (each.name, each.value) for each in inputs.take() if each.event == "input"}
    assert sorted(typed.values()) == [("Note", "bye"), ("Story", "well")]


def test_a_page_cannot_hide_what_is_operated(blank_page: Page) -> None:
    inputs = inputs_of(blank_page.context)
    hiding = "<script>addEventListener('click', (event) => event.stopImmediatePropagation(), true)</script>"
    blank_page.goto(f"data:text/html,{quote(hiding + PAGE)}")
    inputs.take()
    blank_page.click("button")
    assert [each.name for each in inputs.take() if each.event == "click"] == ["Save now"]
