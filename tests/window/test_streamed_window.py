"""What a person does in a streamed window happens in the browser, and what the browser shows is in the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page

from tests.kept_tab import borrowed_tab
from tests.recorder_support import rest
from tests.window_support import Person, until
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError, WorldError
from websp_gym.window import StreamedWindow, streamed

PAGE = """<!doctype html><title>Settings</title><body style="font: 16px sans-serif; margin: 40px">
<button id=one>One</button> <button id=two>Two</button> <button id=off style="position: absolute; right: 9px; top: 900px">Far</button>
<p><input id=text> <textarea id=long></textarea>
<p><select id=who><option>Everyone<option>Friends<option>Nobody</select>
<p><button id=ask onclick="said.textContent = confirm('Delete it?')">Delete</button>
<button id=name onclick="said.textContent = prompt('Your name?', 'Ann')">Name</button>
<button id=tell onclick="alert('Saved'); said.textContent = 'told'">Tell</button> <output id=said></output>
<p><button id=pop onclick="open('about:blank', 'p', 'width=400,height=300').document.write('<title>Provider</title><p>Sign in')">Pop</button>
<p><input type=file id=file><div id=drag draggable=true>Drag</div><div id=drop>Drop</div>
<p style="height: 2000px">End
<script>
  const log = window.log = [];
  for (const type of ['click', 'dblclick', 'contextmenu', 'input', 'change', 'keydown', 'drop'])
    addEventListener(type, (e) => log.push([type, e.target.id, e.isTrusted, e.key ?? null, e.ctrlKey ?? null, e.shiftKey ?? null]), true);
  document.querySelector('#drop').addEventListener('dragover', (e) => e.preventDefault());
</script>"""


@dataclass
class Desk:
    """A streamed browser, with a person before it."""

    tabs: Tabs
    window: StreamedWindow
    person: Person

    @property
    def page(self) -> Page:
        return self.tabs.current

    def log(self, *types: str) -> list[list[object]]:
        return [each for each in self.page.evaluate("log") if each[0] in types]

    def until(self, holds: Callable[[], object], what: str = "") -> None:
        until(self.person.page, holds, what)


@pytest.fixture
def desk(browser_thread: None) -> Iterator[Desk]:
    # The person's window has another size than the streamed pages.
    with borrowed_tab(with_tabs=True) as shown, borrowed_tab(viewport=(900, 700)) as seen:
        shown.page.set_content(PAGE)
        person = Person(seen.page)
        with streamed(
            shown.tabs, title="Settings of Ann", says="Do it.", buttons=("Done", "Cancel")
        ) as window:
            person.open(window.url)
            yield Desk(shown.tabs, window, person)


def test_the_page_says_what_it_is_for_and_what_the_browser_shows(desk: Desk) -> None:
    page = desk.person.page
    assert page.title() == "Settings of Ann"
    assert page.inner_text("#says") == "Do it."
    assert page.locator("#buttons button").all_inner_texts() == ["Cancel", "Done"]
    desk.until(lambda: desk.person.tabs == ["Settings"])
    assert desk.person.url == "about:blank"
    assert page.inner_text("#live") == "connected"


@pytest.mark.parametrize("size", [(1700, 1300), (420, 800)])
def test_a_click_in_a_window_of_any_size_presses_what_is_there(desk: Desk, size: tuple[int, int]) -> None:
    desk.person.page.set_viewport_size({"width": size[0], "height": size[1]})
    for target in ("#off", "#two", "#one"):
        desk.person.click(desk.page.locator(target))
    desk.until(lambda: len(desk.log("click")) == 3)
    assert [each[1:3] for each in desk.log("click")] == [["off", True], ["two", True], ["one", True]]


def test_double_and_right_clicks_and_clicks_with_keys_arrive_as_such(desk: Desk) -> None:
    mouse, keyboard = desk.person.page.mouse, desk.person.page.keyboard
    mouse.dblclick(*desk.person.place(desk.page.locator("#one")))
    mouse.click(*desk.person.place(desk.page.locator("#two")), button="right")
    keyboard.down("Control")
    keyboard.down("Shift")
    desk.person.click(desk.page.locator("#off"))
    desk.until(lambda: len(desk.log("click")) == 3)
    assert [each[1] for each in desk.log("dblclick")] == ["one"]
    assert [each[1] for each in desk.log("contextmenu")] == ["two"]
    assert desk.log("click")[-1][4:] == [True, True]


def test_the_wheel_scrolls_and_things_can_be_dragged(desk: Desk) -> None:
    mouse = desk.person.page.mouse
    mouse.move(*desk.person.place(desk.page.locator("#drag")))
    mouse.down()
    mouse.move(*desk.person.place(desk.page.locator("#drop")), steps=5)
    mouse.up()
    desk.until(lambda: [each[1] for each in desk.log("drop")] == ["drop"])
    mouse.wheel(0, 500)
    desk.until(lambda: desk.page.evaluate("scrollY") >= 400)


def test_text_of_any_script_is_typed_corrected_and_pasted(desk: Desk) -> None:
    field = desk.page.locator("#text")
    keyboard = desk.person.page.keyboard
    desk.person.click(field)
    keyboard.type("Grüße, 東")
    desk.person.press("ArrowLeft", "Backspace", "End")
    # As an input method, a paste and a dictation do it.
    keyboard.insert_text("京 مرحبا 🙂")
    desk.until(lambda: field.input_value() == "Grüße,東京 مرحبا 🙂", "text")
    desk.person.press("Control+a", "Delete")
    keyboard.type("a b")
    desk.until(lambda: field.input_value() == "a b")
    desk.person.press("Tab", "x", "Enter", "y")
    desk.until(lambda: desk.page.input_value("#long") == "x\ny")
    # One key leaves the picture.
    desk.person.press("F6", "Tab", "Enter")
    assert desk.window.wait() == "Done"
    assert all(each[2] for each in desk.log("input", "keydown"))


def test_text_that_an_input_method_composes_arrives_once(desk: Desk) -> None:
    desk.person.click(desk.page.locator("#text"))
    page = desk.person.page
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    session.send("Input.imeSetComposition", {"text": "にほ", "selectionStart": 2, "selectionEnd": 2})
    session.send("Input.insertText", {"text": "日本"})
    desk.person.press("!")
    desk.until(lambda: desk.page.input_value("#text") == "日本!", "text")


def test_a_list_opens_in_the_picture_and_is_chosen_from_by_mouse_and_keys(desk: Desk) -> None:
    who = desk.page.locator("#who")
    before = who.bounding_box()
    desk.person.click(who)
    desk.until(lambda: desk.page.evaluate("document.querySelector('#who').matches(':open')"))
    desk.person.click(desk.page.locator("option", has_text="Nobody"))
    desk.until(lambda: who.input_value() == "Nobody")
    assert desk.log("change") == [["change", "who", True, None, None, None]]
    desk.until(lambda: desk.page.locator("[data-websp-picker]").count() == 0)
    assert who.bounding_box() == before
    desk.person.press(" ")
    desk.until(lambda: desk.page.evaluate("document.querySelector('#who').matches(':open')"))
    desk.person.press("ArrowUp", "Enter")
    desk.until(lambda: who.input_value() == "Friends")
    assert all(each[2] for each in desk.log("input", "change"))


def test_dialogs_are_the_persons_to_answer(desk: Desk) -> None:
    page, said = desk.person.page, desk.page.locator("#said")
    for button, answer, expected in (
        ("#ask", "#dialog-yes", "true"),
        ("#ask", "#dialog-no", "false"),
        ("#tell", "#dialog-yes", "told"),
    ):
        desk.person.click(desk.page.locator(button))
        page.click(answer)
        desk.until(lambda wanted=expected: said.inner_text() == wanted)  # type: ignore[misc]
    desk.person.click(desk.page.locator("#name"))
    page.wait_for_selector("dialog[open]")
    assert page.inner_text("#dialog-text") == "Your name?"
    page.keyboard.type("Zoë")
    page.keyboard.press("Enter")
    desk.until(lambda: said.inner_text() == "Zoë")
    desk.person.click(desk.page.locator("#ask"))
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    desk.until(lambda: said.inner_text() == "false")
    # Keys are the page's again.
    desk.person.press("Tab", "Enter")
    page.wait_for_selector("dialog[open]")


def test_a_popup_becomes_current_and_its_end_leads_back(desk: Desk) -> None:
    page = desk.person.page
    desk.person.click(desk.page.locator("#pop"))
    desk.until(lambda: desk.person.tabs == ["Settings", "Provider"])
    desk.until(lambda: page.inner_text("#tabs [data-current] .name") == "Provider")
    desk.until(lambda: page.evaluate("document.querySelector('#screen').width") == 400)
    page.click("#tabs .name >> text=Settings")
    desk.until(lambda: page.inner_text("#tabs [data-current] .name") == "Settings")
    page.click("#tabs [aria-label='Close Provider']")
    desk.until(lambda: desk.person.tabs == ["Settings"])
    desk.person.click(desk.page.locator("#one"))
    desk.until(lambda: desk.log("click")[-1][1] == "one")


def test_a_file_cannot_be_chosen_and_the_person_is_told(desk: Desk) -> None:
    desk.person.click(desk.page.locator("#file"))
    desk.person.page.wait_for_selector("#notice:not([hidden])")
    assert "no file can be chosen here" in desk.person.page.inner_text("#notice")


def test_a_notice_is_shown_on_a_page_that_does_not_change(desk: Desk) -> None:
    desk.until(lambda: desk.person.tabs == ["Settings"])
    rest(desk.person.page)
    desk.tabs.notices.add("nothing else happens")
    desk.person.page.wait_for_selector("#notice:not([hidden])")
    assert "Nothing else happens" in desk.person.page.inner_text("#notice")


def test_back_and_reload_are_there(desk: Desk) -> None:
    page = desk.person.page
    assert page.is_disabled("#back")
    desk.page.goto("data:text/html,<title>First</title>")
    desk.page.goto("data:text/html,<title>Second</title>")
    desk.until(lambda: desk.person.tabs == ["Second"])
    page.click("#back")
    desk.until(lambda: desk.person.tabs == ["First"])
    with desk.page.expect_event("domcontentloaded"):
        page.click("#reload")


def test_pictures_come_after_a_change_and_none_without(desk: Desk) -> None:
    page = desk.page

    def is_still() -> bool:
        before = desk.person.pictures
        for _ in range(5):
            rest(desk.person.page)
        return desk.person.pictures == before

    desk.until(is_still)
    before = desk.person.pictures
    page.evaluate("document.body.style.background = 'rgb(0, 128, 0)'")
    colour = "() => [...document.querySelector('#screen').getContext('2d').getImageData(5, 5, 1, 1).data]"

    def is_green() -> bool:
        red, green, blue, _ = desk.person.page.evaluate(colour)
        return bool(abs(red) < 9 and abs(green - 128) < 9 and abs(blue) < 9)

    desk.until(is_green)
    assert desk.person.pictures > before


def test_a_new_viewer_takes_over_and_the_old_one_can_come_back(desk: Desk) -> None:
    second = Person(desk.person.page.context.new_page())
    second.open(desk.window.url)
    first = desk.person.page
    first.wait_for_selector("#over:not([hidden])")
    assert "taken over" in first.inner_text("#over-text")
    second.click(desk.page.locator("#one"))
    desk.until(lambda: len(desk.log("click")) == 1)
    first.click("#again")
    second.page.wait_for_selector("#over:not([hidden])")
    desk.person.click(desk.page.locator("#two"))
    desk.until(lambda: [each[1] for each in desk.log("click")] == ["one", "two"])


def test_an_open_dialog_is_shown_to_a_viewer_that_comes_later(desk: Desk) -> None:
    desk.person.click(desk.page.locator("#ask"))
    desk.person.page.wait_for_selector("dialog[open]")
    second = desk.person.page.context.new_page()
    second.goto(desk.window.url)
    second.click("#dialog-yes")
    desk.until(lambda: desk.page.inner_text("#said") == "true")


def test_a_button_ends_the_wait_and_the_viewer_is_told(desk: Desk) -> None:
    desk.person.page.click("#buttons >> text=Cancel")
    assert desk.window.wait() == "Cancel"
    desk.window.close()
    desk.person.page.wait_for_selector("#over:not([hidden])")
    assert "goes on in the terminal" in desk.person.page.inner_text("#over-text")


def test_a_crash_of_the_page_is_told_here_and_there(desk: Desk) -> None:
    with pytest.raises(Exception, match="crash"):
        desk.page.goto("chrome://crash")
    with pytest.raises(WorldError, match="the page crashed"):
        desk.window.wait()
    desk.person.page.wait_for_selector("#over:not([hidden])")
    assert "The page crashed" in desk.person.page.inner_text("#over-text")


def test_a_closed_browser_is_told_here_and_there(desk: Desk) -> None:
    desk.tabs.context.close()
    with pytest.raises(WorldError, match="the browser was closed"):
        desk.window.wait()
    desk.person.page.wait_for_selector("#over:not([hidden])")
    assert "browser was closed" in desk.person.page.inner_text("#over-text")


def test_the_program_can_end_the_wait_and_another_window_has_another_port(desk: Desk) -> None:
    assert desk.window.wait(lambda: True) is None
    with (
        pytest.raises(SetupError, match=f"port {desk.window.port} is taken"),
        streamed(desk.tabs, title="", port=desk.window.port),
    ):
        pass
